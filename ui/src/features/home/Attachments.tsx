// Files and folders that go along with the goal: only their paths; nothing of them is read before the approval.
import { Menu } from "@base-ui/react/menu";
import { File, Folder, Paperclip, X } from "lucide-react";
import { Hint } from "../../components/controls/controls";
import { type Attached, attach, changeGoal, fileName } from "../../state/goal";
import { t } from "../../text";
import { visible } from "../../text/format";

export function Attachments({ files }: { files: readonly Attached[] }) {
  const without = (path: string) => changeGoal({ files: files.filter((file) => file.path !== path) });
  return (
    <>
      <Menu.Root>
        <Menu.Trigger className="goal-chip" data-testid="attach">
          <Paperclip className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
          {t.composer.attachTitle}
        </Menu.Trigger>
        <Menu.Portal>
          <Menu.Positioner sideOffset={4} align="start">
            <Menu.Popup className="popup">
              <Menu.Item className="item" onClick={() => void attach(false)} data-testid="attach-files">
                <File className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
                {t.composer.attach}
              </Menu.Item>
              <Menu.Item className="item" onClick={() => void attach(true)} data-testid="attach-folder">
                <Folder className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
                {t.composer.attachFolder}
              </Menu.Item>
            </Menu.Popup>
          </Menu.Positioner>
        </Menu.Portal>
      </Menu.Root>
      {files.map((file) => (
        <Chip key={file.path} file={file} onRemove={() => without(file.path)} />
      ))}
    </>
  );
}

function Chip({ file, onRemove }: { file: Attached; onRemove: () => void }) {
  const name = visible(fileName(file.path));
  const Icon = file.isFolder ? Folder : File;
  return (
    <span className="goal-chip attached" data-testid={`attached-${fileName(file.path)}`}>
      <Icon className="icon t3" size={14} strokeWidth={1.75} aria-hidden="true" />
      <span className="el">{name}</span>
      <Hint text={t.composer.fileNote(visible(file.path))}>
        <button type="button" className="goal-chip-x" aria-label={t.composer.detach(name)} onClick={onRemove}>
          <X size={12} strokeWidth={1.75} aria-hidden="true" />
        </button>
      </Hint>
    </span>
  );
}
