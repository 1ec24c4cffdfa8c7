// What the run was billed, by model, role, task and turn. Every call is in it, those that were set aside too.
import { useState } from "react";
import { Segments } from "../../components/controls/controls";
import type { CostView, TimelineView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible, whole } from "../../text/format";
import { moneyText } from "./describe";
import { goTo } from "./store";

type By = "model" | "role" | "task" | "turn";
type Line = { key: string; name: string; cost: CostView; seq?: number };

export function Ledger({ line, task }: { line: TimelineView; task?: string }) {
  const [by, setBy] = useState<By>(task === undefined ? "task" : "turn");
  if (line.bill.whole.calls === 0) return <p className="task-none t3">{t.review.noCosts}</p>;
  const choices = (task === undefined ? ["task", "model", "role", "turn"] : ["turn", "model"]) as readonly By[];
  const lines = linesOf(line, by, task);
  return (
    <div className="ledger" data-testid="ledger">
      <Segments<By>
        label={t.review.costsLabel}
        value={by}
        onChange={setBy}
        choices={choices.map((value) => ({ value, label: t.review.costsBy[value] }))}
        testId="costs-by"
      />
      {lines.length === 0 ? <p className="sm t3">{t.review.noCosts}</p> : <Lines lines={lines} />}
      {by === "turn" && line.bill.turnsLeftOff > 0 ? (
        <p className="xs t3">{t.review.turnsLeftOff(line.bill.turnsLeftOff)}</p>
      ) : null}
    </div>
  );
}

function Lines({ lines }: { lines: readonly Line[] }) {
  const heads = t.review.costColumns;
  return (
    <table className="ledger-table">
      <thead>
        <tr>
          {[heads.name, heads.calls, heads.tokens, heads.cost].map((head) => (
            <th key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {lines.map(({ key, name, cost, seq }) => (
          <tr key={key}>
            <th scope="row" title={visible(name)}>
              {seq === undefined ? (
                visible(name)
              ) : (
                <button type="button" className="link" onClick={() => goTo(seq)}>
                  {visible(name)}
                </button>
              )}
            </th>
            <td className="num">{whole(cost.calls)}</td>
            <td className="num">{t.review.tokens(whole(cost.inputTokens ?? 0), whole(cost.outputTokens ?? 0))}</td>
            <td className="num">{moneyText(cost)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function linesOf(line: TimelineView, by: By, task: string | undefined): Line[] {
  const titles = new Map(line.tracks.map((track) => [track.task, track.title]));
  const isOwn = (address: string | null) =>
    task === undefined ||
    address === task ||
    Boolean(address?.startsWith(`${task}[`) || address?.startsWith(`${task}/`));
  const turns = line.bill.turns.filter((turn) => isOwn(turn.task));
  switch (by) {
    case "task":
      return line.tracks
        .filter((track) => track.cost.calls > 0)
        .map((track) => ({ key: track.task, name: track.title, cost: track.cost }));
    case "model":
      if (task === undefined) return line.bill.models.map(({ name, cost }) => ({ key: name, name, cost }));
      return grouped(turns);
    case "role":
      return line.bill.roles.map(({ name, cost }) => ({ key: name, name: t.review.rolesNames[name] ?? name, cost }));
    case "turn":
      return turns.map((turn) => {
        const of =
          turn.task === null ? (t.review.rolesNames[turn.role] ?? turn.role) : (titles.get(turn.task) ?? turn.task);
        return { key: String(turn.seq), name: t.review.turn(of, turn.turn), cost: turn.cost, seq: turn.seq };
      });
  }
}

/** The calls of one task by their models. Money is only added up where it is shown, to a thousandth of a cent. */
function grouped(turns: TimelineView["bill"]["turns"]): Line[] {
  const sums = new Map<string, CostView>();
  for (const { model, cost } of turns) {
    const known = sums.get(model);
    sums.set(model, known ? plus(known, cost) : cost);
  }
  return [...sums].map(([name, cost]) => ({ key: name, name, cost }));
}

function plus(a: CostView, b: CostView): CostView {
  return {
    calls: a.calls + b.calls,
    inputTokens: (a.inputTokens ?? 0) + (b.inputTokens ?? 0),
    outputTokens: (a.outputTokens ?? 0) + (b.outputTokens ?? 0),
    usd: (Number(a.usd) + Number(b.usd)).toFixed(8),
    unknown: a.unknown + b.unknown,
    guessed: a.guessed + b.guessed,
  };
}
