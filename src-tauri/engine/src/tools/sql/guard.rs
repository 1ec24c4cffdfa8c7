//! What a statement may do and for how long: authorizer, limits and a handler that stops it. Knows no tool.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::hooks::{AuthAction, AuthContext, Authorization};
use rusqlite::limits::Limit;
use rusqlite::{Connection, Error};
use tokio_util::sync::CancellationToken;

use crate::tools::ToolError;
use crate::tools::blocking::Stop;

/// What one call may take.
pub(in crate::tools) const LONGEST: Duration = Duration::from_secs(60);
const LARGEST_VALUE: i32 = 10 << 20;
const LONGEST_SQL: i32 = 1 << 20;
/// Virtual machine instructions between two looks at the clock.
const STEPS: i32 = 2000;

pub(super) const OTHER_FILES: &str = "`ATTACH`, `DETACH` and `VACUUM` reach other files and are not allowed";
pub(super) const ONE_TRANSACTION: &str =
    "the whole call is one transaction already; it can't begin or end another";

/// One call's guard: it stops the work, and remembers what it refused.
#[derive(Clone)]
pub(super) struct Guard {
    stop: Stop,
    refused: Arc<Mutex<Option<String>>>,
}

impl Guard {
    pub(super) fn new(cancel: CancellationToken) -> Self {
        Self {
            stop: Stop::new(cancel, Some(Instant::now() + LONGEST)),
            refused: Arc::default(),
        }
    }

    /// Bounds whatever runs on the connection from now on.
    pub(super) fn bound(&self, connection: &mut Connection) -> Result<(), Error> {
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
        connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
        connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
        connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, LARGEST_VALUE)?;
        connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, LONGEST_SQL)?;
        connection.set_limit(Limit::SQLITE_LIMIT_EXPR_DEPTH, 200)?;
        connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
        connection.busy_timeout(Duration::from_secs(2))?;
        let stop = self.stop.clone();
        connection.progress_handler(STEPS, Some(move || stop.is_due()))
    }

    /// From now on every statement is looked at while it is prepared.
    pub(super) fn watch(
        &self,
        connection: &mut Connection,
        allows: fn(&AuthAction<'_>) -> bool,
    ) -> Result<(), Error> {
        let refused = self.refused.clone();
        connection.authorizer(Some(move |context: AuthContext<'_>| {
            if allows(&context.action) {
                return Authorization::Allow;
            }
            *refused.lock().unwrap_or_else(PoisonError::into_inner) = Some(words(&context.action));
            Authorization::Deny
        }))
    }

    pub(super) fn unwatch(&self, connection: &mut Connection) -> Result<(), Error> {
        connection.authorizer(None::<fn(AuthContext<'_>) -> Authorization>)
    }

    pub(super) fn check(&self) -> Result<(), ToolError> {
        if self.stop.is_due() {
            Err(self.interrupted())
        } else {
            Ok(())
        }
    }

    pub(super) fn interrupted(&self) -> ToolError {
        if self.stop.is_cancelled() {
            return ToolError::Cancelled;
        }
        let message = format!(
            "the statement ran for more than {} s and was stopped; nothing was changed",
            LONGEST.as_secs()
        );
        ToolError::permanent("sql_timeout", message)
    }

    pub(super) fn denied(&self) -> Option<String> {
        self.refused
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// Questions only.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is refused or told as it is"
)]
pub(super) fn reads(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Select | AuthAction::Read { .. } | AuthAction::Recursive => true,
        AuthAction::Function { function_name } => is_plain_function(function_name),
        _ => false,
    }
}

