// The servers of tools: each with how it stands and what it offers; adding, taking over from elsewhere, removing.
import { useEffect } from "react";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import { readServers, useServers } from "../../state/servers";
import { t } from "../../text";
import { visible } from "../../text/format";
import { AddServer } from "./AddServer";
import { ImportServers } from "./ImportServers";
import { Group } from "./rows";
import { Server } from "./Server";

export function Servers() {
  const { view, fault } = useServers();
  useEffect(() => void readServers(), []);
  if (fault && !view) return <FaultPanel title={t.servers.title} message={fault} onRetry={() => void readServers()} />;
  if (!view) return <Skeleton rows={6} />;
  return (
    <>
      {view.problems.length > 0 ? (
        <Group title={t.servers.problems} testId="server-problems">
          <ul className="settings-row server-problems">
            {view.problems.map((problem) => (
              <li key={problem} className="sm sel tone-retrying">
                {visible(problem)}
              </li>
            ))}
          </ul>
        </Group>
      ) : null}
      <Group
        title={t.servers.title}
        note={t.servers.note}
        acts={
          <>
            <ImportServers />
            <AddServer />
          </>
        }
        testId="servers"
      >
        {view.servers.length === 0 ? <p className="settings-row t3">{t.servers.none}</p> : null}
        {view.servers.map((server) => (
          <Server key={server.name} server={server} />
        ))}
      </Group>
    </>
  );
}
