//! `log`: where `--at` and `--to` are found, what each call came to, and a log that can't be read to its end.

use planloom_tests::model_server::{self, ModelServer};
use planloom_tests::process::{Desk, Said};
use rusqlite::Connection;
use serde_json::json;

use crate::verbs::up_to_the_question;

fn seqs(said: &Said) -> Vec<u64> {
    said.lines()
        .iter()
        .filter_map(|line| line["seq"].as_u64())
        .collect()
}

#[test]
fn every_event_is_listed_with_the_position_that_the_other_verbs_take() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let said = desk.say(&["log", &run]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let head = desk.say(&["show", &run]).last()["seq"].as_u64().unwrap();
    assert_eq!(seqs(&said), (1..=head).collect::<Vec<_>>());
    let lines = said.lines();
    let done = lines
        .iter()
        .find(|line| line["kind"] == "task_completed")
        .unwrap();
    assert_eq!(done["task"], "greet");
    assert!(done["at"].as_str().unwrap().ends_with('Z'));
    let at = done["seq"].to_string();
    let then = desk.say(&["show", &run, "--at", &at]).last();
    assert_eq!(then["tasks"]["greet"]["state"], "COMPLETED");
    let rewound = desk.say(&["rewind", &run, "--to", &at]);
    assert_eq!(rewound.code, 0, "{}", rewound.stderr);

    assert_eq!(
        seqs(&desk.say(&["log", &run, "--from", "3", "--to", "5"])),
        [3, 4, 5]
    );
    let of_greet = desk.say(&["log", &run, "--task", "greet"]);
    assert!(!of_greet.lines().is_empty());
    assert!(of_greet.lines().iter().all(|line| line["task"] == "greet"));
    for args in [
        &["log", &run, "--from", "0"][..],
        &["log", &run, "--from", "9999"],
        &["log", &run, "--from", "5", "--to", "4"],
    ] {
        let said = desk.say(args);
        assert_eq!(
            (said.code, said.last()["error"]["code"].as_str()),
            (2, Some("no_such_event")),
            "{args:?}"
        );
    }
    let text = desk.say_plainly(&["log", &run]).stdout;
    assert!(
        text.lines()
            .any(|line| line.trim_start().starts_with(&format!("{at} ")) && line.contains("greet")),
        "{text}"
    );
}

#[test]
fn a_log_that_is_damaged_is_listed_as_far_as_it_can_be_read() {
    let desk = Desk::default();
    let (run, _) = up_to_the_question(&desk);
    let conn = Connection::open(desk.db()).unwrap();
    conn.execute("UPDATE events SET body = '{}' WHERE key & 4294967295 = 7", [])
        .unwrap();
    let said = desk.say(&["log", &run]);
    assert_eq!(said.code, 4, "{}", said.stderr);
    assert_eq!(seqs(&said), [1, 2, 3, 4, 5, 6]);
    assert!(
        said.last()["error"]["message"]
            .as_str()
            .unwrap()
            .contains("event 6"),
        "{}",
        said.stdout
    );
}

/// Whose word the count of a call is stands with that call.
#[test]
fn a_call_without_a_count_is_marked() {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    let server = ModelServer::start(&[("/v1/models", list)], |asked| {
        let mut answer = model_server::able(&asked.body, "Hello Ada.");
        if let Some(answer) = answer.as_object_mut() {
            answer.remove("usage");
        }
        (200, answer)
    });
    let desk = crate::plan::desk_beside(&server);
    let plan = desk.write(
        "think.plan.json",
        &json!({ "tasks": [{ "id": "think", "instruction": "Say hello.", "task_type": "model" }] }),
    );
    let ran = desk.say(&["run", plan.to_str().unwrap(), "--yes"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let run = ran.last()["run"].as_str().unwrap().to_owned();
    let lines = desk.say(&["log", &run]).lines();
    let call = lines.iter().find(|line| line["usage"].is_object()).unwrap();
    assert_eq!(call["usage"]["counted"], "guessed", "{call}");
    let asked = lines.iter().find(|line| line["kind"] == "call_started").unwrap();
    assert!(asked["most"]["tokens"].as_u64().unwrap() > 0, "{asked}");
    let text = desk.say_plainly(&["log", &run]).stdout;
    assert!(text.contains("guessed, as no count came: at most"), "{text}");
    let shown = desk.say_plainly(&["show", &run]).stdout;
    assert!(
        shown.contains("Spent: no money, ") && shown.contains(" tokens in, "),
        "{shown}"
    );
}
