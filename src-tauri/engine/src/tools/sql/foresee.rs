//! SQL that can't be right whatever the database holds: read in an empty one in memory, and never run. It must not know files.

use std::cell::RefCell;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::hooks::AuthAction;

use rusqlite::{Batch, Connection, Error};
use tokio_util::sync::CancellationToken;

use super::errors::{bad_sql, told};
use super::guard::{Guard, changes, reads};
use super::query::check_asks;
use crate::model::foreseen::{Fault, Foreseen};
use crate::tools::ToolError;

/// Of `sql.query`.
pub(super) fn question(known: &Foreseen<'_>) -> Vec<Fault> {
    judged(known, reads, |connection, sql, guard, known| {
        if let Some(word) = changing_word(sql) {
            let message = format!("`{word}` changes a database, and this only reads; use `sql.execute`");
            return Some(bad_sql(message));
        }
        let mut statements = Batch::new(connection, sql);
        match statements.next() {
            Ok(Some(statement)) => {
                let mut more = || !matches!(statements.next(), Ok(None));
                check_asks(&statement)
                    .err()
                    .or_else(|| more().then(|| told(&Error::MultipleStatement, guard)))
            }
            Ok(None) => Some(bad_sql(
                "the statement asks for nothing; write a SELECT".to_owned(),
            )),
            Err(error) => certain(&error, guard).or_else(|| missing_table(&error, known)),
        }
    })
}

/// All tables there will be, where they are files that the plan names.
fn missing_table(error: &Error, known: &Foreseen<'_>) -> Option<ToolError> {
    let said = error.to_string();
    let (_, rest) = said.split_once("no such table: ")?;
    let name = rest.split(" in ").next().unwrap_or(rest);
    let tables = known.names_in("tables").filter(|tables| !tables.is_empty())?;
    let is_there = tables.iter().any(|table| table.eq_ignore_ascii_case(name));
    (!is_there).then(|| {
        bad_sql(format!(
            "there is no table `{name}` among `tables`: {}",
            tables.join(", ")
        ))
    })
}

/// Of `sql.execute`, up to the first statement that needs what is not there.
pub(super) fn change(known: &Foreseen<'_>) -> Vec<Fault> {
    judged(known, changes, |connection, sql, guard, _| {
        let mut statements = Batch::new(connection, sql);
        let mut count = 0;
        loop {
            match statements.next() {
                Ok(Some(_)) => count += 1,
                Ok(None) if count == 0 => return Some(bad_sql("there is no statement".to_owned())),
                Ok(None) => return None,
                Err(error) => return certain(&error, guard),
            }
        }
    })
}

thread_local! {
    /// Stays empty, for nothing is ever run in it.
    static EMPTY: RefCell<Option<Connection>> = const { RefCell::new(None) };
}

