// Who is told what: the models that the plan asks, with their hosts, and who is asked where a task fails. Pointing at one lights
// its tasks.
import { Cpu, Send } from "lucide-react";
import type { ApprovalView, ReceiverView } from "../../ipc/bindings";
import { t } from "../../text";
import { list, visible } from "../../text/format";

type Props = {
  approval: ApprovalView;
  name: (id: string) => string;
  onLight: (tasks: ReadonlySet<string> | null) => void;
};

/** Tasks that a row names; the canvas shows all of them. */
const MOST_TASKS = 3;

export function Asked({ approval, name, onLight }: Props) {
  const { models, replanner } = approval;
  if (models.length === 0 && replanner?.host == null) return null;
  return (
    <section aria-label={t.approval.asked.title} data-testid="asked">
      <div className="approval-section">
        <h3>{t.approval.asked.title}</h3>
        <span className="sm t3">{t.approval.asked.note}</span>
      </div>
      <ul className="asked-list">
        {models.map((asked) => (
          <li
            key={asked.model}
            onPointerEnter={() => onLight(new Set([...asked.tasks, ...asked.standsIn]))}
            onPointerLeave={() => onLight(null)}
          >
            <Mark host={asked.host} />
            <div>
              <b className="sel">{visible(asked.model)}</b>
              <p className="sm t2">{t.approval.asked.at(asked.host === null ? null : visible(asked.host))}</p>
              <p className="sm t3">{usesOf(asked, name)}</p>
            </div>
          </li>
        ))}
        {replanner?.host != null ? (
          <li data-testid="told-on-failure">
            <Mark host={replanner.host} />
            <div>
              <b className="sel">{visible(replanner.model)}</b>
              <p className="sm t2">{t.approval.asked.at(visible(replanner.host))}</p>
              <p className="sm t3">{t.approval.asked.onFailure(replanner.holdsPrivateBack)}</p>
            </div>
          </li>
        ) : null}
      </ul>
    </section>
  );
}

function Mark({ host }: { host: string | null }) {
  const Icon = host === null ? Cpu : Send;
  return (
    <Icon
      className={`icon ${host === null ? "t3" : "tone-retrying"}`}
      size={15}
      strokeWidth={1.75}
      aria-hidden="true"
    />
  );
}

function usesOf(asked: ReceiverView, name: (id: string) => string): string {
  const some = (tasks: readonly string[]) => {
    const named = tasks.slice(0, MOST_TASKS).map(name);
    const more = tasks.length - named.length;
    return more > 0 ? t.approval.asked.andMore(named.join(", "), more) : list(named);
  };
  const uses: string[] = [];
  if (asked.tasks.length > 0) uses.push(some(asked.tasks));
  if (asked.writesAnswer) uses.push(t.approval.asked.finalAnswer);
  if (asked.standsIn.length > 0) uses.push(t.approval.asked.standsIn(some(asked.standsIn)));
  return uses.join(" · ");
}
