//! A run whose process was killed: lists, heads and tasks tell the same of it.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn write(id: &str, input: &Value) -> Value {
    json!({ "id": id, "instruction": "Add.", "task_type": "tool", "tool": "file.write", "dependencies": [], "inputs": input })
}

/// Of the newest run as `runs` lists it.
fn listed(desk: &Desk) -> Value {
    desk.say(&["runs"]).last()["runs"][0].clone()
}

/// How many of the run's tasks are shown in each state.
fn stand(shown: &Value) -> Value {
    let mut counts = serde_json::Map::new();
    for task in shown["tasks"].as_object().unwrap().values() {
        let state = task["state"].as_str().unwrap();
        let count = counts.get(state).and_then(Value::as_u64).unwrap_or(0);
        counts.insert(state.to_owned(), json!(count + 1));
    }
    Value::Object(counts)
}

#[test]
fn a_killed_run_is_counted_alike_wherever_it_is_told() {
    if !cfg!(debug_assertions) {
        println!("left out: a release build knows no points to die at");
        return;
    }
    for (append, state) in [(true, "IN_DOUBT"), (false, "READY")] {
        let desk = Desk::default();
        let input = json!({ "path": "log.txt", "text": "one", "append": append });
        let plan =
            json!({ "goal": "Log", "grants": { "write": ["log.txt"] }, "tasks": [write("w1", &input)] });
        let path = desk.write("log.plan.json", &plan);
        let lines = desk.folder.path().join("lines");
        let args = ["run", path.to_str().unwrap(), "--yes"];
        let mut child = desk.start_with(&args, &lines, &[("PLANLOOM_DIE_AT", "dispatch:1")]);
        assert!(child.wait().unwrap().code().is_none());
        let row = listed(&desk);
        let shown = desk.say(&["show", row["run"].as_str().unwrap()]).last();
        assert_eq!(
            (&row["state"], &shown["state"]),
            (&json!("PAUSED"), &json!("PAUSED"))
        );
        let expected = json!({ state: 1 });
        assert_eq!(
            (&row["counts"], &stand(&shown)),
            (&expected, &expected),
            "append: {append}"
        );
    }
}
