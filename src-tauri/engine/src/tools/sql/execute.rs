//! `sql.execute`: changes one SQLite file, all of them or none.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use rusqlite::fallible_iterator::FallibleIterator;
use rusqlite::{Batch, Connection, OpenFlags};
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::errors::{bad_sql, told};
use super::guard::{Guard, changes};
use super::{text, values};
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::tools::files::{Located, Walls, existing};
use crate::tools::worker::{Job, Workers};
use crate::tools::{CallContext, Tool, ToolError, arguments, blocking, spec};

pub(in crate::tools) struct SqlExecute {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
    workers: Workers,
}

/// What is to be done, its place found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(in crate::tools) struct Change {
    pub(in crate::tools) database: PathBuf,
    sql: String,
    params: Option<Json>,
}

impl SqlExecute {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>, workers: Workers) -> Self {
        let arguments = json!({
            "database": spec::path("The SQLite file, made if it is missing"),
            "sql": spec::text("One or more statements, done as one transaction; without BEGIN and COMMIT"),
            "params": { "type": ["array", "object"], "description": "Values for the parameters of a single statement" },
        });
        let changes =
            json!({ "type": "integer", "minimum": 0, "description": "Rows inserted, updated and deleted" });
        let spec = Arc::new(ToolSpec {
            name: "sql.execute".to_owned(),
            description: "Changes a SQLite database in one transaction.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["database", "sql"]),
                json!({ "database": "run:/notes.db", "sql": "INSERT INTO note(text) VALUES (:text)", "params": { "text": "Checked" } }),
            ),
            result: spec::object(json!({ "changes": changes }), &["changes"]),
            effect: Effect::Write,
            idempotency: Idempotency::Not,
            touches: vec![
                Touch::one("database", Access::Database),
                Touch::one("database", Access::Write),
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

#[async_trait]
impl Tool for SqlExecute {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        super::foresee::change
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        let (wanted, located, is_new) =
            blocking::changing(&cx.cancel, move |_| wanted(&walls, &arguments)).await?;
        let done = self.workers.changing(Job::Change(wanted), &cx.cancel).await;
        if is_new && done.is_err() {
            let _ = tokio::task::spawn_blocking(move || remove_empty(&located)).await;
        }
        done
    }
}

/// What to do and where, and whether the file is still to be made.
fn wanted(walls: &Walls, arguments: &Json) -> Result<(Change, Located, bool), ToolError> {
    let path = arguments::text(arguments, "database")?;
    walls.locate(path, Access::Database)?;
    let located = walls.locate(path, Access::Write)?;
    let is_new = existing(&located)?.is_none();
    located.make_parents()?;
    let change = Change {
        database: located.real.clone(),
        sql: arguments::text(arguments, "sql")?.to_owned(),
        params: arguments::given(arguments, "params").cloned(),
    };
    Ok((change, located, is_new))
}

/// A file that never held anything; should it hold something after all, it stays.
fn remove_empty(located: &Located) {
    let is_empty = located
        .folder
        .metadata(located.name())
        .is_ok_and(|m| m.len() == 0);
    if is_empty {
        let _ = located.folder.remove_file(located.name());
    }
}

/// Blocks its thread.
pub(in crate::tools) fn change(wanted: &Change, cancel: &CancellationToken) -> Result<Json, ToolError> {
    let guard = Guard::new(cancel.clone());
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let mut connection =
        Connection::open_with_flags(&wanted.database, flags).map_err(|e| told(&e, &guard))?;
    let done = in_transaction(&mut connection, wanted, &guard)?;
    Ok(json!({ "changes": done }))
}

fn in_transaction(connection: &mut Connection, wanted: &Change, guard: &Guard) -> Result<u64, ToolError> {
    let failed = |e: rusqlite::Error| told(&e, guard);
    guard.bound(connection).map_err(failed)?;
    connection.execute_batch("BEGIN IMMEDIATE").map_err(failed)?;
    guard.watch(connection, changes).map_err(failed)?;
    let done = run_all(connection, wanted, guard);
    guard.unwatch(connection).map_err(failed)?;
    // Dropping the connection without a COMMIT rolls back.
    let count = done?;
    guard.check()?;
    connection.execute_batch("COMMIT").map_err(failed)?;
    Ok(count)
}

fn run_all(connection: &Connection, wanted: &Change, guard: &Guard) -> Result<u64, ToolError> {
    let failed = |e: rusqlite::Error| told(&e, guard);
    let parameters = wanted.params.as_ref();
    if parameters.is_some() && text::statements(&wanted.sql).len() > 1 {
        return Err(bad_sql(format!("`params` {}", values::ONLY_ONE)));
    }
    let mut batch = Batch::new(connection, &wanted.sql);
    let (mut statements, mut count) = (0, 0);
    while let Some(mut statement) = batch.next().map_err(failed)? {
        statements += 1;
        values::bind(&mut statement, parameters)?;
        let before = connection.total_changes();
        let mut rows = statement.raw_query();
        while rows.next().map_err(failed)?.is_some() {}
        // A statement that changes no row leaves the count of the one before it.
        if connection.total_changes() > before {
            count += connection.changes();
        }
    }
    if statements == 0 {
        return Err(bad_sql("there is no statement".to_owned()));
    }
    Ok(count)
}
