// What is to be signed, the parameters being filled in, and the signing itself. Another digest than the one shown is refused.
import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import { defaultOf, missingIn } from "../../components/values/schema";
import type { ApprovalView } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { type Json, type JsonObject, objectOf, print, tryParse } from "../../ipc/json";
import { openDraft, settled } from "../../state/draft";
import { readInbox } from "../../state/lists";
import { readProposal, useProposal } from "../../state/proposal";
import { go } from "../../state/route";
import { clearSelection } from "../../state/selection";
import { showFlow } from "./Flow";
import { type ChoicesState, flowKey, useChoices } from "./useChoices";

/** All parameters as one form. */
export function schemaOf(approval: ApprovalView): JsonObject {
  const properties: JsonObject = {};
  const required: Json[] = [];
  for (const parameter of approval.parameters) {
    const schema = { ...objectOf(tryParse(parameter.schema)) };
    const given = tryParse(parameter.default);
    if (given === undefined) required.push(parameter.name);
    else schema.default = given;
    properties[parameter.name] = schema;
  }
  return { type: "object", properties, required };
}

export function useApproval(run: string) {
  const [approval, setApproval] = useState<ApprovalView | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [value, setValue] = useState<Json | undefined>(undefined);
  const [isSigning, setSigning] = useState(false);
  const [isAsked, setAsked] = useState(false);
  const schema = useMemo(() => (approval ? schemaOf(approval) : null), [approval]);

  const read = useCallback(async () => {
    try {
      await settled();
      const [next] = await Promise.all([host().approval(run), openDraft(run)]);
      setApproval(next);
      setValue((now) => now ?? defaultOf(schemaOf(next)));
      setFault(null);
    } catch (thrown) {
      setFault(asFault(thrown).message);
    }
  }, [run]);
  useEffect(() => void read(), [read]);

  // Whoever asks the planner for a change has the plan's log; the run could not begin beside that.
  useEffect(() => void readProposal(run), [run]);
  const isBeingAsked = useProposal((s) => s.run === run && (s.since !== null || s.view?.isGoing === true));
  const choices = useChoices(approval);
  const left = useMemo(() => (approval ? withoutLeftOut(approval, choices.chosen) : null), [approval, choices.chosen]);
  const errors = approval?.problems.filter((p) => p.severity === "error").length ?? 0;
  const missing = useMemo(() => (schema ? missingIn(schema, value) : new Map<string, string>()), [schema, value]);
  const canApprove =
    approval !== null &&
    errors === 0 &&
    approval.unsupported.length === 0 &&
    !isSigning &&
    !isBeingAsked &&
    choices.open.length === 0 &&
    choices.isWeighed &&
    choices.fault === null &&
    choices.chosen.refusal === null;

  const signing = useRef(false);
  const approve = async () => {
    setAsked(true);
    const [open] = choices.open;
    if (open) showFlow(flowKey(open));
    // A second click comes before the page has drawn that the first is under way.
    if (!approval || !canApprove || missing.size > 0 || signing.current) return;
    signing.current = true;
    setSigning(true);
    try {
      await host().approve(run, approval.digest, print(objectOf(value)), choices.choices);
      clearSelection();
      void readInbox();
      go({ screen: "run", run });
    } catch (thrown) {
      setFault(asFault(thrown).message);
      signing.current = false;
      setSigning(false);
      await read().then(() => setFault(asFault(thrown).message));
    }
  };
  return {
    approval,
    /** The same as far as it would run: what is switched off counts in no cost, no time and no path. */
    left,
    fault,
    read,
    schema,
    value,
    setValue,
    missing: isAsked ? missing : NOTHING,
    choices,
    errors,
    isBeingAsked,
    canApprove,
    isSigning,
    approve,
  };
}

function withoutLeftOut(approval: ApprovalView, { leftOut, estimate }: ChoicesState["chosen"]): ApprovalView {
  if (!estimate || leftOut.length === 0) return approval;
  const out = new Set(leftOut.map((left) => left.task));
  return {
    ...approval,
    estimate,
    asks: approval.asks.filter((task) => !out.has(task)),
    tasks: approval.tasks - out.size,
  };
}

const NOTHING = new Map<string, string>();
