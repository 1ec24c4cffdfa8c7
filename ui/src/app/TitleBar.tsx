// The title bar: mark, name and revision, stage track, search, window buttons. Its empty parts drag the window.
import { Check, Minus, Search, Square, X } from "lucide-react";
import { isMac, printKeys } from "../components/controls/keys";
import { host } from "../ipc/host";
import { useDraft } from "../state/draft";
import { useLists } from "../state/lists";
import { go, type Route } from "../state/route";
import { useRun } from "../state/run";
import { t } from "../text";
import { visible } from "../text/format";

export function TitleBar({ route, onFind }: { route: Route; onFind: () => void }) {
  return (
    <header className={`title-bar${isMac ? " mac" : ""}`} data-region="title" data-tauri-drag-region>
      <div className="title-left" data-tauri-drag-region>
        <span className="logo">
          <Mark />
        </span>
        <Crumb route={route} />
      </div>
      {"run" in route ? <Stages route={route} /> : <span data-tauri-drag-region />}
      <div className="title-right" data-tauri-drag-region>
        <button type="button" className="find" onClick={onFind} data-testid="find">
          <Search className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
          <span className="el">{t.shell.find}</span>
          <kbd>{printKeys("ctrl+k")}</kbd>
        </button>
        {host().name === "desktop" && !isMac ? <WindowButtons /> : <span style={{ width: 8 }} />}
      </div>
    </header>
  );
}

/** The mark: tasks that lead to one another, as a loom's thread. */
export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 24 24"
      fill="none"
      stroke="currentColor"
      strokeWidth="1.75"
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
    >
      <circle cx="5.5" cy="19" r="2.2" />
      <circle cx="18.5" cy="18" r="2.2" />
      <path d="M5.5 16.8V8a4 4 0 0 1 4-4h3.2a3.6 3.6 0 0 1 3.6 3.6v0a3.6 3.6 0 0 1-3.6 3.6H9" />
      <path d="M7.7 19h8.6" strokeDasharray="1.5 3" />
      <path d="M16.8 11.2c1.2.6 1.7 1.7 1.7 3v1.6" />
    </svg>
  );
}

function Crumb({ route }: { route: Route }) {
  const draft = useDraft((s) => s.view);
  const pending = useDraft((s) => s.pending);
  const row = useRun((s) => s.row);
  const open = useLists((s) => s.inbox?.length ?? 0);
  if (!("run" in route)) {
    return (
      <div className="crumb">
        <h1>{route.screen === "waiting" ? t.inbox.title : t.shell.screens[route.screen]}</h1>
        {route.screen === "waiting" && open > 0 ? <span className="t3">{t.shell.decisions(open)}</span> : null}
      </div>
    );
  }
  const isRun = isOfRun(route);
  const title = isRun ? row?.title : draft?.run === route.run ? draft.title : undefined;
  const revision = isRun ? row?.revision : draft?.revision;
  return (
    <div className="crumb">
      <h1 className="el" dir="auto" data-testid="title">
        {visible(title ?? t.words.untitled)}
      </h1>
      {revision === undefined ? null : (
        <span className="t3 num" data-testid="revision">
          {t.shell.revision(revision)}
          {isRun ? "" : ` · ${pending > 0 ? t.shell.saving : t.shell.saved}`}
        </span>
      )}
    </div>
  );
}

/** Both show the run, the one as it goes, the other as it went. */
function isOfRun(route: Route): boolean {
  return route.screen === "run" || route.screen === "review" || route.screen === "replan";
}

type StageRoute = Extract<Route, { run: string }>;

function Stages({ route }: { route: StageRoute }) {
  const draft = useDraft((s) => s.view);
  const isDraft = isOfRun(route) ? false : draft?.run !== route.run || draft.isDraft;
  const order = ["plan", "approve", "run", "review"] as const;
  const here = order.indexOf(route.screen === "replan" ? "run" : route.screen);
  return (
    <nav className="stages" aria-label={t.shell.stagesLabel}>
      {order.map((stage, ix) => (
        <Stage key={stage} stage={stage} ix={ix} here={here} isDraft={isDraft} run={route.run} />
      ))}
    </nav>
  );
}

type StageProps = {
  stage: "plan" | "approve" | "run" | "review";
  ix: number;
  here: number;
  isDraft: boolean;
  run: string;
};

function Stage({ stage, ix, here, isDraft, run }: StageProps) {
  const label = t.shell.stages[stage];
  const isOpen = stage === "plan" || (stage === "approve" ? isDraft : !isDraft);
  const isPassed = ix < here || (!isDraft && stage === "approve");
  const mark = isPassed ? <Check size={13} strokeWidth={2} aria-hidden="true" /> : null;
  return (
    <>
      {ix > 0 ? <i /> : null}
      {isOpen ? (
        <button
          type="button"
          aria-current={ix === here ? "step" : undefined}
          onClick={() => go({ screen: stage, run })}
          data-testid={`stage-${stage}`}
        >
          {ix === here ? null : mark}
          {label}
        </button>
      ) : (
        <span className={isPassed ? "passed" : "later"}>
          {mark}
          {label}
        </span>
      )}
    </>
  );
}

export function WindowButtons() {
  const frame = host().window;
  return (
    <div className="window-buttons">
      <button
        type="button"
        aria-label={t.shell.window.minimize}
        onClick={() => frame.minimize()}
        data-testid="window-minimize"
      >
        <Minus size={14} strokeWidth={1.5} aria-hidden="true" />
      </button>
      <button
        type="button"
        aria-label={t.shell.window.maximize}
        onClick={() => frame.toggleMaximize()}
        data-testid="window-maximize"
      >
        <Square size={11} strokeWidth={1.5} aria-hidden="true" />
      </button>
      <button
        type="button"
        className="shut"
        aria-label={t.shell.window.close}
        onClick={() => frame.close()}
        data-testid="window-close"
      >
        <X size={15} strokeWidth={1.5} aria-hidden="true" />
      </button>
    </div>
  );
}
