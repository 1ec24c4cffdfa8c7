// The question before a rewind, a fork or a rerun: what is reused, what runs and is paid again, what has been done outside already.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { useEffect, useRef, useState } from "react";
import { Button, FaultLine, Toggle } from "../../components/controls/controls";
import type { CostView, EffectView, FileView, GoingBackView, RunStatus, TimelineView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { attempt, notify } from "../../state/notices";
import { go } from "../../state/route";
import { useRun } from "../../state/run";
import { clearSelection } from "../../state/selection";
import { t } from "../../text";
import { clock, list, visible } from "../../text/format";
import type { Axis } from "./axis";
import { moneyText } from "./describe";

export type Way = { how: "rewind" | "fork"; seq: number } | { how: "rerun"; task: string };

type Props = { run: string; way: Way; axis: Axis; line: TimelineView; onClose: () => void };

export function GoingBack({ run, way, axis, line, onClose }: Props) {
  const safe = useRef<HTMLButtonElement>(null);
  const { view, fault, again } = usePreview(run, way);
  const [restore, setRestore] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const status = useRun((s) => (s.run === run ? s.row?.status : undefined));
  const words = t.review.goingBack;
  const names = new Map(line.tracks.map((track) => [track.task, track.title]));
  const act = async (next: () => Promise<unknown>) => {
    setBusy(true);
    await attempt(next);
    setBusy(false);
    onClose();
  };
  const canPause = way.how !== "fork" && GOING.includes(status ?? "PAUSED");
  const pause = async () => {
    setBusy(true);
    await attempt(() => host().pauseRun(run));
    await rested(run);
    setBusy(false);
    again();
  };
  const why = fault ?? view?.whyNot ?? null;
  return (
    <AlertDialog.Root open onOpenChange={(next) => !next && onClose()}>
      <AlertDialog.Portal>
        <AlertDialog.Backdrop className="scrim" />
        <AlertDialog.Popup className="dialog going-back" initialFocus={safe} data-testid="going-back">
          <AlertDialog.Title>{titleOf(way, axis, names)}</AlertDialog.Title>
          <AlertDialog.Description render={<div />}>
            <p className="t2">{noteOf(way)}</p>
            {why ? <FaultLine severity="warning" text={visible(why)} /> : null}
            {view ? (
              <Facts view={view} way={way} names={names} restore={restore} onRestore={setRestore} />
            ) : why ? null : (
              <p className="t3">{words.reading}</p>
            )}
          </AlertDialog.Description>
          <div className="actions">
            {why !== null && canPause ? (
              <Button onClick={() => void pause()} disabled={isBusy} data-testid="going-back-pause">
                {t.run.pause}
              </Button>
            ) : null}
            <Acts {...{ run, way, view, restore }} isOff={why !== null || !view || isBusy} act={act} />
            <AlertDialog.Close className="btn ghost medium" ref={safe} data-testid="going-back-keep">
              {words.keep}
            </AlertDialog.Close>
          </div>
        </AlertDialog.Popup>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}

const GOING: readonly RunStatus[] = ["RUNNING", "WAITING", "BLOCKED"];
const PATIENCE_MS = 10_000;

/** Until what was under way has ended, so that nobody drives the run any more; not for ever. */
function rested(run: string): Promise<void> {
  const isAtRest = () => {
    const { run: shown, row } = useRun.getState();
    return shown !== run || row === null || !GOING.includes(row.status);
  };
  if (isAtRest()) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      window.clearTimeout(timer);
      stop();
      // Its driver lets go of it right after its last word.
      window.setTimeout(resolve, 200);
    };
    const timer = window.setTimeout(() => end(), PATIENCE_MS);
    const stop = useRun.subscribe(() => isAtRest() && end());
  });
}

function titleOf(way: Way, axis: Axis, names: ReadonlyMap<string, string>): string {
  const words = t.review.goingBack;
  if (way.how === "rerun") return words.rerunTitle(visible(names.get(way.task) ?? way.task));
  const at = clock(axis.at[way.seq - 1] ?? 0);
  return way.how === "rewind" ? words.rewindTitle(at, way.seq) : words.forkTitle(at, way.seq);
}

function noteOf(way: Way): string {
  const words = t.review.goingBack;
  return { rewind: words.rewindNote, fork: words.forkNote, rerun: words.rerunNote }[way.how];
}

