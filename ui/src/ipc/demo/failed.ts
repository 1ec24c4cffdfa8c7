// The plan of the demo's run that fails, and the one that its replanner proposes: sample data, no rule of any kind.
import { type Json, parse } from "../json";

const task = (id: string, title: string, kind: string, after: string[], more: Record<string, unknown> = {}) => ({
  id,
  title,
  task_type: kind,
  instruction: `${title}.`,
  dependencies: after,
  ...more,
});
const http = (url: string) => ({ tool: "http.get", inputs: { url } });

const FETCH = task("fetch", "Fetch competitor prices", "agent", [], {
  tools: ["http.get"],
  instruction: "Fetch the prices of Northwind, Contoso and Fabrikam.",
});
const COSTS = task("costs", "Query cost database", "tool", [], {
  tool: "sql.query",
  inputs: { database: "costs.db", sql: "select sku, cost from costs" },
});
const RATES = task("rates", "Get exchange rates", "tool", [], http("https://rates.example/latest"));
const normalise = (from: string[]) =>
  task("normalise", "Normalise currencies", "code", [...from, "costs", "rates"], {
    source: "return prices.concat(feed ?? []);",
    inputs: Object.fromEntries(from.map((id) => [id === "feed" ? "feed" : "prices", { $from: id }])),
  });
const REST = [
  task("skus", "Map over SKUs", "map", ["normalise"], {
    over: "rows",
    task: { id: "one", instruction: "Work out the margin.", task_type: "code", source: "return item;" },
    inputs: { rows: { $from: "normalise" } },
  }),
  task("charts", "Draw price charts", "code", ["normalise"], { source: "return rows.length;" }),
  task("check", "Check outliers", "human", ["skus"], { form: { type: "boolean" } }),
  task("report", "Write report", "model", ["check", "charts"]),
  task("save", "Save report", "tool", ["report"], {
    tool: "file.write",
    inputs: { path: "margin.md", text: { $from: "report" } },
  }),
  task("post", "Post to #pricing", "tool", ["report"], http("https://chat.example/post")),
];

const document = (tasks: object[], grants: object): Json =>
  parse(JSON.stringify({ version: 1, goal: "Find out which SKUs lose margin", tasks, grants }));
const GRANTS = { hosts: ["northwind.example", "contoso.example", "fabrikam.example"] };

export const BEFORE = document([FETCH, COSTS, RATES, normalise(["fetch"]), ...REST], GRANTS);
export const AFTER = document(
  [
    COSTS,
    RATES,
    normalise(["sites", "feed"]),
    ...REST,
    task("sites", "Fetch 2 competitor sites", "agent", [], {
      tools: ["http.get"],
      instruction: "Fetch the prices of Contoso and Fabrikam.",
    }),
    task("feed", "Read Northwind feed", "tool", [], http("https://feeds.northwind.example/prices.json")),
  ],
  { hosts: [...GRANTS.hosts, "feeds.northwind.example"] },
);

export const ERRORS = [
  ["403 Forbidden", 2],
  ["403 Forbidden", 4],
  ["403 Forbidden", 8],
  ["403 “Automated access is not allowed”", null],
] as const;
