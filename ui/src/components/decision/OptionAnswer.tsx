// The answer by one of the choices: what happened as JSON, other arguments for a call, or a note to the replanner go with it
// where the choice takes them.
import { Pencil } from "lucide-react";
import { useState } from "react";
import { type Json, type JsonObject, objectOf, print, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";
import { Button, FaultLine } from "../controls/controls";
import { printKeys, useKeys } from "../controls/keys";
import { ChangeArguments, changedFields } from "./ChangeArguments";
import { Choices } from "./Choices";
import type { AnswerProps } from "./DecisionCard";

export function OptionAnswer({ decision, isFocused, isBusy, onSend, schema }: AnswerProps & { schema: string | null }) {
  const safe = decision.options.find((o) => o.isDefault) ?? decision.options[0];
  const [chosen, setChosen] = useState(safe?.answer ?? "");
  const [output, setOutput] = useState("");
  const [note, setNote] = useState("");
  const shown = objectOf(tryParse(decision.about));
  const [changed, setChanged] = useState<JsonObject | null>(null);
  const option = decision.options.find((o) => o.answer === chosen);
  const takesOutput = decision.kind === "in_doubt" && chosen === "done";
  const takesNote = decision.kind === "replan" && chosen === "again";
  const takesArguments = decision.mayChange && chosen === "allow";
  const given = tryParse(output.trim());
  const isBad = takesOutput && output.trim() !== "" && given === undefined;
  const isChanged = takesArguments && changed !== null && changedFields(shown, changed).length > 0;
  const answer = (): Json => {
    if (takesOutput && given !== undefined) return { done: given };
    if (takesNote && note.trim() !== "") return { again: note };
    return isChanged ? { allow: changed } : chosen;
  };
  const send = () => {
    if (!isBad && option) onSend(print(answer()));
  };
  const pick = (n: number) => () => {
    const at = decision.options[n];
    if (at) setChosen(at.answer);
  };
  const edit = () => {
    setChosen("allow");
    setChanged(changed ?? shown);
  };
  useKeys({ "ctrl+enter": send, "1": pick(0), "2": pick(1), "3": pick(2), "4": pick(3) }, "waiting", isFocused);
  return (
    <>
      <Choices decision={decision} chosen={chosen} onChoose={setChosen} keys={isFocused} />
      {takesOutput ? <Output value={output} onChange={setOutput} isBad={isBad} /> : null}
      {takesNote ? <Note value={note} onChange={setNote} /> : null}
      {takesArguments && changed ? (
        <ChangeArguments schema={schema} value={changed} shown={shown} onChange={setChanged} disabled={isBusy} />
      ) : null}
      <div className="row">
        <Button
          look={isFocused ? "primary" : "plain"}
          hint={isFocused ? printKeys("ctrl+enter") : undefined}
          disabled={isBusy || !option}
          onClick={send}
          data-testid="send-answer"
        >
          {isChanged ? t.inbox.sendChanged : option ? visible(option.label) : t.inbox.send}
        </Button>
        {decision.mayChange && !(takesArguments && changed) ? (
          <Button
            icon={<Pencil className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
            disabled={isBusy}
            onClick={edit}
            data-testid="edit-arguments"
          >
            {t.inbox.editFirst}
          </Button>
        ) : null}
      </div>
    </>
  );
}

function Output({ value, onChange, isBad }: { value: string; onChange: (value: string) => void; isBad: boolean }) {
  return (
    <label className="form-field">
      <span className="form-label">{t.inbox.doneValue}</span>
      <textarea
        className="field mono"
        rows={2}
        value={value}
        aria-invalid={isBad}
        onChange={(event) => onChange(event.target.value)}
        data-testid="done-output"
      />
      {isBad ? <FaultLine text={t.form.notJson} /> : null}
    </label>
  );
}

function Note({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <label className="form-field">
      <span className="form-label">{t.replan.tell}</span>
      <textarea
        className="field"
        rows={2}
        dir="auto"
        maxLength={8000}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        data-testid="again-note"
      />
    </label>
  );
}
