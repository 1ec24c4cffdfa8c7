// One provider: where it is, where its key lies, whether it answers, and what can be done about it.
import { Circle, CircleCheck, CircleX, Lock } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/controls/controls";
import type { ModelsView, ProviderView } from "../../ipc/bindings";
import {
  hostOf,
  isOnThisMachine,
  keyText,
  modelsOf,
  nameOf,
  type Tested,
  testedOf,
  testModel,
} from "../../state/models";
import { t } from "../../text";
import { visible } from "../../text/format";
import { ForgetKey, KeyDialog } from "./KeyDialog";

export function Provider({ provider, view }: { provider: ProviderView; view: ModelsView }) {
  const [tested, setTested] = useState<Tested | "now" | null>(null);
  const name = nameOf(provider);
  // One from the environment is not ours to forget; a key given here goes before it.
  const isOurs = provider.key === "keychain" || provider.key === "this session only";
  const model = testedOf(view, provider);
  const test = async () => {
    if (!model) return;
    setTested("now");
    setTested(await testModel(model));
  };
  const isBad = tested !== null && tested !== "now" && tested.trouble !== null;
  return (
    <div className="provider" data-testid={`provider-${provider.name}`}>
      <Mark isGood={provider.todo === null} isBad={isBad} />
      <div className="provider-name">
        <b>{visible(name)}</b>
        <p className="sm t3 el" title={provider.baseUrl}>
          {`${visible(hostOf(provider.baseUrl))} · ${t.settings.origin(provider.origin)}`}
        </p>
      </div>
      <Key provider={provider} />
      <State provider={provider} models={modelsOf(view, provider).length} tested={tested} />
      <div className="provider-acts">
        <Button
          size="small"
          disabled={model === null || tested === "now"}
          onClick={() => void test()}
          title={model ? t.settings.testNote(model) : t.settings.testNothing}
          aria-label={t.settings.testNamed(name)}
          data-testid={`test-${provider.name}`}
        >
          {t.settings.test}
        </Button>
        {needsNoKey(provider) ? null : <KeyDialog provider={provider.name} name={name} isThere={isOurs} />}
        {isOurs ? <ForgetKey provider={provider.name} name={name} /> : null}
      </div>
    </div>
  );
}

/** A server on this machine asks for none, unless the settings gave it one. */
function needsNoKey(provider: ProviderView): boolean {
  return isOnThisMachine(provider) && provider.key === null && provider.kind !== "openai_compatible";
}

function Mark({ isGood, isBad }: { isGood: boolean; isBad: boolean }) {
  const Icon = isBad ? CircleX : isGood ? CircleCheck : Circle;
  const tone = isBad ? "tone-failed" : isGood ? "tone-completed" : "t3";
  return <Icon className={`icon ${tone}`} size={16} strokeWidth={1.75} aria-hidden="true" />;
}

function Key({ provider }: { provider: ProviderView }) {
  if (needsNoKey(provider))
    return (
      <div className="provider-key">
        <span className="tag completed">{t.home.noKeyNeeded}</span>
      </div>
    );
  return (
    <div className="provider-key sm t2" data-testid={`key-${provider.name}`}>
      {provider.key ? <Lock className="icon t3" size={13} strokeWidth={1.75} aria-hidden="true" /> : null}
      <span className="el">{visible(keyText(provider))}</span>
    </div>
  );
}

type StateProps = { provider: ProviderView; models: number; tested: Tested | "now" | null };

function State({ provider, models, tested }: StateProps) {
  if (tested === "now") return <p className="provider-state sm tone-running">{t.settings.testing}</p>;
  if (tested)
    return (
      <p
        className={`provider-state sm sel ${tested.trouble ? "tone-failed" : "tone-completed"}`}
        role="status"
        data-testid={`tested-${provider.name}`}
      >
        {tested.trouble ? visible(tested.trouble) : t.settings.testGood(tested.model, tested.ms)}
      </p>
    );
  if (provider.todo) return <p className="provider-state sm t2 sel">{visible(provider.todo)}</p>;
  const answers = provider.answers === false ? t.settings.noAnswer : t.home.models(models);
  return <p className="provider-state sm t2">{answers}</p>;
}
