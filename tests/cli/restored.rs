//! Files put back after a crash in the midst of a write: what the file then holds says whether the write is part of it.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn append(id: &str, text: &str, after: &[&str]) -> Value {
    json!({ "id": id, "instruction": "Add.", "task_type": "tool", "tool": "file.write", "dependencies": after,
            "inputs": { "path": "log.txt", "text": text, "append": true } })
}

/// Dies before or behind the second write; the run.
fn cut_short(desk: &Desk, point: &str) -> String {
    let plan = json!({ "goal": "Log", "grants": { "write": ["log.txt"] },
        "tasks": [append("w1", "one\n", &[]), append("w2", "two\n", &["w1"])] });
    let path = desk.write("log.plan.json", &plan);
    let lines = desk.folder.path().join("lines");
    let args = ["run", path.to_str().unwrap(), "--yes"];
    let mut child = desk.start_with(&args, &lines, &[("PLANLOOM_DIE_AT", point)]);
    assert!(child.wait().unwrap().code().is_none(), "it dies at {point}");
    let runs = desk.say(&["runs"]).last();
    runs["runs"][0]["run"].as_str().unwrap().to_owned()
}

fn log(desk: &Desk) -> String {
    std::fs::read_to_string(desk.folder.path().join("log.txt")).unwrap()
}

/// Goes on to the end; where it asks, the call is to be made again.
fn end(desk: &Desk, run: &str) {
    for _ in 0..3 {
        let said = desk.say(&["resume", run]);
        if said.code == 0 {
            return;
        }
        let open = said.last()["decisions"][0]["id"].clone();
        let open = open.as_str().unwrap_or_else(|| panic!("{}", said.stdout));
        let answered = desk.say(&["decide", run, open, "retry"]);
        assert_eq!(answered.code, 0, "{}", answered.stderr);
    }
    panic!("{run} does not end");
}

#[test]
fn a_write_that_was_cut_short_is_neither_lost_nor_doubled_when_its_file_is_put_back() {
    if !cfg!(debug_assertions) {
        println!("left out: a release build knows no points to die at");
        return;
    }
    let desk = Desk::default();
    let run = cut_short(&desk, "dispatch:2");
    assert_eq!(log(&desk), "one\n", "nothing of the second write is there");
    end(&desk, &run);
    assert_eq!(log(&desk), "one\ntwo\n");
    let told = desk.say(&["log", &run]);
    let begun = told
        .lines()
        .into_iter()
        .find(|line| line["kind"] == "call_started" && line["task"] == "w2");
    let to = begun.unwrap()["seq"].to_string();
    let back = desk.say(&["rewind", &run, "--to", &to, "--restore"]);
    assert_eq!(back.code, 0, "{}", back.stderr);
    assert_eq!(log(&desk), "one\n");
    end(&desk, &run);
    assert_eq!(log(&desk), "one\ntwo\n");
}
