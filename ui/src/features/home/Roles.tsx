// Who does which work, under the goal: a pick sets the role for all plans from now on, and says so.
import { Select } from "../../components/controls/Select";
import type { ModelsView } from "../../ipc/bindings";
import { chooseRole, optionOf, rolesOf, withMain } from "../../state/models";
import { t } from "../../text";

const ROLES = ["planner", "executor", "replanner", "synthesizer"] as const;

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
