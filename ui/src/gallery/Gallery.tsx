// What the gallery shows, section by section.
import { CircleCheck, Play, Save, Trash2 } from "lucide-react";
import { type ReactNode, useState } from "react";
import { TaskCard } from "../components/canvas/TaskCard";
import { Button, FaultLine, IconButton, Segments, Toggle } from "../components/controls/controls";
import { Empty, FaultPanel, Skeleton } from "../components/controls/panel";
import { Select } from "../components/controls/Select";
import { DecisionCard } from "../components/decision/DecisionCard";
import { KindTile, StatusTag } from "../components/marks/marks";
import { CodeField } from "../components/values/CodeField";
import Markdown from "../components/values/Markdown";
import { ValueView } from "../components/values/ValueView";
import type { TaskStatus } from "../ipc/bindings";
import { DECISIONS, DONE, DRAFT, KINDS, STATES, specimen } from "./specimens";

export function Gallery() {
  return (
    <main>
      <Matrix />
      <Marks />
      <Controls />
      <Decisions />
      <Values />
      <States />
    </main>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="g-section" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function Matrix() {
  return (
    <Section title="Cards: seven kinds, eleven states">
      <div className="g-matrix" data-testid="matrix">
        <span />
        {KINDS.map(([kind]) => (
          <b key={kind}>{kind}</b>
        ))}
        {STATES.map((state) => (
          <Row key={state[0]} state={state} />
        ))}
      </div>
    </Section>
  );
}

function Row({ state }: { state: (typeof STATES)[number] }) {
  return (
    <>
      <b className="t2">{state[1]}</b>
      {KINDS.map(([kind, title, detail]) => (
        <TaskCard key={kind} task={specimen(kind, title, detail, state)} ports />
      ))}
    </>
  );
}

function Marks() {
  const task = specimen("agent", "Fetch competitor prices and everything after", "gpt-5-mini", DONE);
  const grants = [
    { access: "host", effect: "read_external", count: 3 },
    { access: "write", effect: "write", count: 1 },
  ];
  const draft = { ...specimen("tool", "Save report", "file.write", DRAFT), grants };
  return (
    <Section title="Cards: chosen, marked, dimmed">
      <div className="g-row">
        <TaskCard task={task} isSelected ports />
        <TaskCard task={{ ...task, badge: { severity: "warning", count: 1 } }} ports />
        <TaskCard task={{ ...draft, badge: { severity: "error", count: 2 } }} ports />
        <TaskCard task={{ ...task, isTainted: true }} ports />
        <TaskCard task={task} isLit ports />
        <TaskCard task={task} isDim ports />
      </div>
      <div className="g-row" style={{ marginTop: 32 }}>
        {(["added", "removed", "changed"] as const).map((diff) => (
          <TaskCard key={diff} task={{ ...draft, diff }} ports />
        ))}
        <TaskCard task={{ ...draft, isPinned: true }} ports />
        <TaskCard task={{ ...draft, stop: "both" }} ports />
        <TaskCard task={{ ...draft, isPinned: true, stop: "before" }} ports />
      </div>
      <div className="g-row" style={{ marginTop: 16 }}>
        {KINDS.map(([kind]) => (
          <KindTile key={kind} kind={kind} />
        ))}
        {STATES.slice(1).map(([status]) => (
          <StatusTag key={status} status={status as TaskStatus} />
        ))}
      </div>
    </Section>
  );
}

function Controls() {
  const [theme, setTheme] = useState<"a" | "b" | "c">("a");
  const [on, setOn] = useState(true);
  const [tool, setTool] = useState("csv.read");
  return (
    <Section title="Controls">
      <div className="g-row">
        <Button look="primary" size="large" hint="Ctrl ↵" icon={<Play className="icon" size={15} />}>
          Approve and run
        </Button>
        <Button>Edit plan</Button>
        <Button look="danger">Stop the run</Button>
        <Button look="ghost">Keep running</Button>
        <Button disabled>Send answers</Button>
        <Button size="small">Undo</Button>
        <IconButton label="Save" icon={<Save size={15} />} />
        <Segments
          label="Sample"
          value={theme}
          onChange={setTheme}
          choices={[
            { value: "a", label: "Recent" },
            { value: "b", label: "Plans" },
            { value: "c", label: "Runs" },
          ]}
        />
        <Toggle label="Sample switch" checked={on} onChange={setOn} />
        <div style={{ width: 200 }}>
          <Select
            label="Tool"
            mono
            value={tool}
            onChange={setTool}
            options={[
              { value: "csv.read", label: "csv.read", note: "read-only" },
              { value: "file.write", label: "file.write", note: "writes" },
            ]}
          />
        </div>
        <div style={{ width: 200 }}>
          <input className="field" aria-label="Sample field" placeholder="Find by name" />
        </div>
        <div style={{ width: 200 }}>
          <input className="field" aria-label="Wrong field" aria-invalid="true" defaultValue="costs_eur" />
          <FaultLine text="No output is named costs_eur." />
        </div>
      </div>
    </Section>
  );
}

function Decisions() {
  return (
    <Section title="Decisions">
      <div className="g-row">
        {DECISIONS.map((decision, ix) => (
          <div key={decision.id} style={{ width: 540 }}>
            <DecisionCard
              decision={decision}
              where="Invoice run · Pay invoice 2291"
              isFocused={ix === 0}
              onAnswer={async () => "This is the gallery: nothing is sent."}
            />
          </div>
        ))}
      </div>
    </Section>
  );
}

function Values() {
  return (
    <Section title="Values">
      <div className="g-row">
        <div className="g-panel padded">
          <ValueView
            label="Rows"
            json='{"columns":["sku","price"],"rows":[{"sku":"4417","price":0.3950},{"sku":"9","price":12345678901234567890}]}'
          />
        </div>
        <div className="g-panel padded">
          <ValueView
            label="Tree"
            json='{"status":200,"body":{"rates":{"EUR":1,"USD":1.0834},"ok":true,"note":null,"list":[1,2,3]}}'
          />
        </div>
        <div className="g-panel padded">
          <ValueView label="Text" json='"Two lines\nof text, with \u202Ehidden marks\u202C"' />
        </div>
        <div className="g-panel padded">
          <Markdown
            text={
              "# Report\n\nA **bold** claim with `code`.\n\n| SKU | Margin |\n| --- | ---: |\n| 4417 | 17.5 % |\n\n![remote](https://example.com/x.png) <script>alert(1)</script>"
            }
          />
        </div>
        <div className="g-panel padded">
          <CodeField
            label="Code"
            language="javascript"
            value={"const x = 1; // one\nreturn { x, name: `a` };"}
            onChange={() => undefined}
          />
        </div>
      </div>
    </Section>
  );
}

function States() {
  return (
    <Section title="Empty, loading, wrong">
      <div className="g-row">
        <div className="g-panel">
          <Empty
            icon={<CircleCheck className="tone-completed" size={28} strokeWidth={1.5} />}
            title="Nothing waits for you"
          >
            2 runs are going. A badge shows when one needs you.
          </Empty>
        </div>
        <div className="g-panel">
          <Skeleton rows={5} />
        </div>
        <div className="g-panel">
          <FaultPanel
            title="This run can't be shown"
            message="Checkpoint 118 cannot be read. Kept: 117 and all before it. Next: go on from 117."
            onRetry={() => undefined}
          />
        </div>
        <div className="notice">
          <Trash2 className="icon" size={15} />
          <p>Deleted 3 tasks</p>
          <Button size="small">Undo</Button>
        </div>
      </div>
    </Section>
  );
}
