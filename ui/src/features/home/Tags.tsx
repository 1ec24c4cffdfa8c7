// The tags of a row: short words that can be taken off, and a field in which others are typed.
import { Plus, X } from "lucide-react";
import { useState } from "react";
import { create } from "zustand";
import type { RunRow } from "../../ipc/bindings";
import { tag, useFinding } from "../../state/finding";
import { t } from "../../text";
import { visible } from "../../text/format";
import { nameId } from "./RowActs";

const LONGEST = 32;
const SHOWN = 3;

/** Whose tags are being edited. */
const useEditing = create<{ run: string | null }>(() => ({ run: null }));

export function beginTags(run: string): void {
  useEditing.setState({ run });
}

/** A click in here is none on the row. */
const stop = (event: { stopPropagation: () => void }) => event.stopPropagation();

export function Tags({ row }: { row: RunRow }) {
  const isEditing = useEditing((s) => s.run === row.run);
  if (isEditing) return <TagField row={row} />;
  const begin = (event: { stopPropagation: () => void }) => {
    stop(event);
    beginTags(row.run);
  };
  const shown = row.tags.slice(0, SHOWN);
  const more = row.tags.length - shown.length;
  return (
    <span className="run-tags">
      {shown.map((word) => (
        <button
          key={word}
          type="button"
          className="tag run-tag"
          tabIndex={-1}
          aria-label={t.lists.editTags(visible(word))}
          onClick={begin}
          data-testid="tag"
        >
          {visible(word)}
        </button>
      ))}
      {more > 0 ? <span className="t3 sm num">{`+${more}`}</span> : null}
      <button
        type="button"
        className="run-tag-add"
        tabIndex={-1}
        aria-label={t.lists.addTag(visible(row.title))}
        onClick={begin}
        data-testid={`tag-${row.run}`}
      >
        <Plus size={13} strokeWidth={1.75} aria-hidden="true" />
      </button>
    </span>
  );
}

/** Enter adds what is typed, Backspace in the empty field takes the last one off, Escape ends. */
function TagField({ row }: { row: RunRow }) {
  const [text, setText] = useState("");
  const known = useFinding((s) => s.page?.tags);
  const [isBusy, setBusy] = useState(false);
  const change = async (add: string[], remove: string[]) => {
    setBusy(true);
    if (await tag(row.run, add, remove)) setText("");
    setBusy(false);
  };
  const close = () => {
    useEditing.setState({ run: null });
    window.setTimeout(() => document.getElementById(nameId(row.run))?.focus(), 0);
  };
  const words = text.split(/[\s,]+/).filter((word) => word !== "");
  return (
    <form
      className="run-tags editing"
      onClick={stop}
      onSubmit={(event) => {
        event.preventDefault();
        if (words.length > 0 && !isBusy) void change(words, []);
        else close();
      }}
      onKeyDown={(event) => {
        event.stopPropagation();
        if (event.nativeEvent.isComposing) return;
        const last = row.tags[row.tags.length - 1];
        if (event.key === "Escape") {
          event.preventDefault();
          close();
        } else if (event.key === "Backspace" && text === "" && last !== undefined && !isBusy) void change([], [last]);
      }}
      onBlur={(event) => {
        if (event.currentTarget.contains(event.relatedTarget)) return;
        if (words.length > 0) void change(words, []);
        useEditing.setState({ run: null });
      }}
    >
      {row.tags.map((word) => (
        <button
          key={word}
          type="button"
          className="tag run-tag"
          aria-label={t.lists.removeTag(visible(word))}
          onClick={() => void change([], [word])}
          data-testid="remove-tag"
        >
          {visible(word)}
          <X size={11} strokeWidth={2} aria-hidden="true" />
        </button>
      ))}
      <input
        // biome-ignore lint/a11y/noAutofocus: it was just asked for
        autoFocus
        aria-label={t.lists.newTag(visible(row.title))}
        placeholder={t.lists.newTagHint}
        list="known-tags"
        maxLength={LONGEST * 4}
        value={text}
        onChange={(event) => setText(event.target.value)}
        data-testid="tag-field"
      />
      <datalist id="known-tags">
        {known
          ?.filter((one) => !row.tags.includes(one.tag))
          .map((one) => (
            <option key={one.tag} value={one.tag} />
          ))}
      </datalist>
    </form>
  );
}
