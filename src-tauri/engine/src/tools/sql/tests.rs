//! The SQL tools against real SQLite files: what they answer, and what they refuse.

use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::json;

use super::*;
use crate::model::Json;
use crate::model::grants::Grants;
use crate::tools::ToolError;
use crate::tools::testing::{Rig, code_of, parse};
use crate::tools::worker::Workers;

fn rig() -> Rig {
    let rig = Rig::open();
    let db = Connection::open(rig.path().join("shop.db")).unwrap();
    db.execute_batch(
        "CREATE TABLE item(id INTEGER PRIMARY KEY, name TEXT UNIQUE, price REAL, big INTEGER, data BLOB);
         INSERT INTO item VALUES (1, 'pen', 1.5, 9223372036854775807, x'00ff'), (2, 'ink', 3.0, -1, NULL);
         CREATE TABLE other(x); INSERT INTO other VALUES (9e999), (CAST(x'ff' AS TEXT));
         CREATE VIEW cheap AS SELECT * FROM item WHERE price < 2;",
    )
    .unwrap();
    rig
}

async fn ask_with(rig: &Rig, sql: &str, params: Json) -> Result<Json, ToolError> {
    rig.call(
        &SqlQuery::new([].into(), Workers::here()),
        json!({"database": "shop.db", "sql": sql, "params": params}),
    )
    .await
}

async fn ask(rig: &Rig, sql: &str) -> Result<Json, ToolError> {
    rig.call(
        &SqlQuery::new([].into(), Workers::here()),
        json!({"database": "shop.db", "sql": sql}),
    )
    .await
}

async fn change(rig: &Rig, sql: &str) -> Result<Json, ToolError> {
    rig.call(
        &SqlExecute::new([].into(), Workers::here()),
        json!({"database": "shop.db", "sql": sql}),
    )
    .await
}

async fn change_with(rig: &Rig, sql: &str, params: Json) -> Result<Json, ToolError> {
    rig.call(
        &SqlExecute::new([].into(), Workers::here()),
        json!({"database": "shop.db", "sql": sql, "params": params}),
    )
    .await
}

#[tokio::test]
async fn rows_keep_their_values() {
    let rig = rig();
    let got = ask(&rig, "SELECT id, name, price, big, data FROM item ORDER BY id")
        .await
        .unwrap();
    assert_eq!(
        got.to_string(),
        r#"{"columns":["id","name","price","big","data"],"rows":[{"id":1,"name":"pen","price":1.5,"big":9223372036854775807,"data":{"base64":"AP8="}},{"id":2,"name":"ink","price":3.0,"big":-1,"data":null}]}"#
    );
    assert_eq!(
        ask(&rig, "SELECT 1 AS a WHERE 0;").await,
        Ok(json!({"columns": ["a"], "rows": []}))
    );
    assert_eq!(
        ask(&rig, "SELECT name FROM cheap -- the view").await.unwrap()["rows"],
        json!([{"name": "pen"}])
    );
}

