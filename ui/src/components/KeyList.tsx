// All keys that do something, by place. Used by the key sheet and by the settings.
import { Fragment } from "react";
import { KEYS } from "../text/en/keys";
import { printKeys } from "./controls/keys";

export function KeyList() {
  return (
    <div className="shortcuts">
      {KEYS.map((group) => (
        <section key={group.title} aria-label={group.title}>
          <h3 className="heading">{group.title}</h3>
          <dl>
            {group.keys.map(([keys, text]) => (
              <Fragment key={text}>
                <dt>
                  {keys.map((k) => (
                    <kbd key={k}>{printKeys(k)}</kbd>
                  ))}
                </dt>
                <dd>{text}</dd>
              </Fragment>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
