// What a map's card holds: the task that it runs for each item, and how far its items are. Pure.
import type { Items, MapFrame, Share } from "../components/canvas/model";
import type { DraftTask, TaskStatus, TaskView } from "../ipc/bindings";
import { isNumber, objectOf, textOf, tryParse } from "../ipc/json";
import { t } from "../text";
import { inside, list } from "../text/format";

/** The states of each map's items, by the map's id; a place without a word yet is undefined. */
export type ItemStates = ReadonlyMap<string, readonly (TaskStatus | undefined)[]>;

const ITEM = /^([A-Za-z0-9_-]{1,64})\[(\d{1,9})\]$/;
const MOST_CELLS = 64;
const MOST_ITEMS = 1_000_000;
/** What is over, and what of it is said aloud: trouble first, the rest only while it goes on. */
const OVER: readonly TaskStatus[] = ["COMPLETED", "FAILED", "SKIPPED", "CANCELLED", "PRUNED"];
const ORDER: readonly TaskStatus[] = [
  "COMPLETED",
  "FAILED",
  "SKIPPED",
  "CANCELLED",
  "PRUNED",
  "IN_DOUBT",
  "WAITING",
  "RETRYING",
  "RUNNING",
  "READY",
  "PENDING",
];
const TOLD: readonly TaskStatus[] = ["FAILED", "IN_DOUBT", "WAITING", "RETRYING", "RUNNING"];

/** The map and the number of the item that an address names. */
export function itemOf(address: string): { map: string; index: number } | null {
  const found = ITEM.exec(address);
  return found?.[1] && found[2] ? { map: found[1], index: Number(found[2]) } : null;
}

/** The next item of the map that is looked at, or of whose item is: an address to choose, null where there is none. */
export function stepItem(now: ItemStates, chosen: string | undefined, by: 1 | -1): string | null {
  if (chosen === undefined) return null;
  const item = itemOf(chosen);
  const map = item?.map ?? chosen;
  const count = now.get(map)?.length ?? 0;
  if (count === 0) return null;
  const index = item ? (item.index + by + count) % count : by > 0 ? 0 : count - 1;
  return `${map}[${index}]`;
}

/** The card that stands for what is chosen: an item has none of its own. */
export function cardOf(address: string): string {
  return itemOf(address)?.map ?? address;
}

/** Takes in what changed; a map none of whose items did keeps its very list. */
export function foldItems(now: ItemStates, changed: readonly TaskView[]): ItemStates {
  const next = new Map<string, (TaskStatus | undefined)[]>();
  for (const task of changed) {
    const item = itemOf(task.id);
    if (!item || item.index >= MOST_ITEMS) continue;
    const states = next.get(item.map) ?? [...(now.get(item.map) ?? [])];
    while (states.length < item.index) states.push(undefined);
    states[item.index] = task.status;
    next.set(item.map, states);
  }
  return next.size === 0 ? now : new Map([...now, ...next]);
}

export function itemsOf(states: readonly (TaskStatus | undefined)[] | undefined): Items | null {
  if (!states || states.length === 0) return null;
  const counts = new Map<TaskStatus, number>();
  for (const status of states) counts.set(status ?? "PENDING", (counts.get(status ?? "PENDING") ?? 0) + 1);
  const shares: Share[] = ORDER.flatMap((status) => {
    const count = counts.get(status);
    return count ? [{ status, count }] : [];
  });
  const over = OVER.reduce((sum, status) => sum + (counts.get(status) ?? 0), 0);
  const isFew = states.length <= MOST_CELLS;
  return {
    count: states.length,
    over,
    cells: isFew ? states.map((status) => status ?? "PENDING") : [],
    shares: isFew ? [] : shares,
    label: t.canvas.items(over, states.length),
  };
}

/** How the items stand, in words. */
export function itemsText(states: readonly (TaskStatus | undefined)[]): string {
  const items = itemsOf(states);
  if (!items) return "";
  const told = TOLD.flatMap((status) => {
    const count = states.filter((s) => s === status).length;
    return count > 0 ? [`${count} ${inside(t.words.taskStatus[status])}`] : [];
  });
  return t.canvas.itemsNow(items.over, items.count, list(told));
}

export function frameOf(task: DraftTask, items: Items | null): MapFrame | null {
  if (task.taskType !== "map") return null;
  const document = objectOf(tryParse(task.document));
  const inner = objectOf(document.task);
  const kind = textOf(inner.task_type) || "agent";
  const plan = objectOf(inner.plan).tasks;
  return {
    kind,
    title: textOf(inner.title) || textOf(inner.instruction).split("\n")[0] || t.canvas.noInner,
    detail:
      textOf(inner.tool) ||
      textOf(inner.model) ||
      (Array.isArray(plan) ? t.plan.tasksHeld(plan.length) : kind === "code" ? "JavaScript" : ""),
    atATime: isNumber(document.max_parallel) ? t.plan.atATime(document.max_parallel.toString()) : "",
    collects: t.canvas.collects,
    items,
  };
}
