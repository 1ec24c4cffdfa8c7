// The tools as the demo host names them: the same names and effects as the engine's, with shorter schemas.
import type { Effect, Idempotency, ToolView } from "../bindings";

type Property = { type?: string; description?: string };

function tool(
  name: string,
  effect: Effect,
  description: string,
  properties: Record<string, Property>,
  required: string[],
  idempotency: Idempotency = "natural",
): ToolView {
  const schema = JSON.stringify({ type: "object", properties, required, additionalProperties: false });
  return { name, effect, description, idempotency, arguments: schema, result: `{"type":"object"}`, off: null };
}

const PATH = { type: "string", description: "Relative to the plan's folder, or absolute." };
const ANY_OBJECT = { type: "object" };

export const TOOLS: ToolView[] = [
  tool(
    "csv.read",
    "read",
    "Reads a CSV file into columns and rows.",
    { path: PATH, delimiter: { type: "string" }, header: { type: "boolean" } },
    ["path"],
  ),
  tool("echo", "pure", "Gives its value back.", { value: {} }, ["value"]),
  tool("file.list", "read", "Lists files of a folder.", { path: PATH, glob: { type: "string" } }, ["path"]),
  tool("file.read", "read", "Reads a text file.", { path: PATH }, ["path"]),
  tool(
    "file.write",
    "write",
    "Writes a text file, whole or not at all.",
    { path: PATH, text: { type: "string", description: "The new content." }, append: { type: "boolean" } },
    ["path", "text"],
  ),
  tool(
    "http.get",
    "read_external",
    "Fetches an address.",
    { url: { type: "string" }, headers: ANY_OBJECT, query: ANY_OBJECT },
    ["url"],
  ),
  tool(
    "http.request",
    "write_external",
    "Sends a request of any method.",
    { url: { type: "string" }, method: { type: "string" }, headers: ANY_OBJECT, body: {} },
    ["url", "method"],
    "by_key",
  ),
  tool("json.query", "pure", "Takes a part of a value by JMESPath.", { value: {}, expression: { type: "string" } }, [
    "value",
    "expression",
  ]),
  tool(
    "sql.execute",
    "write",
    "Runs one statement that changes a database.",
    { database: PATH, sql: { type: "string" }, params: { type: "array" } },
    ["database", "sql"],
    "not",
  ),
  tool(
    "sql.query",
    "read",
    "Reads from a SQLite database or CSV files.",
    { database: PATH, tables: ANY_OBJECT, sql: { type: "string" }, params: { type: "array" } },
    ["sql"],
  ),
  tool("text.template", "pure", "Fills a text template.", { template: { type: "string" }, with: ANY_OBJECT }, [
    "template",
  ]),
  tool("wait", "pure", "Waits.", { ms: { type: "number" } }, ["ms"]),
];
