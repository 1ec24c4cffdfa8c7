// How the window looks and moves, and what this machine draws it with.
import { useEffect, useState } from "react";
import { type Choice, FaultLine, Segments, Toggle } from "../../components/controls/controls";
import { Skeleton } from "../../components/controls/panel";
import type { Environment } from "../../ipc/bindings";
import { asFault, host } from "../../ipc/host";
import { attempt } from "../../state/notices";
import { change, TEXT_SIZES, type Theme, useSettings } from "../../state/settings";
import { t } from "../../text";
import { LANGUAGES, type LanguageChoice, OWN_NAMES } from "../../text/language";
import { Group, Row } from "./rows";

export function Look() {
  const { theme, motion, textSize, language, direction, planView } = useSettings();
  const w = t.settings;
  const ownName = (value: LanguageChoice) => (value === "system" ? w.themes.system : OWN_NAMES[value]);
  return (
    <Group title={w.look} narrow>
      <Pick
        title={w.language}
        note={w.languageNote}
        testId="language"
        value={language}
        choices={named<LanguageChoice>(["system", ...LANGUAGES], ownName)}
        onChange={(v) => change("language", v)}
      />
      <Pick
        title={w.theme}
        note={w.themeNote}
        testId="theme"
        value={theme}
        choices={named<Theme>(["system", "dark", "light"], (value) => w.themes[value])}
        onChange={(v) => change("theme", v)}
      />
      <Pick
        title={w.direction}
        note={w.directionNote}
        testId="direction"
        value={direction}
        choices={named(["down", "right"] as const, (value) => w.directions[value])}
        onChange={(v) => change("direction", v)}
      />
      <Pick
        title={w.planView}
        note={w.planViewNote}
        testId="plan-view"
        value={planView}
        choices={named(["canvas", "list"] as const, (value) => w.planViews[value])}
        onChange={(v) => change("planView", v)}
      />
      <Pick
        title={w.motion}
        note={w.motionNote}
        testId="motion"
        value={motion}
        choices={named(["system", "less"] as const, (value) => w.motions[value])}
        onChange={(v) => change("motion", v)}
      />
      <Pick
        title={w.textSize}
        note={w.textSizeNote}
        testId="text-size"
        value={String(textSize)}
        choices={named(TEXT_SIZES.map(String), (size) => `${size} %`)}
        onChange={(v) => change("textSize", Number(v))}
      />
    </Group>
  );
}

type PickProps<T extends string> = {
  title: string;
  note: string;
  testId: string;
  value: T;
  choices: readonly Choice<T>[];
  onChange: (value: T) => void;
};

/** A row whose setting is one of a few. */
function Pick<T extends string>({ title, note, ...rest }: PickProps<T>) {
  return (
    <Row title={title} note={note}>
      <Segments label={title} {...rest} />
    </Row>
  );
}

function named<T extends string>(values: readonly T[], name: (value: T) => string): Choice<T>[] {
  return values.map((value) => ({ value, label: name(value) }));
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
