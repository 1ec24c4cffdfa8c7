// Waiting: every open decision of every run, oldest first; one is in focus and has the keys.
import { CircleCheck } from "lucide-react";
import { useEffect, useMemo, useRef, useState } from "react";
import { Button } from "../../components/controls/controls";
import { useKeys } from "../../components/controls/keys";
import { Empty, FaultPanel, Skeleton } from "../../components/controls/panel";
import { Workbench } from "../../components/controls/Workbench";
import type { DecisionView, RunRow } from "../../ipc/bindings";
import { isOwnAnswer, keyOfDecision } from "../../state/decide";
import { readInbox, readRuns, useLists } from "../../state/lists";
import { notify } from "../../state/notices";
import { usePanel } from "../../state/panels";
import { go } from "../../state/route";
import { readTools } from "../../state/tools";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Cards } from "./Cards";
import { DecisionList } from "./DecisionList";
import { Standing } from "./Standing";
import { type Filter, filtered, grouped } from "./sorted";

/** `wanted` is the decision to be looked at first, as `RUN/ID`. */
export function InboxScreen({ wanted }: { wanted: string | null }) {
  const inbox = useLists((s) => s.inbox);
  const runs = useLists((s) => s.runs);
  const fault = useLists((s) => s.inboxFault);
  useEffect(() => {
    void readInbox();
    void readRuns();
    void readTools();
  }, []);
  if (!inbox)
    return fault ? (
      <FaultPanel title={t.inbox.faultTitle} message={fault.message} onRetry={() => void readInbox()} />
    ) : (
      <Skeleton rows={8} />
    );
  if (inbox.length === 0) {
    const going = runs?.filter((r) => r.status === "RUNNING").length ?? 0;
    return (
      <Empty
        icon={<CircleCheck className="tone-completed" size={28} strokeWidth={1.5} />}
        title={t.inbox.nothing}
        actions={<Button onClick={() => go({ screen: "runs" })}>{t.shell.commands.goRuns}</Button>}
      >
        {t.inbox.nothingNote(going)}
      </Empty>
    );
  }
  return <Inbox decisions={inbox} runs={runs ?? []} wanted={wanted} />;
}

/** Where a decision is looked at beside here. */
export type PlaceOf = (decision: DecisionView) => "approve" | "plan" | "replan" | "run";

/** A whole plan that waits for its signature, a planner's question about one that is yet to be made, a new plan, or a run. */
function placeOf(drafts: ReadonlySet<string>): PlaceOf {
  return (d) => {
    if (d.kind === "approval" && d.task === null) return "approve";
    if (drafts.has(d.run)) return "plan";
    return d.kind === "replan" ? "replan" : "run";
  };
}

const NO_FILTER: Filter = { kind: null, text: "" };

type Props = { decisions: readonly DecisionView[]; runs: readonly RunRow[]; wanted: string | null };

function Inbox({ decisions, runs, wanted }: Props) {
  const panel = usePanel("waiting.left");
  const right = usePanel("waiting.right");
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const titles = useMemo(() => new Map(runs.map((r) => [r.run, r.title])), [runs]);
  const drafts = useMemo(() => new Set(runs.filter((r) => r.status === "AWAITING_APPROVAL").map((r) => r.run)), [runs]);
  const titleOf = (run: string) => titles.get(run) ?? run;
  const where = (d: DecisionView) => t.inbox.from(titleOf(d.run), d.taskTitle ?? d.task);
  const groups = grouped(filtered(decisions, filter, where));
  const sorted = groups.flatMap((group) => group.decisions);
  const { focused, at, choose, touch } = useFocused(sorted, wanted, () => setFilter(NO_FILTER));
  useSaidElsewhere(decisions, focused);
  const move = (by: 1 | -1) => () => {
    const next = sorted[Math.min(sorted.length - 1, Math.max(0, at + by))];
    if (next) choose(keyOfDecision(next));
  };
  useKeys({ j: move(1), k: move(-1), "ctrl+i": right.toggle }, "waiting");
  return (
    <Workbench
      rightYields
      left={{
        ...panel,
        isOpen: true,
        label: t.inbox.list,
        resizeLabel: t.shell.leftPanel,
        node: (
          <DecisionList
            all={decisions}
            groups={groups}
            focused={focused}
            filter={filter}
            onFilter={setFilter}
            titleOf={titleOf}
            onChoose={choose}
          />
        ),
      }}
      {...(focused && placeOf(drafts)(focused) === "run"
        ? {
            right: {
              ...right,
              label: t.inbox.standing,
              resizeLabel: t.shell.rightPanel,
              node: <Standing key={keyOfDecision(focused)} decision={focused} />,
            },
          }
        : {})}
    >
      <Cards decisions={sorted} at={at} where={where} placeOf={placeOf(drafts)} onTouch={touch} />
    </Workbench>
  );
}

/** The one in focus: what the person or a link has chosen, as long as it is open; else the first. */
function useFocused(sorted: readonly DecisionView[], wanted: string | null, showAll: () => void) {
  const [chosen, setChosen] = useState<string | null>(wanted);
  const found = sorted.findIndex((d) => keyOfDecision(d) === chosen);
  // What was in focus is gone: the one that has come into its place is next.
  const last = useRef(0);
  const at = found >= 0 ? found : Math.max(0, Math.min(last.current, sorted.length - 1));
  useEffect(() => {
    last.current = at;
  }, [at]);
  const choose = (key: string) => {
    setChosen(key);
    requestAnimationFrame(() => enter(key));
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: a link is followed once, when it comes
  useEffect(() => {
    if (!wanted) return;
    // A filter must not hide what somebody was led to.
    showAll();
    choose(wanted);
    const { inbox } = useLists.getState();
    if (inbox && !inbox.some((d) => keyOfDecision(d) === wanted)) notify(t.inbox.gone);
  }, [wanted]);
  return { focused: sorted[at], at, choose, touch: setChosen };
}

/** Into view, with the keyboard on its safe choice or its first field. */
function enter(key: string): void {
  const card = document.querySelector(`[data-decision="${CSS.escape(key)}"]`);
  card?.scrollIntoView?.({ block: "nearest" });
  card
    ?.querySelector<HTMLElement>('[role="radio"][aria-checked="true"], .form textarea, .form input, .form button')
    ?.focus({ preventScroll: true });
}

/** Somebody else has answered what was in focus, or it does not matter any more: said, never silently gone. */
function useSaidElsewhere(decisions: readonly DecisionView[], focused: DecisionView | undefined): void {
  const last = useRef<DecisionView | undefined>(undefined);
  useEffect(() => {
    const before = last.current;
    last.current = focused;
    if (!before || (focused && keyOfDecision(before) === keyOfDecision(focused))) return;
    const key = keyOfDecision(before);
    const isGone = !decisions.some((d) => keyOfDecision(d) === key);
    if (isGone && !isOwnAnswer(key)) notify(t.inbox.elsewhere(visible(before.question).slice(0, 120)));
  }, [decisions, focused]);
}
