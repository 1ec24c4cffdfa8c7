//! Every verb, its JSON shape and its exit codes (DESIGN §7).

use planloom_tests::process::Desk;
use serde_json::{Value, json};

fn question() -> Value {
    json!({ "goal": "Ask", "parameters": { "who": { "type": "string" }, "n": { "type": "integer", "default": 1 } }, "tasks": [
        { "id": "greet", "instruction": "Greet.", "task_type": "tool", "tool": "text.template",
          "inputs": { "template": "Hello {{ who }} {{ n }}", "with": { "who": { "$param": "who" }, "n": { "$param": "n" } } } },
        { "id": "ask", "instruction": "Send it?", "task_type": "human", "dependencies": ["greet"],
          "form": { "type": "object", "required": ["yes"], "properties": { "yes": { "type": "boolean" } } } },
        { "id": "end", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["ask"],
          "inputs": { "value": { "$from": "ask", "path": "/yes" } } },
    ] })
}

/// Opens, approves and drives up to the question.
pub fn up_to_the_question(desk: &Desk) -> (String, Value) {
    let path = desk.write("ask.plan.json", &question());
    let path = path.to_str().unwrap();
    let ran = desk.say(&["run", path, "--param", "who=Ada", "--param", "n=2", "--yes"]);
    assert_eq!(ran.code, 3, "it waits for a person: {}", ran.stderr);
    let last = ran.last();
    (last["run"].as_str().unwrap().to_owned(), last)
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn run_streams_events_and_ends_with_a_last_line() {
    let desk = Desk::default();
    let path = desk.write("ask.plan.json", &question());
    let path = path.to_str().unwrap();

    let ran = desk.say(&["run", path, "--param", "who=Ada", "--param", "n=2", "--yes"]);
    assert_eq!(ran.code, 3, "it waits for a person: {}", ran.stderr);
    let lines = ran.lines();
    for (line, seq) in lines[..lines.len() - 1].iter().zip(1..) {
        assert_eq!(line["seq"], seq);
        assert!(
            line["at"].as_str().unwrap().ends_with('Z') && line["kind"].is_string(),
            "{line}"
        );
    }
    let kinds: Vec<&str> = lines.iter().filter_map(|l| l["kind"].as_str()).collect();
    for kind in [
        "run_opened",
        "plan_revised",
        "approved",
        "task_ready",
        "task_started",
        "call_started",
        "call_finished",
        "task_completed",
        "decision_opened",
        "task_waiting",
    ] {
        assert!(kinds.contains(&kind), "{kind} is missing in {kinds:?}");
    }
    let last = ran.last();
    assert_eq!(
        (last["state"].as_str(), &last["output"]),
        (Some("WAITING"), &Value::Null)
    );
    assert_eq!(last["decisions"][0]["kind"], "question");
}

#[test]
fn runs_and_show_have_their_shapes() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let run = run.as_str();
    let runs = desk.say(&["runs"]).last();
    let row = &runs["runs"][0];
    assert_eq!(
        (row["run"].as_str(), row["state"].as_str(), row["goal"].as_str()),
        (Some(run), Some("WAITING"), Some("Ask"))
    );
    assert_eq!(
        row["counts"],
        json!({ "PENDING": 1, "WAITING": 1, "COMPLETED": 1 })
    );
    assert!(row["started"].as_str().unwrap().ends_with('Z'));

    let shown = desk.say(&["show", run]).last();
    let greet = &shown["tasks"]["greet"];
    assert_eq!(greet["output"], json!({ "text": "Hello Ada 2" }));
    assert_eq!(
        (&greet["state"], &greet["attempts"], &greet["error"]),
        (&json!("COMPLETED"), &json!(1), &Value::Null)
    );
    for key in ["run", "state", "seq", "output", "tasks"] {
        assert!(keys(&shown).contains(&key));
    }
    let early = desk.say(&["show", run, "--at", "3"]).last();
    assert_eq!(
        (&early["seq"], &early["tasks"]["greet"]["state"]),
        (&json!(3), &json!("PENDING"))
    );
}

