// Which model does which work, and who stands in where it is down: an ordered list, best first.
import { Bot, DraftingCompass, GitCompare, type LucideIcon, PenLine, Plus, RotateCcw } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../components/controls/controls";
import { type Option, Select } from "../../components/controls/Select";
import type { ModelsView } from "../../ipc/bindings";
import { chooseRole, modelOf, optionOf, rolesOf, withMain } from "../../state/models";
import { t } from "../../text";
import { priceText } from "../../text/format";
import { Group } from "./rows";

const ROLES = ["planner", "executor", "replanner", "synthesizer"] as const;
type Role = (typeof ROLES)[number];

const ICON: Record<Role, LucideIcon> = {
  planner: DraftingCompass,
  executor: Bot,
  replanner: GitCompare,
  synthesizer: PenLine,
};

export function Roles({ view }: { view: ModelsView }) {
  return (
    <Group title={t.settings.roles} note={t.settings.rolesNote} testId="roles">
      <table className="settings-table roles">
        <thead>
          <tr>
            <th scope="col">{t.settings.roleColumns.role}</th>
            <th scope="col">{t.settings.roleColumns.model}</th>
            <th scope="col">{t.settings.roleColumns.down}</th>
            <th scope="col" className="align-right">
              {t.settings.roleColumns.price}
            </th>
            <td />
          </tr>
        </thead>
        <tbody>
          {ROLES.map((role) => (
            <RoleRow key={role} role={role} view={view} />
          ))}
        </tbody>
      </table>
      <p className="settings-advice xs t3">{t.settings.prices(view.pricesOf, view.pricesSource)}</p>
    </Group>
  );
}

function RoleRow({ role, view }: { role: Role; view: ModelsView }) {
  const models = rolesOf(view, role);
  const main = models[0] ?? null;
  const options = view.models.map((model) => optionOf(view, model));
  const word = t.words.role[role];
  const price = main === null ? undefined : modelOf(view, main);
  const Icon = ICON[role];
  return (
    <tr data-testid={`role-row-${role}`}>
      <th scope="row">
        <span className="role-name">
          <Icon className="icon t2" size={16} strokeWidth={1.75} aria-hidden="true" />
          <span>
            <b>{word}</b>
            <span className="xs t3">{t.settings.roleNote[role]}</span>
          </span>
        </span>
      </th>
      <td>
        <Select
          label={t.settings.mainOf(word)}
          value={main}
          options={options}
          placeholder={t.composer.noModel}
          onChange={(name) => void chooseRole(role, withMain(models, name))}
          testId={`main-${role}`}
        />
      </td>
      <td>
        <StandIns role={role} word={word} models={models} options={options} />
      </td>
      <td className="align-right num sm t2">{price ? priceText(price) : "–"}</td>
      <td>
        <IconButton
          label={t.settings.usualOf(word)}
          size="small"
          icon={<RotateCcw size={13} strokeWidth={1.75} />}
          onClick={() => void chooseRole(role, [])}
          data-testid={`usual-${role}`}
        />
      </td>
    </tr>
  );
}

const NONE = "";

type StandInProps = { role: Role; word: string; models: readonly string[]; options: readonly Option[] };

/** Each who stands in, in order; one more place where there is none yet, or when it is asked for. */
function StandIns({ role, word, models, options }: StandInProps) {
  const [isAdding, setAdding] = useState(false);
  const place = (ix: number, name: string) => {
    setAdding(false);
    const before = models.slice(0, ix).filter((other) => other !== name);
    const after = models.slice(ix + 1).filter((other) => other !== name);
    void chooseRole(role, name === NONE ? [...before, ...after] : [...before, name, ...after]);
  };
  const others = options.filter((option) => option.value !== models[0]);
  const standIns = models.slice(1);
  const isEmpty = standIns.length === 0;
  const mayAdd = standIns.length < others.length && models.length > 0;
  const places = mayAdd && (isEmpty || isAdding) ? [...standIns, NONE] : standIns;
  return (
    <div className="stand-ins">
      {places.map((name, ix) => (
        <Select
          key={name === NONE ? "end" : name}
          label={t.settings.standInOf(word, ix + 1)}
          value={name}
          options={[
            { value: NONE, label: ix === 0 ? t.settings.standInNone : t.settings.standInEnd },
            ...others.filter((o) => o.value === name || !models.includes(o.value)),
          ]}
          onChange={(next) => place(ix + 1, next)}
          testId={`stand-in-${role}-${ix + 1}`}
        />
      ))}
      {mayAdd && !isEmpty && !isAdding ? (
        <IconButton
          label={t.settings.standInAdd(word)}
          size="small"
          icon={<Plus size={13} strokeWidth={1.75} />}
          onClick={() => setAdding(true)}
          data-testid={`stand-in-${role}-add`}
        />
      ) : null}
    </div>
  );
}
