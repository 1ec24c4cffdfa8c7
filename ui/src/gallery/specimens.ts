// Sample tasks and decisions for the gallery.
import type { CanvasTask, MapFrame } from "../components/canvas/model";
import type { CardStatus } from "../components/marks/marks";
import type { DecisionView } from "../ipc/bindings";

export const KINDS: readonly [string, string, string][] = [
  ["agent", "Fetch prices", "gpt-5-mini"],
  ["model", "Write report", "claude-sonnet"],
  ["tool", "Save report", "file.write"],
  ["code", "Normalise", "JavaScript"],
  ["human", "Check outliers", ""],
  ["map", "Map over SKUs", "48 items"],
  ["subplan", "Reconcile", "6 tasks"],
];

export const STATES: readonly [CardStatus, string, string, string][] = [
  ["DRAFT", "Draft", "3 inputs", "writes"],
  ["PENDING", "Pending", "Pending", "waits for a task"],
  ["READY", "Ready", "Ready", "next in queue"],
  ["RUNNING", "Running", "Running", ""],
  ["RETRYING", "Retrying", "Attempt 2 of 4", "next"],
  ["WAITING", "Waiting for you", "Waiting for you", "6 min"],
  ["IN_DOUBT", "In doubt", "In doubt", "1 call unknown"],
  ["COMPLETED", "Done", "Done", "48 rows · 0:52"],
  ["FAILED", "Failed", "Failed, 4 of 4", "http_403"],
  ["SKIPPED", "Skipped", "Skipped", "by you"],
  ["CANCELLED", "Cancelled", "Cancelled", ""],
];

type State = readonly [CardStatus, string, string, string];
export const DRAFT: State = ["DRAFT", "Draft", "3 inputs", "writes"];
export const DONE: State = ["COMPLETED", "Done", "Done", "48 rows · 0:52"];

const STEP: readonly CardStatus[] = ["COMPLETED", "COMPLETED", "RUNNING", "FAILED", "PENDING", "RETRYING", "WAITING"];

/** A map over so many items; over 64 they are shares of one bar. */
export function frame(status: CardStatus, count: number): MapFrame {
  const all = Array.from({ length: count }, (_, ix) =>
    status === "COMPLETED" ? status : (STEP[ix % STEP.length] ?? "PENDING"),
  );
  const shares = STEP.slice(1).map((status) => ({ status, count: all.filter((s) => s === status).length }));
  const isFew = count <= 64;
  const items = { count, over: 14, cells: isFew ? all : [], shares: isFew ? [] : shares, label: `14 of ${count}` };
  const isDraft = status === "DRAFT" || status === "PENDING";
  return {
    kind: "agent",
    title: "Look up one SKU",
    detail: "gpt-5-mini",
    atATime: "6 at a time",
    collects: "one list, in order",
    items: isDraft ? null : items,
  };
}

export function specimen(kind: string, title: string, detail: string, state: State): CanvasTask {
  const [status, , left, right] = state;
  return {
    id: `${kind}-${status}`,
    title,
    kind,
    detail,
    status,
    position: null,
    left,
    right,
    grants: [],
    since: status === "RUNNING" ? Date.now() - 18_000 : null,
    until: status === "RETRYING" ? Date.now() + 60_000 : null,
    badge: null,
    mark: null,
    isTainted: false,
    frame: kind === "map" ? frame(status, 48) : null,
    label: `${title}, ${status}`,
  };
}

const base = {
  run: "demo",
  task: "pay",
  taskTitle: "Pay the invoice",
  openedAt: Date.now() - 22 * 60_000,
  form: null,
  about: null,
  provenance: null,
  mayChange: false,
  holdsUp: 0,
  heldUp: [],
};

