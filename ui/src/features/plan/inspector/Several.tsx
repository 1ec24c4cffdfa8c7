// Several tasks chosen: which, and what can be done with all of them.
import { Button } from "../../../components/controls/controls";
import { printKeys } from "../../../components/controls/keys";
import { KindIcon } from "../../../components/marks/marks";
import type { DraftView } from "../../../ipc/bindings";
import { select } from "../../../state/selection";
import { t } from "../../../text";
import { visible } from "../../../text/format";
import { arrangeActs } from "../acts";
import { groupChosen, skipChosen, tidy } from "../arranging";
import { copySelection, deleteSelection, duplicate } from "../commands";

const MOST = 40;

export function Several({ view, ids }: { view: DraftView; ids: readonly string[] }) {
  const chosen = new Set(ids);
  const tasks = view.tasks.filter((task) => chosen.has(task.id));
  const w = t.plan.acts;
  const all = [
    { label: w.duplicate, keys: "ctrl+d", act: () => void duplicate() },
    { label: w.copy, keys: "ctrl+c", act: () => void copySelection() },
    { label: w.group, keys: "ctrl+g", act: () => void groupChosen() },
    { label: w.skip, keys: "d", act: () => void skipChosen() },
    { label: w.tidyThese, keys: "shift+t", act: () => void tidy(null) },
    { label: w.remove, keys: "delete", act: () => void deleteSelection() },
  ];
  return (
    <div className="inspector" data-testid="inspector">
      <header className="inspector-title">
        <div className="grow">
          <h2>{t.inspector.several(ids.length)}</h2>
          <p className="xs t3">{t.inspector.severalNote}</p>
        </div>
      </header>
      <div className="panel-body">
        {view.isDraft ? (
          <section className="inspector-section" aria-label={t.inspector.severalActs}>
            <div className="several-acts">
              {all.map(({ label, keys, act }) => (
                <Button key={label} size="small" hint={printKeys(keys)} onClick={act}>
                  {label}
                </Button>
              ))}
            </div>
            <h3 className="heading links-head">{t.inspector.severalLine}</h3>
            <div className="several-acts">
              {arrangeActs().map((act) => (
                <Button
                  key={act.id}
                  size="small"
                  icon={<act.icon className="icon" size={14} strokeWidth={1.75} />}
                  disabled={act.id.startsWith("spread") && ids.length < 3}
                  onClick={act.act}
                >
                  {act.label}
                </Button>
              ))}
            </div>
          </section>
        ) : null}
        <section className="inspector-section" aria-label={t.inspector.several(ids.length)}>
          <ul className="links">
            {tasks.slice(0, MOST).map((task) => (
              <li key={task.id}>
                <KindIcon kind={task.taskType} />
                <button type="button" className="link-name el grow" onClick={() => select([task.id])}>
                  {visible(task.title || task.id)}
                </button>
              </li>
            ))}
            {tasks.length > MOST ? <li className="xs t3">{t.canvas.more(tasks.length - MOST)}</li> : null}
          </ul>
        </section>
      </div>
    </div>
  );
}
