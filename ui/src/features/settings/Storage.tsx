// Where everything lies and what takes room; backup, tidying, old runs, how strictly is synced; and which version this is.
import { useEffect } from "react";
import { Button, Toggle } from "../../components/controls/controls";
import { FaultPanel, Skeleton } from "../../components/controls/panel";
import type { StorageView } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { attempt } from "../../state/notices";
import { backUp, keepSync, readStorage, tidyUp, useStorage } from "../../state/storage";
import { t } from "../../text";
import { bytes } from "../../text/format";
import { useEnvironment } from "./Look";
import { OldRuns } from "./OldRuns";
import { Group, Row } from "./rows";

export function Storage() {
  const { view, limits, fault, busy } = useStorage();
  const { place } = useEnvironment();
  useEffect(() => void readStorage(), []);
  if (fault && !view) return <FaultPanel title={t.storage.fault} message={fault} onRetry={() => void readStorage()} />;
  if (!view) return <Skeleton rows={6} />;
  return (
    <>
      <Group title={t.storage.title} note={t.storage.sums(view.runs, view.drafts)} narrow testId="storage">
        <Room view={view} />
        <Place
          title={t.settings.database}
          note={t.settings.databaseNote}
          path={view.file}
          onShow={() => void attempt(() => host().showFolder("database"))}
          testId="db-path"
        />
        <Place
          title={t.storage.folder}
          note={t.storage.folderNote(view.files, view.isMore)}
          path={view.folder}
          onShow={() => void attempt(() => host().showFolder("runs"))}
          testId="runs-path"
        />
        <Row title={t.storage.backupTitle} note={t.storage.backupNote}>
          <Button disabled={busy !== null} onClick={() => void backUp(today())} data-testid="backup">
            {busy === "backup" ? t.storage.backingUp : t.storage.backup}
          </Button>
        </Row>
        <Row title={t.storage.tidyTitle} note={view.heldBy ? t.storage.tidyHeld(view.heldBy) : t.storage.tidyNote}>
          <Button disabled={busy !== null} onClick={() => void tidyUp()} data-testid="tidy">
            {busy === "tidy" ? t.storage.tidying : t.storage.tidy}
          </Button>
        </Row>
        {limits ? (
          <Row title={t.storage.sync} note={t.storage.syncNote}>
            <Toggle
              label={t.storage.sync}
              checked={limits.syncsEverything}
              onChange={(on) => void keepSync(on)}
              testId="sync"
            />
          </Row>
        ) : null}
        <Row title={t.settings.version}>
          <code className="mono sel">{place?.version ?? ""}</code>
        </Row>
      </Group>
      <OldRuns />
    </>
  );
}

/** `2026-11-30`, by this machine's calendar. */
function today(): string {
  const now = new Date();
  const two = (n: number) => String(n).padStart(2, "0");
  return `${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())}`;
}

type PlaceProps = { title: string; note: string; path: string; onShow: () => void; testId: string };

function Place({ title, note, path, onShow, testId }: PlaceProps) {
  return (
    <Row title={title} note={note}>
      <code className="mono sel settings-path" data-testid={testId}>
        {path}
      </code>
      <Button onClick={onShow} aria-label={t.storage.showFolderOf(title)} data-testid={`show-${testId}`}>
        {t.storage.showFolder}
      </Button>
    </Row>
  );
}

type Part = keyof typeof t.storage.parts;

/** One bar of what takes room, and the same in words. */
function Room({ view }: { view: StorageView }) {
  const { bytes: file, free, values, search, filesBytes: files } = view;
  const sizes: Record<Part, number> = { values, events: Math.max(0, file - free - values), search, files, free };
  const parts = (Object.keys(sizes) as Part[]).filter((part) => sizes[part] > 0);
  const whole = Math.max(1, file + search + files);
  let from = 0;
  return (
    <div className="settings-row room" data-testid="room">
      <svg className="room-bar" role="img" aria-label={t.storage.bar(bytes(file + search + files))}>
        <rect className="track" width="100%" height="10" rx="2" />
        {parts.map((part) => {
          const x = from;
          const width = (100 * sizes[part]) / whole;
          from += width;
          return <rect key={part} className={part} x={`${x}%`} width={`${width}%`} height="10" />;
        })}
      </svg>
      <ul className="room-parts sm">
        {parts.map((part) => (
          <li key={part}>
            <i className={`room-key ${part}`} aria-hidden="true" />
            {t.storage.parts[part]} <span className="num t2">{bytes(sizes[part])}</span>
          </li>
        ))}
        <li className="grow align-right num t2">{bytes(file + search + files)}</li>
      </ul>
    </div>
  );
}
