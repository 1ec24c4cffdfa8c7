// A moment of a run that somebody is led to from elsewhere: kept until the screen that looks back takes it up.
let wanted: { run: string; seq: number } | null = null;

export function askMoment(run: string, seq: number): void {
  wanted = { run, seq };
}

/** Once; null where nobody was led to this run. */
export function takeMoment(run: string): number | null {
  if (wanted?.run !== run) return null;
  const { seq } = wanted;
  wanted = null;
  return seq;
}
