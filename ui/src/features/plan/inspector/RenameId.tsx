// The task's id under its title: a click makes it a field; Enter renames it everywhere, Escape leaves it.
import { Pencil } from "lucide-react";
import { useState } from "react";
import { edit } from "../../../state/draft";
import { select } from "../../../state/selection";
import { t } from "../../../text";
import { useTask } from "./context";

export function RenameId() {
  const { task, isLocked } = useTask();
  const [text, setText] = useState<string | null>(null);
  if (text === null) {
    return (
      <button
        type="button"
        className="rename-id mono t3"
        disabled={isLocked}
        onClick={() => setText(task.id)}
        title={isLocked ? undefined : t.inspector.rename}
        data-testid="rename-id"
      >
        <span className="el">{task.id}</span>
        {isLocked ? null : <Pencil className="icon" size={11} aria-label={t.inspector.rename} />}
      </button>
    );
  }
  const send = async () => {
    const to = text.trim();
    setText(null);
    if (to === "" || to === task.id) return;
    const view = await edit([{ renameTask: { id: task.id, to } }]);
    if (view) select([to]);
  };
  return (
    <input
      className="field mono rename-field"
      aria-label={t.inspector.id}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here
      autoFocus
      value={text}
      onChange={(event) => setText(event.target.value)}
      onBlur={() => void send()}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing || event.keyCode === 229) return;
        if (event.key === "Enter") void send();
        if (event.key === "Escape") {
          event.stopPropagation();
          setText(null);
        }
      }}
      data-testid="rename-id-field"
    />
  );
}
