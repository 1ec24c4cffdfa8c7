// What a new plan would do, in short: why it is asked, what it asks for first of all, then what comes, goes and changes.
import { KeyRound } from "lucide-react";
import { type Json, objectOf, textOf, tryParse } from "../../ipc/json";
import { t } from "../../text";
import { visible } from "../../text/format";

/** More than this is looked at on the screen of its own. */
const MOST = 12;
const SIGN: Record<string, string> = { added: "+", pruned: "−", changed: "~", retitled: "~", plan: "~" };

export function ReplanAbout({ json }: { json: string }) {
  const about = objectOf(tryParse(json));
  const lines = list(about.changes).map((line) => objectOf(line));
  const asks = lines.filter((line) => line.kind === "asked");
  const rest = lines.filter((line) => line.kind !== "asked");
  return (
    <section className="replan-about" aria-label={t.inbox.about} data-testid="replan-about">
      {asks.length > 0 ? (
        <ul className="replan-asks">
          {asks.slice(0, MOST).map((line) => (
            <li key={textOf(line.text)}>
              <KeyRound className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />
              <span className="sel" dir="auto">
                {visible(textOf(line.text))}
              </span>
            </li>
          ))}
        </ul>
      ) : null}
      <ul className="replan-lines">
        {rest.slice(0, MOST).map((line, ix) => (
          <li key={ix}>
            <span className={`replan-mark ${textOf(line.kind)}`} aria-hidden="true">
              {SIGN[textOf(line.kind)] ?? " "}
            </span>
            <span className="sel" dir="auto">
              {visible(textOf(line.text))}
            </span>
          </li>
        ))}
      </ul>
      {lines.length > MOST ? <p className="xs t3">{t.canvas.more(lines.length - MOST)}</p> : null}
    </section>
  );
}

function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}
