// The export: what can be chosen for which form, the file that is suggested, what came of it, and faults in their place.
import { fireEvent, render, screen, waitFor } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { demoHost } from "../ipc/demo";
import { Fault, type Host, setHost } from "../ipc/host";
import { beginExport, choose, suggested, useExporting } from "../state/exporting";
import { ExportDialog } from "./ExportDialog";

let host: Host;
let run: string;

beforeEach(async () => {
  host = demoHost({ pace: 0.002 });
  setHost(host);
  run = (await host.newPlan()).run;
  useExporting.setState({
    of: null,
    form: "html",
    theme: "light",
    withContent: false,
    isBusy: false,
    done: null,
    fault: null,
  });
});

const open = () => {
  render(<ExportDialog />);
  beginExport({ run, title: "Margin report" });
};

describe("an export", () => {
  it("asks the host for what was chosen and says where it is", async () => {
    const asked = vi.spyOn(host, "exportRun");
    open();
    choose({ form: "svg" });
    fireEvent.click(await screen.findByText("Dark"));
    fireEvent.click(screen.getByTestId("export-now"));
    expect((await screen.findByTestId("export-done")).textContent).toContain("margin-report.svg");
    expect(asked).toHaveBeenCalledWith(run, "svg", "dark", false, "margin-report.svg");
  });

  it("sends contents only with a trace, and only where they were asked for", async () => {
    const asked = vi.spyOn(host, "exportRun");
    open();
    choose({ form: "otlp" });
    fireEvent.click(await screen.findByTestId("export-content"));
    choose({ form: "markdown" });
    await waitFor(() => expect(screen.queryByTestId("export-content")).toBeNull());
    fireEvent.click(screen.getByTestId("export-now"));
    await screen.findByTestId("export-done");
    expect(asked.mock.calls[0]?.[3]).toBe(false);
    choose({ form: "otlp" });
    fireEvent.click(screen.getByTestId("export-now"));
    await waitFor(() => expect(asked.mock.calls[1]?.[3]).toBe(true));
  });

  it("says in place what went wrong, and leaves it there to be tried again", async () => {
    vi.spyOn(host, "exportRun").mockRejectedValueOnce(new Fault("file", "The disk is full. Nothing was left."));
    open();
    fireEvent.click(await screen.findByTestId("export-now"));
    expect((await screen.findByRole("alert")).textContent).toContain("The disk is full");
    fireEvent.click(screen.getByTestId("export-now"));
    await screen.findByTestId("export-done");
    expect(screen.queryByRole("alert")).toBeNull();
  });

  it("writes nothing where no file was chosen", async () => {
    vi.spyOn(host, "chooseExportFile").mockResolvedValue(null);
    const asked = vi.spyOn(host, "exportRun");
    open();
    fireEvent.click(await screen.findByTestId("export-now"));
    await waitFor(() => expect(useExporting.getState().isBusy).toBe(false));
    expect(asked).not.toHaveBeenCalled();
  });
});

describe("the suggested name", () => {
  it("is one that every file system takes", () => {
    expect(suggested("Margin report", "html")).toBe("margin-report.html");
    expect(suggested("../../etc/passwd\u0000", "run")).toBe("etc-passwd.run.jsonl");
    expect(suggested("競合 価格", "otlp")).toBe("競合-価格.otlp.jsonl");
    expect(suggested("///", "png")).toBe("plan.png");
    expect(suggested("x".repeat(500), "svg").length).toBeLessThan(70);
  });
});
