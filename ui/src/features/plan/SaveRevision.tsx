// Saving the revision that stands, under a name: Enter saves, Escape leaves. Nothing else is changed by it.
import { Dialog } from "@base-ui/react/dialog";
import { Tag } from "lucide-react";
import { useRef, useState } from "react";
import { Button } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import { notify } from "../../state/notices";
import { nameVersion } from "../../state/versions";
import { t } from "../../text";
import { visible } from "../../text/format";
import { closeSave, type Saving, useSaving } from "./saveStore";

const LONGEST = 80;

export function SaveRevision() {
  const saving = useSaving((s) => s.now);
  const field = useRef<HTMLInputElement>(null);
  return (
    <Dialog.Root open={saving !== null} onOpenChange={(open) => !open && closeSave()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog" initialFocus={field} data-testid="save-dialog">
          {saving ? <Form saving={saving} field={field} /> : null}
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Form({ saving, field }: { saving: Saving; field: React.RefObject<HTMLInputElement | null> }) {
  const [name, setName] = useState(saving.name);
  const [isBusy, setBusy] = useState(false);
  const save = async () => {
    const wanted = name.trim();
    if (wanted === "" || isBusy) return;
    setBusy(true);
    if (await nameVersion(saving.run, saving.revision, wanted)) {
      closeSave();
      notify(t.plan.savedAs(visible(wanted), saving.revision), { tone: "done" });
    } else setBusy(false);
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Dialog.Title>{t.plan.saveTitle(saving.revision)}</Dialog.Title>
      <Dialog.Description className="t2">{t.plan.saveNote}</Dialog.Description>
      <label className="save-name">
        <span className="label">{t.plan.saveName}</span>
        <input
          className="field"
          ref={field}
          maxLength={LONGEST}
          value={name}
          onFocus={(event) => event.target.select()}
          onChange={(event) => setName(event.target.value)}
          onKeyDown={(event) => {
            // The Enter that ends a composition is not the one that saves.
            if (event.key === "Enter" && (event.nativeEvent.isComposing || event.keyCode === 229))
              event.preventDefault();
          }}
          data-testid="save-name"
        />
      </label>
      <p className="sm t3">{t.plan.saveFileNote(printKeys("ctrl+shift+s"))}</p>
      <div className="actions">
        <Button
          look="primary"
          type="submit"
          aria-disabled={name.trim() === "" || isBusy}
          icon={<Tag className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
          data-testid="save-revision"
        >
          {t.plan.saveRevision}
        </Button>
        <Dialog.Close className="btn ghost medium">{t.plan.saveNot}</Dialog.Close>
      </div>
    </form>
  );
}
