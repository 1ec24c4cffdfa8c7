// Writing a run or a draft to a file: as what, in which colours, what is in it, where, and what came of it.
import { Dialog } from "@base-ui/react/dialog";
import { CircleCheck, FileDown } from "lucide-react";
import { useRef } from "react";
import { Button, FaultLine, Segments, Toggle } from "../components/controls/controls";
import { Select } from "../components/controls/Select";
import type { ExportForm } from "../ipc/bindings";
import { choose, endExport, FORMS, hasTheme, useExporting, writeExport } from "../state/exporting";
import { t } from "../text";
import { bytes, visible } from "../text/format";

export function ExportDialog() {
  const of = useExporting((s) => s.of);
  // While it fades away it still says what it said.
  const last = useRef(of);
  if (of) last.current = of;
  return (
    <Dialog.Root open={of !== null} onOpenChange={(next) => !next && endExport()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="scrim" />
        <Dialog.Popup className="dialog export-dialog" data-testid="export-dialog">
          <Dialog.Title>{t.exporting.title(visible(last.current?.title ?? ""))}</Dialog.Title>
          <Choices />
          <Outcome />
          <Acts />
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

function Choices() {
  const { form, theme, withContent } = useExporting();
  return (
    <>
      <div className="form-field">
        <span className="form-label" aria-hidden="true">
          {t.exporting.form}
        </span>
        <Select
          label={t.exporting.form}
          value={form}
          options={FORMS.map((value) => ({ value, label: t.exporting.forms[value] }))}
          onChange={(value) => choose({ form: value as ExportForm })}
          testId="export-form"
        />
      </div>
      <p className="sm t2 export-note">
        {t.exporting.notes[form]} {form === "run" ? t.exporting.secretsOfLog : t.exporting.secrets}
      </p>
      {hasTheme(form) ? (
        <div className="form-field">
          <span className="form-label" aria-hidden="true">
            {t.exporting.theme}
          </span>
          <Segments
            label={t.exporting.theme}
            choices={[
              { value: "light", label: t.exporting.themes.light },
              { value: "dark", label: t.exporting.themes.dark },
            ]}
            value={theme}
            onChange={(value) => choose({ theme: value })}
            testId="export-theme"
          />
        </div>
      ) : null}
      {form === "otlp" ? (
        <div className="export-content">
          <span>
            <b>{t.exporting.withContent}</b>
            <span className="sm t3">{t.exporting.withContentNote}</span>
          </span>
          <Toggle
            label={t.exporting.withContent}
            checked={withContent}
            onChange={(next) => choose({ withContent: next })}
            testId="export-content"
          />
        </div>
      ) : null}
    </>
  );
}

function Outcome() {
  const { done, fault } = useExporting();
  if (fault !== null) return <FaultLine text={`${t.exporting.fault}: ${visible(fault)}`} />;
  if (!done) return null;
  return (
    <div className="export-done" role="status" data-testid="export-done">
      <CircleCheck className="icon" size={16} strokeWidth={1.75} aria-hidden="true" />
      <div>
        <b>{t.exporting.done(bytes(done.bytes))}</b>
        <code className="path">{visible(done.file)}</code>
        {done.notes.map((note) => (
          <span className="sm t3" key={note}>
            {note}
          </span>
        ))}
      </div>
    </div>
  );
}

function Acts() {
  const { isBusy, done } = useExporting();
  return (
    <div className="actions">
      <Button onClick={endExport} disabled={isBusy} data-testid="export-close">
        {t.exporting.close}
      </Button>
      <Button
        look={done ? "plain" : "primary"}
        disabled={isBusy}
        icon={<FileDown className="icon" size={14} strokeWidth={1.75} aria-hidden="true" />}
        onClick={() => void writeExport()}
        data-testid="export-now"
      >
        {isBusy ? t.exporting.writing : t.exporting.choose}
      </Button>
    </div>
  );
}
