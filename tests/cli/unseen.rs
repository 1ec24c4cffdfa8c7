//! What is signed of a plan that nobody has seen, and caps that are none.

use planloom_tests::process::Desk;
use serde_json::json;

use planloom_tests::model_server::{self, ModelServer};

use crate::plan::{GOAL, desk_beside, planned, server};

/// A planner that answers with this text, whatever it is.
fn planner(text: String) -> ModelServer {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    ModelServer::start(&[("/v1/models", list)], move |asked| {
        if asked.body["response_format"]["json_schema"]["name"] == "plan" {
            (200, model_server::say(&text))
        } else {
            (200, model_server::able(&asked.body, "Hello Ada."))
        }
    })
}

fn named(id: &str) -> String {
    let mut plan = planned();
    plan["tasks"][0]["id"] = json!(id);
    plan.to_string()
}

/// Which of several plans is meant is nothing that `--yes` says.
#[test]
fn yes_signs_none_of_several_plans() {
    let server = planner(format!("{}\n\nOr rather:\n{}", named("first"), named("second")));
    let desk = desk_beside(&server);
    let said = desk.say(&["run", "--goal", GOAL, "--yes"]);
    assert_eq!(
        (said.code, &said.last()["state"]),
        (3, &json!("AWAITING_APPROVAL")),
        "{}",
        said.stderr
    );
    assert!(said.stderr.contains("several different plans"), "{}", said.stderr);
    assert_eq!(said.last()["decisions"][0]["kind"], "approval");
    // A person who has seen it may say so.
    let resumed = desk.say(&["resume", said.last()["run"].as_str().unwrap(), "--yes"]);
    assert_eq!(
        (resumed.code, &resumed.last()["output"]["first"]),
        (0, &json!("Hello Ada.")),
        "{}",
        resumed.stderr
    );
}

/// A plan that was only thought of is none, however thoughts are marked.
#[test]
fn a_plan_in_a_thought_is_never_run() {
    for (before, behind) in [
        ("[THINK]", "[/THINK]"),
        ("<think>", "</think>"),
        ("<THOUGHT>", "</THOUGHT>"),
        ("<reasoning>", "</reasoning>"),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
    ] {
        let server = planner(format!("{before}{}{behind}{}", named("wrong"), named("right")));
        let desk = desk_beside(&server);
        let said = desk.say(&["run", "--goal", GOAL, "--yes"]);
        assert_eq!(
            (said.code, &said.last()["output"]),
            (0, &json!({ "right": "Hello Ada." })),
            "{before}: {}",
            said.stderr
        );
        assert!(!said.stderr.contains("several different plans"), "{before}");
    }
}

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

/// No grant covers a secret: which one goes where is a person's to see.
#[test]
fn yes_hands_over_no_secret_that_only_a_planner_has_named() {
    let server = server(|_| {
        let mut plan = planned();
        let task = &mut plan["tasks"][0];
        (task["task_type"], task["tools"]) = (json!("tool"), json!(["file.write"]));
        task["inputs"] = json!([
            { "name": "path", "kind": "text", "path": "", "value": "run:/kept.txt" },
            { "name": "text", "kind": "secret", "path": "", "value": "PLANLOOM_TEST_KEY" },
        ]);
        plan
    });
    let desk = desk_beside(&server);
    let said = desk.say(&["run", "--goal", GOAL, "--yes", "--grant", "write=run:/"]);
    assert_eq!(
        (said.code, &said.last()["state"]),
        (3, &json!("AWAITING_APPROVAL")),
        "{}",
        said.stderr
    );
    assert!(
        said.stderr
            .contains("the secret PLANLOOM_TEST_KEY, handed over by "),
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
