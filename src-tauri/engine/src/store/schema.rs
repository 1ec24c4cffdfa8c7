//! The tables of the newest format, held against those that a file has: what is missing is named in words, before any
//! statement stumbles over it. It must not know what stands in them.

use rusqlite::Connection;

use super::StoreError;

const TABLES: [(&str, &[&str]); 3] = [
    (
        "runs",
        &[
            "run",
            "id",
            "parent",
            "fork_seq",
            "head",
            "epoch",
            "owner",
            "created_ms",
            "changed_ms",
            "summary",
            "deleted_ms",
            "kept",
        ],
    ),
    ("events", &["key", "at_ms", "kind", "task", "body", "seal"]),
    ("payloads", &["id", "hash", "bytes", "codec", "data"]),
];

pub(super) fn expect_whole(conn: &Connection) -> Result<(), StoreError> {
    let mut missing = Vec::new();
    for (table, columns) in TABLES {
        let found = columns_of(conn, table)?;
        if found.is_empty() {
            missing.push(format!("its table `{table}` is missing"));
            continue;
        }
        let lost = columns
            .iter()
            .filter(|&column| !found.iter().any(|f| f == column));
        missing.extend(lost.map(|column| format!("its table `{table}` has no column `{column}`")));
    }
    if missing.is_empty() {
        return Ok(());
    }
    Err(StoreError::Damaged(missing.join(", ")))
}

fn columns_of(conn: &Connection, table: &str) -> Result<Vec<String>, StoreError> {
    let mut select = conn.prepare_cached("SELECT name FROM pragma_table_info(?1)")?;
    let rows = select.query_map([table], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_what_the_steps_make() {
        let conn = super::super::open::memory().unwrap();
        for (table, columns) in TABLES {
            assert_eq!(columns_of(&conn, table).unwrap(), columns, "{table}");
        }
        expect_whole(&conn).unwrap();
    }

    #[test]
    fn what_is_missing_is_said_in_words() {
        let conn = super::super::open::memory().unwrap();
        conn.execute_batch(
            "ALTER TABLE events RENAME TO happenings; ALTER TABLE payloads RENAME COLUMN codec TO c",
        )
        .unwrap();
        let told = expect_whole(&conn).unwrap_err().to_string();
        for part in [
            "its table `events` is missing",
            "its table `payloads` has no column `codec`",
        ] {
            assert!(told.contains(part), "{told}");
        }
        assert!(!told.contains("SELECT") && !told.contains("no such"), "{told}");
    }
}
