// Servers of tools as they stand now, and the words of a form made into what the engine reads.
import { create } from "zustand";
import type { NamedText, ServerForm, ServersTaken, ServersView } from "../ipc/bindings";
import { asFault, host } from "../ipc/host";
import { t } from "../text";
import { attempt } from "./notices";
import { readToolsAgain } from "./tools";

export const useServers = create<{ view: ServersView | null; fault: string | null }>(() => ({
  view: null,
  fault: null,
}));

const LOOK_MS = 800;

export async function readServers(): Promise<void> {
  try {
    useServers.setState({ view: await host().servers(), fault: null });
  } catch (thrown) {
    useServers.setState({ fault: asFault(thrown).message });
  }
}

/** Starts it; while it starts or installs, what it does is looked at. */
export async function checkServer(name: string): Promise<void> {
  const timer = window.setInterval(() => void readServers(), LOOK_MS);
  const view = attempt(() => host().checkServer(name));
  await readServers();
  const now = await view;
  window.clearInterval(timer);
  if (now) useServers.setState({ view: now });
  await readToolsAgain();
}

/** Throws the refusal, for the place where it was typed. */
export async function addServer(form: ServerForm, replace: boolean): Promise<ServersTaken> {
  const taken = await host().addServer(form, replace);
  await readServers();
  await readToolsAgain();
  return taken;
}

export async function importServers(
  text: string,
  file: string,
  keep: boolean,
  replace: boolean,
): Promise<ServersTaken> {
  const taken = await host().importServers(text, file, keep, replace);
  if (keep) {
    await readServers();
    await readToolsAgain();
  }
  return taken;
}

export async function removeServer(name: string): Promise<void> {
  const view = await attempt(() => host().removeServer(name));
  if (!view) return;
  useServers.setState({ view });
  await readToolsAgain();
}

/** A command line as its words: quotation marks hold a word together, a backslash takes the next letter as it is. */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word: string | null = null;
  let quote = "";
  for (let at = 0; at < line.length; at++) {
    const c = line[at] ?? "";
    if (c === "\\" && quote !== "'" && at + 1 < line.length) word = (word ?? "") + (line[++at] ?? "");
    else if (quote) {
      if (c === quote) quote = "";
      else word = (word ?? "") + c;
    } else if (c === '"' || c === "'") {
      quote = c;
      word ??= "";
    } else if (/\s/.test(c)) {
      if (word !== null) words.push(word);
      word = null;
    } else word = (word ?? "") + c;
  }
  if (quote) throw new Error(t.servers.wrongQuote);
  return word === null ? words : [...words, word];
}

/** One `NAME=VALUE` a line. */
export function pairsOf(text: string): NamedText[] {
  return linesOf(text).map((line) => {
    const at = line.indexOf("=");
    if (at < 1) throw new Error(t.servers.wrongLine(line));
    return { name: line.slice(0, at).trim(), value: line.slice(at + 1).trim() };
  });
}

export function linesOf(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}
