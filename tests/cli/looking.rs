//! Whoever only looks at a database changes no byte of it; one that is damaged, cut or of another format is told in words,
//! and is left as it is.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use planloom_tests::process::{Desk, Said};
use rusqlite::Connection;

use crate::verbs::up_to_the_question;

/// Each file of the folder of the database, with what it holds; but for the locks, which say who is alive.
fn files(desk: &Desk) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(desk.folder.path())
        .unwrap()
        .map(|e| e.unwrap().path());
    let mut files: Vec<_> = entries
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

/// Every verb that only looks, with what it writes in a folder of its own. The codes that they end with.
fn look_at_all(desk: &Desk, run: &str) -> Vec<(String, Said)> {
    let away = tempfile::tempdir().unwrap();
    let file = away.path().join("run.json");
    let copy = away.path().join("copy.db");
    let plan = away.path().join("a.plan.json");
    std::fs::write(&plan, r#"{ "tasks": [{ "id": "a", "instruction": "Do." }] }"#).unwrap();
    let verbs: [&[&str]; 9] = [
        &["runs"],
        &["show", run],
        &["show", run, "--at", "4"],
        &["log", run],
        &["compare", run, run],
        &["decide", run],
        &["export", run, "--to", file.to_str().unwrap()],
        &["backup", "--to", copy.to_str().unwrap()],
        &["check", plan.to_str().unwrap()],
    ];
    let said = verbs.map(|args| (args.join(" "), desk.say(args)));
    said.into()
}

fn expect_untouched(desk: &Desk, run: &str, what: &str) {
    let before = files(desk);
    for (verb, said) in look_at_all(desk, run) {
        assert_eq!(said.code, 0, "{what}: {verb}: {}", said.stderr);
        let after = files(desk);
        let names =
            |files: &[(PathBuf, Vec<u8>)]| files.iter().map(|(path, _)| path.clone()).collect::<Vec<_>>();
        assert_eq!(names(&before), names(&after), "{what}: {verb} leaves other files");
        assert!(before == after, "{what}: {verb} has changed a file");
    }
}

/// Another desk with only the database and what is named.
fn beside(desk: &Desk, suffixes: &[&str]) -> Desk {
    let other = Desk::default();
    for suffix in suffixes {
        let name = |db: PathBuf| {
            let mut name = db.into_os_string();
            name.push(suffix);
            PathBuf::from(name)
        };
        std::fs::copy(name(desk.db()), name(other.db())).unwrap();
    }
    other
}

fn set_mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn a_backup_that_is_looked_at_stays_as_it_is() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let other = Desk::default();
    let to = other.db();
    assert_eq!(desk.say(&["backup", "--to", to.to_str().unwrap()]).code, 0);
    let header = std::fs::read(&to).unwrap();
    assert_eq!(header[18..20], [1, 1], "a backup has no log beside it");
    expect_untouched(&other, &run, "a backup");
    // What changes it may, and does so.
    assert_eq!(other.say(&["decide", &run, "d1", r#"{"yes": true}"#]).code, 0);
}

#[test]
fn a_database_without_its_log_and_one_in_a_closed_folder_can_be_looked_at() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    // All that was said goes into the file itself.
    Connection::open(desk.db())
        .unwrap()
        .query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    let alone = beside(&desk, &[""]);
    assert_eq!(std::fs::read(alone.db()).unwrap()[18..20], [2, 2]);
    expect_untouched(&alone, &run, "without its log");
    // The superuser may write anywhere; then this is the same once more.
    set_mode(&alone.db(), 0o400);
    set_mode(alone.folder.path(), 0o500);
    expect_untouched(&alone, &run, "in a closed folder");
    set_mode(alone.folder.path(), 0o700);
}

#[test]
fn what_stands_in_the_log_alone_is_seen_and_left_there() {
    // Which of its connections a process closes last is chance: the last one may take the log into the file.
    let with_log = (0..40).find_map(|_| {
        let desk = Desk::default();
        let (run, _) = up_to_the_question(&desk);
        let log = desk.folder.path().join("planloom.db-wal");
        log.exists().then_some((desk, run))
    });
    let (desk, run) = with_log.expect("a log is left now and then");
    // As after kill -9: the file and its log, and nobody who has them open.
    let other = beside(&desk, &["", "-wal"]);
    let before = files(&other);
    for (verb, said) in look_at_all(&other, &run) {
        assert_eq!(said.code, 0, "{verb}: {}", said.stderr);
    }
    let after = files(&other);
    for (path, bytes) in &before {
        let now = after.iter().find(|(p, _)| p == path).map(|(_, bytes)| bytes);
        assert!(now == Some(bytes), "{} has changed", path.display());
    }
}

#[test]
fn an_older_format_is_looked_at_and_not_brought_up_to_date() {
    let desk = Desk::default();
    let first = include_str!("../../src-tauri/engine/migrations/V1__runs_events_payloads.sql");
    let conn = Connection::open(desk.db()).unwrap();
    conn.execute_batch(first).unwrap();
    conn.execute_batch("CREATE TABLE refinery_schema_history (version INT4 PRIMARY KEY, name VARCHAR(255), applied_on VARCHAR(255), checksum VARCHAR(255))").unwrap();
    drop(conn);
    let before = files(&desk);
    let said = desk.say(&["runs"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert!(files(&desk) == before, "it was changed");
    assert_eq!(desk.say(&["vacuum"]).code, 0);
    assert!(files(&desk) != before, "whoever writes brings it up to date");
}

/// What is wrong, in which file, that nothing was changed, and what to do: no statement and no library's words.
fn expect_words(desk: &Desk, args: &[&str], parts: &[&str]) {
    let before = std::fs::read(desk.db()).unwrap();
    let said = desk.say(args);
    assert_eq!(said.code, 4, "{args:?}: {} {}", said.stdout, said.stderr);
    let told = said.last()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        told.contains(desk.db().to_str().unwrap()),
        "{args:?} names no file: {told}"
    );
    for part in parts {
        assert!(told.contains(part), "{args:?}: {part} is missing in: {told}");
    }
    for raw in [
        "SELECT",
        "INSERT",
        "offset",
        "no such",
        "SqliteFailure",
        "Error code",
    ] {
        assert!(!told.contains(raw), "{args:?}: {raw} in: {told}");
    }
    assert!(
        std::fs::read(desk.db()).unwrap() == before,
        "{args:?} has changed the file"
    );
}

#[test]
fn a_damaged_schema_is_told_in_words() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let to = desk.folder.path().join("b.db");
    assert_eq!(desk.say(&["backup", "--to", to.to_str().unwrap()]).code, 0);
    for (sql, part) in [
        (
            "ALTER TABLE events RENAME TO happenings",
            "its table `events` is missing",
        ),
        ("DROP TABLE payloads", "its table `payloads` is missing"),
        (
            "ALTER TABLE events RENAME COLUMN seal TO stamp",
            "its table `events` has no column `seal`",
        ),
        (
            "ALTER TABLE runs RENAME COLUMN summary TO cache",
            "its table `runs` has no column `summary`",
        ),
        ("PRAGMA application_id = 7", "belongs to another program"),
        ("PRAGMA user_version = 99", "was written by a newer Planloom"),
    ] {
        let other = Desk::default();
        std::fs::copy(&to, other.db()).unwrap();
        Connection::open(other.db()).unwrap().execute_batch(sql).unwrap();
        for args in [&["runs"][..], &["show", &run], &["log", &run], &["decide", &run]] {
            expect_words(&other, args, &[part]);
        }
        // Those that write, too, before they write.
        let said = other.say(&["resume", &run]);
        assert_eq!(said.code, 4, "{sql}: {}", said.stderr);
        assert!(said.stderr.contains(part), "{sql}: {}", said.stderr);
    }
}

#[test]
fn a_page_that_was_written_over_is_told_in_words() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let to = desk.folder.path().join("b.db");
    assert_eq!(desk.say(&["backup", "--to", to.to_str().unwrap()]).code, 0);
    let whole = std::fs::read(&to).unwrap();
    let mut told = 0;
    for page in 0..whole.len() / 4096 {
        let other = Desk::default();
        let mut bytes = whole.clone();
        let from = if page == 0 { 100 } else { page * 4096 };
        bytes[from..(page + 1) * 4096].fill(0x5a);
        std::fs::write(other.db(), &bytes).unwrap();
        for args in [&["runs"][..], &["show", &run], &["log", &run]] {
            let said = other.say(args);
            if said.code == 0 {
                continue;
            }
            told += 1;
            let message = said.last()["error"]["message"].as_str().unwrap().to_owned();
            assert!(!message.contains("SELECT"), "page {page}: {args:?}: {message}");
            assert!([2, 4].contains(&said.code), "page {page}: {args:?}: {message}");
            assert!(
                std::fs::read(other.db()).unwrap() == bytes,
                "page {page}: {args:?} changes it"
            );
        }
    }
    assert!(told > 4, "only {told} were refused");
}

#[test]
fn a_database_that_was_cut_to_nothing_is_no_new_one() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    std::fs::write(desk.db(), b"").unwrap();
    // Its locks and its log say that it was one.
    for args in [
        &["runs"][..],
        &["show", &run],
        &["resume", &run],
        &["run", "ask.plan.json", "--param", "who=Ada", "--yes"],
    ] {
        expect_words(
            &desk,
            args,
            &["is empty (0 bytes), but", "Put a backup in its place"],
        );
    }
    let alone = Desk::default();
    std::fs::write(alone.db(), b"").unwrap();
    for args in [
        &["runs"][..],
        &["show", "r"],
        &["decide", "r"],
        &["resume", "r"],
        &["vacuum"],
        &["delete", "r"],
    ] {
        expect_words(&alone, args, &["is empty (0 bytes)", "put a backup in its place"]);
        assert_eq!(alone.say(args).last()["error"]["code"], "empty_database");
    }
    // Nothing says that it was one, and whoever runs a plan wants one.
    let plan = alone.write(
        "a.plan.json",
        &serde_json::json!({ "tasks": [{ "id": "a", "instruction": "x", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } }] }),
    );
    assert_eq!(alone.say(&["run", plan.to_str().unwrap(), "--yes"]).code, 0);
}
