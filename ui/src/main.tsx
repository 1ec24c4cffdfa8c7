// The entry: chooses the host, reads the settings, shows the window, and says when it has been painted.
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { NoDatabase } from "./app/NoDatabase";
import type { Environment } from "./ipc/bindings";
import { demoHost } from "./ipc/demo";
import { host, setHost } from "./ipc/host";
import { isDesktop, tauriHost } from "./ipc/tauri";
import { useLooking } from "./state/looking";
import { notify, notifyFault } from "./state/notices";
import { openPlan, openRun } from "./state/open";
import { applySettings, loadSettings, useSettings } from "./state/settings";

async function start(): Promise<void> {
  setHost(isDesktop() ? tauriHost() : demoHost({ models: location.search.includes("models=none") ? "none" : "some" }));
  // Injected code could not change what every object inherits (React Flow needs it open while it loads).
  Object.freeze(Object.prototype);
  applySettings(useSettings.getState());
  const [place] = await Promise.all([host().environment(), loadSettings()]);
  const root = document.getElementById("root");
  if (!root) throw new Error("index.html has no #root");
  createRoot(root).render(
    <StrictMode>{place.noDatabase ? <NoDatabase fault={place.noDatabase} path={place.dbPath} /> : <App />}</StrictMode>,
  );
  requestAnimationFrame(() => requestAnimationFrame(painted));
  useLooking.setState({ isLookedAt: place.isLookedAt });
  if (!place.noDatabase) await greet(place);
}

function painted(): void {
  document.documentElement.dataset.ready = "true";
  host().reportFirstPaint().catch(notifyFault);
}

/** What the shell wants said once, and the file that the app was started with. */
async function greet(place: Environment): Promise<void> {
  try {
    for (const notice of place.notices) notify(notice, { tone: "fault" });
    await host().onPlanNamed((path) => void openPlan(path));
    await host().onRunNamed((run) => void openRun(run));
    if (place.openFirst) await openPlan(place.openFirst);
  } catch (thrown) {
    notifyFault(thrown);
  }
}

void start();
