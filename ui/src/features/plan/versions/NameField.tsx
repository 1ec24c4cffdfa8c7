// The field in which a version gets its name: Enter keeps it, Escape leaves it as it was, nothing takes the name away.
import { Check } from "lucide-react";
import { useState } from "react";
import { IconButton } from "../../../components/controls/controls";
import type { RevisionView } from "../../../ipc/bindings";
import { nameVersion } from "../../../state/versions";
import { t } from "../../../text";

type Props = { run: string; row: RevisionView; onClose: () => void };

const LONGEST = 80;

export function NameField({ run, row, onClose }: Props) {
  const [text, setText] = useState(row.name ?? "");
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    onClose();
    window.setTimeout(() => document.getElementById(`version-${row.revision}`)?.focus(), 0);
  };
  const keep = async () => {
    setBusy(true);
    if (await nameVersion(run, row.revision, text.trim() || null)) close();
    else setBusy(false);
  };
  return (
    <form
      className="version-name"
      onSubmit={(event) => {
        event.preventDefault();
        void keep();
      }}
    >
      <span className="version-number num">{row.revision}</span>
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        aria-label={t.versions.nameOf(row.revision)}
        placeholder={t.versions.nameHint}
        maxLength={LONGEST}
        value={text}
        disabled={isBusy}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
          event.preventDefault();
          event.stopPropagation();
          close();
        }}
        data-testid="version-name"
      />
      <IconButton
        label={t.versions.keepName}
        size="small"
        type="submit"
        icon={<Check size={14} strokeWidth={1.75} />}
      />
    </form>
  );
}
