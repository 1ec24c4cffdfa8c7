// What the tasks of the demo's run give, as recorded from the sample.
import type { CallView, TaskView } from "../bindings";
export const REPORT = `# Margin report 2026-11

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

export const OUTPUTS: Record<string, { json: string; summary: string }> = {
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
