// The export of a run or a draft: of which, as what, and what came of it.
import { create } from "zustand";
import type { ExportedView, ExportForm, ExportTheme, RunRow } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";

export const FORMS: readonly ExportForm[] = ["html", "markdown", "png", "svg", "mermaid", "run", "otlp"];

const ENDINGS: Record<ExportForm, string> = {
  html: "html",
  markdown: "md",
  png: "png",
  svg: "svg",
  mermaid: "mmd",
  run: "run.jsonl",
  otlp: "otlp.jsonl",
};

type Of = Pick<RunRow, "run" | "title">;

type State = {
  of: Of | null;
  form: ExportForm;
  theme: ExportTheme;
  withContent: boolean;
  isBusy: boolean;
  done: ExportedView | null;
  fault: string | null;
};

/** What was chosen last stays chosen. */
export const useExporting = create<State>(() => ({
  of: null,
  form: "html",
  theme: "light",
  withContent: false,
  isBusy: false,
  done: null,
  fault: null,
}));

export function beginExport(of: Of): void {
  useExporting.setState({ of: { run: of.run, title: of.title }, done: null, fault: null });
}

export function endExport(): void {
  if (!useExporting.getState().isBusy) useExporting.setState({ of: null });
}

export function choose(what: Partial<Pick<State, "form" | "theme" | "withContent">>): void {
  useExporting.setState({ ...what, done: null, fault: null });
}

/** Colours are those of a picture alone; a page has both. */
export function hasTheme(form: ExportForm): boolean {
  return form === "png" || form === "svg";
}

const LONGEST = 60;

/** A name that every file system takes. */
export function suggested(title: string, form: ExportForm): string {
  const plain = title
    .normalize("NFC")
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-+|-+$/g, "");
  return `${[...plain].slice(0, LONGEST).join("").toLowerCase() || "plan"}.${ENDINGS[form]}`;
}

export async function writeExport(): Promise<void> {
  const { of, form, theme, withContent, isBusy } = useExporting.getState();
  if (!of || isBusy) return;
  useExporting.setState({ isBusy: true, done: null, fault: null });
  try {
    const path = await host().chooseExportFile(suggested(of.title, form));
    if (path !== null) {
      useExporting.setState({
        done: await host().exportRun(of.run, form, theme, withContent && form === "otlp", path),
      });
    }
  } catch (thrown) {
    useExporting.setState({ fault: asFault(thrown).message });
  }
  useExporting.setState({ isBusy: false });
}
