// A field for JavaScript or JSON. CodeMirror comes in its own chunk; until then, and where it fails, a plain text field works.
import { useEffect, useRef, useState } from "react";
import type { CodeEditor, Language } from "./codeEditor";

type Props = {
  label: string;
  value: string;
  language: Language;
  names?: () => readonly string[];
  hint?: string;
  onChange?: (text: string) => void;
  onBlur?: () => void;
  readOnly?: boolean;
  invalid?: boolean;
  testId?: string;
};

export function CodeField({
  label,
  value,
  language,
  names,
  hint,
  onChange,
  onBlur,
  readOnly = false,
  invalid = false,
  testId,
}: Props) {
  const box = useRef<HTMLDivElement>(null);
  const editor = useRef<CodeEditor | null>(null);
  const [mounted, setMounted] = useState(false);
  const latest = useRef({ value, names, onChange, onBlur });
  latest.current = { value, names, onChange, onBlur };

  useEffect(() => {
    let gone = false;
    import("./codeEditor").then(
      ({ mountEditor }) => {
        if (gone || !box.current) return;
        editor.current = mountEditor(box.current, {
          label,
          language,
          readOnly,
          hint,
          names: () => latest.current.names?.() ?? [],
          text: latest.current.value,
          onChange: (text) => latest.current.onChange?.(text),
          onBlur: () => latest.current.onBlur?.(),
        });
        setMounted(true);
      },
      () => setMounted(false),
    );
    return () => {
      gone = true;
      editor.current?.destroy();
      editor.current = null;
      setMounted(false);
    };
  }, [label, language, readOnly, hint]);

  useEffect(() => editor.current?.setText(value), [value]);

  return (
    <div className={`code-field${invalid ? " invalid" : ""}${readOnly ? " fixed" : ""}`} data-testid={testId}>
      <div ref={box} />
      {mounted ? null : (
        <textarea
          className="field mono"
          aria-label={label}
          value={value}
          readOnly={readOnly}
          rows={Math.min(14, value.split("\n").length + 1)}
          onChange={(event) => onChange?.(event.target.value)}
          onBlur={onBlur}
        />
      )}
    </div>
  );
}
