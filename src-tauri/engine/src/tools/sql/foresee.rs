//! SQL that can't be right whatever the database holds: read in an empty one in memory, and never run. It must not know files.

use std::cell::RefCell;
use std::collections::HashSet;

use rusqlite::fallible_iterator::FallibleIterator as _;
use rusqlite::hooks::AuthAction;

use rusqlite::{Batch, Connection, Error};
use tokio_util::sync::CancellationToken;

use super::errors::{bad_sql, told};
use super::guard::{Guard, ONE_TRANSACTION, OTHER_FILES, changes, reads};
use super::query::check_asks;
use super::{text, values};
use crate::model::foreseen::{Fault, Foreseen};
use crate::tools::{ToolError, arguments};

/// Of `sql.query`.
pub(super) fn question(known: &Foreseen<'_>) -> Vec<Fault> {
    let mut faults = asked(known);
    if faults.is_empty() {
        faults.extend(parameters(known));
    }
    faults.extend(impossible_table(known));
    faults.extend(arguments::folder(known, "database"));
    faults
}

fn asked(known: &Foreseen<'_>) -> Vec<Fault> {
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

/// A table that can't be made of its file, whatever that holds.
fn impossible_table(known: &Foreseen<'_>) -> Option<Fault> {
    let names = known.names_in("tables")?;
    let mut seen = HashSet::new();
    let wrong = names.into_iter().find_map(|name| {
        let folded = name.to_ascii_lowercase();
        if folded.starts_with("sqlite_") {
            return Some(format!(
                "no table can be called `{name}`: names that begin with `sqlite_` are SQLite's own"
            ));
        }
        (!seen.insert(folded)).then(|| format!("two tables are called `{name}`; SQL tells no case apart"))
    });
    wrong.map(|message| Fault::argument("tables", message))
}

/// Values that do not fit what the statements ask for.
fn parameters(known: &Foreseen<'_>) -> Option<Fault> {
    let is_open = |place: &str| known.holes.iter().any(|hole| hole == place);
    if is_open("/params") {
        return None;
    }
    let statements = text::statements(known.text("sql")?);
    let given = known.arguments.get("params").filter(|given| !given.is_null());
    let misfit = values::misfit(&statements, given, |ix| !is_open(&format!("/params/{ix}")));
    misfit.map(|message| Fault::argument("params", message))
}

/// Of `sql.execute`: all that begins with a word that no call may say, and the rest up to the first statement that needs
/// what is not there.
pub(super) fn change(known: &Foreseen<'_>) -> Vec<Fault> {
    let mut faults = changed(known);
    let forbidden = || forbidden(known.text("sql")?);
    if faults.is_empty() {
        let told = forbidden().map(|message| Fault::unreadable("sql", message));
        faults.extend(told.or_else(|| parameters(known)));
    }
    faults.extend(arguments::folder(known, "database"));
    faults
}

fn forbidden(sql: &str) -> Option<String> {
    let statements = text::statements(sql);
    statements.iter().find_map(|statement| {
        let word = statement.words.first()?;
        let why = match word.as_str() {
            "ATTACH" | "DETACH" | "VACUUM" => OTHER_FILES.to_owned(),
            "PRAGMA" => "`PRAGMA` is not allowed".to_owned(),
            "BEGIN" | "COMMIT" | "END" | "ROLLBACK" | "SAVEPOINT" | "RELEASE" => ONE_TRANSACTION.to_owned(),
            _ => return None,
        };
        Some(why)
    })
}

fn changed(known: &Foreseen<'_>) -> Vec<Fault> {
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
        || said.ends_with("may not be modified")
        || [
            "incomplete input",
            "parser stack overflow",
            "Expression tree is too large",
            "unrecognized token",
            "no such function",
            "wrong number of arguments",
            "object name reserved",
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

    /// Its values are left to the run.
    fn told_of(judge: fn(&Foreseen<'_>) -> Vec<Fault>, sql: &str) -> String {
        told_with(judge, json!({"sql": sql, "params": null}), &["/params"])
    }

    fn told_with(
        judge: fn(&Foreseen<'_>) -> Vec<Fault>,
        arguments: crate::model::Json,
        holes: &[&str],
    ) -> String {
        let holes: Vec<String> = holes.iter().map(|hole| (*hole).to_owned()).collect();
        let known = Foreseen {
            arguments: &arguments,
            holes: &holes,
        };
        let told = |fault: Fault| format!("{}: {}", fault.argument, fault.message);
        judge(&known).into_iter().map(told).collect()
    }

    #[test]
    fn values_are_held_against_the_parameters() {
        for (sql, params, expected) in [
            (
                "SELECT ?1, ?2",
                json!([1]),
                "params: the statement has 2 parameters, and this holds 1",
            ),
            (
                "SELECT ?1 FROM nowhere",
                json!([1, 2]),
                "the statement has 1 parameter, and this holds 2",
            ),
            (
                "SELECT 1",
                json!([1]),
                "the statement has 0 parameters, and this holds 1",
            ),
            ("SELECT :a", json!({"b": 1}), "it holds no `a`"),
            ("SELECT :a", json!({"a": 1, "b": 1}), "no parameter `b`"),
            ("SELECT ?", json!({"a": 1}), "needs this to be an array"),
            (
                "SELECT ?",
                json!(null),
                "it is missing: the statement has 1 parameter",
            ),
            (
                "SELECT ?",
                json!([9_223_372_036_854_775_808_u64]),
                "number 1: 9223372036854775808 is beyond",
            ),
            ("SELECT ?1 + ?1", json!([1]), ""),
            ("SELECT :a, $b", json!({"a": 1, "b": [2]}), ""),
            ("SELECT '?'", json!(null), ""),
            ("SELECT 1", json!([]), ""),
        ] {
            let told = told_with(question, json!({"sql": sql, "params": params}), &[]);
            assert!(
                told.contains(expected) && told.is_empty() == expected.is_empty(),
                "{sql} {params}: {told}"
            );
        }
    }

    #[test]
    fn values_that_only_the_run_knows_are_counted_and_no_more() {
        let holes = ["/params/0"];
        let told = |params| told_with(question, json!({"sql": "SELECT ?", "params": params}), &holes);
        assert_eq!(told(json!([null])), "");
        assert!(told(json!([null, 1])).contains("this holds 2"));
        let two = "CREATE TABLE IF NOT EXISTS a(b); INSERT INTO a VALUES(?1)";
        for params in [json!([1]), json!(null), json!({"a": 1})] {
            let told = told_with(change, json!({"sql": two, "params": params}), &[]);
            assert!(
                told.starts_with("params: they go with a single statement"),
                "{told}"
            );
        }
        assert_eq!(
            told_with(
                change,
                json!({"sql": "INSERT INTO a VALUES(?)", "params": [1]}),
                &[]
            ),
            ""
        );
        assert_eq!(
            told_with(change, json!({"sql": "DELETE FROM a; DELETE FROM b"}), &[]),
            ""
        );
    }

    #[test]
    fn names_that_no_table_can_have_are_told() {
        let told = |tables| told_with(question, json!({"sql": "SELECT 1", "tables": tables}), &[]);
        assert!(
            told(json!({"sqlite_master": "a.csv"}))
                .starts_with("tables: no table can be called `sqlite_master`")
        );
        assert!(told(json!({"a": "a.csv", "A": "b.csv"})).contains("two tables are called"));
        assert_eq!(told(json!({"a\"b;--": "a.csv", "sqlite": "b.csv"})), "");
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
            ("VACUUM", "`ATTACH`, `DETACH` and `VACUUM` reach other files"),
            ("vacuum INTO 'x.db'", "reach other files"),
            ("INSERT INTO t VALUES (1); VACUUM", "reach other files"),
            ("DELETE FROM t; PRAGMA user_version = 3", "not allowed"),
            ("DELETE FROM t; COMMIT", "one transaction"),
            ("CREATE TABLE sqlite_master (a)", "reserved for internal use"),
            ("DELETE FROM sqlite_master", "may not be modified"),
            (" ; ", "no statement"),
        ] {
            let told = told_of(change, sql);
            assert!(told.contains(expected), "{sql}: {told}");
        }
    }
}
