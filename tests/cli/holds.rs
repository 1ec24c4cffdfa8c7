//! `pin`, `unpin`, `break` and `--restore` through the real binary: what they record, show and refuse.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn notes() -> Value {
    json!({ "goal": "Notes", "tasks": [
        { "id": "text", "instruction": "Give.", "task_type": "tool", "tool": "echo", "inputs": { "value": "new" } },
        { "id": "save", "instruction": "Save.", "task_type": "tool", "tool": "file.write", "dependencies": ["text"],
          "inputs": { "path": "notes.txt", "text": { "$from": "text" } } },
        { "id": "end", "instruction": "End.", "task_type": "tool", "tool": "echo", "dependencies": ["save"],
          "inputs": { "value": { "$from": "save", "path": "/bytes" } } },
    ], "grants": { "write": ["notes.txt"] } })
}

struct Notes {
    desk: Desk,
    run: String,
}

impl Notes {
    fn opened() -> Self {
        let desk = Desk::default();
        std::fs::write(desk.folder.path().join("notes.txt"), "old").unwrap();
        let path = desk.write("notes.plan.json", &notes());
        let opened = desk.say(&["run", path.to_str().unwrap()]);
        assert_eq!(opened.code, 3, "it waits for approval: {}", opened.stderr);
        let run = opened.last()["run"].as_str().unwrap().to_owned();
        Self { desk, run }
    }

    fn say(&self, verb: &str, rest: &[&str]) -> (i32, Value) {
        let said = self.desk.say(&self.args(verb, rest));
        (said.code, said.last())
    }

    /// What can't even be read as a command.
    fn is_misuse(&self, verb: &str, rest: &[&str]) -> bool {
        self.desk.say(&self.args(verb, rest)).code == 2
    }

    fn args<'a>(&'a self, verb: &'a str, rest: &[&'a str]) -> Vec<&'a str> {
        let head = [verb, &self.run];
        head.into_iter().chain(rest.iter().copied()).collect()
    }

    fn text(&self) -> String {
        std::fs::read_to_string(self.desk.folder.path().join("notes.txt")).unwrap()
    }
}

#[test]
fn a_run_stops_at_a_breakpoint_and_says_where() {
    let notes = Notes::opened();
    let (code, set) = notes.say("break", &["save"]);
    assert_eq!((code, &set["breakpoint"]), (0, &json!("before")));
    let (code, last) = notes.say("resume", &["--yes"]);
    assert_eq!((code, &last["state"]), (3, &json!("PAUSED")));
    let (_, shown) = notes.say("show", &[]);
    assert_eq!(shown["paused_at"], json!({ "task": "save", "side": "before" }));
    assert_eq!(shown["tasks"]["save"]["breakpoint"], "before");
    assert_eq!(
        (
            &shown["tasks"]["end"]["breakpoint"],
            &shown["tasks"]["end"]["pinned"]
        ),
        (&Value::Null, &json!(false))
    );
    assert_eq!(notes.text(), "old");
    notes.say("break", &["save", "--before", "--after"]);
    let (_, shown) = notes.say("show", &[]);
    assert_eq!(shown["tasks"]["save"]["breakpoint"], "both");
    notes.say("break", &["save", "--clear"]);
    let (code, last) = notes.say("resume", &[]);
    assert_eq!((code, &last["state"]), (0, &json!("SUCCEEDED")));
    assert_eq!(notes.text(), "new");
    assert_eq!(notes.say("break", &["nowhere"]).0, 2);
    assert!(notes.is_misuse("break", &["save", "--clear", "--after"]));
}

#[test]
fn a_pinned_value_goes_on_to_what_is_behind() {
    let notes = Notes::opened();
    assert_eq!(notes.say("resume", &["--yes"]).0, 0);
    assert_eq!(
        notes.say("pin", &["text", "bare words"]).0,
        2,
        "text goes in quotes"
    );
    let (code, pinned) = notes.say("pin", &["text", "\"held\""]);
    assert_eq!((code, &pinned["pinned"]), (0, &json!(true)));
    let (_, shown) = notes.say("show", &[]);
    assert_eq!(shown["tasks"]["text"]["pinned"], true);
    assert_eq!(notes.say("rerun", &[]).0, 0);
    assert_eq!(notes.text(), "held");
    assert_eq!(notes.say("unpin", &["text"]).0, 0);
    assert_eq!(notes.say("unpin", &["text"]).0, 2);
    assert_eq!(notes.say("rerun", &[]).0, 0);
}

#[test]
fn a_rewind_lists_files_and_restores_them() {
    let notes = Notes::opened();
    assert_eq!(notes.say("resume", &["--yes"]).0, 0);
    assert_eq!(notes.text(), "new");
    let (_, listed) = notes.say("rewind", &["--to", "5"]);
    let file = &listed["files"][0];
    assert!(file["path"].as_str().unwrap().ends_with("/notes.txt"), "{listed}");
    assert_eq!(
        (&file["now"], &listed["restored"]),
        (&json!("as_left"), &Value::Null)
    );
    assert_eq!(notes.text(), "new");
    std::fs::write(notes.desk.folder.path().join("notes.txt"), "mine").unwrap();
    let (code, kept) = notes.say("rewind", &["--to", "5", "--restore"]);
    assert_eq!(code, 0);
    assert_eq!(kept["restored"]["failed"].as_array().unwrap().len(), 1);
    assert_eq!(notes.text(), "mine");
    let (_, forced) = notes.say("rewind", &["--to", "5", "--restore", "--force"]);
    assert_eq!(forced["restored"]["failed"], json!([]));
    assert_eq!(notes.text(), "old");
    assert!(notes.is_misuse("rewind", &["--to", "5", "--force"]));
    let (code, last) = notes.say("resume", &[]);
    assert_eq!((code, &last["state"]), (0, &json!("SUCCEEDED")));
    assert_eq!(notes.text(), "new", "what was undone is done again");
}