#[test]
fn a_decision_is_listed_answered_once_and_resumed() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let run = run.as_str();
    let listed = desk.say(&["decide", run]).last();
    let decision = &listed["decisions"][0];
    for key in ["id", "kind", "run", "task", "question", "options", "form"] {
        assert!(keys(decision).contains(&key), "{key}");
    }
    let id = decision["id"].as_str().unwrap();
    assert_eq!(desk.say(&["decide", run, id, "maybe"]).code, 2);
    assert_eq!(desk.say(&["decide", run, id, r#"{"yes": true}"#]).code, 0);
    assert_eq!(
        desk.say(&["decide", run, id, r#"{"yes": true}"#]).code,
        2,
        "a second answer"
    );
    assert_eq!(
        desk.say(&["show", run]).last()["state"],
        "WAITING",
        "decide starts nothing"
    );

    let resumed = desk.say(&["resume", run]);
    assert_eq!(resumed.code, 0, "{}", resumed.stderr);
    assert_eq!(resumed.last()["output"], json!({ "end": true }));
    let again = desk.say(&["resume", run]);
    assert_eq!(
        (again.code, again.lines().len()),
        (0, 1),
        "a finished run prints its last line"
    );
}

#[test]
fn without_yes_nothing_runs_and_the_approval_is_a_decision() {
    let desk = Desk::default();
    let path = desk.write("ask.plan.json", &question());
    let path = path.to_str().unwrap();
    let asked = desk.say(&["run", path, "--param", "who=Ada"]);
    assert_eq!(
        (asked.code, asked.last()["state"].as_str()),
        (3, Some("AWAITING_APPROVAL"))
    );
    let run = asked.last()["run"].as_str().unwrap().to_owned();
    assert_eq!(
        asked.last()["decisions"][0]["options"],
        json!(["approve", "reject"])
    );
    assert_eq!(desk.say(&["resume", &run]).code, 3);
    assert_eq!(desk.say(&["decide", &run, "d1", "approve"]).code, 0);
    let resumed = desk.say(&["resume", &run]);
    assert_eq!(resumed.code, 3);
    assert_eq!(
        desk.say(&["show", &run]).last()["tasks"]["greet"]["output"]["text"],
        "Hello Ada 1"
    );

    let asked = desk.say(&["run", path, "--param", "who=Bo"]);
    let run = asked.last()["run"].as_str().unwrap().to_owned();
    assert_eq!(desk.say(&["decide", &run, "d1", "reject"]).code, 0);
    let last = desk.say(&["resume", &run]);
    assert_eq!(
        (last.code, last.last()["state"].as_str()),
        (130, Some("CANCELLED"))
    );

    let asked = desk.say(&["run", path, "--param", "who=Cy"]);
    let run = asked.last()["run"].as_str().unwrap().to_owned();
    assert_eq!(
        desk.say(&["resume", &run, "--yes"]).code,
        3,
        "approved and driven up to the question"
    );
    assert_eq!(
        desk.say(&["show", &run]).last()["tasks"]["greet"]["state"],
        "COMPLETED"
    );
}

#[test]
fn parameters_are_checked_before_anything_is_opened() {
    let desk = Desk::default();
    let path = desk.write("ask.plan.json", &question());
    let path = path.to_str().unwrap();
    for wrong in [
        vec![],
        vec!["--param", "who=A", "--param", "n=two"],
        vec!["--param", "who=A", "--param", "x=1"],
        vec!["--param", "who=A", "--param", "n=1.5"],
        vec!["--param", "who"],
    ] {
        let said = desk.say(&[&["run", path, "--yes"][..], &wrong].concat());
        assert_eq!(said.code, 2, "{wrong:?}: {}", said.stdout);
    }
    assert_eq!(desk.say(&["runs"]).last(), json!({ "runs": [], "more": 0 }));
}

#[test]
fn check_accepts_all_seven_kinds_and_run_names_what_it_cannot_do_yet() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [
        { "id": "a", "instruction": "Think.", "tools": ["echo"] },
        { "id": "b", "instruction": "Say.", "task_type": "model" },
        { "id": "c", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": [1] } },
        { "id": "d", "instruction": "Run.", "task_type": "code", "source": "return 1;" },
        { "id": "e", "instruction": "Ask.", "task_type": "human", "form": { "type": "object" } },
        { "id": "f", "instruction": "Each.", "task_type": "map", "inputs": { "items": { "$from": "c" } }, "dependencies": ["c"],
          "over": "items", "task": { "id": "one", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "inputs": { "value": { "$item": "" } } } },
        { "id": "g", "instruction": "Nest.", "task_type": "subplan", "plan": { "tasks": [{ "id": "x", "instruction": "y" }] } },
    ] });
    let path = desk.write("all.plan.json", &plan);
    let checked = desk.say(&["check", path.to_str().unwrap()]);
    assert_eq!(checked.code, 0, "{}", checked.stdout);
    assert_eq!(checked.last()["ok"], true);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 2);
    // Only what asks a model can't run, as none is set up.
    for kind in ["agent", "model"] {
        assert!(ran.stdout.contains(kind), "{kind} is not named: {}", ran.stdout);
    }
    assert_eq!(desk.say(&["runs"]).last(), json!({ "runs": [], "more": 0 }));
}

#[test]
fn tools_are_listed_with_their_schemas() {
    let listed = Desk::default().say(&["tools"]).last();
    let names: Vec<&str> = listed["tools"]
        .as_array()
        .unwrap()
        .iter()
        .map(|t| t["name"].as_str().unwrap())
        .collect();
    for name in [
        "http.get",
        "http.request",
        "file.read",
        "file.write",
        "file.list",
        "csv.read",
        "sql.query",
        "sql.execute",
        "text.template",
        "json.query",
        "wait",
        "echo",
    ] {
        assert!(names.contains(&name), "{name} is missing");
    }
    for tool in listed["tools"].as_array().unwrap() {
        assert!(
            tool["arguments"]["properties"].is_object() && tool["effect"].is_string(),
            "{tool}"
        );
    }
}

#[test]
fn a_failed_run_and_unknown_names_have_their_codes() {
    let desk = Desk::default();
    let plan = json!({ "tasks": [
        { "id": "a", "instruction": "Fail.", "task_type": "code", "source": "throw new Error('no');" },
    ] });
    let path = desk.write("fail.plan.json", &plan);
    let ran = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!((ran.code, ran.last()["state"].as_str()), (3, Some("BLOCKED")));
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    assert_eq!(desk.say(&["decide", &run, "d1", "stop"]).code, 0);
    let stopped = desk.say(&["resume", &run]);
    assert_eq!(
        (stopped.code, stopped.last()["state"].as_str()),
        (1, Some("FAILED"))
    );
    assert_eq!(desk.say(&["show", "no-such-run"]).code, 2);
    assert_eq!(desk.say(&["decide", &run, "d7", "stop"]).code, 2);
    assert_eq!(desk.say(&["frobnicate"]).code, 2);
    let first: String = run.chars().take(30).collect();
    assert_eq!(
        desk.say(&["show", &first]).code,
        0,
        "a beginning of the id is enough"
    );
}
