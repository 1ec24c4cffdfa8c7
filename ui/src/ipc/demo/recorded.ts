// What the tasks of the demo's run give, as recorded from the sample.
import type { CallView, TaskView } from "../bindings";

const REPORT = `# Margin report 2026-11

7 of 48 SKUs have a margin under **18 %**. Two of them lost more than 5 points since last month.

| SKU | Item | Margin | Change |
| --- | --- | ---: | ---: |
| 2208 | Wall anchor 10 mm | 16.9 % | −1.2 |
| 3120 | Cable tie 200 mm | −4.0 % | −28.3 |
| 4417 | Hex bolt M8 × 40 | 17.5 % | −6.4 |

## What to do first

1. Ask Contoso about its *clearance* price for cable ties.
2. Raise hex bolts by 3 %, still under both rivals.
`;

const ROWS = `[{"sku":"2208","name":"Wall anchor 10 mm","cost":0.310,"price":0.373},{"sku":"3120","name":"Cable tie 200 mm","cost":0.052,"price":0.050},{"sku":"4417","name":"Hex bolt M8 × 40","cost":0.310,"price":0.376}]`;

const OUTPUTS: Record<string, { json: string; summary: string }> = {
  "csv.read": {
    json: `{"columns":["sku","price","currency"],"rows":[{"sku":"2208","price":"0.38","currency":"EUR"},{"sku":"4417","price":"0.371","currency":"USD"}]}`,
    summary: "48 rows",
  },
  "sql.query": { json: `{"columns":["sku","name","cost","price"],"rows":${ROWS}}`, summary: "48 rows" },
  "http.get": { json: `{"status":200,"body":{"rates":{"EUR":1,"USD":1.0834,"GBP":0.8391}}}`, summary: "200, 64 B" },
  "file.write": { json: `{"path":"reports/margin-2026-11.md","bytes":812}`, summary: "812 B" },
  "text.template": { json: JSON.stringify({ text: REPORT }), summary: "812 B" },
  agent: { json: `{"sku":"4417","margin":0.1755,"flagged":true}`, summary: "3 values" },
  model: { json: `"Three items fell under the floor; hex bolts come first."`, summary: "56 B" },
  code: {
    json: `[{"sku":"2208","margin":0.1688,"flagged":true},{"sku":"3120","margin":-0.0400,"flagged":true},{"sku":"4417","margin":0.1755,"flagged":true},{"sku":"5093","margin":0.4781,"flagged":false}]`,
    summary: "48 rows",
  },
};

const REPORT_AGAIN = REPORT.replace("7 of 48 SKUs", "9 of 48 SKUs")
  .replace("| 4417 |", "| 3121 | Cable tie 300 mm | 17.8 % | −4.1 |\n| 4417 |")
  .replace(
    "2. Raise hex bolts by 3 %, still under both rivals.",
    "2. Raise hex bolts by 2 %, still under both rivals.\n3. Wait with wall anchors until December.",
  );

/** What the same tasks gave when they were recorded once more, for a run that was made from another one. */
const AGAIN: Record<string, { json: string; summary: string }> = {
  "text.template": { json: JSON.stringify({ text: REPORT_AGAIN }), summary: "934 B" },
  code: {
    json: `[{"sku":"2208","margin":0.1688,"flagged":true},{"sku":"3120","margin":-0.0400,"flagged":true},{"sku":"3121","margin":0.1780,"flagged":true},{"sku":"4417","margin":0.1751,"flagged":true},{"sku":"5093","margin":0.4781,"flagged":false}]`,
    summary: "49 rows",
  },
};

/** What a task gives in a take; the first one is `false`. */
export function outputOf(name: string, isAgain: boolean): { json: string; summary: string } {
  return (isAgain ? AGAIN[name] : undefined) ?? OUTPUTS[name] ?? { json: "null", summary: "nothing" };
}

/** The final answer of a take. */
export function reportOf(isAgain: boolean): string {
  return isAgain ? REPORT_AGAIN : REPORT;
}

/** A task that has not started. */
export function blank(id: string): TaskView {
  return {
    id,
    status: "PENDING",
    attempts: 0,
    maxAttempts: 4,
    wait: { reason: "dependency", text: "Waits for the tasks before it", until: null },
    startedAt: null,
    endedAt: null,
    error: null,
    summary: null,
    pinned: false,
    breakpoint: null,
  };
}

/** No goal, no tags, made from nothing. */
export const UNFILED: { goal: null; tags: string[]; parent: null } = { goal: null, tags: [], parent: null };

export const NOTHING_SPENT = {
  usd: "0",
  inputTokens: 0,
  outputTokens: 0,
  zero: 0,
  estimated: 0,
  unknown: 0,
  guessed: 0,
  lost: 0,
  lostUsd: "0",
  lostUnpriced: 0,
  lostTokens: 0,
};

/** One call of a tool as a run's log would have it. */
export function callOf(
  key: string,
  tool: string,
  args: string,
  came: Pick<CallView, "result" | "error" | "startedAt">,
): CallView {
  return {
    tool,
    effect: tool === "file.write" ? "write" : "read",
    arguments: args,
    ...came,
    endedAt: Date.now(),
    idempotencyKey: key,
    isModel: false,
    turn: null,
    touches: [],
    isUntrusted: false,
    isPrivate: false,
    reply: null,
    paid: null,
  };
}
