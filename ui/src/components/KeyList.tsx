// All keys that do something, by place. Used by the key sheet and by the settings.
import { Fragment } from "react";
import { keyText, t } from "../text";
import { KEYS } from "../text/en/keys";
import { bound, useKeymap } from "./controls/keymap";
import { printStroke } from "./controls/keys";

export function KeyList() {
  useKeymap();
  return (
    <div className="shortcuts">
      {KEYS.map((group) => (
        <section key={group.name} aria-label={t.keyGroups[group.name]}>
          <h3 className="heading">{t.keyGroups[group.name]}</h3>
          <dl>
            {group.keys.map(([keys, text]) => (
              <Fragment key={text}>
                <dt>
                  {keys.map((k) => (
                    <kbd key={k}>{printStroke(bound(group.place, k))}</kbd>
                  ))}
                </dt>
                <dd>{keyText(text)}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
