// The list of a plan without tasks: words and keys, where else a blank table would stand.
import { printKeys } from "../../components/controls/keys";
import { KindTile } from "../../components/marks/marks";
import { t } from "../../text";
import { KIND_KEYS, KINDS } from "./templates";

export function Nothing({ canAdd }: { canAdd: boolean }) {
  return (
    <div
      className="list-view list-nothing"
      data-testid="list-view"
      role="group"
      aria-label={t.plan.listTitle}
      tabIndex={0}
    >
      <p className="t2">{canAdd ? t.editor.list.empty : t.versions.outlineEmpty}</p>
      {canAdd ? (
        <ul>
          {KINDS.map((kind) => (
            <li key={kind}>
              <KindTile kind={kind} small />
              <span className="grow">{t.words.kind[kind]}</span>
              <kbd>{printKeys(KIND_KEYS[kind])}</kbd>
            </li>
          ))}
        </ul>
      ) : null}
    </div>
  );
}
