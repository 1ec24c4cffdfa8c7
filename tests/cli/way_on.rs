//! Where a planning fails or something waits for long: what is said of it, once and by one name, and how to go on.

use planloom_tests::model_server::{self, ModelServer};
use serde_json::json;

use crate::plan::{GOAL, desk_beside};

/// Why there is no plan is said once, and nobody is told to approve what is not there.
#[test]
fn a_planning_that_fails_is_said_once_and_listed_as_that() {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    let server = ModelServer::start(&[("/v1/models", list)], |asked| {
        if asked.body["response_format"]["json_schema"]["name"] == "plan" {
            let error = json!({ "message": "No such luck today", "type": "invalid_request_error" });
            (400, json!({ "error": error }))
        } else {
            (200, model_server::able(&asked.body, "Hello Ada."))
        }
    });
    let desk = desk_beside(&server);
    for args in [&["plan", GOAL][..], &["run", "--goal", GOAL, "--yes"]] {
        let said = desk.say_plainly(args);
        let all = format!("{}{}", said.stdout, said.stderr);
        assert_eq!(said.code, 1, "{all}");
        assert_eq!(all.matches("No such luck today").count(), 1, "{all}");
        expect_way_on(&all);
    }
    let listed = desk.say(&["runs"]).last()["runs"][0].clone();
    assert_eq!(
        (&listed["planning"], &listed["state"]),
        (&json!("failed"), &json!("AWAITING_APPROVAL"))
    );
    let run = listed["run"].as_str().unwrap().to_owned();
    for args in [&["runs"][..], &["show", &run]] {
        let said = desk.say_plainly(args);
        assert!(said.stdout.contains("PLANNING FAILED"), "{}", said.stdout);
        assert!(!said.stdout.contains("AWAITING_APPROVAL"), "{}", said.stdout);
    }
    expect_way_on(&desk.say_plainly(&["show", &run]).stdout);
    let again = desk.say_plainly(&["resume", &run]);
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(
        again.stdout.contains(&format!("Run {run}: PLANNING FAILED")),
        "{}",
        again.stdout
    );
    let last = desk.say(&["resume", &run]).last();
    assert_eq!(
        (&last["planning"], &last["state"]),
        (&json!("failed"), &json!("AWAITING_APPROVAL"))
    );
    assert!(
        desk.say_plainly(&["log", &run])
            .stdout
            .contains("No plan came of it")
    );
}

/// The planner can be asked again, or another one.
fn expect_way_on(said: &str) {
    for part in [
        "Ask the planner again with: planloom resume ",
        "--model planner=PROVIDER/MODEL",
        "is listed by: planloom models --db ",
    ] {
        assert!(said.contains(part), "{part} is missing in:\n{said}");
    }
}

/// Nobody has to sit out a long wait.
#[cfg(unix)]
#[test]
fn a_long_wait_can_be_left_and_says_so() {
    let list = json!({ "object": "list", "data": [
        { "id": "m", "object": "model", "owned_by": "vllm", "max_model_len": 32768 } ] });
    let server = ModelServer::start(&[("/v1/models", list)], move |asked| {
        let text = asked.body.to_string();
        if text.contains("the secret of life") {
            let error = json!({ "message": "Too many requests. Please try again in 240s.", "code": "rate_limit_exceeded" });
            return (429, json!({ "error": error }));
        }
        (200, model_server::able(&asked.body, "Hello Ada."))
    });
    let desk = desk_beside(&server);
    let plan = desk.write(
        "think.plan.json",
        &json!({ "tasks": [{ "id": "think", "instruction": "Tell the secret of life.", "task_type": "model" }] }),
    );
    let plan = plan.to_str().unwrap();
    for (n, args) in [
        &["run", plan, "--yes"][..],
        &["run", "--goal", "Find the secret of life", "--yes"],
    ]
    .iter()
    .enumerate()
    {
        let lines = desk.folder.path().join(format!("lines{n}"));
        let mut child = desk.start_with(args, &lines, &[]);
        let told = || std::fs::read_to_string(lines.with_extension("err")).unwrap_or_default();
        let began = std::time::Instant::now();
        while !told().contains("You can leave it with Ctrl+C") {
            assert!(began.elapsed().as_secs() < 60, "{args:?}: {}", told());
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        assert!(told().contains(": planloom resume "), "{}", told());
        let pid = child.id().to_string();
        assert!(
            std::process::Command::new("kill")
                .args(["-INT", &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130), "{}", told());
    }
}
