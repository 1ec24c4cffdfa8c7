// The entry: chooses the host, reads the settings, shows the window, and says when it has been painted.
import "./styles/index.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { NoDatabase } from "./app/NoDatabase";
import type { Environment } from "./ipc/bindings";
import { demoHost } from "./ipc/demo";
import { withReplan } from "./ipc/demo/replans";
import { type Host, host, setHost } from "./ipc/host";
import { isDesktop, tauriHost } from "./ipc/tauri";
import { useLooking } from "./state/looking";
import { notify, notifyFault } from "./state/notices";
import { openNamed, openPlan } from "./state/open";
import { applySettings, loadSettings, useSettings } from "./state/settings";

async function start(): Promise<void> {
  setHost(isDesktop() ? tauriHost() : demo());
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

/** `models=none`: without a model; `replan`: with a run whose replanner proposes another way. */
function demo(): Host {
  const plain = demoHost({ models: location.search.includes("models=none") ? "none" : "some" });
  return location.search.includes("replan") ? withReplan(plain) : plain;
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
    await host().onRunNamed((run, decision) => void openNamed(run, decision));
    if (place.openFirst) await openPlan(place.openFirst);
  } catch (thrown) {
    notifyFault(thrown);
  }
}

void start();
