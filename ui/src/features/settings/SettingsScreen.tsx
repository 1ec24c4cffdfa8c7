// Settings: its sections at the left, one of them at the right. Each change takes effect at once and is kept.
import { Cpu, Gauge, HardDrive, Keyboard, type LucideIcon, Plug, SunMoon, Wrench } from "lucide-react";
import { useModels } from "../../state/models";
import { t } from "../../text";
import { Keys } from "./Keys";
import { Limits } from "./Limits";
import { Look, Machine, Telling } from "./Look";
import { Models } from "./Models";
import { Servers } from "./Servers";
import { Storage } from "./Storage";
import { SECTIONS, type Section, showSection, useSection } from "./section";
import { Tools } from "./Tools";

const ICON: Record<Section, LucideIcon> = {
  models: Cpu,
  tools: Wrench,
  servers: Plug,
  limits: Gauge,
  storage: HardDrive,
  keyboard: Keyboard,
  look: SunMoon,
};

export function SettingsScreen() {
  const section = useSection((s) => s.section);
  const problems = useModels((s) => s.view?.problems.length ?? 0);
  return (
    <div className="settings" data-testid="settings">
      <div className="settings-inner">
        {" "}
        <nav className="settings-nav" aria-label={t.settings.sectionsLabel}>
          <h2>{t.settings.title}</h2>
          {SECTIONS.map((name) => (
            <NavButton key={name} name={name} isHere={name === section} problems={name === "models" ? problems : 0} />
          ))}
          <p className="xs t3 settings-foot">{t.settings.foot}</p>
        </nav>
        <div
          className="screen settings-body"
          key={section}
          role="region"
          aria-label={t.settings.sections[section]}
          // Some sections hold nothing to focus and yet may have to be scrolled by key.
          tabIndex={0}
          data-testid={`section-${section}`}
        >
          <Body section={section} />
        </div>
      </div>
    </div>
  );
}

function NavButton({ name, isHere, problems }: { name: Section; isHere: boolean; problems: number }) {
  const Icon = ICON[name];
  return (
    <button
      type="button"
      aria-current={isHere ? "page" : undefined}
      onClick={() => showSection(name)}
      data-testid={`settings-${name}`}
    >
      <Icon className="icon" size={16} strokeWidth={1.75} aria-hidden="true" />
      <span className="grow">{t.settings.sections[name]}</span>
      {problems > 0 ? (
        <span className="tag retrying" title={t.settings.problems(problems)}>
          <span className="num">{problems}</span>
          <span className="vh">{t.settings.problems(problems)}</span>
        </span>
      ) : null}
    </button>
  );
}

function Body({ section }: { section: Section }) {
  switch (section) {
    case "models":
      return <Models />;
    case "tools":
      return <Tools />;
    case "servers":
      return <Servers />;
    case "limits":
      return <Limits />;
    case "storage":
      return <Storage />;
    case "keyboard":
      return <Keys />;
    case "look":
      return (
        <>
          <Look />
          <Telling />
          <Machine />
        </>
      );
  }
}