fn judged(
    known: &Foreseen<'_>,
    allows: fn(&AuthAction<'_>) -> bool,
    judge: fn(&Connection, &str, &Guard, &Foreseen<'_>) -> Option<ToolError>,
) -> Vec<Fault> {
    let Some(sql) = known.text("sql") else {
        return Vec::new();
    };
    let guard = Guard::new(CancellationToken::new());
    let found = EMPTY.with_borrow_mut(|empty| {
        let mut connection = empty.take().or_else(|| opened(&guard))?;
        guard.watch(&mut connection, allows).ok()?;
        let found = judge(&connection, sql, &guard, known);
        *empty = Some(connection);
        found
    });
    let fault = |error: ToolError| Fault::unreadable("sql", error.to_string());
    found.map(fault).into_iter().collect()
}

fn opened(guard: &Guard) -> Option<Connection> {
    let mut connection = Connection::open_in_memory().ok()?;
    guard.bound(&mut connection).ok()?;
    Some(connection)
}

/// What the statement is told whatever tables there are.
#[expect(clippy::wildcard_enum_match_arm, reason = "the library's enum grows")]
fn certain(error: &Error, guard: &Guard) -> Option<ToolError> {
    let is_certain = guard.denied().is_some()
        || match error {
            Error::SqlInputError { msg, .. } | Error::SqliteFailure(_, Some(msg)) => is_of_the_text(msg),
            Error::MultipleStatement => true,
            _ => false,
        };
    is_certain.then(|| told(error, guard))
}

fn is_of_the_text(said: &str) -> bool {
    said.ends_with("syntax error")
        || [
            "incomplete input",
            "parser stack overflow",
            "Expression tree is too large",
            "unrecognized token",
            "no such function",
            "wrong number of arguments",
        ]
        .iter()
        .any(|begin| said.starts_with(begin))
}

/// The word by which a statement changes something; before its table is found to be missing, nobody asks what it does.
fn changing_word(sql: &str) -> Option<String> {
    const WORDS: [&str; 7] = ["INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER"];
    let sql = after_comments(sql);
    let end = sql.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(sql.len());
    let word = sql[..end].to_ascii_uppercase();
    WORDS.contains(&word.as_str()).then_some(word)
}

fn after_comments(mut sql: &str) -> &str {
    loop {
        sql = sql.trim_start();
        let rest = if let Some(comment) = sql.strip_prefix("--") {
            comment.split_once('\n')
        } else if let Some(comment) = sql.strip_prefix("/*") {
            comment.split_once("*/")
        } else {
            None
        };
        match rest {
            Some((_, rest)) => sql = rest,
            None => return sql,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told_of(judge: fn(&Foreseen<'_>) -> Vec<Fault>, sql: &str) -> String {
        let arguments = json!({"sql": sql});
        let known = Foreseen {
            arguments: &arguments,
            holes: &[],
        };
        judge(&known).into_iter().map(|fault| fault.message).collect()
    }

    #[test]
    fn what_may_be_right_is_left_to_the_run() {
        for sql in [
            "SELECT a, count(*) FROM t WHERE b = :b GROUP BY a ORDER BY 2 DESC LIMIT ?",
            "WITH x AS (SELECT 1 AS n) SELECT n FROM x",
            "VALUES (1, 2)",
            "SELECT median(price) FROM sales",
            "/* all */ -- of it\n SELECT * FROM t",
            "SELECT deleted FROM t",
        ] {
            assert_eq!(told_of(question, sql), "", "{sql}");
        }
        for sql in [
            "CREATE TABLE t (a INTEGER PRIMARY KEY, b TEXT); INSERT INTO t VALUES (1, ?)",
            "INSERT INTO note(text) VALUES (:text) ON CONFLICT DO NOTHING",
            "DROP TABLE IF EXISTS t;",
        ] {
            assert_eq!(told_of(change, sql), "", "{sql}");
        }
    }

    #[test]
    fn tables_that_are_files_are_known() {
        let told = |sql: &str| {
            let arguments = json!({"sql": sql, "tables": {"sales": "a.csv"}});
            let known = Foreseen {
                arguments: &arguments,
                holes: &[],
            };
            question(&known)
                .into_iter()
                .map(|fault| fault.message)
                .collect::<String>()
        };
        assert_eq!(told("SELECT a FROM Sales"), "");
        assert!(told("SELECT a FROM sale").contains("no table `sale` among `tables`: sales"));
    }

    #[test]
    fn what_can_not_be_right_is_told() {
        for (sql, expected) in [
            ("SELEC * FROM t", "no SQL that can be read, near `SELEC`"),
            ("SELECT * FROM", "ends too early"),
            ("SELECT * FROM t WHERE a = 'x", "unrecognized token"),
            ("DELETE FROM t", "`DELETE` changes"),
            ("  -- x\n/* y */ insert into t values (1)", "`INSERT` changes"),
            ("PRAGMA journal_mode", "not allowed"),
            ("ATTACH 'x' AS y", "not allowed"),
            ("SELECT load_extension('x')", "not allowed"),
            ("SELECT 1; SELECT 2", "one statement only"),
            ("SELECT 1; DROP TABLE t", "one statement only"),
            ("", "asks for nothing"),
            ("-- nothing", "asks for nothing"),
            ("SELECT 1 AS a, 2 AS a", "two columns are called `a`"),
            ("SELECT nosuch(1)", "nosuch"),
        ] {
            let told = told_of(question, sql);
            assert!(told.contains(expected), "{sql}: {told}");
        }
        for (sql, expected) in [
            ("CREATE TABEL t (a)", "near `TABEL`"),
            ("INSERT INTO t VALUES (1", "ends too early"),
            ("BEGIN; COMMIT", "one transaction"),
            ("ATTACH 'x' AS y", "not allowed"),
            (" ; ", "no statement"),
        ] {
            let told = told_of(change, sql);
            assert!(told.contains(expected), "{sql}: {told}");
        }
    }
}
