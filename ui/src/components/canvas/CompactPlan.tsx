// A plan small enough to stand above something else: pills with their states, edges between them. It is looked at, not edited.
import { EqualNot } from "lucide-react";
import { memo, useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";
import { t } from "../../text";
import { visible } from "../../text/format";
import { KindIcon, STATUS_TONE, StatusIcon } from "../marks/marks";
import { DIFF_ICON } from "./CardMarks";
import { besideIn, type CompactLayout, layOutCompact, PILL } from "./compact";
import { type CanvasEdge, type CanvasTask, type EdgeLook, edgeId } from "./model";

type Props = {
  label: string;
  tasks: readonly CanvasTask[];
  edges: readonly CanvasEdge[];
  chosen: string | undefined;
  onChoose: (task: string) => void;
  /** Of two plans side by side: all tasks and edges of both, so that each task has its place in either picture. */
  beside?: { tasks: readonly CanvasTask[]; edges: readonly CanvasEdge[] };
  testId?: string;
};

/** At that a title has 11 pixels, and is never smaller; beyond it scrolls. */
const LEAST_SCALE = 0.88;

export function CompactPlan({ label, tasks, edges, chosen, onChoose, beside, testId = "compact" }: Props) {
  const whole = beside ?? { tasks, edges };
  const box = useRef<HTMLDivElement>(null);
  const room = useRoom(box);
  const sizes = beside ? besideIn(room.width) : undefined;
  const shape = `${whole.tasks.map((task) => task.id).join("\n")}\n\n${whole.edges.map((e) => edgeId(e.from, e.to)).join("\n")}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: places follow from ids and edges alone, which `shape` spells out
  const layout = useMemo(() => layOutCompact(whole.tasks, whole.edges, sizes), [shape, sizes?.line, sizes?.room]);
  const absent = useMemo(() => absentOf(tasks, beside?.tasks), [tasks, beside]);
  // Beside another plan it scrolls down before it gets small.
  const scale = scaleIn(beside ? { ...room, height: layout.height } : room, layout);
  useEffect(() => {
    if (chosen === undefined) return;
    const pill = box.current?.querySelector(`[data-testid="pill-${chosen}"]`);
    pill?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [chosen]);
  return (
    <section className="compact" ref={box} aria-label={label} tabIndex={0} data-testid={testId}>
      <div className="compact-room" style={{ width: layout.width * scale, height: layout.height * scale }}>
        <div
          className="compact-world"
          style={{ width: layout.width, height: layout.height, transform: `scale(${scale})` }}
        >
          <Edges edges={edges} layout={layout} />
          {absent.map((task) => {
            const at = layout.places.get(task.id);
            return at ? <Absent key={task.id} x={at.x} y={at.y} width={layout.pill} /> : null;
          })}
          {tasks.map((task) => {
            const at = layout.places.get(task.id);
            return at ? (
              <Pill
                key={task.id}
                task={task}
                x={at.x}
                y={at.y}
                width={layout.pill}
                isChosen={task.id === chosen}
                onChoose={onChoose}
              />
            ) : null;
          })}
        </div>
      </div>
    </section>
  );
}

function absentOf(own: readonly CanvasTask[], all: readonly CanvasTask[] | undefined): readonly CanvasTask[] {
  if (!all) return [];
  const known = new Set(own.map((task) => task.id));
  return all.filter((task) => !known.has(task.id));
}

/** Where the other plan has a task that this one lacks. */
function Absent({ x, y, width }: { x: number; y: number; width: number }) {
  const style = { transform: `translate(${x}px, ${y}px)`, width, height: PILL.height };
  return (
    <span className="pill absent" style={style}>
      {t.compare.notInPlan}
    </span>
  );
}

type PillProps = {
  task: CanvasTask;
  x: number;
  y: number;
  width: number;
  isChosen: boolean;
  onChoose: (task: string) => void;
};

const Pill = memo(
  function Pill({ task, x, y, width, isChosen, onChoose }: PillProps) {
    const items = task.frame?.items;
    return (
      <button
        type="button"
        className={`pill s-${STATUS_TONE[task.status]}${isChosen ? " selected" : ""}${markOf(task)}`}
        style={{ transform: `translate(${x}px, ${y}px)`, width, height: PILL.height }}
        aria-label={task.label}
        aria-pressed={isChosen}
        title={visible(task.title)}
        onClick={() => onChoose(task.id)}
        data-testid={`pill-${task.id}`}
        data-status={task.status}
      >
        <KindIcon kind={task.kind} />
        <span className="el" dir="auto">
          {visible(task.title)}
        </span>
        {items ? <span className="num pill-items">{`${items.over}/${items.count}`}</span> : null}
        <Mark task={task} />
        <StatusIcon status={task.status} size={14} />
      </button>
    );
  },
  (a, b) =>
    a.x === b.x &&
    a.y === b.y &&
    a.width === b.width &&
    a.isChosen === b.isChosen &&
    a.onChoose === b.onChoose &&
    a.task.status === b.task.status &&
    a.task.title === b.task.title &&
    a.task.label === b.task.label &&
    a.task.diff === b.task.diff &&
    a.task.differs === b.task.differs,
);

function markOf({ diff, differs }: CanvasTask): string {
  if (diff && diff !== "kept") return ` is-${diff}`;
  return differs ? " is-differing" : "";
}

/** What became of it in the other plan or run; its label says the same. */
function Mark({ task: { diff, differs } }: { task: CanvasTask }) {
  if (diff && diff !== "kept") {
    const Icon = DIFF_ICON[diff];
    return (
      <span className={`pill-mark ${diff}`}>
        <Icon size={11} strokeWidth={2.25} aria-hidden="true" />
      </span>
    );
  }
  if (!differs) return null;
  return (
    <span className="pill-mark differs">
      <EqualNot size={11} strokeWidth={2.25} aria-hidden="true" />
    </span>
  );
}

/** All edges of one look are one path. */
function Edges({ edges, layout }: { edges: readonly CanvasEdge[]; layout: ReturnType<typeof layOutCompact> }) {
  const looks = new Map<EdgeLook, { path: string; arrow: string }>();
  for (const edge of edges) {
    const route = layout.routes.get(edgeId(edge.from, edge.to));
    if (!route) continue;
    const known = looks.get(edge.look) ?? { path: "", arrow: "" };
    looks.set(edge.look, { path: known.path + route.path, arrow: known.arrow + route.arrow });
  }
  return (
    <svg className="compact-edges" width={layout.width} height={layout.height} aria-hidden="true">
      {[...looks].map(([look, { path, arrow }]) => (
        <g key={look} className={`compact-edge ${look}`}>
          <path d={path} />
          <path className="arrow" d={arrow} />
        </g>
      ))}
    </svg>
  );
}

type Room = { width: number; height: number };

function useRoom(box: React.RefObject<HTMLDivElement | null>): Room {
  const [room, setRoom] = useState<Room>({ width: 0, height: 0 });
  useLayoutEffect(() => {
    if (!box.current || typeof ResizeObserver === "undefined") return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setRoom({ width: entry.contentRect.width, height: entry.contentRect.height });
    });
    observer.observe(box.current);
    return () => observer.disconnect();
  }, [box]);
  return room;
}

/** As large as it is, or smaller until it fits. */
function scaleIn(room: Room, { width, height }: CompactLayout): number {
  if (room.width === 0) return 1;
  return Math.max(LEAST_SCALE, Math.min(1, room.width / width, room.height / height));
}
