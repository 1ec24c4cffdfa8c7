// The plan that the demo host opens: the Margin report, in short. Sample data; nothing here reads a file.
export const MARGIN_REPORT = `{
  "version": 1,
  "goal": "Compare our prices with three shops and find where the margin slipped",
  "parameters": {
    "floor": {"type": "number", "title": "Lowest margin", "description": "A share between 0 and 1. Anything under it is flagged.", "minimum": 0, "maximum": 1, "default": 0.18},
    "month": {"type": "string", "title": "Month of the report", "default": "2026-11"}
  },
  "tasks": [
    {"id": "read_northwind", "title": "Read Northwind prices", "task_type": "tool", "tool": "csv.read", "instruction": "Read the price list of Northwind.", "inputs": {"path": "prices/northwind.csv"}},
    {"id": "read_contoso", "title": "Read Contoso prices", "task_type": "tool", "tool": "csv.read", "instruction": "Read the price list of Contoso.", "inputs": {"path": "prices/contoso.csv"}},
    {"id": "query_costs", "title": "Query cost database", "task_type": "tool", "tool": "sql.query", "instruction": "Fetch cost and sales price of every SKU.", "inputs": {"database": "costs.sqlite", "sql": "SELECT sku, name, cost, price FROM items ORDER BY sku"}},
    {"id": "get_rates", "title": "Get exchange rates", "task_type": "tool", "tool": "http.get", "instruction": "Fetch the rates of the day.", "inputs": {"url": "https://rates.example/latest.json"}},
    {"id": "normalise", "title": "Normalise currencies", "task_type": "code", "instruction": "Convert all prices to euro.", "dependencies": ["read_northwind", "read_contoso", "get_rates"], "inputs": {"northwind": {"$from": "read_northwind", "path": "/rows"}, "contoso": {"$from": "read_contoso", "path": "/rows"}, "rates": {"$from": "get_rates", "path": "/body/rates"}}, "source": "const toEuro = (row) => ({ ...row, price_eur: Number(row.price) / rates[row.currency] });\\nreturn [...northwind, ...contoso].map(toEuro);"},
    {"id": "margins", "title": "Work out margins", "task_type": "code", "instruction": "Join prices and costs by SKU and work out each margin.", "dependencies": ["query_costs", "normalise"], "inputs": {"items": {"$from": "query_costs", "path": "/rows"}, "rivals": {"$from": "normalise"}, "floor": {"$param": "floor"}}, "source": "return items.map((item) => {\\n  const margin = (item.price - item.cost) / item.price;\\n  return { sku: item.sku, margin, flagged: margin < floor };\\n});", "retry": {"max_attempts": 4, "initial_ms": 1000, "multiplier": 2, "max_ms": 8000}},
    {"id": "check_outliers", "title": "Check outliers", "task_type": "human", "instruction": "Are these outliers real? Wrong ones are left out of the report.", "dependencies": ["margins"], "inputs": {"rows": {"$from": "margins"}}, "form": {"type": "object", "required": ["verdict"], "properties": {"verdict": {"title": "Are the 7 outliers real?", "type": "string", "enum": ["Real", "Wrong", "Not sure"]}, "note": {"title": "Note for the report", "type": "string", "maxLength": 300}}}},
    {"id": "write_report", "title": "Write report", "task_type": "tool", "tool": "text.template", "instruction": "Fill the report's template.", "dependencies": ["margins", "check_outliers"], "inputs": {"template": "# Margin report {{ month }}", "with": {"month": {"$param": "month"}, "rows": {"$from": "margins"}, "note": {"$from": "check_outliers", "path": "/note"}}}},
    {"id": "save_report", "title": "Save report", "task_type": "tool", "tool": "file.write", "instruction": "Save the report beside the plan.", "dependencies": ["write_report"], "inputs": {"path": "reports/margin-2026-11.md", "text": {"$from": "write_report", "path": "/text"}}}
  ],
  "grants": {"hosts": ["rates.example"]},
  "budget": {"usd": 0.5, "seconds": 60},
  "synthesis": {"template": "{{ save_report.path }}"}
}`;

export const FOUR_TASKS = `{
  "version": 1,
  "goal": "Fetch two sources, analyse them, format a summary",
  "tasks": [
    {"id": "fetch_sales", "title": "Fetch sales", "task_type": "tool", "tool": "csv.read", "instruction": "Read the sales.", "inputs": {"path": "sales.csv"}},
    {"id": "fetch_stock", "title": "Fetch stock", "task_type": "tool", "tool": "csv.read", "instruction": "Read the stock.", "inputs": {"path": "stock.csv"}},
    {"id": "analyze", "title": "Analyse", "task_type": "code", "instruction": "Compare both.", "dependencies": ["fetch_sales", "fetch_stock"], "inputs": {"sales": {"$from": "fetch_sales", "path": "/rows"}, "stock": {"$from": "fetch_stock", "path": "/rows"}}, "source": "return { rows: sales.length + stock.length };"},
    {"id": "format", "title": "Format summary", "task_type": "tool", "tool": "text.template", "instruction": "Write one paragraph.", "dependencies": ["analyze"], "inputs": {"template": "{{ rows }} rows", "with": {"rows": {"$from": "analyze", "path": "/rows"}}}}
  ]
}`;

export const EMPTY_PLAN = `{"version": 1, "goal": "", "tasks": []}`;
