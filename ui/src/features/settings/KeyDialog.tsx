// Giving and forgetting a provider's key. The key goes straight from the field to the shell: it is held in no state, shown
// nowhere, and the field is emptied whatever comes back.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { Dialog } from "@base-ui/react/dialog";
import { KeyRound, Plus } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { Confirm } from "../../components/controls/Confirm";
import { Button, FaultLine } from "../../components/controls/controls";
import { Select } from "../../components/controls/Select";
import type { ModelsView } from "../../ipc/bindings";
import { asFault } from "../../ipc/host";
import { forgetKey, KEYED, keepKey } from "../../state/models";
import { attempt, notify } from "../../state/notices";
import { t } from "../../text";

export function KeyDialog({ provider, name, isThere }: { provider: string; name: string; isThere: boolean }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        onClick={() => setOpen(true)}
        aria-label={isThere ? t.settings.replaceKeyOf(name) : t.settings.setKeyOf(name)}
        data-testid={`set-key-${provider}`}
      >
        {isThere ? t.settings.replaceKey : t.settings.setKey}
      </Button>
      <Frame isOpen={isOpen} onClose={() => setOpen(false)} title={t.settings.keyTitle(name)}>
        <KeyForm provider={provider} name={name} onKept={() => setOpen(false)} />
      </Frame>
    </>
  );
}

/** A provider that is known by name and has no key yet. */
export function AddProvider({ view }: { view: ModelsView }) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const left = KEYED.filter((name) => !view.providers.some((provider) => provider.name === name));
  const shown = left.find((name) => name === chosen) ?? left[0];
  if (shown === undefined) return null;
  return (
    <>
      <Button
        size="small"
        icon={<Plus className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => setOpen(true)}
        data-testid="add-provider"
      >
        {t.settings.addProvider}
      </Button>
      <Frame isOpen={isOpen} onClose={() => setOpen(false)} title={t.settings.addTitle}>
        <div className="form-field">
          <span className="form-label" aria-hidden="true">
            {t.settings.provider}
          </span>
          <Select
            label={t.settings.provider}
            value={shown}
            options={left.map((name) => ({ value: name, label: t.settings.providerNames[name] }))}
            onChange={setChosen}
            testId="add-provider-name"
          />
        </div>
        <KeyForm provider={shown} name={t.settings.providerNames[shown]} onKept={() => setOpen(false)} />
        <p className="xs t3">{t.settings.addNote}</p>
      </Frame>
    </>
  );
}

type FrameProps = { isOpen: boolean; onClose: () => void; title: string; children: React.ReactNode };

function Frame({ isOpen, onClose, title, children }: FrameProps) {
  return (
    <Dialog.Root open={isOpen} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog key-dialog" data-testid="key-dialog">
          <Dialog.Title>{title}</Dialog.Title>
          {children}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function KeyForm({ provider, name, onKept }: { provider: string; name: string; onKept: () => void }) {
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [isBusy, setBusy] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const keep = async (event: FormEvent) => {
    event.preventDefault();
    const input = field.current;
    if (!input || input.value.trim() === "") return;
    setBusy(true);
    const given = keepKey(provider, input.value.trim());
    input.value = "";
    try {
      const inKeychain = await given;
      notify(inKeychain ? t.settings.keptInKeychain(name) : t.settings.keptForSession(name), { tone: "done" });
      onKept();
    } catch (thrown) {
      setFault(asFault(thrown).message);
      setBusy(false);
    }
  };
  return (
    <form className="form-field" onSubmit={(event) => void keep(event)}>
      <label className="form-label" htmlFor={id}>
        {t.settings.key}
      </label>
      <input
        id={id}
        ref={field}
        className="field mono"
        type="password"
        autoComplete="off"
        spellCheck={false}
        aria-invalid={fault !== null}
        data-testid="key-field"
      />
      <p className="xs t3">{t.settings.keyNote}</p>
      {fault ? <FaultLine text={fault} /> : null}
      <div className="actions">
        <Button
          type="submit"
          look="primary"
          disabled={isBusy}
          icon={<KeyRound className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
          data-testid="keep-key"
        >
          {t.settings.keepKey}
        </Button>
        <Dialog.Close className="btn ghost medium">{t.words.cancel}</Dialog.Close>
      </div>
    </form>
  );
}

export function ForgetKey({ provider, name }: { provider: string; name: string }) {
  const [isOpen, setOpen] = useState(false);
  const facts = [
    { term: t.settings.forgetGone, text: t.settings.forgetGoneText(name) },
    { term: t.settings.forgetKept, text: t.settings.forgetKeptText },
  ];
  return (
    <>
      <Button
        size="small"
        look="ghost"
        onClick={() => setOpen(true)}
        aria-label={t.settings.forgetKeyOf(name)}
        data-testid={`forget-key-${provider}`}
      >
        {t.settings.forgetKey}
      </Button>
      <Confirm
        open={isOpen}
        onClose={() => setOpen(false)}
        title={t.settings.forgetTitle(name)}
        facts={facts}
        keep={t.settings.forgetKeep}
        testId="forget-dialog"
      >
        <AlertDialog.Close
          className="btn danger medium"
          onClick={() => void attempt(() => forgetKey(provider))}
          data-testid="forget-now"
        >
          {t.settings.forgetKey}
        </AlertDialog.Close>
      </Confirm>
    </>
  );
}
