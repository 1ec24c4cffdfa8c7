// The open decisions as a person goes through them: by kind, by run, and no more cards at once than can be drawn fast. Pure.
import type { DecisionKind, DecisionView } from "../../ipc/bindings";
import { keyOfDecision } from "../../state/decide";

export type Group = { run: string; decisions: DecisionView[] };

/** Oldest first. Runs stand in the order of their oldest decision, each with its own together. */
export function grouped(decisions: readonly DecisionView[]): Group[] {
  const sorted = [...decisions].sort((a, b) => (a.openedAt ?? 0) - (b.openedAt ?? 0));
  const groups = new Map<string, DecisionView[]>();
  for (const decision of sorted) {
    const own = groups.get(decision.run);
    if (own) own.push(decision);
    else groups.set(decision.run, [decision]);
  }
  return [...groups].map(([run, own]) => ({ run, decisions: own }));
}

export type Filter = { kind: DecisionKind | null; text: string };

export function filtered(
  decisions: readonly DecisionView[],
  { kind, text }: Filter,
  where: (decision: DecisionView) => string,
): DecisionView[] {
  const wanted = text.trim().toLocaleLowerCase();
  const has = (decision: DecisionView) =>
    `${decision.question}\n${where(decision)}`.toLocaleLowerCase().includes(wanted);
  return decisions.filter((d) => (kind === null || d.kind === kind) && (wanted === "" || has(d)));
}

/** How many of each kind, in the order in which they first come. */
export function kindsOf(decisions: readonly DecisionView[]): [DecisionKind, number][] {
  const counts = new Map<DecisionKind, number>();
  for (const decision of decisions) counts.set(decision.kind, (counts.get(decision.kind) ?? 0) + 1);
  return [...counts];
}

const BEFORE = 3;
const AFTER = 8;

/** Those near the one in focus, and those in which somebody has worked: what was typed into them stays. */
export function drawn(
  decisions: readonly DecisionView[],
  at: number,
  worked: ReadonlySet<string>,
): readonly (DecisionView | number)[] {
  const shown: (DecisionView | number)[] = [];
  decisions.forEach((decision, ix) => {
    const isNear = ix >= at - BEFORE && ix <= at + AFTER;
    if (isNear || worked.has(keyOfDecision(decision))) {
      shown.push(decision);
      return;
    }
    const last = shown[shown.length - 1];
    if (typeof last === "number") shown[shown.length - 1] = last + 1;
    else shown.push(1);
  });
  return shown;
}
