// What a place shows when it has nothing, is loading, or could not be read.
import { CircleAlert, RotateCw } from "lucide-react";
import type { ReactNode } from "react";
import { t } from "../../text";
import { Button } from "./controls";

export function Empty({
  icon,
  title,
  children,
  actions,
}: {
  icon: ReactNode;
  title: string;
  children?: ReactNode;
  actions?: ReactNode;
}) {
  return (
    <div className="empty">
      <span className="empty-icon" aria-hidden="true">
        {icon}
      </span>
      <h2>{title}</h2>
      {children ? <p>{children}</p> : null}
      {actions ? <div className="row">{actions}</div> : null}
    </div>
  );
}

export function Skeleton({ rows = 5 }: { rows?: number }) {
  return (
    <div className="skeletons" role="status" aria-label={t.words.loading}>
      {Array.from({ length: rows }, (_, ix) => (
        <div key={ix} className="skeleton" style={{ width: `${90 - ((ix * 37) % 50)}%` }} />
      ))}
    </div>
  );
}

/** A request was refused: what happened, in the engine's own words, and a way on. */
export function FaultPanel({
  title,
  message,
  onRetry,
  children,
}: {
  title: string;
  message: string;
  onRetry?: () => void;
  children?: ReactNode;
}) {
  return (
    <div className="empty" role="alert" data-testid="fault">
      <span className="empty-icon tone-failed" aria-hidden="true">
        <CircleAlert size={28} strokeWidth={1.5} />
      </span>
      <h2>{title}</h2>
      <p className="sel">{message}</p>
      <div className="row">
        {onRetry ? (
          <Button icon={<RotateCw className="icon" size={14} />} onClick={onRetry}>
            {t.words.retry}
          </Button>
        ) : null}
        {children}
      </div>
    </div>
  );
}
