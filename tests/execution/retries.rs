//! Rules 4 and 5: only transient failures are tried again, patiently, with the same key.

use std::time::Duration;

use planloom_engine::views::{RunStatus, TaskStatus, WaitReason};
use planloom_tests::rig::{Rig, plan, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;
use tokio::time::Instant;

#[tokio::test(start_paused = true)]
async fn a_transient_failure_waits_one_two_four_seconds_and_keeps_its_key() {
    let rig = Rig::in_memory();
    rig.keyed
        .on("a", [Act::Transient(None), Act::Unknown, Act::Transient(None)]);
    let began = Instant::now();
    let shown = rig.run(&plan(&[task("a", "keyed.do", &[])])).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(shown.tasks[0].attempts, 4);
    let waited = began.elapsed().as_secs_f64();
    assert!(
        (7.0..9.5).contains(&waited),
        "1 + 2 + 4 s and up to a quarter more, not {waited}"
    );
    let keys: Vec<String> = rig.keyed.calls().into_iter().map(|c| c.key).collect();
    assert_eq!(keys.len(), 4);
    assert!(keys.iter().all(|k| *k == keys[0]), "attempts keep the key");
}

#[tokio::test(start_paused = true)]
async fn the_fourth_failure_is_the_last_and_the_run_asks() {
    let rig = Rig::in_memory();
    rig.read.on("a", vec![Act::Transient(None); 9]);
    let shown = rig.run(&plan(&[task("a", "read.do", &[])])).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!(rig.read.calls_of("a"), 4);
    assert_eq!(shown.tasks[0].error.as_ref().unwrap().code, "busy");
}

#[tokio::test(start_paused = true)]
async fn retry_after_is_honoured_and_the_wait_says_until_when() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Transient(Some(Duration::from_secs(90)))]);
    let run = rig.open(&plan(&[task("a", "read.do", &[])])).await;
    let began = Instant::now();
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(5)).await;
    let shown = rig.show(&run).await;
    let wait = shown.tasks[0].wait.as_ref().unwrap();
    assert_eq!(
        (state_of(&shown, "a"), wait.reason),
        (TaskStatus::Retrying, WaitReason::Backoff)
    );
    assert!(wait.until.unwrap() > shown.row.started_at + 80_000.0);
    rig.engine.until_left(&run).await.unwrap();
    assert!(began.elapsed() >= Duration::from_secs(90));
}

#[tokio::test(start_paused = true)]
async fn a_permanent_failure_is_not_tried_again() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let shown = rig.run(&plan(&[task("a", "read.do", &[])])).await;
    assert_eq!(rig.read.calls_of("a"), 1);
    assert_eq!(shown.row.status, RunStatus::Blocked);
}

#[tokio::test(start_paused = true)]
async fn a_time_limit_ends_an_attempt_and_a_read_is_tried_again() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Hang, Act::Deaf]);
    let shown = rig
        .run(&plan(&[with(
            task("a", "read.do", &[]),
            json!({ "timeout_s": 2 }),
        )]))
        .await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(shown.tasks[0].attempts, 3);
    assert_eq!(rig.read.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_fails_its_task_and_not_the_run() {
    let rig = Rig::in_memory();
    rig.effect.on("a", [Act::Panic]);
    let shown = rig
        .run(&plan(&[task("a", "effect.do", &[]), task("b", "read.do", &[])]))
        .await;
    assert_eq!(states(&shown), "WAITING: a IN_DOUBT, b COMPLETED");
}

#[tokio::test(start_paused = true)]
async fn a_check_that_does_not_hold_and_an_output_that_does_not_fit_fail_the_task() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Give(json!({ "rows": [] }))]);
    rig.read.on("b", [Act::Give(json!({ "rows": 7 }))]);
    let shown = rig
        .run(&plan(&[
            with(task("a", "read.do", &[]), json!({ "check": "output.rows | length > 0" })),
            with(
                task("b", "read.do", &[]),
                json!({ "output_schema": { "type": "object", "properties": { "rows": { "type": "array" } } } }),
            ),
        ]))
        .await;
    let code = |n: usize| shown.tasks[n].error.as_ref().unwrap().code.clone();
    assert_eq!(
        (code(0).as_str(), code(1).as_str()),
        ("check_failed", "output_schema")
    );
    assert!(shown.tasks[1].error.as_ref().unwrap().message.contains("/rows"));
}
