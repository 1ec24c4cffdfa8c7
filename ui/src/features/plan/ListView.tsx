// The plan as a tree grid: the canvas's twin for keyboard and screen reader, with the same selection and the same commands.
import { CircleAlert, TriangleAlert } from "lucide-react";
import { type KeyboardEvent, useEffect, useMemo, useRef } from "react";
import { wavesOf } from "../../components/canvas/layout";
import { kindName } from "../../components/canvas/TaskCard";
import { AccessIcon, KindTile } from "../../components/marks/marks";
import type { DraftTask, DraftView, Problem } from "../../ipc/bindings";
import { namesOf, neighbours } from "../../state/cards";
import { select, useSelection } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";

type Props = { view: DraftView; onOpen: () => void };
type Wave = { wave: number; tasks: DraftTask[] };

export function ListView({ view, onOpen }: Props) {
  const chosen = useSelection((s) => s.tasks);
  const box = useRef<HTMLTableElement>(null);
  const waves = useMemo(() => wavesIn(view), [view]);
  const names = useMemo(() => namesOf(view), [view]);
  const links = useMemo(() => neighbours(view.edges, names), [view, names]);
  const order = waves.flatMap((w) => w.tasks.map((task) => task.id));
  const active = chosen[chosen.length - 1] ?? order[0];

  useEffect(() => {
    const row = box.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(active ?? "")}"]`);
    if (box.current?.contains(document.activeElement)) row?.focus();
    row?.scrollIntoView?.({ block: "nearest" });
  }, [active]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !active) return;
    const here = order.indexOf(active);
    const next: Record<string, string | undefined> = {
      ArrowDown: order[here + 1],
      ArrowUp: order[here - 1],
      Home: order[0],
      End: order[order.length - 1],
      ArrowLeft: view.edges.find((e) => e.to === active)?.from,
      ArrowRight: view.edges.find((e) => e.from === active)?.to,
    };
    if (event.key === "Enter") onOpen();
    else if (event.key in next) {
      const to = next[event.key];
      if (to) select([to]);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="list-view" data-testid="list-view">
      <table role="treegrid" aria-label={t.plan.listTitle} ref={box} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {Object.values(t.plan.listColumns).map((title) => (
              <th key={title} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {waves.map((wave) => (
            <WaveRows
              key={wave.wave}
              wave={wave}
              view={view}
              links={links}
              active={active}
              chosen={chosen}
              onOpen={onOpen}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowsProps = {
  wave: Wave;
  view: DraftView;
  links: ReturnType<typeof neighbours>;
  active: string | undefined;
  chosen: readonly string[];
  onOpen: () => void;
};

function WaveRows({ wave, view, links, active, chosen, onOpen }: RowsProps) {
  const [name, note] = t.plan.waveRow(wave.wave, wave.tasks.length);
  return (
    <>
      <tr className="list-wave" aria-level={1} aria-expanded="true">
        <th colSpan={6} scope="colgroup">
          {name} <span className="t3">{note}</span>
        </th>
      </tr>
      {wave.tasks.map((task) => (
        <Row
          key={task.id}
          task={task}
          after={links.after.get(task.id) ?? []}
          feeds={links.feeds.get(task.id) ?? []}
          problem={view.problems.find((p) => p.tasks[0] === task.id) ?? null}
          isChosen={chosen.includes(task.id)}
          isActive={task.id === active}
          onOpen={onOpen}
        />
      ))}
    </>
  );
}

type RowProps = {
  task: DraftTask;
  after: string[];
  feeds: string[];
  problem: Problem | null;
  isChosen: boolean;
  isActive: boolean;
  onOpen: () => void;
};

function Row({ task, after, feeds, problem, isChosen, isActive, onOpen }: RowProps) {
  const Icon = problem?.severity === "error" ? CircleAlert : TriangleAlert;
  return (
    <tr
      aria-level={2}
      aria-selected={isChosen}
      tabIndex={isActive ? 0 : -1}
      className={isChosen ? "chosen" : ""}
      data-task={task.id}
      onClick={() => select([task.id])}
      onDoubleClick={onOpen}
      data-testid={`row-${task.id}`}
    >
      <th scope="row">
        <span className="list-name">
          <KindTile kind={task.taskType} small />
          <b className="el" dir="auto">
            {visible(task.title || task.id)}
          </b>
        </span>
      </th>
      <td>{kindName(task.taskType)}</td>
      <td title={after.join(", ")}>{visible(after.join(", ")) || "–"}</td>
      <td title={feeds.join(", ")}>{visible(feeds.join(", ")) || "–"}</td>
      <td className="list-touches">
        {task.needs.length === 0
          ? "–"
          : task.needs.map((need, ix) => (
              <span key={ix} title={`${t.words.access[need.access]}: ${need.resource}`}>
                <AccessIcon access={need.access} effect={need.effect} />
              </span>
            ))}
      </td>
      <td className={problem?.severity === "error" ? "tone-failed" : "tone-retrying"} title={problem?.message}>
        {problem ? (
          <>
            <Icon className="icon" size={13} strokeWidth={1.75} aria-hidden="true" /> {visible(problem.message)}
          </>
        ) : null}
      </td>
    </tr>
  );
}

function wavesIn(view: DraftView): Wave[] {
  const waves = wavesOf(
    view.tasks.map((task) => task.id),
    view.edges,
  );
  const rows: Wave[] = [];
  for (const task of view.tasks) {
    const wave = waves.get(task.id) ?? 1;
    while (rows.length < wave) rows.push({ wave: rows.length + 1, tasks: [] });
    rows[wave - 1]?.tasks.push(task);
  }
  return rows;
}
