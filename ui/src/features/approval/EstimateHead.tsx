// What the plan may cost and how long it may take, against its cap and its time limit. What nobody knows is said to be unknown.
import type { ApprovalView, EstimateView } from "../../ipc/bindings";
import { t } from "../../text";
import { dollars, list } from "../../text/format";
import { countRange, likelyMoney, likelyTime, moneyRange, seconds, short, timeRange } from "../../text/ranges";

/** `without`: so many of the plan's tasks will not run, and are in none of this. */
type Props = { approval: ApprovalView; without?: number; name: (id: string) => string };

const MOST_NAMED = 3;

export function EstimateHead({ approval, without = 0, name }: Props) {
  const { estimate, budget } = approval;
  if (!estimate) return <p className="t2 approval-summary">{t.estimate.noEstimate}</p>;
  const asksModels = estimate.calls.high !== 0;
  const some = (ids: readonly string[]) => {
    const names = ids.slice(0, MOST_NAMED).map(name);
    return list(ids.length > MOST_NAMED ? [...names, t.estimate.others(ids.length - MOST_NAMED)] : names);
  };
  return (
    <section aria-label={`${t.estimate.cost}, ${t.estimate.time}`} className="estimate" data-testid="estimate">
      <div className="estimate-part" data-testid="estimate-cost">
        <h3>{t.estimate.cost}</h3>
        <b className="num">{moneyRange(estimate.usd)}</b>
        <Bar
          what={t.estimate.cost}
          text={moneyRange(estimate.usd)}
          range={asNumbers(estimate.usd)}
          likely={likelyMoney(estimate.usd)}
          cap={budget.usd === null ? null : { at: Number(budget.usd), text: dollars(budget.usd), word: t.estimate.cap }}
          none={t.estimate.noCap}
          over={t.estimate.overCap}
        />
        {asksModels ? null : <p className="sm t2">{t.estimate.noCalls}</p>}
        {estimate.unpriced.length > 0 ? (
          <p className="sm t2">{t.estimate.unpriced(estimate.unpriced.length, some(estimate.unpriced))}</p>
        ) : null}
      </div>
      <div className="estimate-part" data-testid="estimate-time">
        <h3>{t.estimate.time}</h3>
        <b className="num">{timeRange(estimate.seconds)}</b>
        <Bar
          what={t.estimate.time}
          text={timeRange(estimate.seconds)}
          range={estimate.seconds}
          likely={likelyTime(estimate.seconds)}
          cap={
            budget.seconds === null
              ? null
              : { at: budget.seconds, text: seconds(budget.seconds), word: t.estimate.limit }
          }
          none={t.estimate.noTimeLimit}
          over={t.estimate.overLimit}
        />
        <p className="sm t2">{timeNote(approval, estimate, some)}</p>
      </div>
      {without > 0 ? (
        <p className="sm t2 estimate-calls" role="status" data-testid="estimate-without">
          {t.estimate.without(without)}
        </p>
      ) : null}
      {asksModels ? <p className="sm t2 estimate-calls">{callsNote(estimate, budget.tokens)}</p> : null}
    </section>
  );
}

function timeNote(approval: ApprovalView, estimate: EstimateView, some: (ids: readonly string[]) => string): string {
  const { untimed } = estimate;
  const isNone = untimed.length > 0 && untimed.length === estimate.tasks.filter((task) => !task.asks).length;
  return [
    approval.asks.length > 0 ? t.estimate.plusYou(some(approval.asks)) : "",
    isNone ? t.estimate.untimedAll : untimed.length > 0 ? t.estimate.untimed(untimed.length, some(untimed)) : "",
    t.estimate.path(estimate.critical.length, approval.tasks),
  ]
    .filter(Boolean)
    .join(" ");
}

function callsNote({ calls, freeCalls, tokens }: EstimateView, cap: number | null): string {
  const free = freeCalls.high === 0 ? null : countRange(freeCalls);
  const said = t.estimate.calls(countRange(calls), free, countRange(tokens));
  return cap === null ? said : `${said} ${t.estimate.tokenCap(short(cap))}`;
}

type Numbers = { low: number; likely: number | null; high: number | null };

function asNumbers(usd: EstimateView["usd"]): Numbers {
  const number = (text: string | null) => (text === null ? null : Number(text));
  return { low: Number(usd.low), likely: number(usd.likely), high: number(usd.high) };
}

type BarProps = {
  what: string;
  text: string;
  range: Numbers;
  likely: string | null;
  cap: { at: number; text: string; word: (text: string) => string } | null;
  none: string;
  over: string;
};

/** From the least to the most, a tick where it is likely, and one at the cap. Open at the right where nobody knows the most. */
function Bar({ what, text, range, likely, cap, none, over }: BarProps) {
  const whole = Math.max(cap?.at ?? 0, range.high ?? range.low * 1.5);
  if (whole === 0) return cap ? null : <p className="xs t3">{none}</p>;
  const at = (value: number) => `${Math.min(100, (100 * value) / whole)}%`;
  const end = range.high ?? whole;
  const isOver = cap !== null && (range.high ?? Number.POSITIVE_INFINITY) > cap.at;
  return (
    <>
      <svg
        className={`range-bar${isOver ? " over" : ""}`}
        role="img"
        aria-label={t.estimate.bar(what, text, likely, cap?.text ?? null)}
      >
        <rect className="track" width="100%" height="6" y="3" rx="3" />
        {range.high === 0 ? null : (
          <rect
            className={range.high === null ? "span open" : "span"}
            x={at(range.low)}
            width={`${Math.max(1.5, (100 * (end - range.low)) / whole)}%`}
            height="6"
            y="3"
            rx="3"
          />
        )}
        {range.likely ? <line className="tick" x1={at(range.likely)} x2={at(range.likely)} y1="0" y2="12" /> : null}
        {cap ? <line className="tick cap" x1={at(cap.at)} x2={at(cap.at)} y1="0" y2="12" /> : null}
      </svg>
      <p className="xs t3 range-words">
        <span>{likely && range.likely !== range.high ? t.estimate.likely(likely) : ""}</span>
        <span>{cap ? cap.word(cap.text) : none}</span>
      </p>
      {isOver && range.high !== null ? <p className="sm tone-retrying">{over}</p> : null}
    </>
  );
}