/// Changes of rows, tables, indexes, views and triggers of this one file, too.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "all that is left acts on this one file"
)]
pub(super) fn changes(action: &AuthAction<'_>) -> bool {
    match action {
        AuthAction::Unknown { .. }
        | AuthAction::Attach { .. }
        | AuthAction::Detach { .. }
        | AuthAction::Pragma { .. }
        | AuthAction::Transaction { .. }
        | AuthAction::Savepoint { .. }
        | AuthAction::CreateVtable { .. }
        | AuthAction::DropVtable { .. } => false,
        AuthAction::Function { function_name } => {
            is_plain_function(function_name) || is_change_function(function_name)
        }
        _ => true,
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is refused or told as it is"
)]
fn words(action: &AuthAction<'_>) -> String {
    match action {
        AuthAction::Attach { .. } | AuthAction::Detach { .. } => OTHER_FILES.to_owned(),
        AuthAction::Pragma { pragma_name, .. } => format!("`PRAGMA {pragma_name}` is not allowed"),
        AuthAction::Function { function_name } => format!("the function `{function_name}` is not allowed"),
        AuthAction::Transaction { .. } | AuthAction::Savepoint { .. } => ONE_TRANSACTION.to_owned(),
        AuthAction::Insert { table_name } if is_schema(table_name) => changes_tables(),
        AuthAction::Update { table_name, .. } if is_schema(table_name) => changes_tables(),
        AuthAction::Delete { table_name } if is_schema(table_name) => changes_tables(),
        AuthAction::Insert { table_name } => not_granted("adding rows to", table_name),
        AuthAction::Update { table_name, .. } => not_granted("changing rows of", table_name),
        AuthAction::Delete { table_name } => not_granted("deleting from", table_name),
        AuthAction::CreateVtable {
            table_name,
            module_name,
        } => {
            format!(
                "the virtual table `{table_name}` would need the module `{module_name}`, which is not allowed"
            )
        }
        AuthAction::DropVtable { table_name, .. } => {
            format!("the virtual table `{table_name}` can't be dropped here")
        }
        AuthAction::Read { table_name, .. } => format!("reading the table `{table_name}` is not allowed"),
        AuthAction::CreateTable { .. }
        | AuthAction::CreateTempTable { .. }
        | AuthAction::CreateIndex { .. }
        | AuthAction::CreateTempIndex { .. }
        | AuthAction::CreateView { .. }
        | AuthAction::CreateTempView { .. }
        | AuthAction::CreateTrigger { .. }
        | AuthAction::CreateTempTrigger { .. }
        | AuthAction::DropTable { .. }
        | AuthAction::DropTempTable { .. }
        | AuthAction::DropIndex { .. }
        | AuthAction::DropTempIndex { .. }
        | AuthAction::DropView { .. }
        | AuthAction::DropTempView { .. }
        | AuthAction::DropTrigger { .. }
        | AuthAction::DropTempTrigger { .. }
        | AuthAction::AlterTable { .. }
        | AuthAction::Reindex { .. }
        | AuthAction::Analyze { .. } => changes_tables(),
        _ => "the statement does something that is not allowed here".to_owned(),
    }
}

/// Where SQLite keeps what tables there are.
fn is_schema(table: &str) -> bool {
    table.starts_with("sqlite_")
}

fn changes_tables() -> String {
    format!("making, changing or dropping tables, views and indexes is not granted: {ONLY_READS}")
}

fn not_granted(what: &str, table: &str) -> String {
    format!("{what} the table `{table}` is not granted: {ONLY_READS}")
}

const ONLY_READS: &str = "`sql.query` only reads; `sql.execute` changes what the plan grants under `write`";

fn is_change_function(name: &str) -> bool {
    [
        "changes",
        "last_insert_rowid",
        "total_changes",
        "randomblob",
        "zeroblob",
    ]
    .iter()
    .any(|n| name.eq_ignore_ascii_case(n))
}

fn is_plain_function(name: &str) -> bool {
    PLAIN_FUNCTIONS
        .split_whitespace()
        .any(|n| name.eq_ignore_ascii_case(n))
}

/// Functions of values alone. None of them loads, opens or writes anything.
const PLAIN_FUNCTIONS: &str = "
    abs char coalesce concat concat_ws format glob hex if ifnull iif instr length like likelihood likely lower ltrim max
    min nullif octet_length printf quote random replace round rtrim sign soundex substr substring trim typeof unhex
    unicode unistr unistr_quote unlikely upper sqlite_version
    avg count group_concat string_agg sum total median percentile percentile_cont percentile_disc
    row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value
    date time datetime julianday unixepoch strftime timediff current_date current_time current_timestamp
    acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor ln log log10 log2 mod pi pow power
    radians sin sinh sqrt tan tanh trunc
    json jsonb json_array jsonb_array json_array_insert jsonb_array_insert json_array_length json_error_position
    json_extract jsonb_extract json_insert jsonb_insert json_object jsonb_object json_patch jsonb_patch json_pretty
    json_quote json_remove jsonb_remove json_replace jsonb_replace json_set jsonb_set json_type json_valid
    json_group_array jsonb_group_array json_group_object jsonb_group_object -> ->>
    match bm25 highlight snippet
";
