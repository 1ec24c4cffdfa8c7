//! New plans from the command line: what each piece is, what an answer would come to, taken in part, in one's own version, or
//! asked for again with a note.

use planloom_tests::model_server::{self, ModelServer};
use planloom_tests::process::Desk;
use serde_json::{Value, json};

use crate::plan::desk_beside;

fn echo(id: &str, after: &[&str], value: &Value) -> Value {
    json!({ "id": id, "instruction": format!("Do {id}."), "task_type": "tool", "tool": "echo", "dependencies": after,
        "inputs": { "value": value } })
}

/// `clean` reads a file that is not there, and `chart` needs it.
fn failing() -> Value {
    let clean = json!({ "id": "clean", "instruction": "Read it.", "task_type": "tool", "tool": "file.read",
        "dependencies": ["fetch"], "inputs": { "path": "nowhere.txt" } });
    json!({ "goal": "Chart it", "tasks": [
        echo("fetch", &[], &json!(1)), clean, echo("chart", &["clean"], &json!("chart")) ] })
}

fn way(new: &str) -> Value {
    json!({ "drop": ["clean"], "add": [
        echo(new, &["fetch"], &json!(new)), echo("extra", &["fetch"], &json!("extra")),
        echo("chart", &[new], &json!("chart")) ] })
}

/// Proposes one way, and another one when a person asks for the feed.
fn replanner() -> ModelServer {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    ModelServer::start(&[("/v1/models", list)], |asked| {
        let told = asked.body["messages"].to_string();
        if !told.contains("Where each task stands") {
            return (200, model_server::able(&asked.body, "Hello Ada."));
        }
        let is_feed = told.contains("The person says to it: Use the feed.");
        (
            200,
            model_server::say(&way(if is_feed { "feed" } else { "tidy" }).to_string()),
        )
    })
}

fn waiting(desk: &Desk) -> String {
    let path = desk.write("chart.plan.json", &failing());
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 3, "{}", said.stderr);
    let last = said.last();
    assert_eq!(last["state"], "WAITING", "{last}");
    last["run"].as_str().unwrap().to_owned()
}

/// What the calls of a trace came to, as (calls, tokens in, tokens out).
fn paid(lines: &[Value]) -> (usize, u64, u64) {
    let calls = |line: &Value| line["calls"].as_array().cloned().unwrap_or_default();
    let of_attempts = |line: &Value| line["attempts"].as_array().cloned().unwrap_or_default();
    let all = lines
        .iter()
        .flat_map(|line| [vec![line.clone()], of_attempts(line)].concat())
        .flat_map(|part| calls(&part))
        .filter(|call| call["kind"] == "model");
    all.fold((0, 0, 0), |(n, input, output), call| {
        let tokens = |name: &str| call["paid"][name].as_f64().unwrap_or(0.0) as u64;
        (
            n + 1,
            input + tokens("inputTokens"),
            output + tokens("outputTokens"),
        )
    })
}

#[test]
fn what_the_replanner_was_asked_is_part_of_the_trace() {
    let server = replanner();
    let desk = desk_beside(&server);
    let run = waiting(&desk);
    let spent = desk.say(&["show", &run]).last()["spent"].clone();
    let number = |name: &str| spent[name].as_u64().unwrap();
    let calls = ["zero", "estimated", "unknown"].map(|kind| spent["calls"][kind].as_u64().unwrap());
    let traced = desk.say(&["trace", &run]);
    let (models, input, output) = paid(&traced.lines());
    assert_eq!(
        (input, output),
        (number("input_tokens"), number("output_tokens")),
        "{}",
        traced.stdout
    );
    assert!(models > 0 && models as u64 <= calls.iter().sum());
    let told = desk.say_plainly(&["trace", &run]).stdout;
    assert!(told.contains("The replanner, for the whole run"), "{told}");
    assert!(told.contains("Asked ") && told.contains("tidy"), "{told}");
}