#[tokio::test]
async fn parameters_by_position_and_name() {
    let rig = rig();
    let one = ask_with(
        &rig,
        "SELECT ? + 1 AS a, ? AS b, ? AS c",
        parse(r#"[9223372036854775806, true, {"x":[1]}]"#),
    )
    .await;
    assert_eq!(
        one.unwrap()["rows"][0].to_string(),
        r#"{"a":9223372036854775807,"b":1,"c":"{\"x\":[1]}"}"#
    );
    let named = ask_with(
        &rig,
        "SELECT name FROM item WHERE id = :id OR name = @n OR price = $p",
        json!({"id": 1, "n": "x", "p": 9.5}),
    );
    assert_eq!(named.await.unwrap()["rows"], json!([{"name": "pen"}]));
    let same = ask_with(&rig, "SELECT :a AS x, :a AS y", json!({"a": null}))
        .await
        .unwrap();
    assert_eq!(same["rows"], json!([{"x": null, "y": null}]));
    for (sql, params) in [
        ("SELECT ?", json!([])),
        ("SELECT ?", json!([1, 2])),
        ("SELECT 1 AS a", json!([1])),
        ("SELECT :a", json!({})),
        ("SELECT :a", json!({"a": 1, "b": 2})),
        ("SELECT ?", json!({"a": 1})),
        ("SELECT ?", parse("[18446744073709551615]")),
        ("SELECT ?", parse("[0.12345678901234567890123]")),
    ] {
        assert_eq!(
            code_of(ask_with(&rig, sql, params).await),
            "bad_arguments",
            "{sql}"
        );
    }
    assert_eq!(code_of(ask(&rig, "SELECT ?").await), "bad_arguments");
}

#[tokio::test]
async fn a_question_changes_and_reaches_nothing() {
    let rig = rig();
    rig.put("secret.db", "");
    let outside = rig.path().join("stolen.db");
    let before = std::fs::read(rig.path().join("shop.db")).unwrap();
    let vacuum = format!("VACUUM INTO '{}'", outside.display());
    let attach = format!("ATTACH '{}' AS s", rig.path().join("secret.db").display());
    let denied = [
        vacuum.as_str(),
        &attach,
        "VACUUM",
        "DETACH main",
        "PRAGMA query_only=0",
        "PRAGMA writable_schema=1",
        "PRAGMA table_info(item)",
        "SELECT * FROM pragma_table_info('item')",
        "INSERT INTO item(id) VALUES (9)",
        "UPDATE item SET name = 'x'",
        "DELETE FROM item",
        "DROP TABLE item",
        "CREATE TABLE t(x)",
        "CREATE TEMP TABLE t(x)",
        "CREATE TEMP VIEW v AS SELECT 1",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT s",
        "REINDEX",
        "ANALYZE",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "INSERT INTO item(id) VALUES (9) RETURNING id",
        "REPLACE INTO item(id) VALUES (1)",
        "ALTER TABLE item RENAME TO x",
        "SELECT load_extension('x')",
        "SELECT writefile('x', 'y')",
        "SELECT readfile('/etc/passwd')",
        "SELECT randomblob(10)",
        "SELECT fts3_tokenizer('simple')",
        "WITH x AS (SELECT 1) DELETE FROM item",
    ];
    for sql in denied {
        let code = code_of(ask(&rig, sql).await);
        assert!(code == "sql_denied" || code == "bad_sql", "{sql}: {code}");
    }
    assert!(!outside.exists());
    assert_eq!(std::fs::read(rig.path().join("shop.db")).unwrap(), before);
    for sql in [
        "PRAGMA query_only=0",
        &attach,
        &vacuum,
        "SELECT * FROM pragma_table_info('item')",
    ] {
        assert_eq!(code_of(ask(&rig, sql).await), "sql_denied", "{sql}");
    }
}

#[tokio::test]
async fn what_is_wrong_is_told() {
    let rig = rig();
    for (sql, code) in [
        ("SELECT nothing FROM item", "bad_sql"),
        ("SELEC 1", "bad_sql"),
        ("", "bad_sql"),
        ("-- nothing", "bad_sql"),
        ("SELECT 1 AS a; SELECT 2 AS b", "bad_sql"),
        ("SELECT 1 AS a, 2 AS a", "bad_sql"),
        ("SELECT * FROM item a JOIN item b", "bad_sql"),
        ("SELECT x FROM other LIMIT 1", "bad_value"),
        ("SELECT x FROM other LIMIT 1 OFFSET 1", "bad_value"),
        ("SELECT replace(hex(zeroblob(9000000)), '0', 'ab')", "sql_denied"),
        ("SELECT printf('%.*c', 20000000, 'x')", "too_large"),
        (
            "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 300000) SELECT x FROM c",
            "too_large",
        ),
    ] {
        assert_eq!(code_of(ask(&rig, sql).await), code, "{sql}");
    }
    rig.put(
        "text.db",
        "this is no database, by far, and long enough to look at",
    );
    let tool = SqlQuery::new([].into(), Workers::here());
    let of = async |database: &str| {
        code_of(
            rig.call(
                &tool,
                json!({"database": database, "sql": "SELECT 1 AS a FROM sqlite_schema"}),
            )
            .await,
        )
    };
    assert_eq!(of("text.db").await, "not_a_database");
    assert_eq!(of("missing.db").await, "not_found");
    assert_eq!(of(":memory:").await, "not_found");
    assert_eq!(of("file:shop.db?mode=rw").await, "not_found");
    assert_eq!(of("/etc/x.db").await, "not_granted");
    assert!(!rig.path().join("missing.db").exists());
}

#[tokio::test]
async fn an_endless_question_is_cancelled() {
    let rig = rig();
    let cancel = rig.cx.cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(100)).await;
        cancel.cancel();
    });
    let started = Instant::now();
    let endless =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS n FROM c";
    assert_eq!(code_of(ask(&rig, endless).await), "cancelled");
    assert!(started.elapsed() < Duration::from_secs(2));
}

