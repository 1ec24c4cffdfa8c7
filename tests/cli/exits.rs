//! Exit codes, each as the table of docs/command-line.md has it, and JSON for whatever goes wrong.

use planloom_tests::process::{Desk, root};
use serde_json::json;

use crate::verbs::up_to_the_question;

fn codes_that_are_told() -> Vec<i32> {
    let page = std::fs::read_to_string(root().join("docs/command-line.md")).unwrap();
    let table = page
        .split("## Exit codes")
        .nth(1)
        .unwrap()
        .split("\n## ")
        .next()
        .unwrap();
    let first = table
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split(' ').next()?.parse().ok());
    first.collect()
}

#[test]
fn every_exit_code_is_the_one_that_is_told() {
    let desk = Desk::default();
    let fails = desk.write(
        "fails.plan.json",
        &json!({ "tasks": [
        { "id": "a", "instruction": "Throw.", "task_type": "code", "source": "throw new Error('no')" }] }),
    );
    let (waiting, _) = up_to_the_question(&desk);
    let failed = desk.say(&["run", fails.to_str().unwrap(), "--yes"]);
    assert_eq!(failed.code, 3, "a person decides first: {}", failed.stderr);
    let failed = failed.last()["run"].as_str().unwrap().to_owned();
    assert_eq!(desk.say(&["decide", &failed, "d1", "stop"]).code, 0);
    let elsewhere = Desk::default();
    std::fs::write(elsewhere.db(), "This is a note, no database.\n".repeat(40)).unwrap();

    let found = [
        (desk.say(&["runs"]).code, 0),
        (desk.say(&["resume", &failed]).code, 1),
        (desk.say(&["show", "nothing"]).code, 2),
        (desk.say(&["resume", &waiting]).code, 3),
        (elsewhere.say(&["runs"]).code, 4),
        (
            {
                desk.say(&["cancel", &waiting]);
                desk.say(&["resume", &waiting]).code
            },
            130,
        ),
    ];
    for (code, expected) in found {
        assert_eq!(code, expected);
    }
    assert_eq!(codes_that_are_told(), found.map(|(_, expected)| expected));
}

#[test]
fn a_command_line_that_can_not_be_read_is_told_as_json_too() {
    let desk = Desk::default();
    for args in [
        &[][..],
        &["frobnicate"],
        &["run", "--bogus"],
        &["run"],
        &["show"],
        &["rewind", "r", "--to", "now"],
        &["run", "p.json", "--max-parallel", "0"],
        &["plan", "x", "--grant", "everything=1"],
        &["runs", "--model", "nobody=x/y"],
        &["servers", "add", "x"],
        &["break", "r", "t", "--clear", "--after"],
    ] {
        let said = desk.say(args);
        assert_eq!(said.code, 2, "{args:?}");
        let error = &said.last()["error"];
        assert_eq!(error["code"], "usage", "{args:?}: {}", said.stdout);
        let message = error["message"].as_str().unwrap();
        assert!(
            message.len() > 10 && !message.contains('\n') && message.ends_with('.'),
            "{message}"
        );
    }
    let plain = desk.say_plainly(&["frobnicate"]);
    assert_eq!((plain.code, plain.stdout.as_str()), (2, ""));
    let help = desk.say(&["--help"]);
    assert_eq!(help.code, 0);
}
