// One sentence of what making a plan sends where. It promises only what the engine keeps.
import { ShieldCheck } from "lucide-react";
import type { ModelsView } from "../../ipc/bindings";
import { hostOf, nameOf, providerOf, rolesOf, shortName, staysHere } from "../../state/models";
import { t } from "../../text";
import { either } from "../../text/format";

export function Sent({ view, hasFiles }: { view: ModelsView; hasFiles: boolean }) {
  const planners = rolesOf(view, "planner");
  if (planners.length === 0) return null;
  return (
    <p className="sent sm t2" data-testid="sent">
      <ShieldCheck className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span>{`${sentence(view, planners, hasFiles ? t.composer.sentPaths : t.composer.sentGoal)}. ${t.composer.sentRest}`}</span>
    </p>
  );
}

/** Whoever may stand in is named too: what is said of the first alone could be untrue. */
function sentence(view: ModelsView, planners: readonly string[], what: string): string {
  const [main = "", ...rest] = planners;
  const others = rest.filter((name) => name !== main);
  if (planners.every((name) => staysHere(view, name))) return t.composer.sentHere(what, who(view, main));
  if (staysHere(view, main)) {
    const away = others.filter((name) => !staysHere(view, name));
    return t.composer.sentMaybe(what, who(view, main), either(away.map((name) => who(view, name))));
  }
  const ifDown = others.length > 0 ? t.composer.sentIfDown(either(others.map((name) => who(view, name)))) : "";
  return `${t.composer.sentTo(what, who(view, main))}${ifDown}`;
}

function who(view: ModelsView, model: string): string {
  const provider = providerOf(view, model);
  if (staysHere(view, model)) return t.composer.whoHere(shortName(model));
  return provider ? t.composer.whoOf(shortName(model), nameOf(provider), hostOf(provider.baseUrl)) : model;
}
