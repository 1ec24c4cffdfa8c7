//! Planloom's own data, by the command line: whatever a plan was granted, it neither makes nor changes nor reads what lies
//! there, but for what its run keeps in its own folder.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn call(id: &str, tool: &str, inputs: Value) -> Value {
    json!({ "id": id, "instruction": "Do.", "task_type": "tool", "tool": tool, "inputs": inputs,
            "retry": { "max_attempts": 1 } })
}

fn run(desk: &Desk, task: Value) -> (i32, String, Value) {
    let folder = format!("{}/", desk.folder.path().display());
    let plan = json!({ "goal": "Own", "tasks": [task], "grants": { "read": [folder], "write": [folder] } });
    let path = desk.write("own.plan.json", &plan);
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes", "--replan", "off"]);
    (said.code, said.stdout.clone() + &said.stderr, said.last())
}

/// A path that only the run knows: one that stands in the plan is told before it.
fn late(path: &str) -> Value {
    json!({ "$template": "{{ path }}", "with": { "path": path } })
}

#[test]
fn no_plan_makes_or_reads_what_lies_among_planlooms_own_data() {
    let desk = Desk::default();
    let (code, told, last) = run(
        &desk,
        call(
            "kept",
            "file.write",
            json!({ "path": "run:/kept.txt", "text": "mine" }),
        ),
    );
    assert_eq!(code, 0, "{told}");
    let kept = desk
        .folder
        .path()
        .join("runs")
        .join(last["run"].as_str().unwrap())
        .join("kept.txt");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine");
    let at = |name: &str| desk.folder.path().join(name).display().to_string();
    for path in [
        at("planloom.db-journal"),
        at("planloom.db.search-journal"),
        at("runs/planted.txt"),
        kept.display().to_string(),
    ] {
        let write = json!({ "path": late(&path), "text": "{}" });
        let (_, told, _) = run(&desk, call("w", "file.write", write));
        assert!(told.contains("own data"), "{path}: {told}");
    }
    let (_, told, _) = run(
        &desk,
        call(
            "r",
            "file.read",
            json!({ "path": late(&kept.display().to_string()) }),
        ),
    );
    assert!(told.contains("own data"), "{told}");
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "mine");
    assert_eq!(desk.say(&["runs"]).code, 0);
    let limited = desk.say(&["runs", "--limit", "2"]).last();
    assert_eq!(limited["runs"].as_array().map(Vec::len), Some(2));
    assert_eq!(limited["more"], 4);
}
