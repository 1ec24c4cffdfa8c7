// Who does which work, under the goal: a pick sets the role for all plans from now on, and says so.
import { Select } from "../../components/controls/Select";
import type { ModelsView, ModelView } from "../../ipc/bindings";
import { chooseRole, nameOf, providerOf, rolesOf, shortName, staysHere, withMain } from "../../state/models";
import { t } from "../../text";
import { priceText } from "../../text/format";

export const ROLES = ["planner", "executor", "replanner", "synthesizer"] as const;

export function Roles({ view }: { view: ModelsView }) {
  return (
    <div className="composer-roles" role="group" aria-label={t.composer.roles}>
      {ROLES.map((role) => (
        <Role key={role} role={role} view={view} />
      ))}
    </div>
  );
}

function Role({ role, view }: { role: (typeof ROLES)[number]; view: ModelsView }) {
  const now = rolesOf(view, role);
  const main = now[0] ?? null;
  const word = t.words.role[role];
  return (
    <Select
      className="role-pick"
      label={`${word}: ${main ?? t.composer.noModel}`}
      above={word}
      group={t.composer.rolesNote}
      value={main}
      placeholder={t.composer.noModel}
      options={view.models.map((model) => optionOf(view, model))}
      onChange={(name) => void chooseRole(role, withMain(now, name))}
      testId={`role-${role}`}
    />
  );
}

export function optionOf(view: ModelsView, model: ModelView) {
  const provider = providerOf(view, model.name);
  const isHere = staysHere(view, model.name);
  const note = [provider && !isHere ? nameOf(provider) : "", priceText(model)].filter(Boolean).join(" · ");
  return { value: model.name, label: shortName(model.name), note, ...(isHere ? { tag: t.composer.local } : {}) };
}
