// Language models as the demo host has them: one server on this machine, three providers online. Sample data; nothing is asked.
import type { KeyKept, ModelsView, ModelTest, ModelView, ProviderView } from "../bindings";
import { Fault } from "../host";

/** `#none` in a test, `?models=none` in the address: a machine where no model is at hand. */
export type DemoModels = "some" | "none";

const ROLES = ["planner", "executor", "replanner", "synthesizer"] as const;
const NONE =
  "No model is set up. Start Ollama, LM Studio, llama.cpp or vLLM on this machine, or set a provider's key such as ANTHROPIC_API_KEY.";

function provider(name: string, kind: string, title: string, baseUrl: string, more: Partial<ProviderView>) {
  return { name, kind, title, baseUrl, origin: "key", key: "keychain", todo: null, answers: null, ...more };
}

function model(name: string, price: [string, string] | "free" | null, more: Partial<ModelView> = {}): ModelView {
  return {
    name,
    isFree: price === "free",
    price: Array.isArray(price) ? { input: price[0], output: price[1] } : null,
    tools: "yes",
    structured: "yes",
    thinking: "unknown",
    contextTokens: 200_000,
    probed: null,
    roles: [],
    ...more,
  };
}

const PROVIDERS: ProviderView[] = [
  provider("team", "openai_compatible", "OpenAI-compatible", "https://llm.corp.example/v1", {
    origin: "settings",
    key: null,
    todo: "Set TEAM_KEY, or give its key here.",
  }),
  provider("anthropic", "anthropic", "Anthropic", "https://api.anthropic.com/v1", {}),
  provider("openai", "openai_responses", "OpenAI", "https://api.openai.com/v1", { key: "OPENAI_API_KEY" }),
  provider("ollama", "ollama", "Ollama", "http://127.0.0.1:11434", { origin: "found", key: null, answers: true }),
  provider("lm_studio", "lm_studio", "LM Studio", "http://127.0.0.1:1234/v1", {
    origin: "settings",
    key: null,
    answers: false,
    todo: "Start its server in LM Studio, then look again.",
  }),
];

const MODELS: ModelView[] = [
  model("anthropic/claude-opus-5-5", ["4", "20"]),
  model("anthropic/claude-haiku-5-5", ["0.1", "0.5"]),
  model("openai/gpt-6.1-sol", ["2", "10"]),
  model("openai/gpt-6-luna", ["0.1", "0.5"]),
  model("ollama/qwen3:8b", "free", { contextTokens: 40_960, probed: "2026-11-28T09:12:04Z" }),
  model("ollama/llama3.2:3b", "free", { contextTokens: 131_072, tools: "unknown", structured: "unknown" }),
  model("ollama/gemma3:4b", "free", { contextTokens: 131_072, tools: "no" }),
];

const USUAL: Record<string, string[]> = {
  planner: ["anthropic/claude-opus-5-5", "openai/gpt-6.1-sol"],
  executor: ["ollama/qwen3:8b", "openai/gpt-6-luna"],
  replanner: ["anthropic/claude-opus-5-5"],
  synthesizer: ["anthropic/claude-haiku-5-5", "openai/gpt-6-luna"],
};

export function demoModels(kind: DemoModels, pace: number) {
  let providers = kind === "none" ? [] : PROVIDERS;
  let models = kind === "none" ? [] : MODELS;
  const roles = new Map<string, string[]>(Object.entries(USUAL));
  const later = async <T>(ms: number, give: () => T): Promise<T> => {
    await new Promise((done) => setTimeout(done, ms * pace));
    return give();
  };
  const isThere = (name: string) => models.some((m) => m.name === name);
  const ofRole = (role: string) => (roles.get(role) ?? []).filter(isThere);

  const view = (): ModelsView => ({
    providers,
    models: models.map((m) => ({ ...m, roles: ROLES.filter((role) => ofRole(role).includes(m.name)) })),
    roles: ROLES.map((role) => ({ role, models: ofRole(role) })),
    problems:
      kind === "none" ? [] : ["settings.json, /models/roles/replanner/1: `team/big` is not set up. The rest holds."],
    pricesOf: "2026-11-20",
    pricesSource: "the providers' price pages",
    advice: models.length === 0 ? NONE : null,
  });
  const setKey = (name: string, key: string | null): ModelsView => {
    const known = providers.some((p) => p.name === name);
    if (!known && key === null) throw new Fault("unknown_provider", `There is no provider \`${name}\`.`);
    const made = provider(name, name, name, `https://api.${name}.example/v1`, {});
    providers = (known ? providers : [...providers, made])
      .map((p) => (p.name === name ? { ...p, key, todo: key ? null : "Give its key here." } : p))
      .filter((p) => p.key !== null || p.origin !== "key");
    if (key === null) models = models.filter((m) => !m.name.startsWith(`${name}/`));
    else if (!models.some((m) => m.name.startsWith(`${name}/`))) models = [...models, ...restored(name)];
    return view();
  };

  return {
    view,
    find: () => later(700, view),
    test: (name: string): Promise<ModelTest> =>
      later(900, () => {
        if (!isThere(name)) throw new Fault("unknown_model", `The model \`${name}\` is not set up. Nothing was asked.`);
        const tools = name.includes("llama3") ? "no" : "yes";
        const probed = new Date().toISOString();
        models = models.map((m) => (m.name === name ? { ...m, tools, structured: "yes", probed } : m));
        return { trouble: null, now: view() };
      }),
    keep: async (name: string, key: string): Promise<KeyKept> => {
      if (!/^[!-~]+$/.test(key)) throw new Fault("bad_key", "A key has no spaces and is not empty. Nothing was kept.");
      return { inKeychain: true, now: setKey(name, "keychain") };
    },
    forget: async (name: string) => setKey(name, null),
    choose: async (role: string, chosen: string[]) => {
      roles.set(role, chosen.length > 0 ? chosen : (USUAL[role] ?? []));
      return view();
    },
    planner: () => ofRole("planner")[0] ?? null,
  };
}

function restored(name: string): ModelView[] {
  const known = MODELS.filter((m) => m.name.startsWith(`${name}/`));
  return known.length > 0 ? known : [model(`${name}/large`, null), model(`${name}/small`, null)];
}
