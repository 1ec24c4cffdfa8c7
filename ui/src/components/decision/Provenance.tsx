// Why a call is asked about and where each part of it came from: task, tool and place. It decides nothing.
import type { ProvenanceView } from "../../ipc/bindings";
import { t } from "../../text";
import { visible } from "../../text/format";

export function Provenance({ told }: { told: ProvenanceView }) {
  return (
    <section className="provenance" aria-label={t.inbox.provenance} data-testid="provenance">
      <p className="xs t3">{t.inbox.would(visible(told.touches.join(", ") || told.tool))}</p>
      {told.earlier.map((made, ix) => (
        // Two calls may read alike, and none ever moves.
        <p className="xs t2 sel" key={ix} data-testid="earlier">
          {t.inbox.madeBefore(visible(made.text))}
        </p>
      ))}
      <ul>
        {told.parts.map((part, ix) => (
          // Two parts may stand at one place, and none ever moves.
          <li key={ix}>
            <span className="mono sel">{part.at === "" ? t.inbox.allOfIt : visible(part.at)}</span>{" "}
            <span className="t2">{visible(part.from)}</span>{" "}
            {part.isUntrusted ? <span className="tag">{t.inbox.fromOutside}</span> : null}{" "}
            {part.isPrivate ? <span className="tag">{t.inbox.isPrivate}</span> : null}
            {part.origins.map((origin) => (
              <p className="xs t3" key={`${origin.task}${origin.tool}${origin.touches.join()}`}>
                {t.inbox.madeOf(visible(origin.task), visible(origin.tool), visible(origin.touches.join(", ")))}
              </p>
            ))}
          </li>
        ))}
      </ul>
    </section>
  );
}
