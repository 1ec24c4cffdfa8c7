// Who has a model and what stays on this machine; roles keep their stand-ins; the known providers are the engine's own.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { ModelsView } from "../ipc/bindings";
import { demoHost } from "../ipc/demo";
import { type Host, setHost } from "../ipc/host";
import {
  chooseRole,
  forgetKey,
  isOnThisMachine,
  KEYED,
  keepKey,
  lookAgain,
  nameOf,
  providerOf,
  rolesOf,
  staysHere,
  testedOf,
  testModel,
  useModels,
  withMain,
} from "./models";
import { useNotices } from "./notices";

let host: Host;
const now = (): ModelsView => useModels.getState().view!;

beforeEach(async () => {
  host = demoHost({ pace: 0.01 });
  setHost(host);
  useNotices.setState({ notices: [] });
  useModels.setState({ view: await host.models(), fault: null, isLooking: false });
});

describe("models", () => {
  it("offers keys for just the providers that the engine knows by name", () => {
    const known = readFileSync(join(import.meta.dirname, "../../../assets/models.json"), "utf8");
    expect([...KEYED]).toEqual(Object.keys((JSON.parse(known) as { providers: object }).providers));
  });

  it("promises that something stays here only of what a server on this machine has itself", () => {
    expect(staysHere(now(), "ollama/qwen3:8b")).toBe(true);
    expect(staysHere(now(), "anthropic/claude-opus-5-5")).toBe(false);
    expect(staysHere(now(), "nobody/knows")).toBe(false);
    const remote = { ...now().models.find((m) => m.name === "ollama/qwen3:8b")!, isFree: false };
    expect(staysHere({ ...now(), models: [remote] }, remote.name)).toBe(false);
  });

  it("tells this machine from others by the address, whatever a name pretends", () => {
    const at = (baseUrl: string) => isOnThisMachine({ ...now().providers[0]!, baseUrl });
    for (const here of ["http://127.0.0.1:11434", "http://localhost:1234/v1", "http://[::1]:8080", "http://127.9.9.9"])
      expect(at(here), here).toBe(true);
    for (const away of ["http://127.0.0.1.evil.example", "http://localhost.example", "https://10.0.0.7", "no address"])
      expect(at(away), away).toBe(false);
  });

  it("names providers as a person knows them", () => {
    const names = Object.fromEntries(now().providers.map((provider) => [provider.name, nameOf(provider)]));
    expect(names).toMatchObject({ anthropic: "Anthropic", team: "team", lm_studio: "LM Studio" });
    expect(providerOf(now(), "ollama/qwen3:8b")?.name).toBe("ollama");
  });

  it("sets the main model of a role and keeps what stands in for it", async () => {
    expect(withMain(["a", "b", "c"], "c")).toEqual(["c", "b"]);
    expect(withMain([], "a")).toEqual(["a"]);
    await chooseRole("planner", withMain(rolesOf(now(), "planner"), "ollama/qwen3:8b"));
    expect(rolesOf(now(), "planner")).toEqual(["ollama/qwen3:8b", "openai/gpt-6.1-sol"]);
    await chooseRole("planner", []);
    expect(rolesOf(now(), "planner")[0]).toBe("anthropic/claude-opus-5-5");
  });

  it("tests a model that does some work, and says what went wrong in words", async () => {
    expect(testedOf(now(), now().providers.find((p) => p.name === "ollama")!)).toBe("ollama/qwen3:8b");
    expect(testedOf(now(), now().providers.find((p) => p.name === "team")!)).toBeNull();
    expect((await testModel("ollama/qwen3:8b")).trouble).toBeNull();
    expect((await testModel("nobody/knows")).trouble).toContain("Nothing was asked");
  });

  it("keeps no key in its state, and throws the refusal where it was typed", async () => {
    expect(await keepKey("team", "sk-canary")).toBe(true);
    expect(JSON.stringify(useModels.getState())).not.toContain("canary");
    await expect(keepKey("team", "two words")).rejects.toThrow("Nothing was kept");
    await forgetKey("team");
    expect(now().providers.find((p) => p.name === "team")?.key).toBeNull();
  });

  it("shows what was known when looking again fails, and says so", async () => {
    const before = now();
    host.findModels = () => Promise.reject(new Error("no network"));
    await lookAgain();
    expect(now()).toBe(before);
    expect(useModels.getState().isLooking).toBe(false);
    expect(useNotices.getState().notices[0]?.text).toBe("no network");
  });
});
