//! A database that may be read but not written, in a folder that may not be written, is looked at and no more; that, and one
//! that may not be read at all, is said plainly, exit code 4, and nothing is changed.

#![cfg(unix)]

use std::os::unix::fs::PermissionsExt;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Output;

use planloom_tests::process::Desk;
use serde_json::json;

/// Whom the system lets do little; root passes every wall, so that the test steps back from being root.
const NOBODY: u32 = 65_534;

fn mode(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

fn is_root() -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata("/proc/self").is_ok_and(|meta| meta.uid() == 0)
}

fn say(desk: &Desk, args: &[&str]) -> std::io::Result<Output> {
    let mut command = desk.command(args);
    // It must not matter whether the folder itself may be entered.
    command.current_dir("/");
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output()
}

fn listing(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    let mut all: Vec<_> = entries
        .filter(|e| e.path().is_file())
        .map(|e| {
            let name = e.file_name().to_string_lossy().into_owned();
            (name, std::fs::read(e.path()).unwrap_or_default())
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_database_that_may_not_be_written_or_read_is_named_and_left_alone() {
    let desk = Desk::default();
    let plan = json!({ "goal": "Echo", "tasks": [
        { "id": "a", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } },
    ] });
    let plan = desk.write("a.plan.json", &plan);
    mode(&plan, 0o644);
    assert_eq!(desk.say(&["run", plan.to_str().unwrap(), "--yes"]).code, 0);
    let run = desk.newest().unwrap();
    let (folder, db) = (desk.folder.path(), desk.db());
    // As after a clean end, so that the modes below are those of all that there is.
    let conn = rusqlite::Connection::open(&db).unwrap();
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
        .unwrap();
    drop(conn);
    mode(folder, 0o777);
    mode(&db, 0o666);
    match say(&desk, &["tools"]) {
        Ok(said) if said.status.success() => {}
        other => return println!("left out: the binary can't be run by somebody else here ({other:?})"),
    }
    let before = listing(folder);
    for (what, of_folder, of_file, may_look) in [
        ("read-only file", 0o777, 0o444, true),
        ("read-only folder", 0o555, 0o666, true),
        ("both read-only", 0o555, 0o444, true),
        ("unreadable file", 0o777, 0o000, false),
        ("closed folder", 0o000, 0o666, false),
    ] {
        mode(&db, of_file);
        mode(folder, of_folder);
        for args in [
            &["runs"][..],
            &["show", &run],
            &["resume", &run],
            &["run", plan.to_str().unwrap(), "--yes"],
            &["cancel", &run],
        ] {
            let said = say(&desk, args).unwrap();
            let told = String::from_utf8_lossy(&said.stderr).into_owned();
            if may_look && matches!(args[0], "runs" | "show") {
                assert_eq!(said.status.code(), Some(0), "{what}, {args:?}: {told}");
                continue;
            }
            assert_eq!(said.status.code(), Some(4), "{what}, {args:?}: {told}");
            let is_named = told.contains("planloom.db")
                && (told.contains("readable and writable") || told.contains("denied"));
            assert!(is_named, "{what}, {args:?}: {told}");
        }
        mode(folder, 0o777);
        mode(&db, 0o666);
        assert!(listing(folder) == before, "{what}: something was changed");
    }
    assert_eq!(desk.say(&["show", &run]).code, 0, "all is well again");
}
