//! Case state-11: files from other versions, other programs and half-failed steps.

use super::*;

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().unwrap()
}

fn bytes(path: &Path) -> Vec<u8> {
    std::fs::read(path).unwrap()
}

fn step(version: u32, sql: &str) -> Migration {
    Migration::unapplied(&format!("V{version}__step_{version}"), sql).unwrap()
}

#[test]
fn a_newer_file_is_refused_by_name_and_left_untouched() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let conn = Connection::open(&path).unwrap();
    conn.execute_batch(
        "CREATE TABLE future (x); PRAGMA application_id = 1347178317; PRAGMA user_version = 99;",
    )
    .unwrap();
    drop(conn);
    let before = bytes(&path);
    let refused = writer(&path).unwrap_err();
    assert!(
        matches!(
            refused,
            StoreError::Newer {
                found: 99,
                known,
                ..
            } if known == newest()
        ),
        "{refused}"
    );
    assert_eq!(bytes(&path), before);
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "nothing was put beside it"
    );
}

#[test]
fn an_empty_file_is_a_new_database_and_anything_else_is_somebody_elses() {
    let folder = folder();
    let path = folder.path().join("zero.db");
    std::fs::write(&path, b"").unwrap();
    assert_eq!(version(&writer(&path).unwrap()).unwrap(), newest());

    let note = folder.path().join("note.db");
    std::fs::write(&note, "This is not a database file, it is a note.\n".repeat(30)).unwrap();
    let before = bytes(&note);
    assert!(matches!(writer(&note).unwrap_err(), StoreError::NotOurs { .. }));
    assert_eq!(bytes(&note), before);

    for (name, sql) in [
        ("plain.db", "CREATE TABLE cats (name)"),
        (
            "marked.db",
            "CREATE TABLE cats (name); PRAGMA application_id = 7; PRAGMA user_version = 1",
        ),
    ] {
        let path = folder.path().join(name);
        Connection::open(&path).unwrap().execute_batch(sql).unwrap();
        let before = bytes(&path);
        assert!(
            matches!(writer(&path).unwrap_err(), StoreError::NotOurs { .. }),
            "{name}"
        );
        assert_eq!(bytes(&path), before, "{name}");
    }
    let missing = folder.path().join("a/b/planloom.db");
    assert!(writer(&missing).is_ok(), "missing folders are made");
}

#[test]
fn a_step_that_fails_is_rolled_back_named_and_a_copy_is_kept() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let first = include_str!("../../../migrations/V1__runs_events_payloads.sql");
    let steps = vec![step(1, first)];
    let conn = writer_with(&path, &steps).unwrap();
    conn.execute_batch(
        "INSERT INTO runs (id, created_ms, changed_ms, owner) VALUES ('r1', 1, 1, 'x'), ('r2', 1, 1, 'x')",
    )
    .unwrap();
    drop(conn);
    let broken = "ALTER TABLE runs ADD COLUMN branch TEXT NOT NULL DEFAULT 'main';
        CREATE UNIQUE INDEX runs_owner ON runs (owner); PRAGMA user_version = 2;";
    let steps = vec![step(1, first), step(2, broken)];
    let refused = writer_with(&path, &steps).unwrap_err();
    let StoreError::Migration {
        from,
        to,
        step: named,
        copy,
        ..
    } = &refused
    else {
        panic!("{refused}")
    };
    assert_eq!((*from, *to), (1, 2));
    assert!(named.contains("step_2"), "{named}");
    let conn = Connection::open(&path).unwrap();
    assert_eq!(version(&conn).unwrap(), 1, "the true version is kept");
    assert!(
        conn.prepare("SELECT branch FROM runs").is_err(),
        "nothing of the step is left"
    );
    let rows: i64 = conn
        .query_row("SELECT count(*) FROM runs", [], |r| r.get(0))
        .unwrap();
    assert_eq!(rows, 2);
    let copied = Connection::open(copy).unwrap();
    assert_eq!(
        copied
            .query_row("SELECT count(*) FROM runs", [], |r| r.get::<_, i64>(0))
            .unwrap(),
        2
    );

    // Mended, the same step goes through.
    conn.execute("UPDATE runs SET owner = 'y' WHERE id = 'r2'", [])
        .unwrap();
    drop(conn);
    let conn = writer_with(&path, &steps).unwrap();
    assert_eq!(version(&conn).unwrap(), 2);
}

#[test]
fn two_that_meet_at_a_new_file_both_get_in() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    std::thread::scope(|scope| {
        let openers: Vec<_> = (0..8)
            .map(|_| scope.spawn(|| writer(&path).map(|c| version(&c).unwrap())))
            .collect();
        for opener in openers {
            assert_eq!(opener.join().unwrap().unwrap(), newest());
        }
    });
}

#[test]
fn a_database_whose_first_commit_is_still_in_the_wal_is_ours() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let open = writer(&path).unwrap();
    open.execute(
        "INSERT INTO runs (id, created_ms, changed_ms) VALUES ('r', 1, 1)",
        [],
    )
    .unwrap();
    // As kill -9 leaves it: the file and its WAL, never closed.
    let other = folder.path().join("copy.db");
    std::fs::copy(&path, &other).unwrap();
    std::fs::copy(
        folder.path().join("planloom.db-wal"),
        folder.path().join("copy.db-wal"),
    )
    .unwrap();
    let again = writer(&other).unwrap();
    let rows: i64 = again
        .query_row("SELECT count(*) FROM runs", [], |r| r.get(0))
        .unwrap();
    assert_eq!(rows, 1);
}

