// What language models are at hand, as last looked for. Roles, keys and tests go through here; no key is ever kept here.
import { create } from "zustand";
import type { ModelsView, ModelView, ProviderView } from "../ipc/bindings";
import { asFault, type Fault, host } from "../ipc/host";
import { t } from "../text";
import { priceText } from "../text/format";
import { notifyFault } from "./notices";

type State = { view: ModelsView | null; fault: Fault | null; isLooking: boolean };

export const useModels = create<State>(() => ({ view: null, fault: null, isLooking: false }));

/** Providers that take a key without any other setting, by the name that the engine knows them by. */
export const KEYED = ["anthropic", "openai", "gemini", "openrouter", "mistral", "xai", "deepseek", "groq"] as const;

export async function readModels(): Promise<void> {
  await look(() => host().models());
}

export async function lookAgain(): Promise<void> {
  await look(() => host().findModels());
}

async function look(ask: () => Promise<ModelsView>): Promise<void> {
  useModels.setState({ isLooking: true });
  try {
    useModels.setState({ view: await ask(), fault: null, isLooking: false });
  } catch (thrown) {
    const fault = asFault(thrown);
    useModels.setState({ fault, isLooking: false });
    // What was known still stands on the screen; that it may be old is said beside it.
    if (useModels.getState().view) notifyFault(fault);
  }
}

/** Best first; none: the usual ones. It is the settings' choice, for all plans from now on. */
export async function chooseRole(role: string, models: string[]): Promise<void> {
  try {
    useModels.setState({ view: await host().chooseRole(role, models), fault: null });
  } catch (thrown) {
    notifyFault(thrown);
  }
}

/** The main model of a role exchanged, what stands in for it kept. */
export function withMain(models: readonly string[], main: string): string[] {
  return [main, ...models.slice(1).filter((name) => name !== main)];
}

export type Tested = { model: string; ms: number; trouble: string | null };

export async function testModel(model: string): Promise<Tested> {
  const began = performance.now();
  const ms = () => Math.round(performance.now() - began);
  try {
    const { trouble, now } = await host().testModel(model);
    useModels.setState({ view: now, fault: null });
    return { model, ms: ms(), trouble };
  } catch (thrown) {
    return { model, ms: ms(), trouble: asFault(thrown).message };
  }
}

/** Answers whether it lies in the keychain; throws the refusal, for the place where it was typed. */
export async function keepKey(provider: string, key: string): Promise<boolean> {
  const { inKeychain, now } = await host().keepKey(provider, key);
  useModels.setState({ view: now, fault: null });
  return inKeychain;
}

export async function forgetKey(provider: string): Promise<void> {
  useModels.setState({ view: await host().forgetKey(provider), fault: null });
}

/** `anthropic/claude` → the provider `anthropic`. */
export function providerOf(view: ModelsView, model: string): ProviderView | undefined {
  return view.providers.find((provider) => model.startsWith(`${provider.name}/`));
}

/** `ollama/qwen3:8b` → `qwen3:8b`. */
export function shortName(model: string): string {
  return model.slice(model.indexOf("/") + 1);
}

export function modelOf(view: ModelsView, name: string): ModelView | undefined {
  return view.models.find((model) => model.name === name);
}

export function modelsOf(view: ModelsView, provider: ProviderView): ModelView[] {
  return view.models.filter((model) => model.name.startsWith(`${provider.name}/`));
}

/** A server on this very machine. What it does with what it is sent is another question: see `staysHere`. */
export function isOnThisMachine(provider: ProviderView): boolean {
  const host = hostOf(provider.baseUrl).replace(/:\d+$/, "");
  return host === "localhost" || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The engine calls a model free only where a server on this machine has it itself; a gateway may lead anywhere. */
export function staysHere(view: ModelsView, model: string): boolean {
  const provider = providerOf(view, model);
  return provider !== undefined && isOnThisMachine(provider) && modelOf(view, model)?.isFree === true;
}

export function hostOf(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** As a person knows it: the vendor's name, or the own name of what was set up by hand. */
export function nameOf(provider: Pick<ProviderView, "name" | "kind" | "title" | "origin">): string {
  return provider.kind === "openai_compatible" || (provider.origin === "settings" && provider.name !== provider.kind)
    ? provider.name
    : provider.title;
}

/** The model to ask when a provider is tested: one that does some work, or the first that it has. */
export function testedOf(view: ModelsView, provider: ProviderView): string | null {
  const own = modelsOf(view, provider);
  return (own.find((model) => model.roles.length > 0) ?? own[0])?.name ?? null;
}

export function rolesOf(view: ModelsView, role: string): readonly string[] {
  return view.roles.find((r) => r.role === role)?.models ?? [];
}

/** Where a provider's key lies, in words; a variable's name otherwise. */
export function keyText({ key }: Pick<ProviderView, "key">): string {
  if (key === null) return t.home.keyMissing;
  if (key === "keychain") return t.home.keyIn.keychain;
  return key === "this session only" ? t.home.keyIn.session : t.home.keyIn.variable(key);
}

/** A model as a choice in a list: its name, who has it, what it costs. */
export function optionOf(view: ModelsView, model: ModelView) {
  const provider = providerOf(view, model.name);
  const isHere = staysHere(view, model.name);
  const note = [provider && !isHere ? nameOf(provider) : "", priceText(model)].filter(Boolean).join(" · ");
  return { value: model.name, label: shortName(model.name), note, ...(isHere ? { tag: t.composer.local } : {}) };
}
