// All keys at a glance. Only keys that do something are listed.
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { IconButton } from "../components/controls/controls";
import { KeyList } from "../components/KeyList";
import { t } from "../text";

export function KeySheet({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog.Root open={open} onOpenChange={(next) => !next && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog wide" data-testid="keys">
          <div className="row">
            <Dialog.Title className="grow">{t.shell.keysTitle}</Dialog.Title>
            <Dialog.Close render={<IconButton label={t.words.close} icon={<X size={15} />} />} />
          </div>
          <KeyList />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
