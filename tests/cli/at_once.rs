//! Many `resume` of one run at once: one drives, and whoever comes as it ends hears how it ended.

use std::process::{Child, Stdio};

use planloom_tests::process::{Desk, Said};
use serde_json::{Value, json};

/// Races are won by chance: each round is one.
const ROUNDS: usize = 4;

fn paused(desk: &Desk) -> String {
    let tasks: Vec<Value> = (0..3)
        .map(|n| {
            json!({ "id": format!("t{n}"), "instruction": "Wait.", "task_type": "tool", "tool": "wait",
                "inputs": { "ms": 5 }, "dependencies": if n == 0 { vec![] } else { vec![format!("t{}", n - 1)] } })
        })
        .collect();
    let path = desk.write("waits.plan.json", &json!({ "tasks": tasks }));
    let opened = desk.say(&["run", path.to_str().unwrap()]).last();
    let run = opened["run"].as_str().unwrap().to_owned();
    assert_eq!(desk.say(&["decide", &run, "d1", "approve"]).code, 0);
    run
}

#[test]
fn whoever_comes_as_the_run_ends_hears_how_it_ended() {
    let desk = Desk::default();
    for round in 0..ROUNDS {
        let run = paused(&desk);
        let resumes: Vec<Child> = (0..6)
            .map(|_| {
                let mut command = desk.command(&["resume", &run]);
                command
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn()
                    .unwrap()
            })
            .collect();
        for resume in resumes {
            let said = Said::of(&resume.wait_with_output().unwrap());
            // 4: another one drives it at that moment.
            assert!(
                matches!(said.code, 0 | 4),
                "round {round}: {} {}",
                said.code,
                said.stderr
            );
            assert!(!said.stderr.contains("(process 0)"), "{}", said.stderr);
            if said.code == 0 {
                assert_eq!(said.last()["state"], "SUCCEEDED");
            }
        }
        assert_eq!(desk.say(&["resume", &run]).code, 0);
    }
}
