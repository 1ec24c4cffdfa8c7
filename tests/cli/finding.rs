//! `search`, `tag`, `rename` and the filters of `runs`: their shapes and exits, hostile text, and a crash in the midst of looking
//! through.

use std::process::Stdio;
use std::time::Duration;

use planloom_tests::process::{Desk, planloom};
use serde_json::{Value, json};

fn echo(goal: &str, value: &str) -> Value {
    json!({ "goal": goal, "tasks": [
        { "id": "say", "instruction": "Say it.", "task_type": "tool", "tool": "echo", "inputs": { "value": value } },
    ] })
}

fn ran(desk: &Desk, goal: &str, value: &str) -> String {
    let path = desk.write("say.plan.json", &echo(goal, value));
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    said.last()["run"].as_str().unwrap().to_owned()
}

fn runs_of(value: &Value) -> Vec<&str> {
    value["runs"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| run["run"].as_str().unwrap())
        .collect()
}

#[test]
fn what_a_run_gave_is_found_with_its_place() {
    let desk = Desk::default();
    let run = ran(&desk, "Greet the harbour", "a walrus waves from the quay");
    ran(&desk, "Other", "nothing of the kind");
    let said = desk.say(&["search", "walrus", "quay"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    let found = said.last();
    let hit = &found["hits"][0];
    let places: Vec<&Value> = found["hits"]
        .as_array()
        .unwrap()
        .iter()
        .map(|hit| &hit["where"])
        .collect();
    assert_eq!(places, ["output", "plan"], "{found}");
    assert_eq!(
        (
            hit["run"].as_str(),
            hit["task"].as_str(),
            hit["where"].as_str(),
            hit["state"].as_str()
        ),
        (Some(run.as_str()), Some("say"), Some("output"), Some("SUCCEEDED"))
    );
    assert_eq!(
        (&found["more"], &found["behind"], &found["notes"]),
        (&json!(0), &json!(0), &json!([]))
    );
    let letters: Vec<char> = hit["snippet"].as_str().unwrap().chars().collect();
    let marked = |mark: &Value| {
        let at = |n: usize| mark[n].as_u64().unwrap() as usize;
        letters[at(0)..at(1)].iter().collect::<String>()
    };
    let marked: Vec<String> = hit["marks"].as_array().unwrap().iter().map(marked).collect();
    assert_eq!(marked, ["walrus", "quay"]);
    let at = hit["seq"].to_string();
    let then = desk.say(&["show", &run, "--at", &at]).last();
    assert_eq!(then["tasks"]["say"]["output"], "a walrus waves from the quay");
    let plain = desk.say_plainly(&["search", "walrus"]).stdout;
    assert!(
        plain.contains("a »walrus« waves") && plain.contains(&run),
        "{plain}"
    );
    let none = desk.say_plainly(&["search", "unicorn"]);
    assert_eq!((none.code, none.stdout.trim()), (0, "Nothing was found."));
}

#[test]
fn tags_and_names_are_given_and_filter_the_list() {
    let desk = Desk::default();
    let one = ran(&desk, "One", "walrus");
    let two = ran(&desk, "Two", "seal");
    let said = desk.say(&["tag", &one, "+Sea", "+cold/north"]);
    assert_eq!(
        (said.code, &said.last()["tags"]),
        (0, &json!(["cold/north", "sea"])),
        "{}",
        said.stderr
    );
    desk.say(&["tag", &two, "+sea"]);
    assert_eq!(
        desk.say(&["tag", &one]).last()["tags"],
        json!(["cold/north", "sea"])
    );
    let of = |args: &[&str]| {
        let said = desk.say(&[&["runs"], args].concat());
        assert_eq!(said.code, 0, "{}", said.stderr);
        said.last()
    };
    assert_eq!(runs_of(&of(&["--tag", "SEA"])), [two.as_str(), one.as_str()]);
    assert_eq!(
        runs_of(&of(&["--tag", "sea", "--tag", "cold/north"])),
        [one.as_str()]
    );
    assert_eq!(
        runs_of(&of(&["--tag", "sea", "--search", "seal"])),
        [two.as_str()]
    );
    assert_eq!(runs_of(&of(&["--state", "failed"])), Vec::<&str>::new());
    assert_eq!(runs_of(&of(&["--state", "over", "--limit", "1"])), [two.as_str()]);
    assert_eq!(of(&["--state", "over", "--limit", "1"])["more"], 1);
    assert_eq!(of(&[])["runs"][1]["tags"], json!(["cold/north", "sea"]));
    let said = desk.say(&["tag", &one, "-sea"]);
    assert_eq!(said.last()["tags"], json!(["cold/north"]));
    let renamed = desk.say(&["rename", &one, "The walrus"]);
    assert_eq!(
        (renamed.code, renamed.last()["title"].as_str()),
        (0, Some("The walrus"))
    );
    assert_eq!(of(&[])["runs"][1]["title"], "The walrus");
    assert_eq!(desk.say(&["rename", &one]).last()["title"], "Say");
    for args in [
        &["tag", &one, "sea"][..],
        &["tag", &one, "+two words"],
        &["tag", &one, "+a", "-a"],
        &["tag", "none", "+a"],
        &["runs", "--state", "odd"],
        &["rename", &one, "two\nlines"],
        &["search"],
    ] {
        let said = desk.say(args);
        assert_eq!(said.code, 2, "{args:?}: {}", said.stderr);
    }
    // Gone with the run.
    desk.say(&["delete", &one]);
    assert_eq!(runs_of(&of(&["--tag", "cold/north"])), Vec::<&str>::new());
    assert_eq!(desk.say(&["search", "walrus"]).last()["hits"], json!([]));
}

#[test]
fn hostile_text_steers_no_terminal_and_hostile_queries_are_queries() {
    let desk = Desk::default();
    ran(
        &desk,
        "Hostile",
        "walrus \u{1b}[31m\u{202e}red\u{7} <mark>x</mark>\r\nnext",
    );
    let plain = desk.say_plainly(&["search", "walrus"]);
    assert!(
        !plain.stdout.contains('\u{1b}')
            && !plain.stdout.contains('\u{202e}')
            && !plain.stdout.contains('\u{7}')
    );
    assert!(plain.stdout.contains("<mark>x</mark>"), "{}", plain.stdout);
    for query in [
        "\"",
        "-",
        "NEAR(",
        "a OR",
        "text:",
        "^",
        "*",
        "'; DROP TABLE texts; --",
        "(((",
        "\u{202e}",
    ] {
        let said = desk.say(&["search", query]);
        assert_eq!(said.code, 0, "{query}: {}", said.stderr);
    }
}

/// Killed at any moment, what was looked through stays so, and the next one goes on; nothing is found twice or lost.
#[test]
fn a_crash_in_the_midst_of_looking_through_costs_nothing_but_time() {
    let desk = Desk::default();
    let tasks: Vec<Value> = (0..1_500)
        .map(|n| {
            json!({ "id": format!("t{n}"), "instruction": format!("Say number {n}."), "task_type": "tool", "tool": "echo",
                "inputs": { "value": format!("walrus number {n} {}", "filler words ".repeat(40)) } })
        })
        .collect();
    let path = desk.write("many.plan.json", &json!({ "goal": "Many", "tasks": tasks }));
    assert_eq!(desk.say(&["run", path.to_str().unwrap(), "--yes"]).code, 0);
    for wait in [20, 40, 60, 90, 120, 160] {
        let mut command = desk.command(&["search", "walrus"]);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        let _ = child.kill();
        child.wait().unwrap();
    }
    let found = desk.say(&["search", "walrus", "--limit", "500"]).last();
    assert_eq!(found["behind"], 0);
    let hits = found["hits"].as_array().unwrap().len() as u64;
    // Each in its output, and in what the plan gives it.
    assert_eq!(hits + found["more"].as_u64().unwrap(), 3_000);
    let one = desk.say(&["search", "\"walrus number 1234\""]).last();
    assert_eq!(
        (
            one["hits"].as_array().unwrap().len(),
            one["hits"][0]["task"].as_str()
        ),
        (2, Some("t1234"))
    );
}

#[test]
fn nothing_is_made_where_there_is_no_database() {
    let desk = Desk::default();
    let said = desk.say(&["search", "walrus"]);
    assert_eq!(said.code, 2);
    assert!(!desk.db().exists());
    let _ = planloom();
}