export const DECISIONS: readonly DecisionView[] = [
  {
    ...base,
    id: "d1",
    kind: "in_doubt",
    question: "Did this payment happen?",
    about:
      '{"method":"POST","url":"https://pay.example/v1/payments","amount":1240.00,"idempotency_key":"pl-17-2291-7f3a"}',
    options: [
      { answer: "retry", label: "Send again", consequence: "It may then happen twice.", isDefault: false },
      { answer: "done", label: "Mark as done", consequence: "You checked: it went through.", isDefault: false },
      {
        answer: "skip",
        label: "Skip this task",
        consequence: "Tasks that need its receipt are skipped too.",
        isDefault: false,
      },
      { answer: "stop", label: "Stop the run", consequence: "Keeps 9 finished tasks.", isDefault: true },
    ],
  },
  {
    ...base,
    id: "d2",
    kind: "blocked",
    question: "Draw price charts failed and 2 tasks need it",
    about: '{"code":"http_403","message":"The server refused: 403 Forbidden."}',
    options: [
      { answer: "retry", label: "Try again", consequence: "Runs the task once more.", isDefault: false },
      {
        answer: "skip",
        label: "Go on without it",
        consequence: "Tasks after it get nothing from it.",
        isDefault: false,
      },
      {
        answer: "stop",
        label: "Stop the run",
        consequence: "The run ends as failed; finished tasks are kept.",
        isDefault: true,
      },
    ],
  },
  {
    ...base,
    id: "d3",
    kind: "question",
    question: "Are these outliers real?",
    options: [],
    form: '{"type":"object","required":["verdict","rows"],"properties":{"verdict":{"title":"Verdict","type":"string","enum":["Real","Wrong","Not sure"]},"limit":{"type":"integer","title":"Limit","default":9007199254740993},"send":{"type":"boolean","title":"Send the report"},"rows":{"title":"Rows","type":"array","default":[{"sku":"4417","margin":0.2150,"verdict":"Real"},{"sku":"3120","margin":-0.040,"verdict":"Wrong"}],"items":{"type":"object","properties":{"sku":{"type":"string","readOnly":true},"margin":{"type":"number"},"verdict":{"enum":["Real","Wrong"]}}}},"note":{"title":"Note","type":"string"}}}',
  },
  {
    ...base,
    id: "d5",
    kind: "effect",
    question: "Post to #pricing would call chat.post: it sends text from outside. Allow this call?",
    about:
      '{"channel":"#pricing","text":"7 of 48 SKUs need a look.","quotes":["Contoso says “clearance until 30 Nov”"],"report":"margin-2025-11.md"}',
    mayChange: true,
    holdsUp: 2,
    heldUp: ["Write receipts", "Email suppliers"],
    provenance: {
      tool: "chat.post",
      concerns: [],
      touches: ["POST chat.example:443"],
      earlier: [],
      parts: [
        {
          at: "/quotes/0",
          from: "the output of read_contoso at /text",
          task: "read_contoso",
          isUntrusted: true,
          isPrivate: false,
          origins: [
            {
              task: "read_contoso",
              tool: "http.get",
              touches: ["GET contoso.example:443"],
              isUntrusted: true,
              isPrivate: false,
            },
          ],
        },
      ],
    },
    options: [
      {
        answer: "allow",
        label: "Allow this call",
        consequence: "The call is made once, with exactly these arguments.",
        isDefault: false,
      },
      {
        answer: "deny",
        label: "Deny",
        consequence: "The call is not made; the task fails and you decide what then.",
        isDefault: true,
      },
      {
        answer: "stop",
        label: "Stop the run",
        consequence: "The run ends as failed; what is done stays done.",
        isDefault: false,
      },
    ],
  },
  {
    ...base,
    id: "d4",
    kind: "grant",
    question: "Save report wants to write outside its grants",
    about: '{"write":"/home/me/reports/margin.md"}',
    options: [
      { answer: "once", label: "Allow once", consequence: "This call only.", isDefault: false },
      { answer: "task", label: "Allow for this task", consequence: "All its calls in this run.", isDefault: false },
      { answer: "run", label: "Allow for this run", consequence: "All tasks of this run.", isDefault: false },
      { answer: "deny", label: "Deny", consequence: "The task fails; the run goes on without it.", isDefault: true },
    ],
  },
];
