// The schedule in words: the same as the chart, for the keyboard and for screen readers.
import { useState } from "react";
import type { DryRunView } from "../../../ipc/bindings";
import { select, useSelection } from "../../../state/selection";
import { t } from "../../../text";
import { inOrder, moment, takes } from "./rows";

const AT_FIRST = 300;

export function ScheduleTable({ run, name }: { run: DryRunView; name: (id: string) => string }) {
  const [most, setMost] = useState(AT_FIRST);
  const chosen = useSelection((s) => s.tasks);
  const tasks = inOrder(run);
  const path = new Set(run.critical);
  const left = tasks.length - most;
  return (
    <section className="schedule-table" aria-label={t.schedule.table} tabIndex={0} data-testid="schedule-table">
      <table>
        <thead>
          <tr>
            {[
              t.schedule.task,
              t.schedule.starts,
              t.schedule.ends,
              t.schedule.takes,
              t.schedule.slot,
              t.schedule.onPath,
            ].map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {tasks.slice(0, most).map((task) => (
            <tr key={task.task} className={chosen.includes(task.task) ? "chosen" : ""}>
              <th scope="row">
                <button type="button" className="link" onClick={() => select([task.task])}>
                  {name(task.task)}
                </button>
              </th>
              <td>{moment(task.start)}</td>
              <td>{moment(task.end)}</td>
              <td>{takes(task)}</td>
              <td className="num">{task.lane + 1}</td>
              <td>{path.has(task.task) ? t.schedule.yes : t.schedule.no}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {left > 0 ? (
        <button type="button" className="link" onClick={() => setMost(most + AT_FIRST)}>
          {t.schedule.more(Math.min(left, AT_FIRST))}
        </button>
      ) : null}
    </section>
  );
}
