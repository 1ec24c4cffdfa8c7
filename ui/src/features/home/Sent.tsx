// One sentence of what making a plan sends where. It promises only what the engine keeps.
import { ShieldCheck } from "lucide-react";
import type { ModelsView } from "../../ipc/bindings";
import { hostOf, nameOf, providerOf, rolesOf, shortName, staysHere } from "../../state/models";
import { t } from "../../text";

export function Sent({ view, hasFiles }: { view: ModelsView; hasFiles: boolean }) {
  const planners = rolesOf(view, "planner");
  const [main] = planners;
  if (main === undefined) return null;
  const what = hasFiles ? t.composer.sentPaths : t.composer.sentGoal;
  const first = staysHere(view, main)
    ? t.composer.sentHere(what, shortName(main))
    : t.composer.sentTo(what, who(view, main));
  const next = planners.slice(1).find((name) => name !== main);
  return (
    <p className="sent sm t2" data-testid="sent">
      <ShieldCheck className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span>
        {first}
        {next ? t.composer.sentIfDown(who(view, next)) : ""}. {t.composer.sentRest}
      </span>
    </p>
  );
}

function who(view: ModelsView, model: string): string {
  const provider = providerOf(view, model);
  if (staysHere(view, model) || !provider) return t.composer.whoHere(shortName(model));
  return t.composer.whoOf(shortName(model), nameOf(provider), hostOf(provider.baseUrl));
}
