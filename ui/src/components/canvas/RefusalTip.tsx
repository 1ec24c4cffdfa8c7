// While an edge is being drawn over a task that refuses it: the engine's reason, beside the pointer and inside the window.
import { CircleAlert } from "lucide-react";
import { useEffect } from "react";
import { createPortal } from "react-dom";
import { visible } from "../../text/format";
import { taskUnder, useConnecting } from "./connecting";

const WIDTH = 300;

export function RefusalTip() {
  const { from, verdicts, over } = useConnecting();
  const isOn = from !== null;
  useEffect(() => {
    if (!isOn) return;
    let frame = 0;
    const onMove = (event: PointerEvent) => {
      cancelAnimationFrame(frame);
      const at = { x: event.clientX, y: event.clientY };
      frame = requestAnimationFrame(() => useConnecting.setState({ over: { task: taskUnder(at), ...at } }));
    };
    window.addEventListener("pointermove", onMove, { capture: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener("pointermove", onMove, { capture: true });
    };
  }, [isOn]);
  const refusal = over?.task && over.task !== from ? verdicts?.get(over.task) : null;
  if (!over || typeof refusal !== "string") return null;
  const place = { transform: `translate(${Math.min(over.x + 16, window.innerWidth - WIDTH - 12)}px,${over.y + 18}px)` };
  return createPortal(
    <div className="refusal" role="status" style={place} data-testid="refusal">
      <CircleAlert className="icon" size={13} strokeWidth={1.75} aria-hidden="true" />
      <span>{visible(refusal)}</span>
    </div>,
    document.body,
  );
}
