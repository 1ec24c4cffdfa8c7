// What will not run because of what is switched off, and why.
import { FaultLine } from "../../components/controls/controls";
import type { LeftOutView } from "../../ipc/bindings";
import { select } from "../../state/selection";
import { t } from "../../text";
import { visible } from "../../text/format";
import type { ChoicesState } from "./useChoices";

const MOST = 4;

export function LeftOut({ choices, name }: { choices: ChoicesState; name: (id: string) => string }) {
  const { leftOut, refusal } = choices.chosen;
  if (choices.fault) return <FaultLine text={choices.fault} />;
  if (choices.choices.off.length === 0) return null;
  return (
    <div className={refusal ? "block-card" : "warn-card"} role="status" data-testid="left-out">
      <b>{leftOut.length === 0 ? t.approval.nothingLeftOut : t.approval.leftOut(leftOut.length)}</b>
      {refusal ? <FaultLine text={refusal} /> : null}
      {leftOut.length > 0 ? (
        <ul className="left-out">
          {leftOut.slice(0, MOST).map((left) => (
            <li key={left.task} className="sm">
              <button type="button" className="link" onClick={() => select([left.task])}>
                {name(left.task)}
              </button>{" "}
              <span className="t2">{why(left, name)}</span>
            </li>
          ))}
          {leftOut.length > MOST ? <li className="sm t3">{t.canvas.more(leftOut.length - MOST)}</li> : null}
        </ul>
      ) : (
        <p className="sm t2">{t.approval.goesWithout}</p>
      )}
    </div>
  );
}

function why(left: LeftOutView, name: (id: string) => string): string {
  if (left.need) return t.approval.lacks(visible(left.need.resource));
  return left.after ? t.approval.behind(name(left.after)) : "";
}
