//! What `settings.json` says of how runs are carried out, as the command line follows it.

use std::time::{Duration, Instant};

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn choose(desk: &Desk, settings: &Value) {
    std::fs::write(desk.db().with_file_name("settings.json"), settings.to_string()).unwrap();
}

/// Four tasks that wait at once, unless a limit says otherwise.
fn waiting(desk: &Desk) -> Duration {
    let task = |n: usize| {
        json!({ "id": format!("w{n}"), "instruction": "Wait.", "task_type": "tool", "tool": "wait",
        "inputs": { "ms": 400 } })
    };
    let plan = json!({ "tasks": (0..4).map(task).collect::<Vec<_>>() });
    let path = desk.write("wait.plan.json", &plan);
    let begun = Instant::now();
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    begun.elapsed()
}

#[test]
fn a_limit_of_calls_to_a_tool_holds() {
    let desk = Desk::default();
    choose(
        &desk,
        &json!({ "models": { "discover": false }, "limits": { "tools": { "wait": 1 } } }),
    );
    let one_by_one = waiting(&desk);
    assert!(one_by_one >= Duration::from_millis(1600), "{one_by_one:?}");
}

#[test]
fn what_is_wrong_with_limits_is_told_by_its_place() {
    let desk = Desk::default();
    let settings =
        json!({ "models": { "discover": false }, "limits": { "per_provider": 0 }, "sync": "most" });
    choose(&desk, &settings);
    let echo = json!({ "id": "e", "instruction": "Say.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } });
    let path = desk.write("echo.plan.json", &json!({ "tasks": [echo] }));
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "the usual holds: {}", said.stderr);
    for place in ["settings.json#/limits/per_provider", "settings.json#/sync"] {
        assert!(said.stderr.contains(place), "{place}: {}", said.stderr);
    }
}
