//! `sql.query`: one question to a SQLite file or to CSV files. Changes nothing.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::{Connection, OpenFlags, Row, Statement};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::errors::{bad_sql, told};
use super::guard::{Guard, reads};
use super::tables::{self, Source};
use super::values;
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::tools::blocking::{self, Stop};
use crate::tools::files::Walls;
use crate::tools::worker::{Job, Workers};
use crate::tools::{CallContext, Tool, ToolError, arguments, spec};

const MOST_ROWS: usize = 200_000;
const MOST_CELLS: usize = 2_000_000;
const MOST_BYTES: usize = 64 << 20;

pub(in crate::tools) struct SqlQuery {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
    workers: Workers,
}

/// What is asked, all places found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tools) struct Question {
    /// Without one, the tables are asked.
    pub(in crate::tools) database: Option<PathBuf>,
    tables: Vec<Source>,
    sql: String,
    params: Option<Json>,
}

impl SqlQuery {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>, workers: Workers) -> Self {
        let spec = Arc::new(ToolSpec {
            name: "sql.query".to_owned(),
            description: "Asks a SQLite database, or CSV files as tables, one read-only question.".to_owned(),
            arguments: arguments_schema(),
            result: result_schema(),
            effect: Effect::Read,
            idempotency: Idempotency::Natural,
            touches: vec![
                Touch::one("database", Access::Database),
                Touch::each("tables", Access::Read),
            ],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        });
        Self {
            spec,
            closed,
            workers,
        }
    }
}

fn arguments_schema() -> Json {
    let fields = json!({
        "database": spec::path("The SQLite file"),
        "tables": {
            "type": "object", "minProperties": 1, "additionalProperties": { "type": "string" },
            "description": "Instead of `database`: the path of a CSV file for each table; all columns are text",
        },
        "sql": spec::text("One SELECT (or WITH … SELECT, or VALUES)"),
        "params": { "type": ["array", "object"], "description": "Values for `?` by position, or for `:name` by name" },
    });
    let mut schema = spec::object(fields, &["sql"]);
    schema["oneOf"] = json!([{ "required": ["database"] }, { "required": ["tables"] }]);
    spec::shown(
        schema,
        json!({ "tables": { "sales": "data/sales.csv" }, "sql": "SELECT region, sum(amount) AS total FROM sales WHERE year = ? GROUP BY region", "params": ["2026"] }),
    )
}

fn result_schema() -> Json {
    let fields = json!({
        "columns": { "type": "array", "items": { "type": "string" } },
        "rows": { "type": "array", "items": { "type": "object" }, "description": "A BLOB is {\"base64\": …}" },
    });
    spec::object(fields, &["columns", "rows"])
}

#[async_trait]
impl Tool for SqlQuery {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        super::foresee::question
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        let question = blocking::reading(&cx.cancel, move |stop| question(&walls, &arguments, stop)).await?;
        self.workers
            .reading(Job::Question(question), Vec::new(), &cx.cancel)
            .await
    }
}

fn question(walls: &Walls, arguments: &Json, stop: &Stop) -> Result<Question, ToolError> {
    let mut question = Question {
        database: None,
        tables: Vec::new(),
        sql: arguments::text(arguments, "sql")?.to_owned(),
        params: arguments::given(arguments, "params").cloned(),
    };
    match (
        arguments::optional_text(arguments, "database")?,
        arguments::given(arguments, "tables"),
    ) {
        (Some(path), None) => question.database = Some(file(walls, path)?),
        (None, Some(Json::Object(tables))) => question.tables = tables::sources(tables, walls, stop)?,
        _ => return Err(arguments::bad("give either `database` or `tables`")),
    }
    Ok(question)
}

fn file(walls: &Walls, path: &str) -> Result<PathBuf, ToolError> {
    let located = walls.locate(path, Access::Database)?;
    // Only to refuse what is no plain file; SQLite opens by path.
    located.open()?;
    Ok(located.real)
}

/// Blocks its thread.
pub(in crate::tools) fn ask(question: &Question, cancel: &CancellationToken) -> Result<Json, ToolError> {
    let guard = Guard::new(cancel.clone());
    let mut connection = open(question, &guard)?;
    guard
        .watch(&mut connection, reads)
        .map_err(|e| told(&e, &guard))?;
    let mut statement = connection.prepare(&question.sql).map_err(|e| told(&e, &guard))?;
    let columns = check_asks(&statement)?;
    values::bind(&mut statement, question.params.as_ref())?;
    let mut answer = Answer {
        columns,
        rows: Vec::new(),
        bytes: 0,
    };
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next().map_err(|e| told(&e, &guard))? {
        answer.take(row)?;
        guard.check()?;
    }
    Ok(json!({ "columns": answer.columns, "rows": answer.rows }))
}

fn open(question: &Question, guard: &Guard) -> Result<Connection, ToolError> {
    let failed = |e: rusqlite::Error| told(&e, guard);
    let Some(file) = &question.database else {
        let mut connection = Connection::open_in_memory().map_err(failed)?;
        guard.bound(&mut connection).map_err(failed)?;
        tables::load(&mut connection, &question.tables, guard)?;
        return Ok(connection);
    };
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection = Connection::open_with_flags(file, flags).map_err(failed)?;
    guard.bound(&mut connection).map_err(failed)?;
    Ok(connection)
}

/// The columns of a statement that asks for something and changes nothing.
pub(super) fn check_asks(statement: &Statement<'_>) -> Result<Vec<String>, ToolError> {
    if !statement.readonly() {
        return Err(ToolError::permanent("sql_denied", "only reading is allowed here"));
    }
    if statement.column_count() == 0 {
        return Err(bad_sql(
            "the statement asks for nothing; write a SELECT".to_owned(),
        ));
    }
    columns_of(statement)
}

fn columns_of(statement: &Statement<'_>) -> Result<Vec<String>, ToolError> {
    let columns: Vec<String> = statement.column_names().map(str::to_owned).collect();
    let mut seen = std::collections::HashSet::new();
    match columns.iter().find(|c| !seen.insert(c.as_str())) {
        Some(twice) => Err(bad_sql(format!(
            "two columns are called `{twice}`; give one another name with AS"
        ))),
        None => Ok(columns),
    }
}

struct Answer {
    columns: Vec<String>,
    rows: Vec<Json>,
    bytes: usize,
}

impl Answer {
    fn take(&mut self, row: &Row<'_>) -> Result<(), ToolError> {
        let mut object = serde_json::Map::with_capacity(self.columns.len());
        for (i, column) in self.columns.iter().enumerate() {
            let value = row.get_ref(i).map_err(|e| bad_sql(e.to_string()))?;
            self.bytes += value.as_bytes_or_null().ok().flatten().map_or(16, <[u8]>::len);
            let value = values::to_json(value).map_err(|e| {
                ToolError::permanent(
                    "bad_value",
                    format!("row {}, column `{column}` {e}", self.rows.len() + 1),
                )
            })?;
            object.insert(column.clone(), value);
        }
        self.rows.push(Json::Object(object));
        let cells = self.rows.len() * self.columns.len();
        if self.rows.len() > MOST_ROWS || cells > MOST_CELLS || self.bytes > MOST_BYTES {
            let message = format!(
                "the answer is larger than {MOST_ROWS} rows, {MOST_CELLS} values or {} MiB; add a LIMIT or ask for less",
                MOST_BYTES >> 20
            );
            return Err(ToolError::permanent("too_large", message));
        }
        Ok(())
    }
}
