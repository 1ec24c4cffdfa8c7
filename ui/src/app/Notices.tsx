// Notices at the bottom left, where they cover nothing that can be pressed: six seconds (faults longer), held while the pointer is on them.
import { CircleAlert, CircleCheck, Info, X } from "lucide-react";
import { useEffect, useState } from "react";
import { Button, IconButton } from "../components/controls/controls";
import { dismiss, dismissActs, type Notice, useNotices } from "../state/notices";
import { useRoute } from "../state/route";
import { t } from "../text";
import { useNoticePlace } from "./noticePlace";

const SHOWN_MS = { done: 6000, plain: 6000, fault: 20_000 };
const ICONS = { done: CircleCheck, plain: Info, fault: CircleAlert };

export function Notices() {
  const notices = useNotices((s) => s.notices);
  const route = useRoute((s) => s.route);
  // What a button of theirs would do belongs to the screen that is left.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another screen is what ends them
  useEffect(() => dismissActs, [route]);
  const place = useNoticePlace(notices.length > 0);
  return (
    <section
      className={`notices${place ? " floating" : ""}`}
      style={place ?? undefined}
      aria-label={t.shell.notices}
      aria-live="polite"
    >
      {notices.map((notice) => (
        <NoticeCard key={notice.id} notice={notice} />
      ))}
    </section>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const [held, setHeld] = useState(false);
  useEffect(() => {
    if (held) return;
    const timer = window.setTimeout(() => dismiss(notice.id), SHOWN_MS[notice.tone]);
    return () => window.clearTimeout(timer);
  }, [held, notice]);
  const Icon = ICONS[notice.tone];
  const act = () => {
    notice.action?.act();
    dismiss(notice.id);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: hovering only holds the notice; the keyboard has its buttons
    <div
      className={`notice${notice.tone === "fault" ? " fault-notice" : ""}`}
      onMouseEnter={() => setHeld(true)}
      onMouseLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
      data-testid={`notice-${notice.tone}`}
    >
      <Icon
        className={`icon${notice.tone === "done" ? " tone-completed" : ""}`}
        size={15}
        strokeWidth={1.75}
        aria-hidden="true"
      />
      <p>{notice.text}</p>
      {notice.action ? (
        <Button size="small" onClick={act}>
          {notice.action.label}
        </Button>
      ) : null}
      <IconButton label={t.shell.dismiss} size="small" icon={<X size={13} />} onClick={() => dismiss(notice.id)} />
    </div>
  );
}
