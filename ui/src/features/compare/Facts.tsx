// What differs of one task beside its output: how it ended, how often it was tried, what it took, and what its plan says.
import type { ComparedTask, FieldDiff, TaskFacts } from "../../ipc/bindings";
import { t } from "../../text";
import { visible, whole } from "../../text/format";
import { moneyText, tokensOf, workText } from "./words";

type Props = { task: ComparedTask; fields: readonly FieldDiff[] };
type Row = { name: string; a: string; b: string };

const LONGEST = 300;

export function Facts({ task, fields }: Props) {
  const rows = [...rowsOf(task), ...fields.map(fieldRow)].filter((row) => row.a !== row.b);
  if (rows.length === 0) return null;
  return (
    <table className="compare-facts sm" data-testid="compare-facts">
      <caption className="vh">{t.compare.facts}</caption>
      <thead className="vh">
        <tr>
          <th scope="col">{t.compare.columns.place}</th>
          <th scope="col">{t.compare.columns.a}</th>
          <th scope="col">{t.compare.columns.b}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={row.name}>
            <th scope="row" className="t3">
              {row.name}
            </th>
            <td className="num">{row.a}</td>
            <td className="num">{row.b}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function rowsOf({ a, b }: ComparedTask): Row[] {
  const words = t.compare.fact;
  const of = (text: (facts: TaskFacts) => string) => ({
    a: a ? text(a) : t.compare.notInPlan,
    b: b ? text(b) : t.compare.notInPlan,
  });
  const error = (facts: TaskFacts) => (facts.error ? visible(`${facts.error.code}: ${facts.error.message}`) : "–");
  return [
    { name: words.state, ...of((facts) => t.words.taskStatus[facts.status]) },
    { name: words.attempts, ...of((facts) => whole(facts.attempts)) },
    { name: words.time, ...of((facts) => workText(facts.workMs)) },
    { name: words.tokens, ...of((facts) => whole(tokensOf(facts.cost))) },
    { name: words.cost, ...of((facts) => moneyText(facts.cost)) },
    { name: words.error, ...of(error) },
  ];
}

function fieldRow(field: FieldDiff): Row {
  const text = (value: string | null) => {
    if (value === null) return t.versions.nothing;
    return visible(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
  };
  const name = `${t.compare.was}: ${visible(t.versions.field(field.pointer))}`;
  return { name, a: text(field.before), b: text(field.after) };
}
