// The real WebKitGTK for scripts: a screen of its own, WebKit's driver, and the few commands that measuring needs. No test.
import { spawn } from "node:child_process";
import { createServer } from "node:net";

const WAIT_MS = 20_000;

async function freePort() {
  const server = createServer();
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
}

/** An invisible screen; the server picks its number itself. */
async function openScreen(width, height) {
  const args = ["-displayfd", "1", "-screen", "0", `${width}x${height}x24`, "-nolisten", "tcp", "-noreset"];
  const server = spawn("Xvfb", args, { stdio: ["ignore", "pipe", "ignore"] });
  const number = await new Promise((done) => server.stdout.once("data", (data) => done(String(data).trim())));
  return { server, name: `:${number}` };
}

/** One program with a webview, driven. `environment` is added to a bare one. */
export async function openWebKit({ binary, args = [], environment = {}, width = 1600, height = 1000 }) {
  const screen = await openScreen(width, height);
  const port = await freePort();
  const env = {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    DISPLAY: screen.name,
    NO_AT_BRIDGE: "1",
    MESA_SHADER_CACHE_DISABLE: "true",
    TAURI_WEBVIEW_AUTOMATION: "true",
    ...environment,
  };
  const driver = spawn("WebKitWebDriver", [`--port=${port}`, "--host=127.0.0.1"], { env, stdio: "ignore" });
  const base = `http://127.0.0.1:${port}`;
  const call = async (method, path, body) => {
    const init = { method, headers: { "content-type": "application/json" }, signal: AbortSignal.timeout(120_000) };
    const answer = await fetch(base + path, body === undefined ? init : { ...init, body: JSON.stringify(body) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`${path}: ${value?.error} ${value?.message ?? ""}`);
    return value;
  };
  const capabilities = { alwaysMatch: { "webkitgtk:browserOptions": { binary, args } } };
  const session = await patiently(() => call("POST", "/session", { capabilities }));
  const at = `/session/${session.sessionId}`;
  return {
    run: (script, ...given) => call("POST", `${at}/execute/sync`, { script, args: given }),
    runAsync: (script, ...given) => call("POST", `${at}/execute/async`, { script, args: given }),
    go: (url) => call("POST", `${at}/url`, { url }),
    patience: (ms) => call("POST", `${at}/timeouts`, { script: ms }),
    resize: (w, h) => call("POST", `${at}/window/rect`, { x: 0, y: 0, width: w, height: h }),
    act: (actions) => call("POST", `${at}/actions`, { actions }),
    picture: () => call("GET", `${at}/screenshot`),
    call: (method, path, body) => call(method, at + path, body),
    close: async () => {
      await call("DELETE", at).catch(() => undefined);
      driver.kill();
      screen.server.kill();
    },
  };
}

async function patiently(attempt) {
  const started = Date.now();
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (Date.now() - started > WAIT_MS) throw error;
      await new Promise((done) => setTimeout(done, 100));
    }
  }
}
