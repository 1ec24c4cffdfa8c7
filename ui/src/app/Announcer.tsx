// Tells a screen reader what changed in the run on show: at most one message a second, grouped; what needs a person at once.
import { useEffect, useRef, useState } from "react";
import { useKeys } from "../components/controls/keys";
import type { TaskView } from "../ipc/bindings";
import { changes } from "../state/announce";
import { useRoute } from "../state/route";
import { useRun } from "../state/run";

const EVERY_MS = 1000;

/** The last event of the run on show. Said twice it must differ, or it is not said. */
function sayLast(say: (change: (was: string) => string) => void): boolean {
  const { screen } = useRoute.getState().route;
  const last = useRun.getState().events.at(-1);
  if (screen !== "run" || !last) return false;
  say((was) => (was === last.text ? `${last.text}\u00a0` : last.text));
  return true;
}

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
  useKeys({ "ctrl+shift+space": () => sayLast(setPolite) }, "run");
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
