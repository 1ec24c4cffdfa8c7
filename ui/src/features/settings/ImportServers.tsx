// Taking over the servers of another program: pasted or from a file, looked at first, kept all or none.
import { Dialog } from "@base-ui/react/dialog";
import { FileText } from "lucide-react";
import { useId, useState } from "react";
import { Button, FaultLine } from "../../components/controls/controls";
import type { ServersTaken } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { attempt } from "../../state/notices";
import { importServers } from "../../state/servers";
import { t } from "../../text";
import { visible } from "../../text/format";
import { tellTaken } from "./AddServer";

export function ImportServers() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button size="small" onClick={() => setOpen(true)} data-testid="import-servers">
        {t.servers.import}
      </Button>
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="scrim" />
          <Dialog.Popup className="dialog server-dialog" data-testid="import-dialog">
            <Dialog.Title>{t.servers.importTitle}</Dialog.Title>
            <Import onDone={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

function Import({ onDone }: { onDone: () => void }) {
  const id = useId();
  const [given, setGiven] = useState({ text: "", file: t.servers.pasted });
  const [found, setFound] = useState<ServersTaken | null>(null);
  const [fault, setFault] = useState<{ code: string; text: string } | null>(null);
  const change = (next: typeof given) => {
    setGiven(next);
    setFound(null);
    setFault(null);
  };
  const choose = async () => {
    const file = await attempt(() => host().chooseServersFile());
    if (file) change({ text: file.text, file: file.name });
  };
  const send = async (keep: boolean, replace: boolean) => {
    try {
      const taken = await importServers(given.text, given.file, keep, replace);
      setFault(null);
      setFound(taken);
      if (!keep) return;
      tellTaken(taken);
      onDone();
    } catch (thrown) {
      const { code, message } = asFault(thrown);
      setFault({ code, text: message });
    }
  };
  return (
    <div className="server-form">
      <div className="form-field">
        <label className="form-label" htmlFor={id}>
          {t.servers.importText}
        </label>
        <textarea
          id={id}
          className="field mono"
          rows={8}
          spellCheck={false}
          value={given.text}
          onChange={(event) => change({ text: event.target.value, file: t.servers.pasted })}
          data-testid="import-text"
        />
        <p className="xs t3">{t.servers.importNote}</p>
      </div>
      {found ? <Found found={found} /> : null}
      {fault ? <FaultLine text={fault.text} /> : null}
      <div className="actions">
        <Button
          look="ghost"
          icon={<FileText className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => void choose()}
          data-testid="import-file"
        >
          {t.servers.importFile}
        </Button>
        {fault?.code === "taken" ? (
          <Button onClick={() => void send(true, true)} data-testid="import-replace">
            {t.servers.importReplace}
          </Button>
        ) : null}
        {found ? (
          <Button look="primary" onClick={() => void send(true, false)} data-testid="import-now">
            {t.servers.importNow(found.servers.length)}
          </Button>
        ) : (
          <Button
            look="primary"
            disabled={given.text.trim() === ""}
            onClick={() => void send(false, false)}
            data-testid="import-look"
          >
            {t.servers.importLook}
          </Button>
        )}
        <Dialog.Close className="btn ghost medium">{t.words.cancel}</Dialog.Close>
      </div>
    </div>
  );
}

function Found({ found }: { found: ServersTaken }) {
  return (
    <section className="server-found" aria-live="polite" data-testid="import-found">
      <h3 className="sm">{t.servers.importFound}</h3>
      <ul>
        {found.servers.map((server) => (
          <li key={server.name}>
            <b>{visible(server.name)}</b>
            <code className="mono sm t2 sel">{visible(server.starts)}</code>
          </li>
        ))}
      </ul>
      {found.warnings.map((warning) => (
        <p key={warning} className="sm tone-retrying sel">
          {visible(warning)}
        </p>
      ))}
    </section>
  );
}
