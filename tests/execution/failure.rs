//! A failed branch never stops its independent neighbours; then a person decides (case state-14).

use std::time::Duration;

use planloom_engine::Shown;
use planloom_engine::model::Json;
use planloom_engine::views::{RunStatus, TaskStatus, WaitReason};
use planloom_tests::rig::{Rig, output_of, plan, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;

/// The case's plan in this format: what it fetches reads, its shell has effects, and its models read, too.
fn plan_of_the_case() -> Json {
    let mut plan: Json = serde_json::from_str(&case("plan.json")).unwrap();
    for task in plan["tasks"].as_array_mut().unwrap() {
        let tool = if task["task_type"] == "shell" {
            "effect.do"
        } else {
            "read.do"
        };
        task["task_type"] = json!("tool");
        task["tool"] = json!(tool);
        task["inputs"] = json!({ "id": task["id"] });
    }
    plan
}

fn case(file: &str) -> String {
    let folder = planloom_tests::process::root().join("tests/cases/state-14-one-branch-fails");
    std::fs::read_to_string(folder.join(file)).unwrap()
}

/// What the case calls a state, and how it is told here.
fn is_as_told(shown: &Shown, id: &str, told: &str) -> bool {
    let task = shown.tasks.iter().find(|t| t.id == id).unwrap();
    match told {
        "failed" => task.status == TaskStatus::Failed,
        "running" => task.status == TaskStatus::Running,
        "completed" => task.status == TaskStatus::Completed,
        "cancelled" => task.status == TaskStatus::Cancelled,
        "blocked" => {
            task.status == TaskStatus::Pending
                && task.wait.as_ref().is_some_and(|wait| {
                    (wait.reason, wait.text.as_str()) == (WaitReason::FailedDependency, "A failed")
                })
        }
        other => panic!("the case tells of {other}"),
    }
}

/// Plays the case's timeline on its plan: each `check` holds at its second.
#[tokio::test(start_paused = true)]
async fn one_branch_fails_the_failure_shows_now_and_cancel_ends_what_hangs() {
    let rig = Rig::that_stays();
    rig.read.on("A", [Act::Permanent]);
    rig.effect.on("B", [Act::Deaf]);
    rig.read.on("C", [Act::Slow(Duration::from_secs(1), json!("c"))]);
    rig.read.on("onlyC", [Act::Hang]);
    let run = rig.open(&plan_of_the_case()).await;
    let begun = tokio::time::Instant::now();
    rig.engine.resume(&run).await.unwrap();
    let mut checked = 0;
    for line in case("timeline.jsonl").lines() {
        let step: Json = serde_json::from_str(line).unwrap();
        tokio::time::sleep_until(begun + Duration::from_secs_f64(step["t"].as_f64().unwrap())).await;
        if step["cancel"] == json!(true) {
            rig.engine.cancel(&run).await.unwrap();
        }
        let shown = rig.show(&run).await;
        for (id, told) in step["check"].as_object().into_iter().flatten() {
            let told = told.as_str().map_or_else(|| told.to_string(), str::to_owned);
            match (id.as_str(), told.as_str()) {
                ("shown_to_person", words) => assert!(
                    shown
                        .tasks
                        .iter()
                        .filter_map(|t| t.wait.as_ref())
                        .any(|wait| wait.text == words),
                    "{line}"
                ),
                ("live_tasks", told) => assert_eq!(
                    (rig.read.running() + rig.effect.running()).to_string(),
                    told,
                    "{line}"
                ),
                ("run", told) => assert_eq!(shown.row.status.to_string().to_lowercase(), told, "{line}"),
                (id, told) => assert!(is_as_told(&shown, id, told), "{line}: {}", states(&shown)),
            }
            checked += 1;
        }
    }
    assert_eq!(checked, 13, "the whole case is played");
    assert_eq!(
        output_of(&rig.show(&run).await, "C"),
        json!("c"),
        "what was done stays done"
    );
}

#[tokio::test(start_paused = true)]
async fn blocked_asks_once_for_each_failure_and_retry_goes_on() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let run = rig
        .open(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED, b PENDING");
    assert_eq!(shown.decisions.len(), 1);
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.decisions.len(), 1, "resuming does not ask twice");
    rig.answer(&run, "d1", json!("retry")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED, b COMPLETED");
}

#[tokio::test(start_paused = true)]
async fn stop_makes_the_run_failed_and_skip_goes_on_with_null() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let run = rig
        .open(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("stop")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "FAILED: a FAILED, b CANCELLED");

    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let run = rig
        .open(&plan(&[
            task("a", "read.do", &[]),
            task("x", "read.do", &[]),
            task("b", "read.do", &["a", "x"]),
        ]))
        .await;
    rig.go_on(&run).await;
    rig.answer(&run, "d1", json!("skip")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a SKIPPED, x COMPLETED, b COMPLETED");
}

#[tokio::test(start_paused = true)]
async fn an_optional_failure_is_passed_over_and_reads_as_null() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let echo = json!({
        "id": "b", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["a"],
        "inputs": { "value": { "got": { "$from": "a", "path": "/x" } } },
    });
    let shown = rig
        .run(&plan(&[
            with(task("a", "read.do", &[]), json!({ "optional": true })),
            echo,
        ]))
        .await;
    assert_eq!(states(&shown), "SUCCEEDED: a FAILED, b COMPLETED");
    assert_eq!(output_of(&shown, "b"), json!({ "got": null }));
}

#[tokio::test(start_paused = true)]
async fn a_reference_into_nothing_fails_with_what_is_there() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Give(json!({ "rows": [] }))]);
    let echo = json!({
        "id": "b", "instruction": "Echo.", "task_type": "tool", "tool": "echo", "dependencies": ["a"],
        "inputs": { "value": { "$from": "a", "path": "/lines" } },
    });
    let shown = rig.run(&plan(&[task("a", "read.do", &[]), echo])).await;
    assert_eq!(shown.row.status, RunStatus::Blocked);
    let error = shown.tasks[1].error.as_ref().unwrap();
    assert!(
        error.message.contains("nothing at /lines; it has /rows"),
        "{}",
        error.message
    );
}