function usePreview(run: string, way: Way) {
  const [view, setView] = useState<GoingBackView | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [asks, setAsks] = useState(0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `asks` asks anew
  useEffect(() => {
    let gone = false;
    const asked =
      way.how === "rerun"
        ? host().rerunPreview(run, way.task)
        : way.how === "rewind"
          ? host().rewindPreview(run, way.seq)
          : host().forkPreview(run, way.seq);
    asked.then(
      (found) => gone || setView(found),
      (thrown) => gone || setFault(asFault(thrown).message),
    );
    return () => {
      gone = true;
    };
  }, [run, way, asks]);
  return { view, fault, again: () => setAsks((n) => n + 1) };
}

type FactProps = {
  view: GoingBackView;
  way: Way;
  names: ReadonlyMap<string, string>;
  restore: boolean;
  onRestore: (on: boolean) => void;
};

function Facts({ view, way, names, restore, onRestore }: FactProps) {
  const words = t.review.goingBack;
  const named = (ids: readonly string[]) => few(ids.map((id) => visible(names.get(id) ?? id)));
  const stays = way.how === "fork" ? words.staysFork : words.staysRewind;
  return (
    <dl className="facts">
      <dt>{words.reused}</dt>
      <dd data-testid="going-reused">{view.reused.length > 0 ? named(view.reused) : words.reusedNone}</dd>
      <dt>{words.again}</dt>
      <dd data-testid="going-again">{view.again.length > 0 ? named(view.again) : words.againNone}</dd>
      <dt>{words.paid}</dt>
      <dd data-testid="going-paid">{paidText(view.paid)}</dd>
      <dt>{words.effects}</dt>
      <dd data-testid="going-effects">
        {view.effects.length === 0 ? words.effectsNone : <Effects effects={view.effects} names={names} stays={stays} />}
      </dd>
      {view.files.length > 0 ? (
        <>
          <dt>{words.files}</dt>
          <dd>
            <Files files={view.files} />
            <div className="restore">
              <Toggle checked={restore} onChange={onRestore} label={words.restore} testId="restore" />
              <span>
                {words.restore}
                <span className="xs t3 restore-note">{words.restoreNote}</span>
              </span>
            </div>
          </dd>
        </>
      ) : null}
    </dl>
  );
}

const MOST = 8;

function few(names: readonly string[]): string {
  return names.length <= MOST
    ? list(names)
    : `${names.slice(0, MOST).join(", ")} ${t.review.goingBack.more(names.length - MOST)}`;
}

function paidText(paid: CostView): string {
  const words = t.review.goingBack;
  return paid.calls === 0 ? words.paidNone : words.paidText(moneyText(paid));
}

type EffectsProps = { effects: readonly EffectView[]; names: ReadonlyMap<string, string>; stays: string };

function Effects({ effects, names, stays }: EffectsProps) {
  const words = t.review.goingBack;
  return (
    <>
      <ul className="going-list">
        {effects.slice(0, MOST).map((effect) => (
          <li key={`${effect.seq} ${effect.task}`}>
            {words.effect(visible(names.get(effect.task) ?? effect.task), visible(effect.tool))}
            {effect.isKnown ? "" : `, ${words.unknown}`}
          </li>
        ))}
        {effects.length > MOST ? <li className="t3">{words.more(effects.length - MOST)}</li> : null}
      </ul>
      <p className="xs t3">{stays}</p>
    </>
  );
}

function Files({ files }: { files: readonly FileView[] }) {
  const words = t.review.goingBack;
  return (
    <ul className="going-list">
      {files.slice(0, MOST).map((file) => (
        <li key={file.path}>
          <span className="mono sel">{visible(file.path)}</span>
          <span className="t3"> {file.whyNot ? visible(file.whyNot) : words.fileNow[file.now]}</span>
        </li>
      ))}
      {files.length > MOST ? <li className="t3">{words.more(files.length - MOST)}</li> : null}
    </ul>
  );
}

type ActProps = {
  run: string;
  way: Way;
  view: GoingBackView | null;
  restore: boolean;
  isOff: boolean;
  act: (next: () => Promise<unknown>) => Promise<void>;
};

function Acts({ run, way, restore, isOff, act }: ActProps) {
  const words = t.review.goingBack;
  if (way.how === "fork") {
    const fork = (screen: "plan" | "approve") => () =>
      act(async () => {
        const made = await host().forkRun(run, way.seq, restore);
        clearSelection();
        go({ screen, run: made });
      });
    return (
      <>
        <Button look="primary" disabled={isOff} onClick={fork("plan")} data-testid="fork-edit">
          {words.doFork}
        </Button>
        <Button disabled={isOff} onClick={fork("approve")} data-testid="fork-approve">
          {words.doForkAsIs}
        </Button>
      </>
    );
  }
  const back = () =>
    act(async () => {
      if (way.how === "rerun") await host().rerunFrom(run, way.task, false);
      else await host().rewindRun(run, way.seq, restore);
      notify(way.how === "rerun" ? words.setBack : words.rewound(way.seq));
      go({ screen: "run", run });
    });
  return (
    <Button look="primary" disabled={isOff} onClick={back} data-testid="going-back-do">
      {way.how === "rewind" ? words.doRewind : words.doRerun}
    </Button>
  );
}
