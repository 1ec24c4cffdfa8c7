// The column beside the goal: models on this machine and online, keys to start with.
import { Circle, CircleCheck, KeyRound, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { Skeleton } from "../../components/controls/panel";
import type { ModelsView, ProviderView } from "../../ipc/bindings";
import { isOnThisMachine, keyText, lookAgain, modelsOf, nameOf, shortName, useModels } from "../../state/models";
import { go } from "../../state/route";
import { t } from "../../text";
import { priceText, visible } from "../../text/format";

const MOST_MODELS = 6;

export function Side() {
  const view = useModels((s) => s.view);
  const fault = useModels((s) => s.fault);
  return (
    <aside className="home-side">
      {view ? <Models view={view} /> : null}
      {!view && fault ? <p className="box t2 sel">{`${t.home.modelsFault}: ${fault.message}`}</p> : null}
      {!view && !fault ? <Skeleton rows={4} /> : null}
      <Keys />
    </aside>
  );
}

function Models({ view }: { view: ModelsView }) {
  const isLooking = useModels((s) => s.isLooking);
  const here = view.providers.filter(isOnThisMachine);
  const online = view.providers.filter((provider) => !isOnThisMachine(provider));
  const look = (
    <IconButton
      label={isLooking ? t.home.looking : t.home.lookAgain}
      size="small"
      icon={<RotateCw className={isLooking ? "spin" : ""} size={13} strokeWidth={1.75} />}
      onClick={() => void lookAgain()}
      disabled={isLooking}
      data-testid="find-models"
    />
  );
  return (
    <>
      <Box title={t.home.here} act={look} testId="models-here">
        {here.length === 0 ? <p className="sm t3">{t.home.hereNone}</p> : null}
        {here.map((provider) => (
          <Local key={provider.name} provider={provider} view={view} />
        ))}
      </Box>
      <Box
        title={t.home.online}
        act={<ToSettings text={t.home.manage} testId="manage-models" />}
        testId="models-online"
      >
        {online.map((provider) => (
          <Online key={provider.name} provider={provider} />
        ))}
        <div className="side-row">
          <KeyRound className="icon t3" size={15} strokeWidth={1.75} aria-hidden="true" />
          <span className="grow t2">{online.length === 0 ? t.home.onlineNone : t.home.another}</span>
          <ToSettings text={t.home.addKey} testId="add-key" />
        </div>
      </Box>
    </>
  );
}

function Box({ title, act, children, testId }: { title: string; act: ReactNode; children: ReactNode; testId: string }) {
  return (
    <section className="box" aria-label={title} data-testid={testId}>
      <div className="row">
        <h3 className="grow">{title}</h3>
        {act}
      </div>
      {children}
    </section>
  );
}

function ToSettings({ text, testId }: { text: string; testId: string }) {
  return (
    <button type="button" className="link" onClick={() => go({ screen: "settings" })} data-testid={testId}>
      {text}
    </button>
  );
}

function Local({ provider, view }: { provider: ProviderView; view: ModelsView }) {
  const models = modelsOf(view, provider);
  const isThere = provider.answers !== false;
  return (
    <>
      <div className="side-row">
        <Mark isGood={isThere && !provider.todo} />
        <span className="el grow">
          <b>{visible(nameOf(provider))}</b>{" "}
          <span className="t3">{isThere ? t.home.models(models.length) : t.home.notRunning}</span>
        </span>
        {isThere && !provider.key && !provider.todo ? (
          <span className="tag completed">{t.home.noKeyNeeded}</span>
        ) : null}
      </div>
      {provider.todo ? <p className="sm t3 side-note">{provider.todo}</p> : null}
      {models.length > 0 ? (
        <ul className="side-models">
          {models.slice(0, MOST_MODELS).map((model) => (
            <li key={model.name}>
              <code className="mono el" title={model.name}>
                {shortName(model.name)}
              </code>
              <span className="sm t3">{priceText(model)}</span>
            </li>
          ))}
          {models.length > MOST_MODELS ? (
            <li className="sm t3">{t.home.moreModels(models.length - MOST_MODELS)}</li>
          ) : null}
        </ul>
      ) : null}
    </>
  );
}

function Online({ provider }: { provider: ProviderView }) {
  return (
    <div className="side-row">
      <Mark isGood={!provider.todo} />
      <span className="el grow">
        <b>{visible(nameOf(provider))}</b> <span className="t3">{keyText(provider)}</span>
      </span>
      {provider.todo ? <ToSettings text={t.home.setUp} testId={`set-up-${provider.name}`} /> : null}
    </div>
  );
}

function Mark({ isGood }: { isGood: boolean }) {
  const Icon = isGood ? CircleCheck : Circle;
  return (
    <Icon className={`icon ${isGood ? "tone-completed" : "t3"}`} size={15} strokeWidth={1.75} aria-hidden="true" />
  );
}

function Keys() {
  const rows = [
    ["n", t.home.keys.newPlan],
    ["ctrl+k", t.home.keys.find],
    ["g r", t.home.keys.runs],
    ["?", t.home.keys.all],
  ] as const;
  return (
    <section className="home-keys" aria-label={t.home.keysTitle}>
      <h3 className="heading">{t.home.keysTitle}</h3>
      <dl>
        {rows.map(([keys, text]) => (
          <div key={keys}>
            <dt>
              <kbd>{printKeys(keys)}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
