//! One owner: two processes never drive the same run, a dead one's run is free at once.

use std::process::Child;
use std::time::{Duration, Instant};

use planloom_tests::process::Desk;
use serde_json::json;

pub struct Owner(pub Child);

impl Drop for Owner {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn signal(owner: &Owner, name: &str) {
    let pid = owner.0.id().to_string();
    let sent = std::process::Command::new("kill").args([name, &pid]).status();
    assert!(sent.unwrap().success());
}

pub fn slow_run(desk: &Desk) -> (Owner, String) {
    let plan = json!({ "goal": "Wait", "tasks": [
        { "id": "first", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } },
        { "id": "slow", "instruction": "Wait.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 60_000 }, "dependencies": ["first"] },
    ] });
    let path = desk.write("slow.plan.json", &plan);
    let child = Owner(desk.start(
        &["run", path.to_str().unwrap(), "--yes"],
        &desk.folder.path().join("lines"),
    ));
    let began = Instant::now();
    while began.elapsed() < Duration::from_secs(60) {
        let is_slow = |run: &String| desk.say(&["show", run]).last()["tasks"]["slow"]["state"] == "RUNNING";
        if let Some(run) = desk.newest().filter(is_slow) {
            return (child, run);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("the slow task never started");
}

#[test]
fn a_second_process_is_told_who_drives_the_run_and_goes_on_after_kill_9() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    let refused = desk.say(&["resume", &run]);
    assert_eq!(refused.code, 4);
    let message = refused.last()["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        message.contains(&owner.0.id().to_string()),
        "it names the owner: {message}"
    );
    owner.0.kill().unwrap();
    owner.0.wait().unwrap();
    let shown = desk.say(&["show", &run]).last();
    assert_eq!(
        (shown["state"].as_str(), shown["tasks"]["slow"]["state"].as_str()),
        (Some("PAUSED"), Some("READY"))
    );
    let lines = desk.folder.path().join("second");
    let second = Owner(desk.start(&["resume", &run], &lines));
    let began = Instant::now();
    while desk.say(&["show", &run]).last()["tasks"]["slow"]["state"] != "RUNNING" {
        assert!(
            began.elapsed() < Duration::from_secs(30),
            "the second owner never went on"
        );
        std::thread::sleep(Duration::from_millis(20));
    }
    drop(second);
}

#[test]
fn an_interrupt_leaves_the_run_paused_and_resumable() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    signal(&owner, "-INT");
    assert_eq!(owner.0.wait().unwrap().code(), Some(130));
    let shown = desk.say(&["show", &run]).last();
    assert_eq!(shown["state"], "PAUSED");
    assert_eq!(shown["tasks"]["first"]["state"], "COMPLETED");
    let cancelled = desk.say(&["cancel", &run]);
    assert_eq!(
        (cancelled.code, cancelled.last()["state"].as_str()),
        (0, Some("CANCELLED"))
    );
    let last = desk.say(&["resume", &run]);
    assert_eq!(
        (last.code, last.last()["state"].as_str()),
        (130, Some("CANCELLED"))
    );
}

#[test]
fn another_process_can_pause_and_stop_a_live_run() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    assert_eq!(desk.say(&["cancel", &run]).code, 0);
    assert_eq!(owner.0.wait().unwrap().code(), Some(130));
    assert_eq!(desk.say(&["show", &run]).last()["state"], "CANCELLED");
}

#[test]
fn an_owner_that_was_deposed_records_nothing_more() {
    let desk = Desk::default();
    let (mut owner, run) = slow_run(&desk);
    signal(&owner, "-STOP");
    let head = |desk: &Desk| desk.say(&["show", &run]).last()["seq"].as_u64().unwrap();
    let before = head(&desk);
    let second = Owner(desk.start(
        &["resume", &run, "--take-over"],
        &desk.folder.path().join("second"),
    ));
    let began = Instant::now();
    while head(&desk) < before + 4 {
        assert!(began.elapsed() < Duration::from_secs(30), "nobody took over");
        std::thread::sleep(Duration::from_millis(20));
    }
    signal(&owner, "-CONT");
    signal(&owner, "-INT");
    assert_eq!(
        owner.0.wait().unwrap().code(),
        Some(4),
        "it is told that it lost the run"
    );
    assert_eq!(
        desk.say(&["show", &run]).last()["tasks"]["slow"]["state"],
        "RUNNING",
        "the new owner goes on"
    );
    drop(second);
}
