// All keys at a glance. Only keys that do something are listed.
import { Dialog } from "@base-ui/react/dialog";
import { X } from "lucide-react";
import { IconButton } from "../components/controls/controls";
import { printKeys } from "../components/controls/keys";
import { t } from "../text";
import { KEYS } from "../text/en/keys";

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
          <div className="shortcuts">
            {KEYS.map((group) => (
              <section key={group.title}>
                <h3 className="heading">{group.title}</h3>
                <dl>
                  {group.keys.map(([keys, text]) => (
                    <Pair key={text} keys={keys} text={text} />
                  ))}
                </dl>
              </section>
            ))}
          </div>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Pair({ keys, text }: { keys: readonly string[]; text: string }) {
  return (
    <>
      <dt>
        {keys.map((k) => (
          <kbd key={k}>{printKeys(k)}</kbd>
        ))}
      </dt>
      <dd>{text}</dd>
    </>
  );
}
