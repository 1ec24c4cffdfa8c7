// One server of tools: how it stands, what starts it, whether it is walled in, its tools, and what can be done with it.
import { AlertDialog } from "@base-ui/react/alert-dialog";
import { ChevronDown, Circle, CircleCheck, CircleX, LoaderCircle, ShieldAlert } from "lucide-react";
import { useId, useState } from "react";
import { Confirm } from "../../components/controls/Confirm";
import { Button } from "../../components/controls/controls";
import type { ServerView } from "../../ipc/bindings";
import { checkServer, removeServer } from "../../state/servers";
import { t } from "../../text";
import { visible } from "../../text/format";
import { ServerTools } from "./ServerTools";

const ICON: Record<string, { Icon: typeof Circle; tone: string }> = {
  off: { Icon: Circle, tone: "t3" },
  unseen: { Icon: Circle, tone: "t3" },
  idle: { Icon: CircleCheck, tone: "t3" },
  starting: { Icon: LoaderCircle, tone: "tone-running spin" },
  installing: { Icon: LoaderCircle, tone: "tone-running spin" },
  running: { Icon: CircleCheck, tone: "tone-completed" },
  failed: { Icon: CircleX, tone: "tone-failed" },
};

export function Server({ server }: { server: ServerView }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  const { Icon, tone } = ICON[server.state] ?? { Icon: Circle, tone: "t3" };
  const name = visible(server.name);
  return (
    <div className="server" data-testid={`server-${server.name}`} data-state={server.state}>
      <div className="server-head">
        <Icon className={`icon ${tone}`} size={16} strokeWidth={1.75} aria-hidden="true" />
        <div className="grow server-name">
          <b>{name}</b>
          <span className="sm t2" role="status">
            {t.servers.state[server.state] ?? server.state}
          </span>
          {server.isUnconfined ? (
            <span className="tag retrying" title={t.servers.unconfinedNote}>
              <ShieldAlert size={12} strokeWidth={1.75} aria-hidden="true" />
              {t.servers.unconfined}
            </span>
          ) : null}
        </div>
        {server.tools.length > 0 ? (
          <Button
            size="small"
            look="ghost"
            aria-expanded={isOpen}
            aria-controls={id}
            aria-label={`${toolsText(server)}: ${name}`}
            onClick={() => setOpen(!isOpen)}
            data-testid={`server-tools-${server.name}`}
          >
            {toolsText(server)}
            <ChevronDown className={`icon${isOpen ? " turned" : ""}`} size={13} strokeWidth={1.75} aria-hidden="true" />
          </Button>
        ) : null}
        <Check server={server} />
        <Remove name={server.name} />
      </div>
      <p className="server-starts mono sm t3 sel">{visible(server.starts)}</p>
      {server.ownName ? <p className="sm t3">{visible(t.servers.ownName(server.ownName, server.protocol))}</p> : null}
      {server.detail ? (
        <pre
          className={`server-detail mono sel ${server.state === "failed" ? "tone-failed" : "t2"}`}
          role="region"
          aria-label={t.servers.detail}
          tabIndex={0}
          data-testid={`server-detail-${server.name}`}
        >
          {visible(server.detail)}
        </pre>
      ) : null}
      {server.warnings.map((warning) => (
        <p key={warning} className="sm tone-retrying sel">
          {visible(warning)}
        </p>
      ))}
      <div id={id} hidden={!isOpen}>
        {isOpen ? <ServerTools server={server} /> : null}
      </div>
    </div>
  );
}

function toolsText(server: ServerView): string {
  const bad = server.tools.filter((tool) => tool.problem !== null).length;
  return [t.servers.tools(server.tools.length), bad > 0 ? t.servers.bad(bad) : ""].filter(Boolean).join(", ");
}

/** Before the first time its whole command line is shown, and a person says yes. */
function Check({ server }: { server: ServerView }) {
  const [isAsking, setAsking] = useState(false);
  const name = visible(server.name);
  const start = () => void checkServer(server.name);
  const facts = [
    { term: t.servers.checkRuns, text: visible(server.starts) },
    { term: t.servers.checkSandbox, text: server.isUnconfined ? t.servers.unconfinedText : t.servers.confinedText },
    { term: t.servers.checkDoes, text: t.servers.checkDoesText },
  ];
  return (
    <>
      <Button
        size="small"
        disabled={server.isChecking || server.state === "off"}
        aria-label={t.servers.checkOf(name)}
        onClick={() => (server.lookedAt === null ? setAsking(true) : start())}
        data-testid={`check-${server.name}`}
      >
        {t.servers.check}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.servers.checkTitle(name)}
        facts={facts}
        keep={t.servers.checkKeep}
        testId="check-dialog"
      >
        <AlertDialog.Close className="btn primary medium" onClick={start} data-testid="check-now">
          {t.servers.checkNow}
        </AlertDialog.Close>
      </Confirm>
    </>
  );
}

function Remove({ name }: { name: string }) {
  const [isAsking, setAsking] = useState(false);
  const facts = [
    { term: t.servers.removeGone, text: t.servers.removeGoneText },
    { term: t.servers.removeKept, text: t.servers.removeKeptText },
  ];
  return (
    <>
      <Button
        size="small"
        look="ghost"
        aria-label={t.servers.removeOf(visible(name))}
        onClick={() => setAsking(true)}
        data-testid={`remove-${name}`}
      >
        {t.servers.remove}
      </Button>
      <Confirm
        open={isAsking}
        onClose={() => setAsking(false)}
        title={t.servers.removeTitle(visible(name))}
        facts={facts}
        keep={t.servers.removeKeep}
        testId="remove-dialog"
      >
        <AlertDialog.Close
          className="btn danger medium"
          onClick={() => void removeServer(name)}
          data-testid="remove-now"
        >
          {t.servers.remove}
        </AlertDialog.Close>
      </Confirm>
    </>
  );
}
