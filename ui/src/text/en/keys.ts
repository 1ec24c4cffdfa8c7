// The keys that work, by place, for the key sheet. The other languages say the same by these English words.
import type { keyGroups } from "./shell";

/** Where a key works. `canvas` is every canvas, whatever it shows. */
export type KeyPlace =
  | "anywhere"
  | "home"
  | "canvas"
  | "plan"
  | "approve"
  | "run"
  | "replan"
  | "review"
  | "compare"
  | "waiting";

type Group = { name: keyof typeof keyGroups; place: KeyPlace; keys: readonly (readonly [readonly string[], string])[] };

export const KEYS: readonly Group[] = [
  {
    name: "anywhere",
    place: "anywhere",
    keys: [
      [["ctrl+k"], "Search and commands"],
      [["?"], "All keys"],
      [["g h", "g p", "g r", "g w"], "Home, plans, runs, waiting"],
      [["n"], "New plan"],
      [["ctrl+o"], "Open a plan file"],
      [["ctrl+,"], "Settings"],
      [["ctrl+1", "ctrl+2", "ctrl+3", "ctrl+4"], "Stage: plan, approve, run, review"],
      [["f6", "shift+f6"], "Next, previous region"],
    ],
  },
  {
    name: "home",
    place: "home",
    keys: [[["ctrl+enter"], "Make a plan, from the goal's field"]],
  },
  {
    name: "lists",
    place: "home",
    keys: [
      [["up", "down"], "From row to row"],
      [["left", "right"], "Fold the forks of a row, and show them"],
      [["f2"], "Rename"],
      [["#"], "Tags of a row"],
      [["x"], "Choose a row, and not"],
      [["delete"], "Delete the row, or all that are chosen"],
    ],
  },
  {
    name: "canvas",
    place: "plan",
    keys: [
      [["a", "m", "t", "c", "q", "f", "s"], "Add agent, model call, tool, code, person, map, subplan"],
      [["i"], "Add where the pointer is, tools too"],
      [["/"], "Find in the palette"],
      [["e", "shift+e"], "Connect to…, disconnect…"],
      [["enter"], "Open in the inspector"],
      [["f2"], "Rename"],
      [["delete"], "Delete"],
      [["ctrl+d"], "Duplicate"],
      [["ctrl+c", "ctrl+x", "ctrl+v"], "Copy, cut, paste"],
      [["ctrl+a"], "Select all"],
      [["ctrl+z", "ctrl+shift+z"], "Undo, redo"],
      [["shift+t"], "Tidy; with several chosen only these"],
      [["v", "h"], "Select, move the view; then arrows move it"],
      [["l", "shift+j"], "List view, JSON, and back"],
      [["ctrl+f"], "Find and replace in the plan"],
      [["shift+c"], "Ask the planner for a change"],
      [["d"], "Leave out of the run, and take in again"],
      [["p"], "Pin the output, and let go of it again"],
      [["b"], "Stop the run before the task, and no more"],
      [["[", "]"], "Previous, next change, where versions are compared"],
      [["ctrl+g", "ctrl+shift+g"], "Make a subplan, open one up"],
      [["shift+f10"], "Menu of the card"],
      [["ctrl+m"], "Small map"],
      [["ctrl+s"], "Save this revision under a name"],
      [["ctrl+shift+s"], "Save to the plan file"],
      [["ctrl+b", "ctrl+i"], "Left, right panel"],
    ],
  },
  {
    name: "moving",
    place: "canvas",
    keys: [
      [["↑", "↓", "←", "→"], "Follow edges; left and right in the wave"],
      [["tab"], "Next task in run order"],
      [["shift+↑"], "Shift and arrows choose more"],
      [["alt+↑"], "Alt and arrows move the card"],
      [["alt+shift+↑"], "With Shift by one step; on a note its size"],
      [["ctrl++", "ctrl+-", "ctrl+0"], "Zoom"],
      [["shift+1", "shift+2"], "Fit all, fit the selection"],
      [["escape"], "Close, then deselect"],
    ],
  },
  {
    name: "problems",
    place: "plan",
    keys: [
      [["f8", "shift+f8"], "Next, previous problem"],
      [["ctrl+."], "Quick fix"],
    ],
  },
  {
    name: "proposal",
    place: "plan",
    keys: [
      [["[", "]"], "Previous, next change"],
      [["y", "x"], "Take, leave the change"],
      [["ctrl+enter"], "Take all"],
    ],
  },
  {
    name: "approve",
    place: "approve",
    keys: [
      [["ctrl+enter"], "Approve and run"],
      [["o"], "Next overlay"],
      [["x"], "Grant on or off"],
      [["s", "t"], "Schedule and back; its table and back"],
      [["e"], "Edit the plan"],
    ],
  },
  {
    name: "run",
    place: "run",
    keys: [
      [["p"], "Pause or resume"],
      [["ctrl+shift+."], "Stop"],
      [["o"], "Follow what runs"],
      [["ctrl+i", "ctrl+j"], "Right panel, events"],
      [["ctrl+shift+space"], "Say the last event aloud"],
      [["[", "]"], "Item of a map: before, next"],
      [["j", "k"], "Step of the trace: next, before"],
    ],
  },
  {
    name: "review",
    place: "review",
    keys: [
      [["space"], "Play and stop"],
      [["arrowleft", "arrowright"], "Event before, next"],
      [["shift+arrowleft", "shift+arrowright"], "Checkpoint before, next"],
      [["home", "end"], "Beginning, end"],
      [["r", "f"], "Rewind here, fork from here"],
      [["c"], "Compare with another run"],
      [["t"], "Table of the time axis and back"],
      [["+", "-", "0"], "Closer, farther, all of the time axis"],
      [["ctrl+i", "ctrl+j"], "Right panel, time axis"],
    ],
  },
  {
    name: "compare",
    place: "compare",
    keys: [
      [["[", "]"], "Difference before, next"],
      [["x"], "A and B change places"],
      [["tab"], "To the plans, and on to the outputs"],
      [["ctrl+b"], "Left panel"],
    ],
  },
  {
    name: "replan",
    place: "replan",
    keys: [
      [["[", "]"], "Previous, next change"],
      [["x"], "Take or leave the change"],
      [["ctrl+enter"], "Accept the new plan"],
      [["e"], "Edit the new plan first"],
      [["shift+r"], "Keep the plan"],
      [["/"], "Tell the replanner"],
    ],
  },
  {
    name: "waiting",
    place: "waiting",
    keys: [
      [["j", "k"], "Next, previous decision"],
      [["1", "2", "3", "4"], "Choose"],
      [["ctrl+enter"], "Send"],
    ],
  },
];
