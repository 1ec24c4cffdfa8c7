//! Statements that reach beyond the one database, or change it where only questions are granted.

use planloom_engine::model::Json;
use planloom_tests::rig::Rig;
use serde_json::json;

use crate::support::{all_refused, attempts};

const SECRET: &str = "TOP-SECRET-41c8";

const QUESTIONS: &[&str] = &[
    "INSERT INTO t VALUES (2)",
    "UPDATE t SET a = 2",
    "DELETE FROM t",
    "DROP TABLE t",
    "CREATE TABLE u (a)",
    "CREATE TEMP TABLE u AS SELECT * FROM t",
    "ATTACH 'other.db' AS o",
    "VACUUM INTO 'copy.db'",
    "VACUUM",
    "PRAGMA query_only = 0",
    "PRAGMA writable_schema = 1",
    "SELECT * FROM pragma_database_list",
    "SELECT 1; DELETE FROM t",
    "SELECT load_extension('x')",
    "SELECT readfile('secret.txt')",
    "SELECT writefile('copy.db', 'x')",
    "SELECT edit('x')",
    "SELECT zeroblob(900000000)",
    "WITH n AS (SELECT 1) INSERT INTO t SELECT * FROM n",
    "EXPLAIN DELETE FROM t",
    "BEGIN",
    "SELECT fts5(1)",
    "SELECT * FROM sqlite_dbpage",
    "REPLACE INTO t VALUES (1)",
    ".read secret.txt",
    "",
];

const CHANGES: &[&str] = &[
    "ATTACH 'other.db' AS o",
    "VACUUM INTO 'copy.db'",
    "DETACH main",
    "PRAGMA writable_schema = 1",
    "PRAGMA journal_mode = DELETE",
    "COMMIT",
    "ROLLBACK",
    "SAVEPOINT s",
    "CREATE VIRTUAL TABLE v USING fts5(a)",
    "SELECT load_extension('x')",
    "INSERT INTO sqlite_schema VALUES ('table', 'x', 'x', 0, 'create table x(a)')",
    "INSERT INTO t VALUES (writefile('copy.db', 'x'))",
];

fn prepare(folder: &std::path::Path) -> Vec<u8> {
    for (name, text) in [("one.db", "fine"), ("other.db", SECRET)] {
        let db = rusqlite::Connection::open(folder.join(name)).unwrap();
        db.execute_batch(&format!("CREATE TABLE t (a); INSERT INTO t VALUES ('{text}');"))
            .unwrap();
    }
    std::fs::write(folder.join("secret.txt"), SECRET).unwrap();
    std::fs::read(folder.join("one.db")).unwrap()
}

async fn tried(tool: &'static str, statements: &[&str], grants: &Json) {
    let rig = Rig::in_memory();
    let before = prepare(rig.folder());
    let rows: Vec<(&str, Json)> = statements
        .iter()
        .map(|sql| (tool, json!({ "database": "one.db", "sql": sql })))
        .collect();
    let shown = rig.run(&attempts(grants, &rows)).await;
    all_refused(&shown, &rows, SECRET);
    assert_eq!(
        std::fs::read(rig.folder().join("one.db")).unwrap(),
        before,
        "{tool}"
    );
    assert!(!rig.folder().join("copy.db").exists());
}

#[tokio::test(start_paused = true)]
async fn a_question_changes_nothing_and_reaches_nothing_else() {
    tried("sql.query", QUESTIONS, &json!({ "databases": ["one.db"] })).await;
}

#[tokio::test(start_paused = true)]
async fn a_change_stays_in_its_one_file() {
    let grants = json!({ "databases": ["one.db"], "write": ["one.db"] });
    tried("sql.execute", CHANGES, &grants).await;
}

#[tokio::test(start_paused = true)]
async fn another_database_is_another_grant() {
    let rig = Rig::in_memory();
    prepare(rig.folder());
    let all = "SELECT * FROM t";
    let rows = [
        ("sql.query", json!({ "database": "other.db", "sql": all })),
        ("sql.query", json!({ "database": "./x/../other.db", "sql": all })),
        (
            "sql.query",
            json!({ "database": "file:other.db?mode=rw", "sql": all }),
        ),
        (
            "sql.query",
            json!({ "tables": { "t": "secret.txt" }, "sql": all }),
        ),
        (
            "sql.execute",
            json!({ "database": "one.db", "sql": "INSERT INTO t VALUES (1)" }),
        ),
        ("sql.query", json!({ "database": ":memory:", "sql": "SELECT 1" })),
    ];
    let grants = json!({ "databases": ["one.db"], "read": ["one.csv"], "write": ["two.db"] });
    let shown = rig.run(&attempts(&grants, &rows)).await;
    all_refused(&shown, &rows, SECRET);
}
