//! `watch`: a run that somebody else drives, line by line or as a table on a terminal, and that leaving it leaves it alone.

use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use planloom_tests::process::{Desk, Said, planloom};
use serde_json::json;

use crate::verbs::up_to_the_question;

/// Starts a run that takes a while, and gives its id once it is there.
#[expect(clippy::zombie_processes, reason = "whoever started it waits for it")]
fn slow(desk: &Desk, ms: u32) -> (Child, String) {
    let plan = json!({ "goal": "Wait", "tasks": [
        { "id": "first", "instruction": "Say it.", "task_type": "tool", "tool": "echo", "inputs": { "value": "\u{1b}[31mred" } },
        { "id": "rest", "instruction": "Rest.", "task_type": "tool", "tool": "wait", "inputs": { "ms": ms }, "dependencies": ["first"] },
    ] });
    let path = desk.write("slow.plan.json", &plan);
    let child = desk.start(
        &["run", path.to_str().unwrap(), "--yes"],
        &desk.folder.path().join("lines"),
    );
    let begun = Instant::now();
    loop {
        if let Some(run) = desk.newest() {
            let shown = desk.say(&["show", &run]).last();
            if shown["tasks"]["rest"]["state"] == "RUNNING" {
                return (child, run);
            }
        }
        assert!(begun.elapsed() < Duration::from_secs(30), "it never ran");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_run_of_another_process_is_watched_to_its_end() {
    let desk = Desk::default();
    let (mut driver, run) = slow(&desk, 2_000);
    let said = desk.say(&["watch", &run]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let lines = said.lines();
    let seqs: Vec<u64> = lines.iter().filter_map(|line| line["seq"].as_u64()).collect();
    assert_eq!(seqs, (1..=seqs.len() as u64).collect::<Vec<_>>());
    assert!(lines.iter().any(|line| line["kind"] == "run_finished"));
    assert_eq!(said.last()["state"], "SUCCEEDED");
    assert!(driver.wait().unwrap().success());
    // What is over is told at once, with the same end.
    assert_eq!(desk.say(&["watch", &run]).code, 0);
}

#[test]
fn what_waits_for_a_person_ends_the_watch() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let said = desk.say(&["watch", &run]);
    assert_eq!((said.code, said.last()["state"].as_str()), (3, Some("WAITING")));
    assert_eq!(said.last()["decisions"][0]["kind"], "question");
    assert_eq!(desk.say(&["watch", "none"]).code, 2);
}

#[cfg(unix)]
#[test]
fn leaving_the_watch_leaves_the_run_alone() {
    let desk = Desk::default();
    let (mut driver, run) = slow(&desk, 3_000);
    let watch = desk
        .command(&["watch", &run])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(700));
    let interrupted = std::process::Command::new("kill")
        .args(["-INT", &watch.id().to_string()])
        .status();
    assert!(interrupted.unwrap().success());
    let said = Said::of(&watch.wait_with_output().unwrap());
    assert_eq!(said.code, 130, "{}", said.stderr);
    assert!(said.stderr.contains("goes on as before"), "{}", said.stderr);
    assert!(driver.wait().unwrap().success());
    assert_eq!(desk.say(&["show", &run]).last()["state"], "SUCCEEDED");
}

/// `script` gives the command a terminal.
#[cfg(target_os = "linux")]
#[test]
fn on_a_terminal_the_table_is_drawn_anew() {
    if std::process::Command::new("script")
        .arg("--version")
        .output()
        .is_err()
    {
        return;
    }
    let desk = Desk::default();
    let (mut driver, run) = slow(&desk, 2_500);
    let line = format!(
        "'{}' watch {run} --db '{}'",
        planloom().display(),
        desk.db().display()
    );
    let mut command = std::process::Command::new("script");
    command.args(["-qec", &line, "/dev/null"]).stdin(Stdio::null());
    let said = Said::of(&command.output().unwrap());
    assert!(driver.wait().unwrap().success());
    assert_eq!(said.code, 0, "{}", said.stdout);
    assert!(
        said.stdout.contains("\u{1b}[") && said.stdout.contains("RUNNING"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout.contains("rest") && said.stdout.contains("SUCCEEDED"),
        "{}",
        said.stdout
    );
    // What a tool has given never steers it.
    assert!(!said.stdout.contains("\u{1b}[31m"), "{}", said.stdout);
}
