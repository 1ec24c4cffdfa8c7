//! Case state-01 from the field, on its own input: two windows approve at once and a start-up resumes by itself. One
//! word counts, the loser learns who was faster, and the task behind the gate starts once.

use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use planloom_tests::ledger::Ledger;
use planloom_tests::process::{Desk, Said, root};
use serde_json::{Value, json};

const CASE: &str = "tests/cases/state-01-two-resumes-at-once";

/// Races are won by chance: each round is one.
const ROUNDS: usize = 4;

fn lines(file: &str) -> Vec<Value> {
    let text = std::fs::read_to_string(root().join(CASE).join(file)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The recorded run up to where it hangs: the first task done, the second behind a gate.
fn suspended(desk: &Desk, ledger: &Ledger) -> String {
    let events = lines("events.jsonl");
    let name = |kind: &str| -> Value { events.iter().find(|e| e["type"] == kind).unwrap()["node"].clone() };
    let (build, deploy) = (name("node_completed"), name("approval_requested"));
    let url = ledger.url("deploy");
    let receiver = url
        .trim_start_matches("http://")
        .split('/')
        .next()
        .unwrap()
        .to_owned();
    let plan = json!({
        "goal": "Build and deploy",
        "grants": { "hosts": [format!("POST {receiver}")] },
        "tasks": [
            { "id": build, "instruction": "Build.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } },
            { "id": deploy, "instruction": "Deploy.", "task_type": "tool", "tool": "http.request", "approval": "before",
              "dependencies": [build], "inputs": { "method": "POST", "url": url, "body": "x" } },
        ],
    });
    let path = desk.write("deploy.plan.json", &plan);
    let waiting = desk.say(&["run", path.to_str().unwrap(), "--yes"]).last();
    assert_eq!(waiting["state"], "WAITING");
    waiting["run"].as_str().unwrap().to_owned()
}

/// One command of the recording, as the face that gave it goes on: an approval is followed by a resume.
fn play(desk: &Desk, run: &str, command: &Value, began: Instant) -> Option<Said> {
    sleep(Duration::from_millis(command["t_ms"].as_u64().unwrap()).saturating_sub(began.elapsed()));
    let word = command["cmd"].as_str().unwrap();
    // On a slow machine too the late word comes when the gate is no longer open.
    while word == "reject"
        && !desk.say(&["decide", run]).last()["decisions"]
            .as_array()
            .unwrap()
            .is_empty()
    {
        sleep(Duration::from_millis(50));
    }
    let answered = (word != "resume").then(|| desk.say(&["decide", run, "d1", word]));
    if word != "reject" {
        let resumed = desk
            .command(&["resume", run])
            .stdout(Stdio::null())
            .output()
            .unwrap();
        let code = resumed.status.code();
        assert!(matches!(code, Some(0 | 3 | 4)), "resume ended with {code:?}");
    }
    answered
}

#[test]
fn one_of_two_approvals_counts_and_the_task_behind_the_gate_starts_once() {
    for _ in 0..ROUNDS {
        let (desk, ledger) = (Desk::default(), Ledger::open(Duration::from_millis(1500)));
        let run = suspended(&desk, &ledger);
        let began = Instant::now();
        let said: Vec<Said> = std::thread::scope(|scope| {
            let (desk, run) = (&desk, run.as_str());
            let played: Vec<_> = lines("commands.jsonl")
                .into_iter()
                .map(|command| scope.spawn(move || play(desk, run, &command, began)))
                .collect();
            played
                .into_iter()
                .filter_map(|thread| thread.join().unwrap())
                .collect()
        });
        let accepted = said.iter().filter(|said| said.code == 0).count();
        assert_eq!((said.len(), accepted), (3, 1));
        for late in said.iter().filter(|said| said.code != 0) {
            let error = &late.last()["error"];
            let message = error["message"].as_str().unwrap();
            assert_eq!(error["code"], "answered");
            assert!(
                message.contains("(approve), by ") && message.contains(" at 20"),
                "{message}"
            );
        }
        let shown = desk.say(&["resume", &run]).last();
        assert_eq!(shown["state"], "SUCCEEDED");
        let requests: Vec<u32> = ledger.entries().values().map(|entry| entry.requests).collect();
        assert_eq!(requests, [1], "the effect was made once");
    }
}
