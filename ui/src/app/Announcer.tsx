// Tells a screen reader what changed in the run on show: at most one message a second, grouped; what needs a person at once.
import { useEffect, useRef, useState } from "react";
import type { TaskStatus, TaskView } from "../ipc/bindings";
import { useRun } from "../state/run";
import { t } from "../text";

const EVERY_MS = 1000;
const URGENT: readonly TaskStatus[] = ["WAITING", "IN_DOUBT", "FAILED"];

export function Announcer() {
  const [polite, setPolite] = useState("");
  const [urgent, setUrgent] = useState("");
  const heard = useRef<ReadonlyMap<string, TaskView>>(new Map());
  useEffect(() => {
    const timer = window.setInterval(() => {
      const { tasks, plan } = useRun.getState();
      if (tasks === heard.current) return;
      const names = new Map(plan?.tasks.map((task) => [task.id, task.title]));
      const said = changes(heard.current, tasks, names);
      heard.current = tasks;
      if (said.polite) setPolite(said.polite);
      if (said.urgent) setUrgent(said.urgent);
    }, EVERY_MS);
    return () => window.clearInterval(timer);
  }, []);
  return (
    <>
      <div className="vh" role="status" aria-live="polite">
        {polite}
      </div>
      <div className="vh" role="alert" aria-live="assertive">
        {urgent}
      </div>
    </>
  );
}

/** Pure: what to say of the difference. The first look at a run says nothing. */
export function changes(
  before: ReadonlyMap<string, TaskView>,
  now: ReadonlyMap<string, TaskView>,
  names: ReadonlyMap<string, string>,
): { polite: string; urgent: string } {
  if (before.size === 0) return { polite: "", urgent: "" };
  let done = 0;
  const urgent: string[] = [];
  for (const [id, task] of now) {
    if (before.get(id)?.status === task.status) continue;
    if (task.status === "COMPLETED") done += 1;
    if (URGENT.includes(task.status)) urgent.push(`${names.get(id) ?? id}: ${t.words.taskStatus[task.status]}`);
  }
  return { polite: done > 0 ? t.run.announceDone(done) : "", urgent: urgent.join(". ") };
}
