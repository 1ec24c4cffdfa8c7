// Every model that can be asked: what it costs, how much it takes in, and what is known of what it can do.
import { useState } from "react";
import { Button } from "../../components/controls/controls";
import type { ModelsView, ModelView } from "../../ipc/bindings";
import { nameOf, providerOf, shortName } from "../../state/models";
import { t } from "../../text";
import { priceText, visible, whole } from "../../text/format";
import { Group } from "./rows";

const MOST = 12;

export function ModelTable({ view }: { view: ModelsView }) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? view.models : view.models.slice(0, MOST);
  return (
    <Group title={t.settings.models} note={t.settings.modelsNote} testId="model-table">
      <table className="settings-table">
        <thead>
          <tr>
            <th scope="col">{t.settings.modelColumns.name}</th>
            <th scope="col">{t.settings.modelColumns.provider}</th>
            <th scope="col">{t.settings.modelColumns.tools}</th>
            <th scope="col">{t.settings.modelColumns.structured}</th>
            <th scope="col" className="align-right">
              {t.settings.modelColumns.context}
            </th>
            <th scope="col" className="align-right">
              {t.settings.roleColumns.price}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((model) => (
            <Model key={model.name} model={model} view={view} />
          ))}
        </tbody>
      </table>
      {shown.length < view.models.length ? (
        <Button look="ghost" size="small" className="settings-more" onClick={() => setWhole(true)}>
          {t.values.showAll(view.models.length)}
        </Button>
      ) : null}
    </Group>
  );
}

function Model({ model, view }: { model: ModelView; view: ModelsView }) {
  const provider = providerOf(view, model.name);
  const can = (word: string) => t.settings.can[word] ?? word;
  return (
    <tr>
      <th scope="row">
        <code className="mono sel">{visible(shortName(model.name))}</code>
      </th>
      <td className="t2">{provider ? visible(nameOf(provider)) : "–"}</td>
      <td className={model.tools === "no" ? "tone-retrying" : "t2"}>{can(model.tools)}</td>
      <td className={model.structured === "no" ? "tone-retrying" : "t2"}>{can(model.structured)}</td>
      <td className="align-right num t2">{model.contextTokens === null ? "–" : whole(model.contextTokens)}</td>
      <td className="align-right num t2">{priceText(model)}</td>
    </tr>
  );
}
