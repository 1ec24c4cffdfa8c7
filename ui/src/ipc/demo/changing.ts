// The demo host's side of a change that the planner is asked for, and of answers that grow: one player for each plan.
import type { DraftView } from "../bindings";
import { Fault, type Host } from "../host";
import type { Json } from "../json";
import type { DemoPlanning } from "./planning";
import { DemoProposal } from "./proposals";

type Desk<D> = {
  find: (run: string) => D;
  change: (draft: D, document: Json) => void;
  show: (draft: D) => DraftView;
  planning: (run: string) => DemoPlanning | undefined;
  isRun: (run: string) => boolean;
};
type Changing = "watchPlanning" | "askChange" | "changeOn" | "stopChange" | "proposal" | "takePieces" | "dropPieces";

export function changing<D extends { document: Json; revision: number }>(
  desk: Desk<D>,
  models: { planner: () => string | null },
  pace: number,
): Pick<Host, Changing> {
  const proposals = new Map<string, DemoProposal>();
  const of = (run: string): DemoProposal => {
    const draft = desk.find(run);
    const known = proposals.get(run);
    if (known) return known;
    const reach = {
      document: () => draft.document,
      revision: () => draft.revision,
      change: (document: Json) => desk.change(draft, document),
    };
    const made = new DemoProposal(reach, () => models.planner(), pace);
    proposals.set(run, made);
    return made;
  };
  return {
    watchPlanning: async (run, delta, view) => {
      const now = desk.planning(run)?.view();
      if (now) view(now);
      const ends = [desk.planning(run)?.grow(delta), proposals.get(run)?.watch(delta)];
      return () => {
        for (const end of ends) end?.();
      };
    },
    askChange: async (run, wanted) => of(run).ask(wanted),
    changeOn: async (run) => of(run).on(),
    stopChange: async (run) => proposals.get(run)?.stop(),
    proposal: async (run) => (desk.isRun(run) ? null : (proposals.get(run)?.view() ?? null)),
    takePieces: async (run, revision, pieces) => {
      const draft = desk.find(run);
      if (revision !== draft.revision)
        throw new Fault("revised", `The plan is at revision ${draft.revision}, not ${revision}. Nothing was taken.`);
      of(run).take(pieces);
      return desk.show(draft);
    },
    dropPieces: async (run, pieces) => proposals.get(run)?.drop(pieces),
  };
}
