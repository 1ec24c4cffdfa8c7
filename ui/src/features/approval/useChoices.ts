// What a person switches off, and what they say of each way of outside text: asked each time, or let go. What follows from it is
// the engine's to say; until it has, and until each way has its answer, nothing can be signed.
import { useCallback, useEffect, useMemo, useState } from "react";
import type {
  ApprovalView,
  Choices,
  ChosenView,
  EstimateView,
  NeedView,
  UntrustedPath,
  Withheld,
} from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";

export function rowKey(row: Pick<NeedView, "access" | "resource" | "method"> | Withheld): string {
  return JSON.stringify([row.access, row.resource, row.method ?? null]);
}

export function flowKey(flow: Pick<UntrustedPath, "source" | "sink">): string {
  return JSON.stringify([flow.source, flow.sink]);
}

export type FlowChoice = "ask" | "allow";

/** The estimate is null where nothing is off: then that of the approval holds. */
type Chosen = Omit<ChosenView, "estimate"> & { estimate: EstimateView | null };

const NOTHING_OUT: Chosen = { leftOut: [], refusal: null, estimate: null };

/** What has been chosen about one plan. Another plan is another question. */
interface Said {
  digest: string | null;
  off: ReadonlyMap<string, Withheld>;
  said: ReadonlyMap<string, FlowChoice>;
}

/** What was off when the run was signed before stays off. */
function begun(approval: ApprovalView | null): Said {
  const off = new Map(approval?.off.map((row) => [rowKey(row), row]));
  return { digest: approval?.digest ?? null, off, said: new Map() };
}

/** Chosen about the plan that is shown, from its very first picture on. */
function useSaid(approval: ApprovalView | null) {
  const digest = approval?.digest ?? null;
  const [held, setHeld] = useState<Said>(() => begun(approval));
  // biome-ignore lint/correctness/useExhaustiveDependencies: only another plan begins anew
  const fresh = useMemo(() => begun(approval), [digest]);
  const change = useCallback(
    (to: (now: Said) => Partial<Said>) =>
      setHeld((last) => {
        const now = last.digest === fresh.digest ? last : fresh;
        return { ...now, ...to(now) };
      }),
    [fresh],
  );
  return { ...(held.digest === digest ? held : fresh), change };
}

export function useChoices(approval: ApprovalView | null) {
  const { off, said, change } = useSaid(approval);
  const [weighed, setWeighed] = useState<{ of: Choices; view: ChosenView } | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const choices = useMemo<Choices>(() => {
    const flows = approval?.untrusted.filter(canBeAllowed) ?? [];
    return {
      off: [...off.values()],
      flows: flows.map(({ source, sink, path }) => ({
        source,
        sink,
        ask: said.get(flowKey({ source, sink })) !== "allow" || !path,
      })),
    };
  }, [approval, off, said]);
  const run = approval?.run ?? null;
  const hasOff = choices.off.length > 0;
  useEffect(() => {
    if (run === null || !hasOff) return;
    let isLeft = false;
    host()
      .weighChoices(run, choices)
      .then((view) => {
        if (isLeft) return;
        setWeighed({ of: choices, view });
        setFault(null);
      })
      .catch((thrown: unknown) => !isLeft && setFault(asFault(thrown).message));
    return () => {
      isLeft = true;
    };
  }, [run, hasOff, choices]);

  const toggle = useCallback(
    (need: NeedView | Withheld) =>
      change((now) => {
        const key = rowKey(need);
        const off = new Map(now.off);
        if (!off.delete(key))
          off.set(key, { access: need.access, resource: need.resource, method: need.method ?? null });
        return { off };
      }),
    [change],
  );
  const say = useCallback(
    (flow: UntrustedPath, choice: FlowChoice) =>
      change((now) => ({ said: new Map(now.said).set(flowKey(flow), choice) })),
    [change],
  );

  // The last answer stays shown until the next one comes, so that nothing jumps.
  const chosen = hasOff ? (weighed?.view ?? NOTHING_OUT) : NOTHING_OUT;
  // Text goes no way on which a task will not run: nothing is asked of it.
  const ways = useMemo(() => {
    const out = new Set(chosen.leftOut.map((left) => left.task));
    return approval?.untrusted.filter((flow) => !flow.path.some((task) => out.has(task))) ?? [];
  }, [approval, chosen]);
  const open = useMemo(() => ways.filter((flow) => canBeAllowed(flow) && !said.has(flowKey(flow))), [ways, said]);
  const isOff = useCallback((need: NeedView) => off.has(rowKey(need)), [off]);
  const isWeighed = !hasOff || weighed?.of === choices;
  return {
    choices,
    isOff,
    toggle,
    /** What was said of this way; null as long as nothing was. Neither answer is given for a person. */
    saidOf: (flow: UntrustedPath) => said.get(flowKey(flow)) ?? null,
    say,
    /** The ways of outside text that are left. */
    ways,
    /** Those that still wait for an answer, in the order in which they are shown. */
    open,
    chosen,
    isWeighed,
    fault: hasOff ? fault : null,
  };
}

export type ChoicesState = ReturnType<typeof useChoices>;

/** What an agent fetches by itself is asked about at each call; there is no edge to allow. */
export function canBeAllowed(flow: UntrustedPath): boolean {
  return flow.path.length > 1;
}
