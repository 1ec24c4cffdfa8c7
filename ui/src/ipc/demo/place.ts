// Where the demo runs: a browser without folders, whose settings go with the session.
import { Fault, type Host } from "../host";
import { readStored } from "./samples";

type Placed = Pick<
  Host,
  | "loadSettings"
  | "saveSetting"
  | "reportFirstPaint"
  | "environment"
  | "lookAtDatabase"
  | "chooseDatabase"
  | "useSafeRenderer"
  | "onPlanNamed"
  | "onRunNamed"
  | "window"
>;

export function placed(): Placed {
  const settings: Record<string, unknown> = {};
  return {
    loadSettings: async () => ({ ...readStored(), ...settings }),
    saveSetting: async (name, value) => {
      settings[name] = value;
      window.sessionStorage?.setItem("planloom", JSON.stringify({ ...readStored(), ...settings }));
    },
    reportFirstPaint: async () => undefined,
    environment: async () => ({
      version: "0.1.0",
      platform: "browser",
      dbPath: "in memory",
      safeRenderer: false,
      offerSafeRenderer: false,
      notices: [],
      openFirst: null,
      noDatabase: null,
      isLookedAt: false,
    }),
    lookAtDatabase: async () => {
      throw new Fault("demo", "A browser has no database. Nothing was changed.");
    },
    chooseDatabase: async () => {
      throw new Fault("demo", "A browser has no folders to choose from. Nothing was changed.");
    },
    useSafeRenderer: async () => {
      throw new Fault("demo", "A browser has no renderer to choose. Nothing was changed.");
    },
    onPlanNamed: async () => () => undefined,
    onRunNamed: async () => () => undefined,
    window: { minimize: () => undefined, toggleMaximize: () => undefined, close: () => undefined },
  };
}
