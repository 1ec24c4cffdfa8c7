// What a person can do to a run as a whole: pause, go on, stop. One act at a time.
import { useState } from "react";
import type { RunRow } from "../../ipc/bindings";
import { host } from "../../ipc/host";
import { isLeft } from "../../state/decide";
import { attempt } from "../../state/notices";

export type RunActs = ReturnType<typeof useRunActs>;

export function useRunActs(row: RunRow) {
  const [isBusy, setBusy] = useState(false);
  const [isStopping, setStopping] = useState(false);
  const isOver = row.status === "SUCCEEDED" || row.status === "FAILED" || row.status === "CANCELLED";
  const canResume = row.status === "PAUSED" || isLeft(row);
  const canPause = !canResume && (row.status === "RUNNING" || row.status === "WAITING" || row.status === "BLOCKED");
  const act = async (request: () => Promise<void>) => {
    if (isBusy) return;
    setBusy(true);
    await attempt(request);
    setBusy(false);
  };
  const pause = () => void act(() => host().pauseRun(row.run));
  const resume = () => void act(() => host().resumeRun(row.run));
  return {
    isBusy,
    isOver,
    canPause,
    canResume,
    isStopping,
    pause,
    resume,
    toggle: () => {
      if (canPause) pause();
      else if (canResume) resume();
      else return false;
      return true;
    },
    askStop: () => {
      if (isOver) return false;
      setStopping(true);
      return true;
    },
    keep: () => setStopping(false),
    stop: () => {
      setStopping(false);
      void act(() => host().cancelRun(row.run));
    },
    pauseInstead: () => {
      setStopping(false);
      pause();
    },
  };
}