#[tokio::test]
async fn csv_files_are_tables_of_text() {
    let rig = Rig::open();
    rig.put("a.csv", "sku,price\nA,007\nB,10\n");
    rig.put("b.csv", "sku,\"odd \"\"name\"\nA,x\n");
    let tool = SqlQuery::new([].into(), Workers::here());
    let tables = json!({"a": "a.csv", "the b": "b.csv"});
    let sql = r#"SELECT a.sku, a.price, typeof(a.price) AS t, b."odd ""name" AS o FROM a JOIN "the b" b USING (sku)"#;
    let got = rig
        .call(&tool, json!({"tables": tables, "sql": sql}))
        .await
        .unwrap();
    assert_eq!(
        got["rows"],
        json!([{"sku": "A", "price": "007", "t": "text", "o": "x"}])
    );
    let sum = rig
        .call(
            &tool,
            json!({"tables": {"a": "a.csv"}, "sql": "SELECT sum(CAST(price AS INTEGER)) AS s FROM a"}),
        )
        .await;
    assert_eq!(sum.unwrap()["rows"], json!([{"s": 17}]));
    rig.put("bad.csv", "a,A\n1,2\n");
    rig.put("ragged.csv", "a,b\n1\n");
    let of = async |name: &str, path: &str| {
        code_of(
            rig.call(&tool, json!({"tables": {name: path}, "sql": "SELECT 1 AS x"}))
                .await,
        )
    };
    assert_eq!(of("t", "bad.csv").await, "bad_csv");
    assert_eq!(of("t", "ragged.csv").await, "bad_csv");
    assert_eq!(of("sqlite_x", "a.csv").await, "bad_csv");
    assert_eq!(of("t", "/etc/passwd").await, "not_granted");
    let drop = rig
        .call(&tool, json!({"tables": {"a": "a.csv"}, "sql": "DROP TABLE a"}))
        .await;
    assert_eq!(code_of(drop), "sql_denied");
    let both = json!({"tables": {"a": "a.csv"}, "database": "shop.db", "sql": "SELECT 1"});
    assert!(!jsonschema::is_valid(
        &crate::tools::Tool::spec(&tool).arguments,
        &both
    ));
}

#[tokio::test]
async fn changes_are_all_or_nothing() {
    let rig = rig();
    assert_eq!(
        change(&rig, "UPDATE item SET price = price * 2").await,
        Ok(json!({"changes": 2}))
    );
    assert_eq!(
        change_with(&rig, "INSERT INTO item(name) VALUES (?), (?)", json!(["a", "b"])).await,
        Ok(json!({"changes": 2}))
    );
    let script = "CREATE TABLE t(x); INSERT INTO t VALUES (1), (2); CREATE INDEX i ON t(x); DELETE FROM t WHERE x = 1;";
    assert_eq!(change(&rig, script).await, Ok(json!({"changes": 3})));
    assert_eq!(change(&rig, "SELECT 1").await, Ok(json!({"changes": 0})));
    assert_eq!(
        change(&rig, "INSERT INTO t VALUES (3) RETURNING x").await,
        Ok(json!({"changes": 1}))
    );
    let failing = change(
        &rig,
        "INSERT INTO t VALUES (4); INSERT INTO item(name) VALUES ('pen')",
    )
    .await;
    assert_eq!(code_of(failing), "constraint");
    assert_eq!(
        ask(&rig, "SELECT group_concat(x) AS x FROM t").await.unwrap()["rows"],
        json!([{"x": "2,3"}])
    );
}

#[tokio::test]
async fn changes_stay_in_their_file() {
    let rig = rig();
    let attach = format!("ATTACH '{}' AS s", rig.path().join("other.db").display());
    for sql in [
        attach.as_str(),
        "VACUUM",
        "PRAGMA journal_mode=OFF",
        "PRAGMA writable_schema=1",
        "BEGIN",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT s",
        "INSERT INTO item(name) VALUES ('x'); COMMIT; INSERT INTO item(name) VALUES ('y')",
        "CREATE VIRTUAL TABLE v USING fts5(x)",
        "SELECT load_extension('x')",
        "UPDATE sqlite_schema SET sql = 'x'",
        "",
        "nonsense",
    ] {
        let code = code_of(change(&rig, sql).await);
        assert!(code == "sql_denied" || code == "bad_sql", "{sql}: {code}");
    }
    assert!(!rig.path().join("other.db").exists());
    assert_eq!(
        ask(&rig, "SELECT count(*) AS n FROM item").await.unwrap()["rows"],
        json!([{"n": 2}])
    );
    assert_eq!(
        code_of(change_with(&rig, "SELECT ?; SELECT ?", json!([1])).await),
        "bad_sql"
    );
}

