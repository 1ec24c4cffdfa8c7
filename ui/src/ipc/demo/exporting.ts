// Exports in the demo: there is no engine that could draw or write, and no file system. It says so.
import type { Host } from "../host";

export function exporting(documentOf: (run: string) => string): Pick<Host, "chooseExportFile" | "exportRun"> {
  return {
    chooseExportFile: async (suggestion) => suggestion,
    exportRun: async (run, _form, _theme, _withContent, path) => ({
      file: path,
      bytes: new TextEncoder().encode(documentOf(run)).length,
      notes: ["This is the demo in a browser: it keeps everything in memory, and no file was written."],
    }),
  };
}
