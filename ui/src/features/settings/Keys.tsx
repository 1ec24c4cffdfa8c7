// The keys, each to be changed by pressing another. A key that means something else here is refused with a word.
import { RotateCcw } from "lucide-react";
import { type KeyboardEvent, useState } from "react";
import { Button, FaultLine, IconButton } from "../../components/controls/controls";
import { bound, isFixed, type Refusal, refusalOf, useKeymap } from "../../components/controls/keymap";
import { keyOf, printStroke } from "../../components/controls/keys";
import { setKey, setKeys } from "../../state/settings";
import { keyText, t } from "../../text";
import { KEYS, type KeyPlace } from "../../text/en/keys";
import { Group } from "./rows";

/** The key that is being changed, and why the last one that was pressed can't be. */
type Asked = { place: KeyPlace; usual: string; refusal: string | null };

export function Keys() {
  const own = useKeymap((s) => s.own);
  const [asked, setAsked] = useState<Asked | null>(null);
  return (
    <Group
      title={t.settings.sections.keyboard}
      note={t.settings.keysNote}
      testId="own-keys"
      acts={
        <Button
          size="small"
          disabled={Object.keys(own).length === 0}
          icon={<RotateCcw className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => setKeys({})}
          data-testid="reset-keys"
        >
          {t.settings.keyList.resetAll}
        </Button>
      }
    >
      <div className="own-keys">
        {KEYS.map((group) => (
          <section key={group.name} aria-label={t.keyGroups[group.name]}>
            <h4 className="heading">{t.keyGroups[group.name]}</h4>
            {group.keys.map(([keys, text]) => (
              <KeyRow key={text} place={group.place} keys={keys} text={keyText(text)} asked={asked} onAsk={setAsked} />
            ))}
          </section>
        ))}
      </div>
    </Group>
  );
}

type RowProps = {
  place: KeyPlace;
  keys: readonly string[];
  text: string;
  asked: Asked | null;
  onAsk: (asked: Asked | null) => void;
};

function KeyRow({ place, keys, text, asked, onAsk }: RowProps) {
  const mine = asked && asked.place === place && keys.includes(asked.usual) ? asked : null;
  return (
    <div className="own-key-row">
      <span className="grow">{text}</span>
      <span className="own-key-keys">
        {keys.map((usual) => (
          <OneKey key={usual} place={place} usual={usual} text={text} asked={mine} onAsk={onAsk} />
        ))}
      </span>
      {mine ? (
        <div className="own-key-said">
          {mine.refusal ? <FaultLine text={mine.refusal} /> : <p className="xs t3">{t.settings.keyList.pressNote}</p>}
        </div>
      ) : null}
    </div>
  );
}

type KeyProps = Omit<RowProps, "keys"> & { usual: string };

function OneKey({ place, usual, text, asked, onAsk }: KeyProps) {
  const now = bound(place, usual);
  if (isFixed(place, usual)) return <kbd>{printStroke(usual)}</kbd>;
  const isAsked = asked?.usual === usual;
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isAsked) return;
    const key = keyOf(event.nativeEvent);
    if (key === null || key === "tab" || key === "shift+tab") return;
    event.preventDefault();
    event.stopPropagation();
    if (key === "escape") return onAsk(null);
    const refusal = refusalOf(place, usual, key);
    if (refusal) return onAsk({ place, usual, refusal: saidOf(refusal, printStroke(key)) });
    setKey(place, usual, key);
    onAsk(null);
  };
  return (
    <>
      <button
        type="button"
        className={`own-key${isAsked ? " asked" : ""}${now === usual ? "" : " changed"}`}
        aria-label={isAsked ? t.settings.keyList.press : t.settings.keyList.change(text, printStroke(now))}
        onClick={() => onAsk(isAsked ? null : { place, usual, refusal: null })}
        onKeyDown={onKeyDown}
        onBlur={() => isAsked && onAsk(null)}
        data-testid={`key-${place}-${usual.replace(/\s/g, "_")}`}
      >
        {isAsked ? t.settings.keyList.press : printStroke(now)}
      </button>
      {now === usual ? null : (
        <IconButton
          label={t.settings.keyList.back(text)}
          size="small"
          icon={<RotateCcw className="icon" size={12} strokeWidth={1.75} aria-hidden="true" />}
          onClick={() => setKey(place, usual, null)}
        />
      )}
    </>
  );
}

function saidOf(refusal: Refusal, key: string): string {
  switch (refusal.why) {
    case "fixed":
      return t.settings.keyList.fixed(key);
    case "pair":
      return t.settings.keyList.pair(key);
    case "taken":
      return t.settings.keyList.taken(key, keyText(refusal.text));
  }
}
