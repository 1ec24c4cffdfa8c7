//! A disk that really is full (case state-10): a small file system in memory, where mounting is allowed.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use planloom_tests::ledger::Ledger;
use planloom_tests::process::Desk;
use serde_json::{Value, json};

use crate::dice::{Dice, number};

/// A mounted file system of a few MiB; unmounted at the end.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: &Path, size: &str) -> Option<Self> {
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"])
            .arg(at)
            .output();
        if mounted.is_ok_and(|m| m.status.success()) {
            return Some(Self(at.to_owned()));
        }
        println!("left out: mounting is not allowed here");
        None
    }

    /// Takes all space that is left.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = std::fs::File::create(&path).unwrap();
        while file.write_all(&[1; 4096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).output();
    }
}

fn until(what: &str, seconds: u64, mut holds: impl FnMut() -> bool) {
    let began = Instant::now();
    while !holds() {
        assert!(began.elapsed() < Duration::from_secs(seconds), "never: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn posts(ledger: &Ledger) -> Value {
    let post = |id: &str, after: &[&str], is_keyed: bool| {
        json!({
            "id": id, "instruction": "Post.", "task_type": "tool", "tool": "http.request", "idempotent": is_keyed,
            "dependencies": after, "inputs": { "url": ledger.url(id), "method": "POST", "body": id },
        })
    };
    // More than the log has held so far: what it has room for already needs no space of the disk.
    let mut dice = Dice::new(1);
    let notes: String = (0..40_000)
        .map(|_| format!("{:016x}", dice.below(u64::MAX)))
        .collect();
    json!({ "goal": "Fill up", "notes": notes, "tasks": [
        post("once1", &[], false), post("keyed1", &[], true),
        post("once2", &["once1"], false), post("keyed2", &["keyed1"], true),
    ] })
}

/// The run with its first two calls under way on a disk that has just become full.
fn filled(desk: &Desk, disk: &Disk, ledger: &Ledger) -> (std::process::Child, PathBuf) {
    let plan = desk.write("posts.plan.json", &posts(ledger));
    let lines = desk.folder.path().join("lines");
    // What it says must find space: these stand in memory of another kind.
    let child = desk.start_with(&["run", plan.to_str().unwrap(), "--yes"], &lines, &[]);
    until("the calls", 30, || ledger.entries().len() == 2);
    let filler = disk.fill();
    (child, filler)
}

fn requests(ledger: &Ledger) -> u32 {
    ledger.entries().values().map(|e| e.requests).sum()
}

/// A desk whose database lies on the small disk, while what is said goes elsewhere.
fn desk() -> Option<(Desk, Disk)> {
    let desk = Desk::on("disk/planloom.db");
    let at = desk.folder.path().join("disk");
    std::fs::create_dir(&at).unwrap();
    let disk = Disk::mount(&at, "4m")?;
    Some((desk, disk))
}

#[test]
fn a_run_on_a_full_disk_holds_and_goes_on_by_itself() {
    let Some((desk, disk)) = desk() else { return };
    let ledger = Ledger::open(Duration::from_millis(300));
    let (mut child, filler) = filled(&desk, &disk, &ledger);
    let said = || std::fs::read_to_string(desk.folder.path().join("lines.err")).unwrap();
    until("it says so", 20, || said().contains("storage full"));
    std::thread::sleep(Duration::from_secs(2));
    assert_eq!(requests(&ledger), 2, "nothing new has begun");
    assert!(child.try_wait().unwrap().is_none(), "it waits");
    std::fs::remove_file(filler).unwrap();
    until("it ends", 20, || child.try_wait().unwrap().is_some());
    let shown = desk.say(&["show", &desk.newest().unwrap()]).last();
    assert_eq!(shown["state"], "SUCCEEDED", "{}", said());
    assert!(
        ledger.entries().len() == 4 && requests(&ledger) == 4,
        "{:?}",
        ledger.entries()
    );
    assert!(said().contains("the run goes on"), "{}", said());
}

#[test]
fn a_command_on_a_full_disk_gives_up_and_says_what_was_kept() {
    if number("PLANLOOM_KILLS").unwrap_or(0) < 500 {
        println!("left out: it waits half a minute; the long campaign does it");
        return;
    }
    let Some((desk, disk)) = desk() else { return };
    let ledger = Ledger::open(Duration::from_millis(300));
    let (mut child, filler) = filled(&desk, &disk, &ledger);
    until("it gives up", 60, || child.try_wait().unwrap().is_some());
    assert_eq!(child.wait().unwrap().code(), Some(4));
    let said = std::fs::read_to_string(desk.folder.path().join("lines.err")).unwrap();
    assert!(
        said.contains("is stored") && said.contains("planloom resume"),
        "{said}"
    );
    std::fs::remove_file(filler).unwrap();
    let run = desk.newest().unwrap();
    assert_eq!(desk.say(&["resume", &run]).code, 3);
    let shown = desk.say(&["show", &run]).last();
    assert_eq!(shown["tasks"]["once1"]["state"], "IN_DOUBT");
    assert_eq!(shown["tasks"]["keyed2"]["state"], "COMPLETED");
    assert_eq!(desk.say(&["decide", &run, "d1", "done"]).code, 0);
    assert_eq!(desk.say(&["resume", &run]).code, 0);
    for entry in ledger.entries().values() {
        assert!(
            entry.path.starts_with("/keyed") || entry.requests == 1,
            "{entry:?}"
        );
    }
}

#[test]
fn a_file_that_does_not_fit_leaves_no_half() {
    let desk = Desk::default();
    let at = desk.folder.path().join("disk");
    std::fs::create_dir(&at).unwrap();
    let Some(_disk) = Disk::mount(&at, "256k") else {
        return;
    };
    std::fs::write(at.join("old.txt"), "old\n").unwrap();
    std::fs::write(at.join("log.txt"), "line\n").unwrap();
    let text = "x".repeat(1 << 20);
    let write = |id: &str, path: &str, append: bool| {
        json!({
            "id": id, "instruction": "Write.", "task_type": "tool", "tool": "file.write",
            "inputs": { "path": path, "text": text, "append": append },
        })
    };
    let plan = json!({ "goal": "Write", "tasks": [
        write("new", "disk/new.txt", false), write("old", "disk/old.txt", false), write("log", "disk/log.txt", true),
    ] });
    let plan = desk.write("write.plan.json", &plan);
    let said = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 3, "{}", said.stderr);
    let shown = desk.say(&["show", &desk.newest().unwrap()]).last();
    for id in ["new", "old", "log"] {
        assert_eq!(shown["tasks"][id]["error"]["code"], "disk_full", "{shown}");
    }
    assert_eq!(std::fs::read_to_string(at.join("old.txt")).unwrap(), "old\n");
    assert_eq!(std::fs::read_to_string(at.join("log.txt")).unwrap(), "line\n");
    let names: Vec<_> = std::fs::read_dir(&at)
        .unwrap()
        .flatten()
        .map(|e| e.file_name())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}
