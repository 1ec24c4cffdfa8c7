// The gallery: every component in every state, on one page, in either theme (`#light`, `#dark`). For eyes and for tests.
import "../styles/index.css";
import "./gallery.css";
import { CSPProvider } from "@base-ui/react/csp-provider";
import { Tooltip } from "@base-ui/react/tooltip";
import { createRoot } from "react-dom/client";
import { styleNonce } from "../components/nonce";
import { demoHost } from "../ipc/demo";
import { setHost } from "../ipc/host";
import { applySettings } from "../state/settings";
import { Gallery } from "./Gallery";

setHost(demoHost());
const follow = () =>
  applySettings({
    theme: window.location.hash === "#light" ? "light" : "dark",
    motion: "system",
    language: "en",
    direction: "down",
    textSize: 100,
  });
follow();
window.addEventListener("hashchange", follow);

const root = document.getElementById("root");
if (root) {
  createRoot(root).render(
    <CSPProvider nonce={styleNonce}>
      <Tooltip.Provider>
        <Gallery />
      </Tooltip.Provider>
    </CSPProvider>,
  );
  requestAnimationFrame(() => requestAnimationFrame(() => document.documentElement.setAttribute("data-ready", "true")));
}
