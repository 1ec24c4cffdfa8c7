// What both runs came to in whole numbers, each with how far they lie apart; by model, where a person asks for it.
import { useState } from "react";
import { Button } from "../../components/controls/controls";
import type { CompareView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible, whole } from "../../text/format";
import { moneyText, numbersOf, tokensOf } from "./words";

export function Numbers({ view }: { view: CompareView }) {
  const [isByModel, setByModel] = useState(false);
  const hasModels = view.a.models.length + view.b.models.length > 0;
  return (
    <div className="compare-numbers-box">
      <dl className="compare-numbers" aria-label={t.compare.numbers} data-testid="compare-numbers">
        {numbersOf(view).map((row) => (
          <div key={row.id} data-testid={`number-${row.id}`}>
            <dt className="xs t3">{row.label}</dt>
            <dd>
              <b className="num">
                <span>{row.a}</span> <span className="t3 arrow">→</span> <span>{row.b}</span>
              </b>
              <span className={`xs num ${row.tone}`}>{row.delta}</span>
              {row.shared ? <span className="xs num">{row.shared}</span> : null}
            </dd>
          </div>
        ))}
      </dl>
      {hasModels ? (
        <Button
          size="small"
          look="ghost"
          aria-expanded={isByModel}
          onClick={() => setByModel(!isByModel)}
          data-testid="by-model"
        >
          {t.compare.byModel}
        </Button>
      ) : null}
      {isByModel ? <Models view={view} /> : null}
    </div>
  );
}

function Models({ view }: { view: CompareView }) {
  const names = [...new Set([...view.a.models, ...view.b.models].map((row) => row.name))];
  const told = (side: "a" | "b", name: string) => {
    const cost = view[side].models.find((row) => row.name === name)?.cost;
    if (!cost) return "–";
    return t.compare.modelText(cost.calls, whole(tokensOf(cost)), moneyText(cost));
  };
  return (
    <table className="compare-models sm" data-testid="compare-models">
      <thead>
        <tr>
          <th scope="col">{t.compare.byModel}</th>
          <th scope="col">A</th>
          <th scope="col">B</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => (
          <tr key={name}>
            <th scope="row">{visible(name)}</th>
            <td className="num">{told("a", name)}</td>
            <td className="num">{told("b", name)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
