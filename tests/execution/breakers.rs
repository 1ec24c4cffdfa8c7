//! Rule 6: an endpoint that keeps failing is left alone, and one call finds out whether it is back.

use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::views::{RunStatus, TaskStatus, WaitReason};
use planloom_tests::rig::{Rig, plan, state_of, story, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};
use tokio::time::Instant;

/// Tasks `a0` … that call `read.do`, each of which fails so often first.
fn failing(rig: &Rig, count: usize, times: usize) -> Vec<Value> {
    (0..count)
        .map(|n| {
            let id = format!("a{n}");
            rig.read.on(&id, vec![Act::Transient(None); times]);
            task(&id, "read.do", &[])
        })
        .collect()
}

async fn opened(rig: &Rig, tasks: &[Value]) -> RunId {
    let run = rig.open(&plan(tasks)).await;
    rig.engine.resume(&run).await.unwrap();
    // The five have failed at once, and their back-off is over.
    tokio::time::sleep(Duration::from_secs(5)).await;
    run
}

async fn count(rig: &Rig, run: &RunId, kind: &str) -> usize {
    story(&rig.engine, run).await.matches(kind).count()
}

#[tokio::test(start_paused = true)]
async fn after_five_failures_nothing_is_sent_for_half_a_minute_and_then_one_call() {
    let rig = Rig::in_memory();
    let mut tasks = failing(&rig, 5, 1);
    // Behind another tool, so that it comes when the breaker is open.
    rig.keyed
        .on("first", [Act::Slow(Duration::from_secs(2), json!(1))]);
    tasks.push(task("first", "keyed.do", &[]));
    tasks.push(task("late", "read.do", &["first"]));
    let began = Instant::now();
    let run = opened(&rig, &tasks).await;
    assert_eq!(rig.read.calls().len(), 5, "the endpoint is left alone");
    let shown = rig.show(&run).await;
    for id in ["a0", "late"] {
        let view = shown.tasks.iter().find(|t| t.id == id).unwrap();
        let wait = view.wait.as_ref().unwrap();
        assert_eq!(
            (view.status, wait.reason),
            (TaskStatus::Retrying, WaitReason::Breaker)
        );
        let until = wait.until.unwrap() - shown.row.started_at;
        assert!((30_000.0..31_000.0).contains(&until), "{until}");
    }
    assert_eq!(shown.row.status, RunStatus::Running);
    let late = shown.tasks.iter().find(|t| t.id == "late").unwrap();
    assert_eq!((late.attempts, late.error.is_none()), (0, true));
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert!(
        (30..32).contains(&began.elapsed().as_secs()),
        "{:?}",
        began.elapsed()
    );
    assert!(
        shown.tasks.iter().all(|t| t.attempts <= 2),
        "waiting costs no attempt"
    );
    assert_eq!(count(&rig, &run, "breaker_opened").await, 1);
    assert_eq!(count(&rig, &run, "breaker_closed").await, 1);
}

#[tokio::test(start_paused = true)]
async fn only_one_probes_and_each_failed_probe_doubles_the_wait() {
    let rig = Rig::in_memory();
    let tasks = failing(&rig, 5, 2);
    let run = opened(&rig, &tasks).await;
    tokio::time::sleep(Duration::from_secs(30)).await;
    assert_eq!(rig.read.calls().len(), 6, "one probe");
    tokio::time::sleep(Duration::from_secs(50)).await;
    assert_eq!(rig.read.calls().len(), 6, "it failed: a minute of silence");
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert!(count(&rig, &run, "breaker_opened").await >= 2);
}

#[tokio::test(start_paused = true)]
async fn other_endpoints_go_on_and_so_does_what_only_computes() {
    let rig = Rig::in_memory();
    let mut tasks = failing(&rig, 5, 1);
    tasks.push(with(
        task("wait", "wait", &[]),
        json!({ "inputs": { "ms": 3000 } }),
    ));
    tasks.push(task("other", "keyed.do", &["wait"]));
    let run = opened(&rig, &tasks).await;
    let shown = rig.show(&run).await;
    assert_eq!(state_of(&shown, "other"), TaskStatus::Completed);
    assert_eq!(state_of(&shown, "a0"), TaskStatus::Retrying);
    rig.engine.until_left(&run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_survives_a_restart() {
    let rig = Rig::in_memory();
    let run = opened(&rig, &failing(&rig, 5, 1)).await;
    rig.engine.pause(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(rig.read.calls().len(), 5, "still left alone");
    let shown = rig.show(&run).await;
    assert_eq!(shown.tasks[0].wait.as_ref().unwrap().reason, WaitReason::Breaker);
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_map_behind_a_flapping_endpoint_ends_with_every_item_once() {
    let rig = Rig::in_memory();
    rig.read.on("x", vec![Act::Transient(None); 12]);
    let map = json!({
        "id": "map", "instruction": "All.", "task_type": "map", "over": (0..40).collect::<Vec<u32>>(), "max_parallel": 7,
        "task": { "instruction": "One.", "task_type": "tool", "tool": "read.do", "inputs": { "id": "x" },
                  "retry": { "max_attempts": 20 } },
    });
    let shown = rig.run(&plan(&[map])).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls().len(), 52, "forty answers and twelve failures");
}

#[tokio::test(start_paused = true)]
async fn a_run_whose_tasks_are_held_can_be_stopped() {
    let rig = Rig::in_memory();
    let run = opened(&rig, &failing(&rig, 5, 1)).await;
    rig.engine.cancel(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Cancelled);
}
