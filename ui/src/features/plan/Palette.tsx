// The left panel: kinds of task and tools to add, by drag, click or key; below, what is wrong with the plan.
import { Search } from "lucide-react";
import { type KeyboardEvent, type RefObject, useMemo, useRef, useState } from "react";
import { keyOf, printKeys } from "../../components/controls/keys";
import { focusWork } from "../../components/controls/work";
import { EffectIcon, isRisky, KindTile } from "../../components/marks/marks";
import type { DraftView, ToolView } from "../../ipc/bindings";
import { useTools } from "../../state/tools";
import { t } from "../../text";
import { Problems } from "./Problems";
import { KIND_KEYS, KINDS, newTask } from "./templates";
import type { StartDrag } from "./usePaletteDrag";

type Props = {
  view: DraftView;
  find: RefObject<HTMLInputElement | null>;
  onAdd: (task: string) => void;
  onDrag: StartDrag;
};

export function Palette({ view, find, onAdd, onDrag }: Props) {
  const [text, setText] = useState("");
  const tools = useTools((s) => s.tools);
  const wanted = text.trim().toLowerCase();
  const kinds = KINDS.filter((k) => `${t.words.kind[k]} ${t.words.kindNote[k]}`.toLowerCase().includes(wanted));
  const shown = useMemo(
    () => (tools ?? []).filter((tool) => `${tool.name} ${tool.description}`.toLowerCase().includes(wanted)),
    [tools, wanted],
  );
  const box = useRef<HTMLDivElement>(null);
  const items = () => [...(box.current?.querySelectorAll<HTMLElement>(".palette-item") ?? [])];
  const onKeyDown = (event: KeyboardEvent) => {
    const key = keyOf(event.nativeEvent);
    const isField = event.target === find.current;
    const all = items();
    const here = all.indexOf(event.target as HTMLElement);
    if (key === "arrowdown") all[here + 1]?.focus();
    else if (key === "arrowup" && !isField) (all[here - 1] ?? find.current)?.focus();
    else if (key === "enter" && isField && wanted !== "") all[0]?.click();
    else if (key === "escape" && isField && text !== "") setText("");
    else if (key === "escape") focusWork();
    else return;
    event.preventDefault();
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys act on the field and the buttons inside
    <div className="palette" ref={box} onKeyDown={onKeyDown}>
      <div className="palette-find">
        <div className="field">
          <Search className="icon t3" size={14} aria-hidden="true" />
          <input
            ref={find}
            aria-label={t.plan.find}
            placeholder={t.plan.find}
            value={text}
            onChange={(event) => setText(event.target.value)}
            data-testid="palette-find"
          />
          <kbd>{printKeys("/")}</kbd>
        </div>
      </div>
      <div className="palette-items">
        {kinds.length > 0 ? <Group title={t.plan.tasks} note={t.plan.tasksNote} /> : null}
        {kinds.map((kind) => (
          <Item
            key={kind}
            label={t.words.kind[kind] ?? kind}
            make={() => newTask(kind)}
            kind={kind}
            onAdd={onAdd}
            onDrag={onDrag}
            testId={`palette-${kind}`}
          >
            <KindTile kind={kind} small />
            <span className="palette-name">{t.words.kind[kind]}</span>
            <span className="sm t3 el grow">{t.words.kindNote[kind]}</span>
            <kbd>{printKeys(KIND_KEYS[kind])}</kbd>
          </Item>
        ))}
        {shown.length > 0 ? <Group title={t.plan.tools} note={t.plan.toolsNote} /> : null}
        {shown.map((tool) => (
          <ToolItem key={tool.name} tool={tool} onAdd={onAdd} onDrag={onDrag} />
        ))}
        {kinds.length + shown.length === 0 ? <p className="palette-none t3 sm">{t.plan.noTool(text)}</p> : null}
      </div>
      <Problems view={view} />
    </div>
  );
}

function Group({ title, note }: { title: string; note: string }) {
  return (
    <div className="palette-group">
      <h3 className="heading">{title}</h3>
      <span className="xs t3">{note}</span>
    </div>
  );
}

function ToolItem({ tool, onAdd, onDrag }: { tool: ToolView; onAdd: Props["onAdd"]; onDrag: StartDrag }) {
  return (
    <Item
      label={tool.name}
      title={tool.off ?? tool.description}
      make={() => newTask("tool", tool)}
      kind="tool"
      onAdd={onAdd}
      onDrag={onDrag}
      testId={`palette-tool-${tool.name}`}
    >
      <span className="palette-effect t3">
        <EffectIcon effect={tool.effect} />
      </span>
      <span className="mono el grow">{tool.name}</span>
      <span className={`xs ${isRisky(tool.effect) ? "tone-retrying" : "t3"}`}>{t.words.effect[tool.effect]}</span>
    </Item>
  );
}

type ItemProps = {
  label: string;
  title?: string;
  kind: string;
  make: () => string;
  onAdd: Props["onAdd"];
  onDrag: StartDrag;
  testId: string;
  children: React.ReactNode;
};

function Item({ label, title, kind, make, onAdd, onDrag, testId, children }: ItemProps) {
  return (
    <button
      type="button"
      className="palette-item"
      title={title}
      data-testid={testId}
      onPointerDown={(event) => onDrag(event, { label, kind, task: make() })}
      onClick={(event) => event.detail === 0 && onAdd(make())}
    >
      {children}
    </button>
  );
}
