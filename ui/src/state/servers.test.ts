// Servers of tools: a form's words as the engine reads them, and what checking, importing and removing come to.
import { beforeEach, describe, expect, it } from "vitest";
import { demoHost } from "../ipc/demo";
import { setHost } from "../ipc/host";
import {
  addServer,
  checkServer,
  importServers,
  pairsOf,
  readServers,
  removeServer,
  useServers,
  wordsOf,
} from "./servers";
import { readTools, useTools } from "./tools";

const names = () => useServers.getState().view?.servers.map((server) => server.name);
const find = (name: string) => useServers.getState().view?.servers.find((server) => server.name === name);

beforeEach(async () => {
  setHost(demoHost({ pace: 0.01 }));
  await readServers();
});

describe("a form's words", () => {
  it("are split as a shell would, and an open quotation is told", () => {
    expect(wordsOf(`npx -y  @scope/server "/home/a b" 'c\\d' e\\ f ""`)).toEqual([
      "npx",
      "-y",
      "@scope/server",
      "/home/a b",
      "c\\d",
      "e f",
      "",
    ]);
    expect(wordsOf("  ")).toEqual([]);
    expect(() => wordsOf('npx "open')).toThrow("not closed");
  });

  it("are pairs, one a line", () => {
    expect(pairsOf("A=1\n\n B = x=y ")).toEqual([
      { name: "A", value: "1" },
      { name: "B", value: "x=y" },
    ]);
    expect(() => pairsOf("nothing")).toThrow("no NAME=VALUE");
  });
});

describe("servers", () => {
  const form = { url: null, env: [], headers: [], folders: [], network: false, unconfined: true };

  it("are added, checked and removed, and one of the same name is not written over", async () => {
    await addServer({ ...form, name: "tickets", command: ["npx", "tickets"] }, false);
    expect(find("tickets")).toMatchObject({ state: "unseen", isUnconfined: true, starts: "npx tickets" });
    await expect(addServer({ ...form, name: "tickets", command: ["other"] }, false)).rejects.toThrow("set up already");
    await checkServer("tickets");
    expect(find("tickets")).toMatchObject({ state: "idle" });
    expect(find("tickets")?.tools.length).toBeGreaterThan(0);
    await removeServer("tickets");
    expect(names()).not.toContain("tickets");
  });

  it("give plans their tools as soon as they are looked at, and take them back when they are removed", async () => {
    await readTools();
    const offered = () => useTools.getState().tools?.map((tool) => tool.name) ?? [];
    expect(offered()).toContain("echo");
    await addServer({ ...form, name: "tickets", command: ["npx", "tickets"] }, false);
    expect(offered()).not.toContain("tickets/search");
    await checkServer("tickets");
    expect(offered()).toContain("tickets/search");
    await removeServer("tickets");
    expect(offered()).not.toContain("tickets/search");
  });

  it("are looked at before they are taken over", async () => {
    const text = JSON.stringify({ mcpServers: { notes: { command: "uvx", args: ["notes"] } } });
    const found = await importServers(text, "claude.json", false, false);
    expect(found.servers).toEqual([{ name: "notes", starts: "uvx notes" }]);
    expect(names()).not.toContain("notes");
    await importServers(text, "claude.json", true, false);
    expect(names()).toContain("notes");
    await expect(importServers("{}", "x.json", false, false)).rejects.toThrow("no server was found");
  });

  it("that fail say so with the end of what they wrote", async () => {
    await checkServer("broken");
    expect(find("broken")).toMatchObject({ state: "failed", detail: expect.stringContaining("ENOENT") });
  });
});