#[test]
fn a_new_plan_is_looked_at_and_taken_in_part() {
    let server = replanner();
    let desk = desk_beside(&server);
    let run = waiting(&desk);
    let listed = desk.say_plainly(&["decide", &run]);
    for word in ["--only", "add:tidy", "change:chart", "remove:clean", "add:extra"] {
        assert!(listed.stdout.contains(word), "{word}: {}", listed.stdout);
    }
    let part = [
        "--only",
        "add:tidy",
        "--only",
        "change:chart",
        "--only",
        "remove:clean",
    ];
    let with = |more: &[&'static str]| -> Vec<String> {
        let all = ["decide", &run, "d1", "accept"]
            .into_iter()
            .chain(part)
            .chain(more.iter().copied());
        all.map(str::to_owned).collect()
    };
    let say = |args: &[String]| desk.say(&args.iter().map(String::as_str).collect::<Vec<_>>());
    let looked = say(&with(&["--look"]));
    assert_eq!(looked.code, 0, "{}", looked.stderr);
    assert_eq!(looked.last()["left_out"], json!(["add:extra"]));
    assert_eq!(
        desk.say(&["decide", &run]).last()["decisions"]
            .as_array()
            .unwrap()
            .len(),
        1
    );

    let lacks = desk.say(&["decide", &run, "d1", "accept", "--only", "change:chart", "--look"]);
    assert_eq!((lacks.code, &lacks.last()["ok"]), (2, &json!(false)));
    let lacks = desk.say(&["decide", &run, "d1", "accept", "--only", "change:chart"]);
    assert_eq!(lacks.code, 2, "{}", lacks.stderr);
    assert!(
        lacks.stderr.contains("`change:chart` can't be taken without"),
        "{}",
        lacks.stderr
    );

    assert_eq!(say(&with(&[])).code, 0);
    assert_eq!(say(&with(&[])).code, 2, "a second answer");
    let done = desk.say(&["resume", &run]);
    assert_eq!(
        (done.code, &done.last()["state"]),
        (0, &json!("SUCCEEDED")),
        "{}",
        done.stderr
    );
    let tasks = desk.say(&["show", &run]).last()["tasks"].clone();
    assert_eq!(tasks["clean"]["state"], "PRUNED");
    assert!(tasks.get("extra").is_none() && tasks.get("tidy").is_some());
}

#[test]
fn another_one_is_asked_for_with_a_note_and_the_third_is_the_last() {
    let server = replanner();
    let desk = desk_beside(&server);
    let run = waiting(&desk);
    let again = desk.say(&["decide", &run, "d1", "again", "--note", "Use the feed."]);
    assert_eq!(again.code, 0, "{}", again.stderr);
    assert_eq!(again.last()["answer"], json!({ "again": "Use the feed." }));
    assert_eq!(desk.say(&["resume", &run]).code, 3);
    let asked = desk.say(&["decide", &run]).last()["decisions"][0].clone();
    assert_eq!(
        (&asked["id"], &asked["about"]["attempt"]),
        (&json!("d2"), &json!(2))
    );
    assert!(
        asked["about"]["text"].as_str().unwrap().contains("`feed`"),
        "{asked}"
    );
    assert_eq!(desk.say(&["decide", &run, "d2", "accept"]).code, 0);
    assert_eq!(desk.say(&["resume", &run]).code, 0);
}

#[test]
fn ones_own_version_comes_from_a_file() {
    let server = replanner();
    let desk = desk_beside(&server);
    let run = waiting(&desk);
    let mut mine = failing();
    mine["tasks"] = json!([
        mine["tasks"][0],
        echo("chart", &["mine"], &json!("chart")),
        echo("mine", &["fetch"], &json!("mine"))
    ]);
    let file = desk.write("mine.plan.json", &mine);
    let file = file.to_str().unwrap();
    let looked = desk.say_plainly(&["decide", &run, "d1", "accept", "--plan", file, "--look"]);
    assert_eq!(looked.code, 0, "{}", looked.stderr);
    assert!(
        looked.stdout.contains("`mine`") && looked.stdout.contains("Nothing was recorded"),
        "{}",
        looked.stdout
    );
    let said = desk.say(&["decide", &run, "d1", "accept", "--plan", file]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(desk.say(&["resume", &run]).code, 0);
    assert_eq!(
        desk.say(&["show", &run]).last()["tasks"]["mine"]["output"],
        json!("mine")
    );
}

#[test]
fn flags_that_say_nothing_of_the_answer_are_refused() {
    let server = replanner();
    let desk = desk_beside(&server);
    let run = waiting(&desk);
    for args in [
        &["--note", "x"][..],
        &["d1", "accept", "--note", "x"],
        &["d1", "reject", "--only", "add:tidy"],
        &["d1", "accept", "--digest", "x"],
        &["d1", "accept", "--plan", "/nowhere/at/all.json"],
        &["d1", "reject", "--look"],
    ] {
        let whole: Vec<&str> = ["decide", run.as_str()]
            .into_iter()
            .chain(args.iter().copied())
            .collect();
        let said = desk.say(&whole);
        assert_eq!(said.code, 2, "{args:?}: {}", said.stderr);
        assert!(
            said.stderr.contains("Nothing was recorded"),
            "{args:?}: {}",
            said.stderr
        );
    }
    assert_eq!(desk.say(&["decide", &run]).last()["decisions"][0]["id"], "d1");
}
