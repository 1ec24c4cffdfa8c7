// A server of tools by form. What is wrong with it is said before anything is kept; nothing is started.
import { Dialog } from "@base-ui/react/dialog";
import { Plus } from "lucide-react";
import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Button, FaultLine, Segments, Toggle } from "../../components/controls/controls";
import type { ServersTaken } from "../../ipc/bindings";
import { asFault } from "../../ipc/host";
import { notify } from "../../state/notices";
import { addServer, linesOf, pairsOf, wordsOf } from "../../state/servers";
import { t } from "../../text";
import { list, visible } from "../../text/format";

export function AddServer() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        size="small"
        icon={<Plus className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => setOpen(true)}
        data-testid="add-server"
      >
        {t.servers.add}
      </Button>
      <Dialog.Root open={isOpen} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Backdrop className="scrim" />
          <Dialog.Popup className="dialog server-dialog" data-testid="server-dialog">
            <Dialog.Title>{t.servers.addTitle}</Dialog.Title>
            <Form onKept={() => setOpen(false)} />
          </Dialog.Popup>
        </Dialog.Portal>
      </Dialog.Root>
    </>
  );
}

const EMPTY = { name: "", command: "", url: "", env: "", headers: "", folders: "" };

function Form({ onKept }: { onKept: () => void }) {
  const [way, setWay] = useState<"command" | "url">("command");
  const [typed, setTyped] = useState(EMPTY);
  const [word, setWord] = useState({ network: false, unconfined: false });
  const [fault, setFault] = useState<{ code: string; text: string } | null>(null);
  const field = (name: keyof typeof EMPTY) => ({
    value: typed[name],
    onChange: (text: string) => setTyped({ ...typed, [name]: text }),
    testId: `server-${name}`,
  });
  const send = async (event: FormEvent, replace: boolean) => {
    event.preventDefault();
    try {
      const isHere = way === "command";
      const form = {
        name: typed.name.trim(),
        url: isHere ? null : typed.url.trim(),
        command: isHere ? wordsOf(typed.command) : [],
        env: isHere ? pairsOf(typed.env) : [],
        headers: isHere ? [] : pairsOf(typed.headers),
        folders: isHere ? linesOf(typed.folders) : [],
        ...(isHere ? word : { network: false, unconfined: false }),
      };
      tellTaken(await addServer(form, replace));
      onKept();
    } catch (thrown) {
      const { code, message } = asFault(thrown);
      setFault({ code, text: message });
    }
  };
  return (
    <form className="server-form" onSubmit={(event) => void send(event, false)}>
      <Field label={t.servers.name} note={t.servers.nameNote} {...field("name")} />
      <Segments
        label={t.servers.way}
        value={way}
        onChange={setWay}
        choices={[
          { value: "command", label: t.servers.ways.command },
          { value: "url", label: t.servers.ways.url },
        ]}
        testId="server-way"
      />
      {way === "command" ? (
        <>
          <Field label={t.servers.command} note={t.servers.commandNote} isMono {...field("command")} />
          <Field label={t.servers.env} note={t.servers.pairsNote} isMono rows={2} {...field("env")} />
          <Field label={t.servers.folders} note={t.servers.foldersNote} isMono rows={2} {...field("folders")} />
          <Line label={t.servers.network}>
            <Toggle
              label={t.servers.network}
              checked={word.network}
              onChange={(network) => setWord({ ...word, network })}
              testId="server-network"
            />
          </Line>
          <Line label={t.servers.unconfinedWord}>
            <Toggle
              label={t.servers.unconfinedWord}
              checked={word.unconfined}
              onChange={(unconfined) => setWord({ ...word, unconfined })}
              testId="server-unconfined"
            />
          </Line>
        </>
      ) : (
        <>
          <Field label={t.servers.url} isMono {...field("url")} />
          <Field label={t.servers.headers} note={t.servers.pairsNote} isMono rows={2} {...field("headers")} />
        </>
      )}
      {fault ? <FaultLine text={fault.text} /> : null}
      <div className="actions">
        {fault?.code === "taken" ? (
          <Button onClick={(event) => void send(event, true)} data-testid="server-replace">
            {t.servers.replace}
          </Button>
        ) : null}
        <Button type="submit" look="primary" disabled={typed.name.trim() === ""} data-testid="server-keep">
          {t.servers.keep}
        </Button>
        <Dialog.Close className="btn ghost medium">{t.words.cancel}</Dialog.Close>
      </div>
    </form>
  );
}

/** What is set up now, and what to know of it: keys that were typed, and what was not taken over. */
export function tellTaken(taken: ServersTaken): void {
  notify(t.servers.kept(list(taken.servers.map((server) => visible(server.name)))), { tone: "done" });
  for (const warning of taken.warnings) notify(visible(warning), { tone: "fault" });
}

type FieldProps = {
  label: string;
  value: string;
  onChange: (text: string) => void;
  testId: string;
  note?: string;
  rows?: number;
  isMono?: boolean;
};

function Field({ label, value, onChange, testId, note, rows, isMono }: FieldProps) {
  const id = useId();
  const shared = {
    id,
    className: `field${isMono ? " mono" : ""}`,
    spellCheck: false,
    autoComplete: "off",
    value,
    "aria-describedby": note ? `${id}-note` : undefined,
    "data-testid": testId,
  };
  return (
    <div className="form-field">
      <label className="form-label" htmlFor={id}>
        {label}
      </label>
      {rows ? (
        <textarea {...shared} rows={rows} onChange={(event) => onChange(event.target.value)} />
      ) : (
        <input {...shared} onChange={(event) => onChange(event.target.value)} />
      )}
      {note ? (
        <p className="xs t3" id={`${id}-note`}>
          {note}
        </p>
      ) : null}
    </div>
  );
}

function Line({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="server-line">
      <span aria-hidden="true" className="grow">
        {label}
      </span>
      {children}
    </div>
  );
}
