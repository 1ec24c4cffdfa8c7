// Settings: the look, this machine, where the data lies. Each takes effect at once and is kept.
import { type ReactNode, useEffect, useState } from "react";
import { Button, FaultLine, Segments, Toggle } from "../../components/controls/controls";
import { Skeleton } from "../../components/controls/panel";
import type { Environment } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { attempt } from "../../state/notices";
import { change, TEXT_SIZES, type Theme, useSettings } from "../../state/settings";
import { t } from "../../text";

export function SettingsScreen({ onKeys }: { onKeys: () => void }) {
  return (
    <div className="screen settings" data-testid="settings">
      <div className="settings-inner">
        <h2 className="home-title">{t.settings.title}</h2>
        <Look />
        <Machine />
        <Group title={t.settings.keys}>
          <Row title={t.settings.showKeys} note="">
            <Button hint="?" onClick={onKeys}>
              {t.settings.showKeys}
            </Button>
          </Row>
        </Group>
      </div>
    </div>
  );
}

function Group({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="settings-group" aria-label={title}>
      <h3 className="heading">{title}</h3>
      <div className="settings-rows">{children}</div>
    </section>
  );
}

function Row({ title, note, children }: { title: string; note: string; children: ReactNode }) {
  return (
    <div className="settings-row">
      <div className="grow">
        <b>{title}</b>
        {note ? <p className="sm t3">{note}</p> : null}
      </div>
      {children}
    </div>
  );
}

function Look() {
  const { theme, motion, textSize } = useSettings();
  return (
    <Group title={t.settings.look}>
      <Row title={t.settings.theme} note={t.settings.themeNote}>
        <Segments
          label={t.settings.theme}
          testId="theme"
          value={theme}
          onChange={(v) => change("theme", v)}
          choices={(["system", "dark", "light"] as Theme[]).map((value) => ({
            value,
            label: t.settings.themes[value],
          }))}
        />
      </Row>
      <Row title={t.settings.motion} note={t.settings.motionNote}>
        <Segments
          label={t.settings.motion}
          testId="motion"
          value={motion}
          onChange={(v) => change("motion", v)}
          choices={(["system", "less"] as const).map((value) => ({ value, label: t.settings.motions[value] }))}
        />
      </Row>
      <Row title={t.settings.textSize} note={t.settings.textSizeNote}>
        <Segments
          label={t.settings.textSize}
          testId="text-size"
          value={String(textSize)}
          onChange={(v) => change("textSize", Number(v))}
          choices={TEXT_SIZES.map((n) => ({ value: String(n), label: `${n} %` }))}
        />
      </Row>
    </Group>
  );
}

function Machine() {
  const [place, setPlace] = useState<Environment | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    host()
      .environment()
      .then(setPlace, (thrown) => setFault(asFault(thrown).message));
  }, []);
  if (fault) return <FaultLine text={fault} />;
  if (!place) return <Skeleton rows={3} />;
  const choose = async (on: boolean) => {
    await attempt(() => host().useSafeRenderer(on));
    const now = await attempt(() => host().environment());
    if (now) setPlace(now);
  };
  return (
    <>
      <Group title={t.settings.machine}>
        <Row title={t.settings.safe} note={place.offerSafeRenderer ? t.settings.safeNote : t.settings.safeNone}>
          {place.offerSafeRenderer ? (
            <Toggle
              label={t.settings.safe}
              checked={place.safeRenderer}
              onChange={(on) => void choose(on)}
              testId="safe-renderer"
            />
          ) : null}
        </Row>
      </Group>
      <Group title={t.settings.data}>
        <Row title={t.settings.database} note={t.settings.databaseNote}>
          <code className="mono sel settings-path" data-testid="db-path">
            {place.dbPath}
          </code>
        </Row>
        <Row title={t.settings.version} note="">
          <code className="mono sel">{place.version}</code>
        </Row>
      </Group>
    </>
  );
}
