// A new plan on its screen: piece by piece with what goes together, in a person's own version, asked for again, answered once.
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { beforeEach, describe, expect, it } from "vitest";
import { demoHost } from "../../ipc/demo";
import { withReplan } from "../../ipc/demo/replans";
import type { Host } from "../../ipc/host";
import { Fault, setHost } from "../../ipc/host";
import { outAfter, useReplan, withDependents, withNeeds } from "../../state/replan";
import { useRoute } from "../../state/route";
import { ReplanScreen } from "./ReplanScreen";

const RUN = "demo-replan";
let sent: string[] = [];

function desk(change: (host: Host) => Partial<Host> = () => ({})): void {
  const host = withReplan(demoHost({ pace: 0.01 }));
  setHost({
    ...host,
    decide: async (run, decision, answer) => {
      sent.push(`${decision} ${answer}`);
      await host.decide(run, decision, answer);
    },
    ...change(host),
  });
}

async function open(): Promise<void> {
  render(<ReplanScreen run={RUN} attempt={null} />);
  await screen.findByTestId("replan");
}

beforeEach(() => {
  sent = [];
  useReplan.setState({ run: null, view: null, list: null, out: new Set(), edited: null, isEditing: false, note: "" });
  desk();
});

describe("a new plan", () => {
  it("says what failed with every try, what it asks for, and which replan it is", async () => {
    await open();
    expect(screen.getByTestId("failed-fetch").querySelectorAll("li")).toHaveLength(4);
    expect(screen.getByTestId("replan-asks").textContent).toContain("feeds.northwind.example");
    expect(screen.getByTestId("replan-number").textContent).toContain("Replan 1 of 3");
    expect(screen.getByTestId("replan-accept").textContent).toContain("Accept and continue");
  });

  it("is accepted whole by Ctrl Enter, once", async () => {
    await open();
    act(() => {
      fireEvent.keyDown(window, { key: "Enter", ctrlKey: true });
      fireEvent.keyDown(window, { key: "Enter", ctrlKey: true });
    });
    await waitFor(() => expect(sent).toEqual(['d1 "accept"']));
    await waitFor(() => expect(useRoute.getState().route).toEqual({ screen: "run", run: RUN }));
  });

  it("takes and leaves together what needs each other, and accepts only what the engine lets pass", async () => {
    await open();
    fireEvent.click(screen.getByTestId("take-add:feed"));
    // `normalise` reads it, and so `fetch` can't go either: nothing would be mended.
    expect(screen.getByTestId("piece-change:normalise").dataset.out).toBe("true");
    expect(screen.getByTestId("piece-remove:fetch").dataset.out).toBe("true");
    await screen.findByTestId("replan-refused");
    expect(screen.getByTestId<HTMLButtonElement>("replan-accept").disabled).toBe(true);
    fireEvent.click(screen.getByTestId("take-remove:fetch"));
    expect(screen.getByTestId("piece-add:feed").dataset.out).toBe("false");
    await waitFor(() => expect(screen.queryByTestId("replan-refused")).toBeNull());
  });

  it("is asked for again with a note, which is shown with the next one", async () => {
    await open();
    fireEvent.change(screen.getByTestId("replan-note"), { target: { value: "Use the daily feed." } });
    fireEvent.click(screen.getByTestId("replan-again"));
    await waitFor(() => expect(sent).toEqual(['d1 {"again":"Use the daily feed."}']));
    await waitFor(() => expect(screen.getByTestId("replan-number").dataset.attempt).toBe("2"));
    expect(screen.getByTestId("replan-asked").textContent).toContain("Use the daily feed.");
  });

  it("is accepted in a person's own version", async () => {
    await open();
    fireEvent.keyDown(window, { key: "e" });
    await screen.findByTestId("replan-editing");
    fireEvent.change(screen.getByTestId("edit-title"), { target: { value: "Normalise all" } });
    await waitFor(() => expect(screen.getByTestId<HTMLButtonElement>("replan-accept").disabled).toBe(false));
    fireEvent.click(screen.getByTestId("replan-accept"));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toContain('"edit"');
    expect(sent[0]).toContain("Normalise all");
  });

  it("tells what went wrong and loses nothing of what was typed", async () => {
    desk(() => ({
      decide: async () => {
        throw new Fault("answered", "decision d1 was answered by the command line. Nothing was recorded.");
      },
    }));
    await open();
    fireEvent.change(screen.getByTestId("replan-note"), { target: { value: "Mine" } });
    fireEvent.click(screen.getByTestId("replan-again"));
    await screen.findByText(/answered by the command line/);
    expect(screen.getByTestId<HTMLTextAreaElement>("replan-note").value).toBe("Mine");
  });

  it("steps from change to change by its keys", async () => {
    await open();
    fireEvent.keyDown(window, { key: "]" });
    expect(useReplan.getState().chosen).toBe("add:sites");
    fireEvent.keyDown(window, { key: "]" });
    fireEvent.keyDown(window, { key: "[" });
    expect(useReplan.getState().chosen).toBe("add:sites");
  });

  it("has no fault that axe can see", async () => {
    await open();
    const panel = screen.getByTestId("replan-panel");
    const found = await axe.run(panel, { rules: { "color-contrast": { enabled: false } } });
    expect(found.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.html).join()}`)).toEqual([]);
  });
});

describe("pieces", () => {
  const piece = (id: string, needs: string[] = []) => ({ id, needs }) as never;
  const pieces = [piece("a"), piece("b", ["a"]), piece("c", ["b"]), piece("d")];

  it("go together as far as they need each other", () => {
    expect([...withNeeds(pieces, "c")].sort()).toEqual(["a", "b", "c"]);
    expect([...withDependents(pieces, "a")].sort()).toEqual(["a", "b", "c"]);
    const out = outAfter(pieces, new Set(), "b");
    expect([...out].sort()).toEqual(["b", "c"]);
    expect([...outAfter(pieces, out, "c")]).toEqual([]);
  });

  it("are always whole, whatever is taken and left", () => {
    let out: ReadonlySet<string> = new Set();
    for (const id of ["a", "c", "d", "b", "a", "c", "b", "d", "a"]) {
      out = outAfter(pieces, out, id);
      for (const one of pieces as { id: string; needs: string[] }[])
        if (!out.has(one.id)) expect(one.needs.every((need) => !out.has(need))).toBe(true);
    }
  });
});
