// What can be done with a row of a list: rename it, delete it. By its menu, or by keys on its name.
import { Menu } from "@base-ui/react/menu";
import { Check, Columns2, Ellipsis, FileDown, Pencil, Tag, Trash2 } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/controls/controls";
import { printKeys } from "../../components/controls/keys";
import type { RunRow } from "../../ipc/bindings";
import { askCompare } from "../../state/compare";
import { beginExport } from "../../state/exporting";
import { askDelete, beginRename, endRename, rename } from "../../state/keeping";
import { t } from "../../text";
import { visible } from "../../text/format";

const LONGEST = 80;

export function RowMenu({ row, onTags }: { row: RunRow; onTags?: () => void }) {
  return (
    <Menu.Root modal={false}>
      <Menu.Trigger
        render={
          <Button
            look="ghost"
            size="small"
            icon={<Ellipsis className="icon" size={15} strokeWidth={1.75} aria-hidden="true" />}
          />
        }
        aria-label={t.keeping.acts(visible(row.title))}
        onClick={stop}
        data-testid={`acts-${row.run}`}
      />
      <Menu.Portal>
        <Menu.Positioner side="bottom" align="end" sideOffset={4} collisionPadding={8}>
          <Menu.Popup className="popup act-menu" aria-label={t.keeping.acts(visible(row.title))}>
            <Menu.Item className="item" onClick={act(() => beginRename(row.run))} data-testid="row-rename">
              <Pencil className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
              <span className="el">{t.keeping.rename}</span>
              <kbd>{printKeys("f2")}</kbd>
            </Menu.Item>
            <Menu.Item className="item" onClick={act(() => void askCompare(row.run))} data-testid="row-compare">
              <Columns2 className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
              <span className="el">{t.compare.ask}</span>
            </Menu.Item>
            {onTags ? (
              <Menu.Item className="item" onClick={act(onTags)} data-testid="row-tags">
                <Tag className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
                <span className="el">{t.lists.tags}</span>
                <kbd>#</kbd>
              </Menu.Item>
            ) : null}
            <Menu.Item className="item" onClick={act(() => beginExport(row))} data-testid="row-export">
              <FileDown className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
              <span className="el">{t.exporting.open}</span>
            </Menu.Item>
            <Menu.Item className="item danger" onClick={act(() => void askDelete(row))} data-testid="row-delete">
              <Trash2 className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />
              <span className="el">{t.keeping.delete}</span>
              <kbd>{printKeys("delete")}</kbd>
            </Menu.Item>
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** A click on the menu is none on the row. */
const stop = (event: { stopPropagation: () => void }) => event.stopPropagation();

function act(then: () => void) {
  return (event: { stopPropagation: () => void }) => {
    stop(event);
    then();
  };
}

/** In the place of the name: Enter keeps what was typed, Escape leaves it as it was. */
export function RenameField({ row }: { row: RunRow }) {
  const [text, setText] = useState(row.title);
  const [isBusy, setBusy] = useState(false);
  const close = () => {
    endRename();
    window.setTimeout(() => document.getElementById(nameId(row.run))?.focus(), 0);
  };
  const keep = async () => {
    setBusy(true);
    if (text.trim() === row.title || (await rename(row.run, text.trim() || null))) close();
    else setBusy(false);
  };
  return (
    <form
      className="run-rename"
      onClick={stop}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.key !== "Escape" || event.nativeEvent.isComposing) return;
        event.preventDefault();
        close();
      }}
      onSubmit={(event) => {
        event.preventDefault();
        void keep();
      }}
    >
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        aria-label={t.keeping.nameOf(visible(row.title))}
        placeholder={t.keeping.nameHint}
        maxLength={LONGEST}
        value={text}
        disabled={isBusy}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setText(event.target.value)}
        data-testid="rename-field"
      />
      <IconButton label={t.keeping.keepName} size="small" type="submit" icon={<Check size={14} strokeWidth={1.75} />} />
    </form>
  );
}

/** The button of a row's name; the keyboard comes back to it. */
export function nameId(run: string): string {
  return `row-${run}`;
}
