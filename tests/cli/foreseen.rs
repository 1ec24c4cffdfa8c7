//! What `check` says before a run that would fail, and how words that do not fit are answered.

use planloom_tests::process::Desk;
use serde_json::{Value as Json, json};

fn plan_of(mut task: Json) -> Json {
    task["id"] = "t".into();
    task["instruction"] = "Do it.".into();
    json!({ "tasks": [task] })
}

fn tool(name: &str, inputs: Json) -> Json {
    json!({ "task_type": "tool", "tool": name, "inputs": inputs })
}

#[test]
fn check_tells_what_would_only_fail_in_the_run() {
    let desk = Desk::default();
    let header = json!({ "url": "http://127.0.0.1:9/", "headers": { "a": { "$secret": "NOPE_KEY" } } });
    for (task, code, expected) in [
        (
            tool("file.read", json!({ "path": "/proc/self/environ" })),
            2,
            "closed to every plan",
        ),
        (
            tool("file.write", json!({ "path": "run:/", "text": "x" })),
            2,
            "names a folder",
        ),
        (
            tool("file.read", json!({ "path": "a", "encoding": "klingon" })),
            2,
            "no encoding `klingon`",
        ),
        (
            tool("sql.execute", json!({ "database": "run:/a.db", "sql": "VACUUM" })),
            2,
            "`VACUUM` reach other files",
        ),
        (
            json!({ "task_type": "human", "form": false }),
            2,
            "no answer can fit",
        ),
        (
            tool("file.read", json!({ "path": "run:/never.txt" })),
            0,
            "which no task before it writes",
        ),
        (
            tool("http.get", header),
            0,
            "The secret NOPE_KEY is neither kept nor set",
        ),
    ] {
        let plan = desk.write("p.plan.json", &plan_of(task));
        let told = desk.say_plainly(&["check", plan.to_str().unwrap()]);
        assert_eq!(told.code, code, "{}{}", told.stdout, told.stderr);
        assert!(told.stdout.contains(expected), "{expected}: {}", told.stdout);
    }
}

#[test]
fn planlooms_own_data_is_told_as_that() {
    let desk = Desk::default();
    let plan = desk.write("p.plan.json", &plan_of(tool("echo", json!({ "value": 1 }))));
    let ran = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let text = json!({ "path": desk.db().to_str().unwrap(), "text": "x" });
    let plan = desk.write("own.plan.json", &plan_of(tool("file.write", text)));
    let told = desk.say_plainly(&["check", plan.to_str().unwrap()]);
    assert!(
        told.code == 2 && told.stdout.contains("lies in Planloom's own data"),
        "{}",
        told.stdout
    );
}

#[test]
fn words_that_do_not_fit_are_answered_with_those_that_do() {
    let desk = Desk::default();
    let mut asked = plan_of(tool("echo", json!({ "value": { "$param": "who" } })));
    asked["parameters"] = json!({ "who": { "type": "string" } });
    asked["tasks"][0]["approval"] = "before".into();
    let plan = desk.write("p.plan.json", &asked);
    let path = plan.to_str().unwrap();
    let twice = desk.say_plainly(&["run", path, "--yes", "--param", "who=a", "--param", "who=b"]);
    assert!(
        twice.code == 2 && twice.stderr.contains("`who` is given twice"),
        "{}",
        twice.stderr
    );
    let ran = desk.say(&["run", path, "--yes", "--param", "who=a"]);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let told = desk.say_plainly(&["decide", &run, "d1", "maybe"]);
    let cleared = desk.say_plainly(&["break", &run, "t", "--clear"]);
    assert!(
        cleared.stdout.contains("did not stop at t; nothing changed"),
        "{}{}",
        cleared.stdout,
        cleared.stderr
    );
    assert!(
        told.code == 2 && told.stderr.contains("`maybe` is none of the answers: "),
        "{}",
        told.stderr
    );
}

/// An example that the form refuses would only be refused again.
#[test]
fn no_example_is_shown_that_does_not_fit() {
    let desk = Desk::default();
    let form = json!({ "type": "string", "pattern": "^[0-9]{4}$" });
    let plan = desk.write(
        "p.plan.json",
        &plan_of(json!({ "task_type": "human", "form": form })),
    );
    let ran = desk.say_plainly(&["run", plan.to_str().unwrap(), "--yes"]);
    let told = format!("{}{}", ran.stdout, ran.stderr);
    assert!(
        told.contains("with JSON that fits the form {") && !told.contains("answer as in"),
        "{told}"
    );
}
