// The card of a group of settings and its rows.
import type { ReactNode } from "react";

type GroupProps = {
  title: string;
  note?: string;
  acts?: ReactNode;
  children: ReactNode;
  narrow?: boolean;
  testId?: string;
};

export function Group({ title, note, acts, children, narrow, testId }: GroupProps) {
  return (
    <section className={`settings-card${narrow ? " narrow" : ""}`} aria-label={title} data-testid={testId}>
      <header>
        <h3>{title}</h3>
        {note ? <span className="sm t3 grow">{note}</span> : <span className="grow" />}
        {acts}
      </header>
      {children}
    </section>
  );
}

type RowProps = { title?: string; note?: string; children?: ReactNode };

export function Row({ title, note, children }: RowProps) {
  return (
    <div className="settings-row">
      {title ? (
        <div className="grow">
          <b>{title}</b>
          {note ? <p className="sm t3">{note}</p> : null}
        </div>
      ) : null}
      {children}
    </div>
  );
}