#[tokio::test]
async fn a_missing_database_is_made_unless_the_change_fails() {
    let rig = Rig::open();
    let tool = SqlExecute::new([].into(), Workers::here());
    let make = async |path: &str, sql: &str| rig.call(&tool, json!({"database": path, "sql": sql})).await;
    assert_eq!(
        make("new/a.db", "CREATE TABLE t(x); INSERT INTO t VALUES (1)").await,
        Ok(json!({"changes": 1}))
    );
    assert!(rig.path().join("new/a.db").exists());
    assert_eq!(code_of(make("b.db", "nonsense").await), "bad_sql");
    assert!(!rig.path().join("b.db").exists());
    assert_eq!(
        make("run:/c.db", "CREATE TABLE t(x)").await,
        Ok(json!({"changes": 0}))
    );
}

#[tokio::test]
async fn changing_needs_the_write_grant_too() {
    let rig = Rig::granting(Grants {
        databases: vec!["*.db".into()],
        ..Grants::default()
    });
    Connection::open(rig.path().join("shop.db"))
        .unwrap()
        .execute_batch("CREATE TABLE t(x)")
        .unwrap();
    assert!(ask(&rig, "SELECT count(*) AS n FROM t").await.is_ok());
    assert_eq!(
        code_of(change(&rig, "INSERT INTO t VALUES (1)").await),
        "not_granted"
    );
}

#[tokio::test]
async fn a_busy_database_is_tried_again() {
    let rig = rig();
    let other = Connection::open(rig.path().join("shop.db")).unwrap();
    other.execute_batch("BEGIN IMMEDIATE").unwrap();
    let busy = change(&rig, "DELETE FROM item").await;
    assert!(
        matches!(
            busy,
            Err(ToolError::Transient {
                code: "database_busy",
                ..
            })
        ),
        "{busy:?}"
    );
    assert!(ask(&rig, "SELECT 1 AS a").await.is_ok());
}

#[tokio::test]
async fn a_refusal_is_told_in_plain_words() {
    let rig = rig();
    let told = ask(&rig, "SELEC 1").await.unwrap_err().to_string();
    assert!(
        told.contains("near `SELEC` (at character 1 of the statement)"),
        "{told}"
    );
    for (sql, expected) in [
        (
            "DELETE FROM item",
            "deleting from the table `item` is not granted",
        ),
        (
            "INSERT INTO item(id) VALUES (9)",
            "adding rows to the table `item` is not granted",
        ),
        (
            "UPDATE item SET name = 'x'",
            "changing rows of the table `item` is not granted",
        ),
        ("DROP TABLE item", "making, changing or dropping tables"),
        ("CREATE TABLE t(x)", "making, changing or dropping tables"),
        (
            "CREATE TEMP VIEW v AS SELECT 1",
            "making, changing or dropping tables",
        ),
        ("ANALYZE", "making, changing or dropping tables"),
    ] {
        let told = ask(&rig, sql).await.unwrap_err().to_string();
        assert!(
            told.contains(expected) && told.contains("`sql.query` only reads"),
            "{sql}: {told}"
        );
        assert!(!told.contains(['{', '}']), "{told}");
    }
}

/// What is wrong is that there are two, whatever parameters the first has.
#[tokio::test]
async fn values_with_several_statements_are_told_as_that() {
    let rig = rig();
    for params in [json!([1]), json!([]), json!({"a": 1})] {
        let two = "CREATE TABLE IF NOT EXISTS a(b); INSERT INTO a VALUES(?1)";
        let told = change_with(&rig, two, params).await.unwrap_err().to_string();
        assert!(told.contains("`params` go with a single statement"), "{told}");
    }
    let trigger = "CREATE TRIGGER x AFTER DELETE ON other BEGIN DELETE FROM item; SELECT 1; END;";
    assert!(change_with(&rig, trigger, json!([])).await.is_ok());
}
