// Plays servers of tools in the browser: one that runs, one that installs itself at its first check, one that fails.
import type { ServerForm, ServersTaken, ServersView, ServerTool, ServerView, ToolView } from "../bindings";
import { Fault, type Host } from "../host";
import { type Json, objectOf, parse, textOf } from "../json";
import { TOOLS } from "./tools";

const OTHER_SETTINGS = JSON.stringify(
  { mcpServers: { tickets: { command: "npx", args: ["-y", "@acme/tickets"], env: { TOKEN: `\${TICKETS_TOKEN}` } } } },
  null,
  2,
);
const STARTS_MS = 2400;
const FAILURE =
  "The server ended before it was up (exit code 1). The end of its stderr:\nnode: internal/modules/cjs/loader\nError: ENOENT: no such file or directory, open '/srv/orders.json'";

type Serving =
  | "listTools"
  | "servers"
  | "checkServer"
  | "addServer"
  | "importServers"
  | "removeServer"
  | "chooseServersFile";

export function serving(pace: number): Pick<Host, Serving> {
  const servers = new DemoServers(pace);
  return {
    listTools: async () => [...TOOLS, ...servers.tools()],
    servers: async () => servers.view(),
    checkServer: (name) => servers.check(name),
    addServer: async (form, replace) => servers.add(form, replace),
    importServers: async (text, _file, keep, replace) => servers.import(text, keep, replace),
    removeServer: async (name) => servers.remove(name),
    chooseServersFile: async () => ({ name: "claude_desktop_config.json", text: OTHER_SETTINGS }),
  };
}

function tool(name: string, description: string, more: Partial<ServerTool> = {}): ServerTool {
  return { name, description, effect: "write_external", isSaid: false, hints: [], problem: null, news: null, ...more };
}

function server(name: string, starts: string, more: Partial<ServerView> = {}): ServerView {
  const none = { detail: null, ownName: "", protocol: "", lookedAt: null, tools: [], warnings: [], stderr: "" };
  const flags = { isChecking: false, isUnconfined: false };
  return { name, starts, state: "unseen", ...none, ...flags, ...more };
}

const FILES = server("files", "npx -y @modelcontextprotocol/server-filesystem /home/ada/pricing", {
  state: "running",
  ownName: "secure-filesystem-server 0.6.3",
  protocol: "2025-06-18",
  lookedAt: "2026-11-28T09:12:00Z",
  tools: [
    tool("files/read_text_file", "Read a file as text.", { effect: "read", isSaid: true, hints: ["read-only"] }),
    tool("files/write_file", "Write a file, replacing what is there.", { hints: ["destructive"], news: "changed" }),
    tool("files/move_file", "Move or rename a file.", { news: "added" }),
    tool("files/odd name", "", { effect: null, problem: "its name holds a blank" }),
  ],
});

class DemoServers {
  private all = new Map<string, ServerView>([FILES, server("broken", "node /srv/orders.mjs")].map((s) => [s.name, s]));

  constructor(private readonly pace: number) {}

  view(): ServersView {
    return { servers: [...this.all.values()].map((s) => ({ ...s })), problems: [] };
  }

  /** What plans can name: those of servers that were looked at, and that can be used. */
  tools(): ToolView[] {
    const seen = [...this.all.values()].flatMap((server) => server.tools);
    const schema = '{"type":"object"}';
    return seen.flatMap(({ name, description, effect, problem }) =>
      problem === null && effect !== null
        ? [{ name, description, effect, idempotency: "not", arguments: schema, result: schema, off: null }]
        : [],
    );
  }

  async check(name: string): Promise<ServersView> {
    const before = this.find(name);
    this.set({ ...before, isChecking: true, state: "installing", detail: "npm: added 41 packages" });
    await new Promise((done) => setTimeout(done, STARTS_MS * this.pace));
    const now = { ...before, isChecking: false, detail: null, lookedAt: new Date().toISOString() };
    if (name === "broken") this.set({ ...before, state: "failed", detail: FAILURE });
    else if (before.tools.length > 0) this.set(now);
    else {
      const tools = [
        tool(`${name}/search`, "Search by words.", { hints: ["read-only"] }),
        tool(`${name}/post`, "Post one."),
      ];
      this.set({
        ...now,
        state: "idle",
        ownName: `${name} 1.0.0`,
        protocol: "2025-06-18",
        tools,
        stderr: "listening on stdio",
      });
    }
    return this.view();
  }

  add(form: ServerForm, replace: boolean): ServersTaken {
    if (!/^[\w.-]{1,64}$/.test(form.name))
      throw new Fault("bad_server", `“${form.name}” can't be the name of a server. Nothing was changed.`);
    const starts = form.url ?? form.command.join(" ");
    if (starts === "") throw new Fault("bad_server", "a server needs a command or an address. Nothing was changed.");
    return this.keep([server(form.name, starts, { isUnconfined: form.unconfined })], true, replace);
  }

  import(text: string, keep: boolean, replace: boolean): ServersTaken {
    let root: Json;
    try {
      root = parse(text);
    } catch (thrown) {
      throw new Fault("bad_server", `no server was found in it. ${String(thrown)}. Nothing was changed.`);
    }
    const found = Object.entries(objectOf(objectOf(root).mcpServers)).map(([name, value]) => {
      const { command, args, url } = objectOf(value);
      const words = [textOf(command), ...(Array.isArray(args) ? args.map(textOf) : [])];
      return server(name, textOf(url) || words.join(" "));
    });
    if (found.length === 0) throw new Fault("bad_server", "no server was found in it. Nothing was changed.");
    return this.keep(found, keep, replace);
  }

  remove(name: string): ServersView {
    this.all.delete(this.find(name).name);
    return this.view();
  }

  private keep(found: ServerView[], keep: boolean, replace: boolean): ServersTaken {
    const known = found.filter((one) => this.all.has(one.name)).map((one) => one.name);
    if (keep && known.length > 0 && !replace)
      throw new Fault("taken", `${known.join(", ")}: set up already. Nothing was changed.`);
    if (keep) for (const one of found) this.set(one);
    return { servers: found.map(({ name, starts }) => ({ name, starts })), warnings: [] };
  }

  private find(name: string): ServerView {
    const found = this.all.get(name);
    if (!found) throw new Fault("not_found", `there is no server \`${name}\` in the settings`);
    return found;
  }

  private set(server: ServerView): void {
    this.all.set(server.name, server);
  }
}
