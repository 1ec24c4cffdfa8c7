//! A process that was stopped in the midst of a write holds everybody up: it is named within seconds, nobody waits without
//! a word, and its run stays its own.

#![cfg(unix)]

use std::process::{Child, Command};
use std::time::{Duration, Instant};

use planloom_tests::process::Desk;
use serde_json::{Value, json};

struct Stopped(Child);

impl Drop for Stopped {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn chain() -> Value {
    let echo = |n: usize| {
        let before: Vec<String> = n.checked_sub(1).map(|n| format!("t{n}")).into_iter().collect();
        json!({ "id": format!("t{n}"), "instruction": "Wait.", "task_type": "tool", "tool": "wait",
                "inputs": { "ms": 5 }, "dependencies": before })
    };
    json!({ "tasks": (0..12).map(echo).collect::<Vec<_>>() })
}

fn is_stopped(pid: u32) -> bool {
    let told = Command::new("ps")
        .args(["-o", "stat=", "-p", &pid.to_string()])
        .output();
    told.is_ok_and(|told| told.stdout.starts_with(b"T"))
}

#[test]
fn an_owner_that_was_stopped_in_a_write_is_named_and_keeps_its_run() {
    if !cfg!(debug_assertions) {
        println!("left out: a release build knows no points to stop at");
        return;
    }
    let desk = Desk::default();
    let plan = desk.write("chain.plan.json", &chain());
    let plan = plan.to_str().unwrap();
    let lines = desk.folder.path().join("lines");
    let stop_at = [("PLANLOOM_STOP_AT", "commit:6")];
    let mut owner = Stopped(desk.start_with(&["run", plan, "--yes"], &lines, &stop_at));
    let pid = owner.0.id();
    let began = Instant::now();
    while !is_stopped(pid) {
        assert!(began.elapsed() < Duration::from_secs(60), "it never stood still");
        std::thread::sleep(Duration::from_millis(20));
    }
    let run = desk.newest().expect("looking is not held up");
    let refused = desk.say(&["resume", &run]).last();
    assert_eq!(refused["error"]["code"], "owned");
    let told = refused["error"]["message"].as_str().unwrap().to_owned();
    assert!(
        told.contains(&format!("`planloom resume {run} --take-over --db ")),
        "{told}"
    );
    for args in [
        &["resume", &run, "--take-over"][..],
        &["cancel", &run],
        &["run", plan, "--yes"],
        &["vacuum"],
    ] {
        let began = Instant::now();
        let said = desk.say(args);
        assert!(began.elapsed() < Duration::from_secs(30), "{args:?} hangs");
        let error = said.last()["error"].clone();
        assert_eq!(
            (said.code, &error["code"]),
            (4, &json!("locked")),
            "{args:?}: {}",
            said.stderr
        );
        let told = error["message"].as_str().unwrap();
        for part in [
            format!("process {pid}"),
            format!("kill -CONT {pid}"),
            "Nothing was recorded".to_owned(),
        ] {
            assert!(told.contains(&part), "{args:?}: {part} is missing in: {told}");
        }
    }
    // The takeover that failed has taken nothing: it is driven as before, and goes on.
    assert_eq!(desk.say(&["resume", &run]).last()["error"]["code"], "owned");
    let woken = Command::new("kill")
        .args(["-CONT", &pid.to_string()])
        .status()
        .unwrap();
    assert!(woken.success());
    assert_eq!(owner.0.wait().unwrap().code(), Some(0));
    assert_eq!(desk.say(&["show", &run]).last()["state"], "SUCCEEDED");
}
