//! A failed branch never stops its independent neighbours; then a person decides (case state-14).

use std::time::Duration;

use planloom_engine::views::{RunStatus, TaskStatus, WaitReason};
use planloom_tests::rig::{Rig, output_of, plan, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn one_branch_fails_the_failure_shows_now_and_cancel_ends_what_hangs() {
    let rig = Rig::that_stays();
    rig.read.on("A", [Act::Permanent]);
    rig.effect.on("B", [Act::Deaf]);
    rig.read.on("C", [Act::Slow(Duration::from_secs(1), json!("c"))]);
    rig.read.on("onlyC", [Act::Hang]);
    let run = rig
        .open(&plan(&[
            task("A", "read.do", &[]),
            task("B", "effect.do", &[]),
            task("C", "read.do", &[]),
            task("needsA", "read.do", &["A"]),
            task("join", "read.do", &["A", "C"]),
            task("onlyC", "read.do", &["C"]),
        ]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    sleep(Duration::from_millis(300)).await;
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "RUNNING: A FAILED, B RUNNING, C RUNNING, needsA PENDING, join PENDING, onlyC PENDING"
    );
    for blocked in ["needsA", "join"] {
        let wait = shown
            .tasks
            .iter()
            .find(|t| t.id == blocked)
            .unwrap()
            .wait
            .clone()
            .unwrap();
        assert_eq!(
            (wait.reason, wait.text.as_str()),
            (WaitReason::FailedDependency, "A failed")
        );
    }
    sleep(Duration::from_millis(800)).await;
    let shown = rig.show(&run).await;
    assert_eq!(
        (state_of(&shown, "C"), state_of(&shown, "onlyC")),
        (TaskStatus::Completed, TaskStatus::Running)
    );
    rig.engine.cancel(&run).await.unwrap();
    sleep(Duration::from_secs(3)).await;
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "CANCELLED: A FAILED, B CANCELLED, C COMPLETED, needsA CANCELLED, join CANCELLED, onlyC CANCELLED"
    );
    assert_eq!(output_of(&shown, "C"), json!("c"), "what was done stays done");
    assert_eq!(
        (rig.read.running(), rig.effect.running()),
        (0, 0),
        "nothing lives on"
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
