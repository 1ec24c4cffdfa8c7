// How the window looks and moves, and what this machine draws it with.
import { useEffect, useState } from "react";
import { FaultLine, Segments, Toggle } from "../../components/controls/controls";
import { Skeleton } from "../../components/controls/panel";
import type { Environment } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { attempt } from "../../state/notices";
import { change, TEXT_SIZES, type Theme, useSettings } from "../../state/settings";
import { t } from "../../text";
import { LANGUAGES, type LanguageChoice, OWN_NAMES } from "../../text/language";
import { Group, Row } from "./rows";

export function Look() {
  const { theme, motion, textSize, language, direction } = useSettings();
  return (
    <Group title={t.settings.look} narrow>
      <Row title={t.settings.language} note={t.settings.languageNote}>
        <Segments
          label={t.settings.language}
          testId="language"
          value={language}
          onChange={(v) => change("language", v)}
          choices={(["system", ...LANGUAGES] as LanguageChoice[]).map((value) => ({
            value,
            label: value === "system" ? t.settings.themes.system : OWN_NAMES[value],
          }))}
        />
      </Row>
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
      <Row title={t.settings.direction} note={t.settings.directionNote}>
        <Segments
          label={t.settings.direction}
          testId="direction"
          value={direction}
          onChange={(v) => change("direction", v)}
          choices={(["down", "right"] as const).map((value) => ({ value, label: t.settings.directions[value] }))}
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

/** What the system tells of while another window has the screen. */
export function Telling() {
  const isOn = useSettings((s) => s.notifications);
  return (
    <Group title={t.settings.telling} narrow>
      <Row title={t.settings.notifications} note={t.settings.notificationsNote}>
        <Toggle
          label={t.settings.notifications}
          checked={isOn}
          onChange={(on) => change("notifications", on)}
          testId="notifications"
        />
      </Row>
    </Group>
  );
}

/** What the shell says of where this window runs; read when the section is shown. */
export function useEnvironment() {
  const [place, setPlace] = useState<Environment | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  useEffect(() => {
    host()
      .environment()
      .then(setPlace, (thrown) => setFault(asFault(thrown).message));
  }, []);
  return { place, setPlace, fault };
}

export function Machine() {
  const { place, setPlace, fault } = useEnvironment();
  if (fault) return <FaultLine text={fault} />;
  if (!place) return <Skeleton rows={3} />;
  const choose = async (on: boolean) => {
    await attempt(() => host().useSafeRenderer(on));
    const now = await attempt(() => host().environment());
    if (now) setPlace(now);
  };
  return (
    <Group title={t.settings.machine} narrow>
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
  );
}
