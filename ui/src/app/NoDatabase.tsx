// The window where the database can't be opened: why, what was kept, and the ways on. Nothing else of the app is there.
import { useEffect, useState } from "react";
import { Button } from "../components/controls/controls";
import { isMac } from "../components/controls/keys";
import { FaultPanel } from "../components/controls/panel";
import { host } from "../ipc/host";
import { notifyFault } from "../state/notices";
import { followSystem } from "../state/settings";
import { t } from "../text";
import { Notices } from "./Notices";
import { Mark, WindowButtons } from "./TitleBar";

/** The code of a database that a newer version has written. */
const NEWER = "newer";

export function NoDatabase({ fault, path }: { fault: { code: string; message: string }; path: string }) {
  const [busy, setBusy] = useState(false);
  useEffect(followSystem, []);
  async function choose(): Promise<void> {
    setBusy(true);
    try {
      // Where one was chosen, this window ends.
      setBusy(await host().chooseDatabase());
    } catch (thrown) {
      setBusy(false);
      notifyFault(thrown);
    }
  }
  async function look(): Promise<void> {
    setBusy(true);
    try {
      await host().lookAtDatabase();
      // The page begins anew, with what there is to see.
      location.reload();
    } catch (thrown) {
      setBusy(false);
      notifyFault(thrown);
    }
  }
  return (
    <div className="window no-database">
      <header className="title-bar" data-region="title" data-tauri-drag-region>
        <div className="title-left" data-tauri-drag-region>
          <span className="logo">
            <Mark />
          </span>
          <span className="crumb">{t.shell.noDatabase.app}</span>
        </div>
        <span data-tauri-drag-region />
        <div className="title-right" data-tauri-drag-region>
          {isMac ? <span style={{ width: 8 }} /> : <WindowButtons />}
        </div>
      </header>
      <main className="main" data-region="main" data-testid="no-database">
        <FaultPanel title={t.shell.noDatabase.title} message={fault.message}>
          <Button look="primary" autoFocus disabled={busy} onClick={() => void choose()} data-testid="choose-database">
            {t.shell.noDatabase.choose}
          </Button>
          {fault.code === NEWER ? (
            <Button
              disabled={busy}
              title={t.shell.noDatabase.lookNote}
              onClick={() => void look()}
              data-testid="look-at"
            >
              {t.shell.noDatabase.look}
            </Button>
          ) : null}
          <Button onClick={() => host().window.close()} data-testid="quit">
            {t.shell.noDatabase.quit}
          </Button>
        </FaultPanel>
        <p className="no-database-path sel">{t.shell.noDatabase.kept(path)}</p>
      </main>
      <Notices />
    </div>
  );
}