#[test]
fn a_log_whose_main_file_is_gone_is_not_thrown_away() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let wal = folder.path().join("planloom.db-wal");
    std::fs::write(&wal, vec![7; 8192]).unwrap();
    for is_empty in [false, true] {
        if is_empty {
            std::fs::write(&path, b"").unwrap();
        }
        let refused = writer(&path).unwrap_err();
        assert!(matches!(refused, StoreError::Lost { .. }), "{refused}");
        assert_eq!(bytes(&wal), vec![7; 8192]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_refused_at_once() {
    let folder = folder();
    let pipe = folder.path().join("pipe.db");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    for path in [pipe.as_path(), folder.path(), Path::new("/dev/null")] {
        let refused = writer(path).unwrap_err();
        assert!(refused.to_string().contains("not a regular file"), "{refused}");
    }
}

/// The first released format, with its runs, comes up to date whole.
#[test]
fn a_database_of_format_1_keeps_all_its_runs() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let first: Vec<Migration> = steps().into_iter().filter(|s| s.version() == 1).collect();
    let conn = writer_with(&path, &first).unwrap();
    conn.execute_batch(
        "INSERT INTO runs (id, head, created_ms, changed_ms, summary) VALUES ('r1', 2, 1, 1, '{\"title\":\"a\"}');
         INSERT INTO runs (id, parent, fork_seq, head, created_ms, changed_ms) VALUES ('r2', 1, 1, 2, 1, 1);
         INSERT INTO events (key, at_ms, kind, body) VALUES (4294967297, 1, 19, '{}'), (4294967298, 1, 19, '{}'),
           (8589934594, 1, 19, '{}');
         INSERT INTO payloads (hash, bytes, codec, data) VALUES (x'00', 1, 0, x'31');",
    )
    .unwrap();
    let all = |conn: &Connection, table: &str, columns: &str| -> Vec<String> {
        let mut select = conn
            .prepare(&format!("SELECT json_array({columns}) FROM {table} ORDER BY 1"))
            .unwrap();
        let rows = select.query_map([], |row| row.get(0)).unwrap();
        rows.collect::<Result<_, _>>().unwrap()
    };
    let told = |conn: &Connection| {
        [
            all(
                conn,
                "runs",
                "run, id, parent, fork_seq, head, epoch, owner, created_ms, changed_ms, summary",
            ),
            all(conn, "events", "key, at_ms, kind, task, body"),
            all(conn, "payloads", "id, hex(hash), bytes, codec, hex(data)"),
        ]
    };
    let before = told(&conn);
    drop(conn);
    let conn = writer(&path).unwrap();
    assert_eq!(version(&conn).unwrap(), newest());
    assert_eq!(told(&conn), before);
    let deleted: i64 = conn
        .query_row(
            "SELECT count(*) FROM runs WHERE deleted_ms IS NOT NULL OR kept <> 0",
            [],
            |r| r.get(0),
        )
        .unwrap();
    assert_eq!(deleted, 0);
    assert!(folder.path().join("planloom.db.format-1.bak").exists());
}

/// A crash could once fall between a step and the library's note of it.
#[test]
fn a_step_that_was_done_but_not_noted_is_not_done_again() {
    let folder = folder();
    let path = folder.path().join("planloom.db");
    let first: Vec<Migration> = steps().into_iter().filter(|s| s.version() == 1).collect();
    let conn = writer_with(&path, &first).unwrap();
    let runs = "INSERT INTO runs (id, created_ms, changed_ms) VALUES ('r', 1, 1)";
    conn.execute_batch(&format!("DELETE FROM refinery_schema_history; {runs}"))
        .unwrap();
    drop(conn);
    let conn = writer(&path).unwrap();
    let count = |sql: &str| -> i64 { conn.query_row(sql, [], |r| r.get(0)).unwrap() };
    assert_eq!(
        version(&conn).unwrap(),
        count("SELECT max(version) FROM refinery_schema_history")
    );
    assert_eq!(count("SELECT count(*) FROM runs"), 1);
}

/// The journal of a change that was cut off before it was synced; `pages` is how many there were before.
fn leave_journal(path: &Path, pages: u32) {
    let mut header = vec![
        0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7, 0, 0, 0, 0, 1, 2, 3, 4,
    ];
    header.extend(pages.to_be_bytes());
    header.extend(512u32.to_be_bytes());
    header.extend(4096u32.to_be_bytes());
    header.resize(512, 0);
    std::fs::write(path.with_extension("db-journal"), header).unwrap();
}

#[test]
fn a_beginning_that_was_cut_off_is_begun_anew() {
    let folder = folder();
    let path = folder.path().join("new.db");
    // As a kill leaves it in the midst of the very first change: a page, and a journal that says there was none.
    let conn = Connection::open(&path).unwrap();
    conn.pragma_update(None, "journal_mode", "WAL").unwrap();
    drop(conn);
    leave_journal(&path, 0);
    assert_eq!(version(&writer(&path).unwrap()).unwrap(), newest());
}

#[test]
fn a_change_of_somebody_elses_that_was_cut_off_is_left_as_it_is() {
    let folder = folder();
    let path = folder.path().join("cats.db");
    Connection::open(&path)
        .unwrap()
        .execute_batch("CREATE TABLE cats (name)")
        .unwrap();
    leave_journal(&path, 2);
    let journal = path.with_extension("db-journal");
    let before = (bytes(&path), bytes(&journal));
    assert!(matches!(writer(&path).unwrap_err(), StoreError::NotOurs { .. }));
    assert_eq!((bytes(&path), bytes(&journal)), before);
}
