// Trying one task alone: what it reads is given here, from what is pinned or the last run gave, and may be changed.
import { Dialog } from "@base-ui/react/dialog";
import { useEffect, useMemo, useState } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import { CodeField } from "../../components/values/CodeField";
import type { DraftTask, DraftView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { type Json, objectOf, parse, print, tryParse } from "../../ipc/json";
import { settled } from "../../state/draft";
import { readLast } from "../../state/laid";
import { go } from "../../state/route";
import { t } from "../../text";
import { age, visible } from "../../text/format";
import { marksOf } from "./rules/reads";
import { askTry, useTry } from "./tryStore";

type Given = { task: string; name: string; text: string; note: string };

export function TryDialog({ view }: { view: DraftView }) {
  const id = useTry((s) => s.task);
  const task = view.tasks.find((x) => x.id === id);
  return (
    <Dialog.Root open={task !== undefined} onOpenChange={(open) => !open && askTry(null)}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog try-dialog" data-testid="try-dialog">
          {task ? <Form key={task.id} view={view} task={task} /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Form({ view, task }: { view: DraftView; task: DraftTask }) {
  const [given, setGiven] = useGiven(view, task);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const change = (id: string, text: string) => {
    setFault(null);
    setGiven((all) => all?.map((one) => (one.task === id ? { ...one, text } : one)) ?? null);
  };
  const open = async () => {
    const outputs = read(given ?? []);
    if ("fault" in outputs) {
      setFault(outputs.fault);
      return;
    }
    setBusy(true);
    try {
      await settled();
      const run = await host().tryTask(view.run, task.id, outputs.json);
      askTry(null);
      go({ screen: "approve", run });
    } catch (thrown) {
      setFault(asFault(thrown).message);
      setBusy(false);
    }
  };
  return (
    <>
      <Dialog.Title>
        {t.trying.title}: {visible(task.title || task.id)}
      </Dialog.Title>
      <Dialog.Description className="t2">{t.trying.note}</Dialog.Description>
      {given?.length === 0 ? <p className="sm t3 try-input">{t.trying.noReads}</p> : null}
      {given?.map((one) => (
        <div className="try-input" key={one.task}>
          <div className="try-head">
            <b className="el">{t.trying.given(one.name)}</b>
            <span className="xs t3">{one.note}</span>
          </div>
          <CodeField
            label={t.trying.given(one.name)}
            language="json"
            value={one.text}
            onChange={(text) => change(one.task, text)}
            testId={`try-${one.task}`}
          />
        </div>
      ))}
      {fault ? <FaultLine text={visible(fault)} /> : null}
      <div className="actions">
        <Dialog.Close className="btn ghost medium">{t.trying.cancel}</Dialog.Close>
        <Button
          look="primary"
          disabled={isBusy || given === null || given.some((one) => one.text.trim() === "")}
          onClick={() => void open()}
          data-testid="try-open"
        >
          {t.trying.open}
        </Button>
      </div>
    </>
  );
}

/** What each task that it reads gives: what is pinned, else what the last run gave, else nothing yet. */
function useGiven(view: DraftView, task: DraftTask) {
  const [given, setGiven] = useState<Given[] | null>(null);
  const reads = useMemo(() => marksOf(objectOf(tryParse(task.document)), "$from"), [task.document]);
  useEffect(() => {
    let isGone = false;
    void Promise.all(reads.map((id) => givenBy(view, id))).then((all) => !isGone && setGiven(all));
    return () => {
      isGone = true;
    };
  }, [view, reads]);
  return [given, setGiven] as const;
}

async function givenBy(view: DraftView, id: string): Promise<Given> {
  const found = view.tasks.find((x) => x.id === id);
  const base = { task: id, name: visible(found?.title || id) };
  const held = found?.pinned
    ? await host()
        .heldOutput(view.run, id)
        .catch(() => null)
    : null;
  if (held !== null) return { ...base, text: pretty(held), note: t.trying.pinnedFrom };
  const last = await readLast(view.run, id);
  if (!last) return { ...base, text: "", note: t.trying.noneFrom };
  if (last.json === null) return { ...base, text: "", note: t.trying.tooLarge };
  return { ...base, text: pretty(last.json), note: t.trying.lastFrom(age(last.at, Date.now())) };
}

function pretty(json: string): string {
  const value = tryParse(json);
  return value === undefined ? json : print(value, 2);
}

function read(given: readonly Given[]): { json: string } | { fault: string } {
  const outputs: Record<string, Json> = {};
  for (const one of given) {
    try {
      outputs[one.task] = parse(one.text);
    } catch (wrong) {
      return { fault: t.trying.bad(one.name, wrong instanceof Error ? `${wrong.message}.` : "") };
    }
  }
  return { json: print(outputs) };
}
