//! What is signed of a plan that nobody has seen, and caps that are none.

use planloom_tests::process::Desk;
use serde_json::json;

use crate::plan::{GOAL, desk_beside, planned, server};

/// `--yes` signs what the goal granted; of what a planner wants beyond that, a person hears.
#[test]
fn yes_signs_nothing_that_only_a_planner_has_asked_for() {
    let wild = || {
        let mut plan = planned();
        plan["grants"] = json!({ "read": ["/"], "write": ["out/"], "hosts": ["* api.example.com"],
            "databases": [], "commands": [] });
        plan
    };
    let server = server(move |_| wild());
    let desk = desk_beside(&server);
    let said = desk.say(&["run", "--goal", GOAL, "--yes"]);
    assert_eq!(
        (said.code, &said.last()["state"]),
        (3, &json!("AWAITING_APPROVAL")),
        "{}",
        said.stderr
    );
    for words in [
        "read /",
        "write out/",
        "hosts * api.example.com",
        "--grant KIND=ENTRY",
    ] {
        assert!(said.stderr.contains(words), "{words}: {}", said.stderr);
    }
    assert_eq!(said.last()["decisions"][0]["kind"], "approval");
    let granted = ["read=/", "write=out/", "hosts=* api.example.com"].map(|entry| ["--grant", entry]);
    let said = desk.say(&[&["run", "--goal", GOAL, "--yes"][..], &granted.concat()].concat());
    assert_eq!(
        (said.code, &said.last()["state"]),
        (0, &json!("SUCCEEDED")),
        "{}",
        said.stderr
    );
}

/// What stands in the arguments of a fixed call needs no grant of the plan's to be asked for.
#[test]
fn yes_signs_no_fixed_call_that_the_goal_did_not_grant() {
    let server = server(|_| {
        let mut plan = planned();
        let task = &mut plan["tasks"][0];
        (task["task_type"], task["tools"]) = (json!("tool"), json!(["file.read"]));
        task["inputs"] = json!([{ "name": "path", "kind": "text", "path": "", "value": "/usr/share/common-licenses/GPL" }]);
        plan
    });
    let desk = desk_beside(&server);
    let said = desk.say(&["run", "--goal", GOAL, "--yes"]);
    assert_eq!(
        (said.code, &said.last()["state"]),
        (3, &json!("AWAITING_APPROVAL")),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr.contains("read /usr/share/common-licenses/GPL"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_cap_that_is_no_amount_is_refused_before_anything_is_asked() {
    for cap in ["-5", "-0.1", "much", "1,5", "NaN"] {
        let said = Desk::default().say(&["run", "--goal", GOAL, "--max-usd", cap]);
        assert_eq!(
            (said.code, &said.last()["error"]["code"]),
            (2, &json!("budget")),
            "{cap}"
        );
        assert!(
            said.stderr.contains(cap) && said.stderr.contains("Nothing was asked"),
            "{}",
            said.stderr
        );
    }
}
