//! Backing up, collecting and deleting while another process drives a run.

use std::collections::BTreeSet;
use std::path::Path;
use std::time::{Duration, Instant};

use planloom_tests::process::Desk;
use serde_json::{Value, json};

use crate::owners::{Owner, slow_run};

/// Many short tasks with large results, one after the other in eight rows.
fn busy_plan() -> Value {
    let tasks: Vec<Value> = (0..800)
        .map(|n: usize| {
            let after: Vec<String> = n.checked_sub(8).map(|m| format!("t{m}")).into_iter().collect();
            json!({ "id": format!("t{n}"), "instruction": "Echo.", "task_type": "tool", "tool": "echo",
                "inputs": { "value": format!("{n} ").repeat(2100) }, "dependencies": after })
        })
        .collect();
    json!({ "goal": "Busy", "tasks": tasks })
}

/// The events that the driver has told, each after it was stored.
fn told(lines: &Path) -> BTreeSet<u64> {
    let text = std::fs::read_to_string(lines).unwrap_or_default();
    let values = text.lines().filter_map(|l| serde_json::from_str::<Value>(l).ok());
    values.filter_map(|v| v["seq"].as_u64()).collect()
}

fn stored(db: &Path) -> BTreeSet<u64> {
    let conn = rusqlite::Connection::open(db).unwrap();
    let mut select = conn.prepare("SELECT key & 4294967295 FROM events").unwrap();
    let rows = select.query_map([], |row| row.get::<_, i64>(0)).unwrap();
    rows.map(|seq| seq.unwrap() as u64).collect()
}

fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let began = Instant::now();
    while !is_so() {
        assert!(began.elapsed() < Duration::from_secs(60), "{what} never came");
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn backups_of_a_running_database_hold_all_that_was_told() {
    let desk = Desk::default();
    let plan = desk.write("busy.plan.json", &busy_plan());
    let lines = desk.folder.path().join("lines");
    let mut driver = Owner(desk.start(&["run", plan.to_str().unwrap(), "--yes"], &lines));
    until("the first events", || told(&lines).len() > 50);
    let mut backups = 0;
    while driver.0.try_wait().unwrap().is_none() && backups < 20 {
        let before = told(&lines);
        let copy = desk.folder.path().join(format!("copy{backups}.db"));
        let said = desk.say(&["backup", "--to", copy.to_str().unwrap()]);
        assert_eq!(said.code, 0, "{}", said.stderr);
        assert_eq!(
            said.last()["bytes"].as_u64(),
            Some(std::fs::metadata(&copy).unwrap().len())
        );
        let held = stored(&copy);
        assert!(before.is_subset(&held), "told, but not in the backup");
        assert_eq!(
            held.len() as u64,
            *held.last().unwrap(),
            "it is a beginning of the log"
        );
        // Collecting beside the driver is as harmless, and the file is not rewritten under it.
        let vacuumed = desk.say(&["vacuum"]);
        assert_eq!(vacuumed.code, 0, "{}", vacuumed.stderr);
        backups += 1;
    }
    assert!(backups > 0, "the driver was done before the first backup");
    assert_eq!(
        driver.0.wait().unwrap().code(),
        Some(0),
        "the driver was not disturbed"
    );
    let run = desk.newest().unwrap();
    assert_eq!(desk.say(&["show", &run]).last()["state"], "SUCCEEDED");

    // Each opens as a database, at whose end the run can be looked at.
    let copy = desk.folder.path().join("copy0.db");
    let conn = rusqlite::Connection::open(&copy).unwrap();
    let check: String = conn
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(check, "ok");
    drop(conn);
    let mut show = std::process::Command::new(planloom_tests::process::planloom());
    let shown = show
        .args(["show", &run, "--json", "--db"])
        .arg(&copy)
        .output()
        .unwrap();
    assert_eq!(shown.status.code(), Some(0));
    let payloads = "SELECT count(*) FROM payloads";
    let conn = rusqlite::Connection::open(desk.db()).unwrap();
    let kept: i64 = conn.query_row(payloads, [], |row| row.get(0)).unwrap();
    assert!(kept >= 800, "{kept} payloads are left of a run that names 800");
}

#[test]
fn a_run_that_is_driven_is_not_deleted_and_one_that_was_killed_is() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    let refused = desk.say(&["delete", &run]);
    assert_eq!(
        (refused.code, refused.last()["error"]["code"].as_str()),
        (4, Some("owned"))
    );
    let vacuumed = desk.say(&["vacuum"]).last();
    assert_eq!(
        vacuumed["rewritten"], false,
        "the driver would have to wait for it"
    );
    owner.0.kill().unwrap();
    owner.0.wait().unwrap();
    assert_eq!(desk.say(&["delete", &run]).code, 0);
    let locks = std::fs::read_dir(desk.folder.path().join("planloom.db.locks")).unwrap();
    assert_eq!(locks.count(), 0, "its lock is gone too");
    assert_eq!(desk.say(&["resume", &run]).code, 2);
}

/// A process that was stopped, deposed and continued finds its run deleted, and says so.
#[test]
fn an_owner_that_was_deposed_writes_nothing_into_a_deleted_run() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    let signal = |owner: &Owner, name: &str| {
        let pid = owner.0.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args([name, &pid])
                .status()
                .unwrap()
                .success()
        );
    };
    signal(&owner, "-STOP");
    let lines = desk.folder.path().join("second");
    let mut second = Owner(desk.start(&["resume", &run, "--take-over"], &lines));
    until("the second owner", || {
        desk.say(&["show", &run]).last()["tasks"]["slow"]["state"] == "RUNNING" && !told(&lines).is_empty()
    });
    second.0.kill().unwrap();
    second.0.wait().unwrap();
    assert_eq!(desk.say(&["delete", &run]).code, 0);
    signal(&owner, "-CONT");
    signal(&owner, "-INT");
    assert_eq!(
        owner.0.wait().unwrap().code(),
        Some(2),
        "there is no such run any more"
    );
    assert!(stored(&desk.db()).is_empty());
}

/// Killed at any moment, an export leaves either the whole file or none, and the next one cleans up.
#[test]
fn an_export_that_is_killed_leaves_no_half_file() {
    let desk = Desk::default();
    let plan = desk.write("busy.plan.json", &busy_plan());
    assert_eq!(desk.say(&["run", plan.to_str().unwrap(), "--yes"]).code, 0);
    let run = desk.newest().unwrap();
    let target = desk.folder.path().join("run.jsonl");
    let to = target.to_str().unwrap();
    let null = desk.folder.path().join("null");
    for step in 0..12 {
        let mut child = desk.start(&["export", &run, "--to", to, "--force"], &null);
        std::thread::sleep(Duration::from_millis(step * 6));
        let _ = child.kill();
        child.wait().unwrap();
        if target.exists() {
            let said = desk.say(&["import", to]);
            assert_eq!(said.last()["imported"], false, "{}", said.stderr);
            std::fs::remove_file(&target).unwrap();
        }
    }
    assert_eq!(desk.say(&["export", &run, "--to", to]).code, 0);
    let names = std::fs::read_dir(desk.folder.path())
        .unwrap()
        .map(|f| f.unwrap().file_name());
    let parts: Vec<_> = names.filter(|n| n.to_string_lossy().ends_with(".part")).collect();
    assert!(parts.is_empty(), "{parts:?}");
}
