// The keys of the list, printed under it: only those that do something to this plan.
import { printKeys } from "../../components/controls/keys";
import { t } from "../../text";

export function ListKeys({ hasChanges, canTake }: { hasChanges: boolean; canTake: boolean }) {
  const w = t.plan.listKeys;
  const changing = [
    [`${printKeys("[")} ${printKeys("]")}`, w.change],
    ...(canTake ? [[`${printKeys("y")} ${printKeys("x")}`, w.take] as const] : []),
  ] as const;
  const editing = [
    [printKeys("e"), w.connect],
    [printKeys("shift+e"), w.disconnect],
    [printKeys("f2"), w.rename],
    [`${printKeys("alt+↑")} ↓`, t.editor.list.inWave],
    [printKeys("delete"), w.remove],
    [printKeys("shift+f10"), w.menu],
  ] as const;
  const keys = [
    ["↑ ↓", w.move],
    ["← →", w.follow],
    [printKeys("space"), t.editor.list.choose],
    ...(hasChanges ? changing : []),
    [printKeys("enter"), w.open],
    [`${printKeys("alt+←")} →`, t.editor.list.fold],
    ...(canTake ? editing : []),
    [printKeys("l"), w.back],
  ] as const;
  return (
    <dl className="list-keys" aria-label={t.plan.keysTitle}>
      {keys.map(([key, text]) => (
        <div key={text}>
          <dt>
            <kbd>{key}</kbd>
          </dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
