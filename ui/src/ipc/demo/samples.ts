// The sample plans of the demo host, and the settings that a tab of the browser keeps.
import type { SampleCard } from "../bindings";
import { parse, textOf } from "../json";
import { FOUR_TASKS, MARGIN_REPORT } from "./plan";
import { dependenciesOf, tasksOf } from "./ways";

export const SAMPLES: Record<string, { title: string; description: string; text: string }> = {
  "samples/margin-report": {
    title: "Margin report",
    description: "Prices of two shops, a cost database, one question to you",
    text: MARGIN_REPORT,
  },
  "samples/four-tasks": { title: "Fetch, analyse, format", description: "Two sources, one summary", text: FOUR_TASKS },
};

export function readStored(): Record<string, unknown> {
  try {
    return JSON.parse(window.sessionStorage?.getItem("planloom") ?? "{}") as Record<string, unknown>;
  } catch {
    return {};
  }
}

export function sampleCards(): SampleCard[] {
  return Object.entries(SAMPLES).map(([path, { title, description, text }]) => ({
    path,
    title,
    description,
    outline: {
      tasks: tasksOf(parse(text)).map((t) => ({
        id: textOf(t.id),
        taskType: textOf(t.task_type),
        dependencies: dependenciesOf(t),
      })),
    },
  }));
}
