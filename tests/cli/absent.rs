//! A database that is not there: whoever looks for runs hears so, and nothing is made for it.

use planloom_tests::process::Desk;
use serde_json::json;

#[test]
fn verbs_that_look_for_runs_make_no_database() {
    let desk = Desk::on("nowhere/at/all/planloom.db");
    let to = desk.folder.path().join("copy");
    let to = to.to_str().unwrap();
    let file = desk.folder.path().join("run.jsonl");
    let file = file.to_str().unwrap();
    for args in [
        &["runs"][..],
        &["show", "r"],
        &["log", "r"],
        &["resume", "r"],
        &["pause", "r"],
        &["cancel", "r"],
        &["decide", "r"],
        &["retry", "r", "t"],
        &["rerun", "r"],
        &["rewind", "r", "--to", "1"],
        &["fork", "r"],
        &["export", "r", "--to", file],
        &["delete", "r"],
        &["backup", "--to", to],
        &["vacuum"],
    ] {
        let said = desk.say(args);
        assert_eq!(said.code, 2, "{args:?}: {} {}", said.stdout, said.stderr);
        assert_eq!(said.last()["error"]["code"], "no_database", "{args:?}");
        assert!(
            said.stderr.contains("nothing was made"),
            "{args:?}: {}",
            said.stderr
        );
        let made: Vec<_> = std::fs::read_dir(desk.folder.path()).unwrap().collect();
        assert!(made.is_empty(), "{args:?}: {made:?}");
    }
}

#[test]
fn a_run_makes_it_and_then_there_is_something_to_look_at() {
    let desk = Desk::on("new/planloom.db");
    let plan = json!({ "tasks": [
        { "id": "a", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } },
    ] });
    let path = desk.write("a.plan.json", &plan);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(desk.say(&["runs"]).last()["runs"].as_array().unwrap().len(), 1);
}
