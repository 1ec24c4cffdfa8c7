// The grants on the canvas: what each task may do at worst, what lights what, and what is left of cost and time without some.
import { fireEvent, render, screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { demoHost } from "../../ipc/demo";
import { type Host, setHost } from "../../ipc/host";
import { ApprovalScreen } from "./ApprovalScreen";
import { overlaysOf } from "./overlays";

let host: Host;

beforeEach(() => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
});

async function shown(): Promise<void> {
  const { run } = await host.openPlan("samples/margin-report");
  render(<ApprovalScreen run={run} />);
  await screen.findByTestId("grants");
}

/** `O` until the grants are on the canvas. */
async function overGrants(): Promise<void> {
  await waitFor(() => {
    if (chosen() !== "Grants") fireEvent.keyDown(window, { key: "o" });
    expect(chosen()).toBe("Grants");
  });
}

const chosen = () =>
  within(screen.getByTestId("overlay"))
    .getAllByRole("radio")
    .find((radio) => radio.getAttribute("aria-checked") === "true")?.textContent;
const node = (id: string) => screen.getByTestId(`task-${id}`);
const card = (id: string) => node(id).querySelector(".card") as HTMLElement;
/** What is read out of a card; its own words are not drawn from afar. */
const said = (id: string) => node(id).getAttribute("aria-label");
const toggle = (name: RegExp) => screen.getByRole("switch", { name });
const grant = (name: RegExp) => toggle(name).closest("li") as HTMLElement;

describe("the overlays", () => {
  it("follow one another by key, and none shows a way that is not there", async () => {
    await shown();
    const seen = [chosen()];
    for (let n = 0; n < 4; n++) {
      fireEvent.keyDown(window, { key: "o" });
      seen.push(chosen());
    }
    expect(seen).toEqual(["Untrusted data", "Longest path", "Grants", "Plain", "Untrusted data"]);
    expect(overlaysOf(false)).toEqual(["plain", "path", "grants"]);
  });

  it("show under each card what it may do at worst, and light those that touch anything", async () => {
    await shown();
    await overGrants();
    expect(card("save_report").querySelector(".card-mark")?.textContent).toBe("Writes");
    expect(card("save_report").classList).toContain("lit");
    expect(card("query_costs").querySelector(".card-mark")).toBeNull();
    expect(card("query_costs").classList).toContain("lit");
    expect(card("margins").classList).toContain("dim");
  });

  it("light the tasks of a grant and the grants of a task", async () => {
    await shown();
    await overGrants();
    fireEvent.mouseEnter(grant(/rates\.example/));
    expect(card("get_rates").classList).toContain("lit");
    expect(card("save_report").classList).toContain("dim");
    fireEvent.mouseLeave(grant(/rates\.example/));
    fireEvent.mouseEnter(node("save_report").closest(".react-flow__node") as HTMLElement);
    await waitFor(() => expect(grant(/reports\/margin/).classList).toContain("focused"));
    expect(grant(/rates\.example/).classList).not.toContain("focused");
  });

  it("mark what can't run and why, on the card too", async () => {
    await shown();
    await overGrants();
    fireEvent.click(toggle(/rates\.example/));
    await waitFor(() => expect(said("get_rates")).toContain("needs rates.example"));
    expect(node("get_rates").dataset.status).toBe("SKIPPED");
    expect(card("get_rates").querySelector(".card-mark")?.textContent).toBe("needs rates.example");
    expect(said("normalise")).toContain("left out, comes after Get exchange rates");
    // What is off touches nothing, and neither does what comes after it.
    expect(card("save_report").classList).toContain("dim");
    expect(card("save_report").querySelector(".card-mark")).toBeNull();
    expect(card("get_rates").classList).toContain("dim");
    expect(document.querySelector(".title-block")?.textContent).toContain("Will not run6");
  });
});

describe("the estimate", () => {
  it("is of what is left when something is switched off, and so is the schedule", async () => {
    await shown();
    const time = () => screen.getByTestId("estimate-time").textContent ?? "";
    expect(time()).toContain("of 9 tasks");
    const before = time();
    fireEvent.click(toggle(/rates\.example/));
    await waitFor(() => expect(screen.getByTestId("estimate-without").textContent).toContain("the 6 tasks"));
    expect(time()).toContain("of 3 tasks");
    expect(time()).not.toContain("your part");
    expect(before).toContain("your part");
    expect(screen.getByTestId("estimate-cost").textContent).toContain("No model is asked.");
    fireEvent.keyDown(window, { key: "s" });
    await waitFor(() => expect(screen.getByTestId("schedule").textContent).toContain("6 tasks will not run"));
    expect(screen.getByTestId("schedule").textContent).not.toContain("Save report");
    expect(screen.getByTestId("schedule").textContent).toContain("Query cost database");
  });
});
