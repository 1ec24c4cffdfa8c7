//! `plan`, `run --goal` and estimates, as far as they need no model.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

#[test]
fn without_a_model_one_sentence_says_what_to_do_and_nothing_is_stored() {
    let desk = Desk::default();
    for args in [
        &["plan", "Prepare the weekly report"][..],
        &["run", "--goal", "Prepare the weekly report", "--yes"],
    ] {
        let said = desk.say(args);
        assert_eq!(said.code, 2, "{}", said.stderr);
        assert_eq!(said.last()["error"]["code"], "no_model");
        assert!(said.stderr.contains("No model is set up"), "{}", said.stderr);
    }
    assert_eq!(desk.say(&["runs"]).last()["runs"], json!([]));
}

#[test]
fn a_file_that_is_there_is_not_replaced_and_wrong_flags_are_named() {
    let desk = Desk::default();
    let path = desk.write("old.plan.json", &json!({ "tasks": [] }));
    let path = path.to_str().unwrap();
    let said = desk.say(&["plan", "Goal", "--out", path]);
    assert_eq!((said.code, &said.last()["error"]["code"]), (2, &json!("exists")));
    for args in [
        &["run"][..],
        &["run", path, "--goal", "both"],
        &["plan"],
        &["plan", "Goal", "--max-usd", "lots"],
        &["plan", "Goal", "--grant", "nothing"],
    ] {
        assert_eq!(desk.say(args).code, 2, "{args:?}");
    }
}

/// A tool that needs no model costs nothing; how long it takes is known once it has run.
#[test]
fn check_and_run_say_what_a_plan_may_come_to() {
    let desk = Desk::default();
    let plan = json!({ "goal": "Wait", "tasks": [
        { "id": "a", "instruction": "Wait.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 30 } },
        { "id": "b", "instruction": "Wait more.", "task_type": "tool", "tool": "wait", "inputs": { "ms": 30 },
          "dependencies": ["a"] },
    ] });
    let path = desk.write("wait.plan.json", &plan);
    let path = path.to_str().unwrap();
    let checked = desk.say(&["check", path]).last();
    assert_eq!(checked["estimate"]["usd"], json!({ "low": "0", "high": "0" }));
    assert_eq!(checked["estimate"]["critical_path"], json!(["a", "b"]));
    assert_eq!(checked["estimate"]["seconds"]["high"], Value::Null);

    assert_eq!(desk.say(&["run", path, "--yes"]).code, 0);
    let asked = desk.say(&["run", path]);
    assert_eq!(asked.code, 3);
    let line = asked
        .stderr
        .lines()
        .find(|line| line.contains("estimate:"))
        .unwrap();
    assert!(
        line.contains("$0;") && line.contains("longest way a → b"),
        "{line}"
    );
    assert!(
        !line.contains("or more"),
        "the earlier run tells how long it takes: {line}"
    );
}
