// All keys at a glance. Only keys that do something are listed.
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { useRef } from "react";
import { IconButton } from "../components/controls/controls";
import { KeyList } from "../components/KeyList";
import { t } from "../text";

export function KeySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  // The keys are what is read: on the button its tooltip would take the first Escape for itself.
  const list = useRef<HTMLDivElement>(null);
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog wide" data-testid="keys" initialFocus={list}>
          <div className="row">
            <Dialog.Title className="grow">{t.shell.keysTitle}</Dialog.Title>
            <Dialog.Close render={<IconButton label={t.words.close} icon={<X size={15} />} />} />
          </div>
          <div ref={list} tabIndex={-1} className="key-list-room">
            <KeyList />
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
