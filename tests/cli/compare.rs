//! `compare` through the real binary: what differs, in words and as JSON, and how it ends.

use planloom_tests::process::Desk;
use serde_json::{Value, json};

/// Says something in two lines, and counts it.
fn letter(name: &str) -> Value {
    json!({ "goal": "Letter", "tasks": [
        { "id": "greet", "instruction": "Greet.", "task_type": "tool", "tool": "echo",
          "inputs": { "value": format!("Dear {name},\nall is well.\nYours") } },
        { "id": "count", "instruction": "Count.", "task_type": "tool", "tool": "echo", "dependencies": ["greet"],
          "inputs": { "value": 12345678901234567890_u64 } },
    ] })
}

fn ran(desk: &Desk, plan: &Value) -> String {
    let path = desk.write("letter.plan.json", plan);
    let said = desk.say(&["run", path.to_str().unwrap(), "--yes"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    said.last()["run"].as_str().unwrap().to_owned()
}

#[test]
fn two_runs_of_a_plan_that_was_changed() {
    let desk = Desk::default();
    let (a, b) = (ran(&desk, &letter("Ada")), ran(&desk, &letter("Grace")));
    let said = desk.say(&["compare", &a, &b, "--task", "greet"]);
    assert_eq!(said.code, 0, "{}", said.stderr);
    assert_eq!(said.lines().len(), 1, "one object: {}", said.stdout);
    let told = said.last();
    assert_eq!((&told["a"]["run"], &told["b"]["run"]), (&json!(a), &json!(b)));
    assert_eq!(told["shared"], Value::Null);
    assert_eq!(told["plan"]["tasks"][0]["change"], "changed");
    assert_eq!(told["tasks"]["greet"]["differs"], json!(["plan", "output"]));
    assert_eq!(
        (&told["answer"], told["tasks"]["count"].is_null()),
        (&json!("same"), true)
    );
    let text = &told["output"]["texts"][0];
    assert_eq!((&text["changes"], &text["equal_lines"]), (&json!(1), &json!(2)));

    let plain = desk.say_plainly(&["compare", &a, &b, "--task", "greet"]).stdout;
    for line in [
        "-Dear Ada,",
        "+Dear Grace,",
        " all is well.",
        "Output of greet: differs.",
    ] {
        assert!(plain.lines().any(|one| one == line), "{line}: {plain}");
    }
    let same = desk.say_plainly(&["compare", &a, &a]).stdout;
    assert!(
        same.contains("Both are the same run.")
            && same.contains("Plan: the same.")
            && same.contains("Answer: the same."),
        "{same}"
    );
}

#[test]
fn a_fork_says_up_to_where_it_is_the_same() {
    let desk = Desk::default();
    let a = ran(&desk, &letter("Ada"));
    let at = desk.say(&["log", &a, "--task", "greet"]).last()["seq"].to_string();
    let plan = desk.write("other.plan.json", &{
        let mut plan = letter("Ada");
        plan["tasks"][1]["inputs"]["value"] = json!(12345678901234567891_u64);
        plan
    });
    let forked = desk.say(&[
        "fork",
        &a,
        "--at",
        &at,
        "--plan",
        plan.to_str().unwrap(),
        "--run",
        "--yes",
    ]);
    assert_eq!(forked.code, 0, "{}", forked.stderr);
    let b = forked.last()["run"].as_str().unwrap().to_owned();
    let told = desk.say(&["compare", &a, &b]);
    assert_eq!(told.code, 0);
    // Digit for digit, which no double could hold.
    assert!(told.stdout.contains("12345678901234567891"), "{}", told.stdout);
    let told = told.last();
    assert_eq!(
        (&told["shared"]["run"], told["shared"]["seq"].to_string()),
        (&json!(a), at)
    );
    assert_eq!(told["output"]["values"][0]["a_pointer"], "/count");
    let names: Vec<&String> = told["tasks"].as_object().unwrap().keys().collect();
    assert_eq!(names, ["count"]);
}

#[test]
fn what_is_not_there_is_wrong_input() {
    let desk = Desk::default();
    let a = ran(&desk, &letter("Ada"));
    assert_eq!(desk.say(&["compare", &a]).code, 2);
    for args in [
        &["compare", &a, "nowhere"][..],
        &["compare", "nowhere", &a],
        &["compare", &a, &a, "--task", "nobody"],
    ] {
        let said = desk.say(args);
        assert_eq!(
            (said.code, said.last()["error"]["code"].as_str()),
            (2, Some("not_found")),
            "{args:?}"
        );
    }
}
