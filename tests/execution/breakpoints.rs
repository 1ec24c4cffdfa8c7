//! Breakpoints: the run pauses before or after a task, says so, and goes past once.

use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::views::{BreakpointView, RunStatus, TaskStatus};
use planloom_engine::{Effects, Files, Shown};
use planloom_tests::rig::{Rig, plan, states, story, task};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn chain() -> Value {
    plan(&[
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        task("c", "read.do", &["b"]),
    ])
}

fn at(shown: &Shown) -> String {
    let stop = shown.paused_at.as_ref();
    stop.map_or(String::new(), |s| format!("{} {}", s.side, s.task))
}

fn wait_of(shown: &Shown, task: &str) -> String {
    let task = shown.tasks.iter().find(|t| t.id == task).unwrap();
    task.wait.as_ref().map_or(String::new(), |w| w.text.clone())
}

async fn stop(rig: &Rig, run: &RunId, task: &str, side: BreakpointView) {
    rig.engine.set_breakpoint(run, task, Some(side)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn the_run_stops_before_and_after_a_task_and_goes_past_once() {
    let rig = Rig::in_memory();
    let run = rig.open(&chain()).await;
    stop(&rig, &run, "b", BreakpointView::Both).await;

    let first = rig.go_on(&run).await;
    assert_eq!(states(&first), "PAUSED: a COMPLETED, b READY, c PENDING");
    assert_eq!(at(&first), "before b");
    assert_eq!(wait_of(&first, "b"), "Paused at the breakpoint before b");
    assert_eq!(rig.read.calls_of("b"), 0);

    let second = rig.go_on(&run).await;
    assert_eq!(states(&second), "PAUSED: a COMPLETED, b COMPLETED, c PENDING");
    assert_eq!(at(&second), "after b");
    assert_eq!(wait_of(&second, "c"), "Paused at the breakpoint after b");

    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(at(&done), "");
    assert_eq!(rig.read.order(), ["a", "b", "c"]);

    // It holds again when the task runs again, and the past shows where it stood.
    rig.engine
        .rerun(&run, Some("b"), None, Effects::Keep)
        .await
        .unwrap();
    assert_eq!(at(&rig.go_on(&run).await), "before b");
    let past = rig.engine.show(&run, Some(second.seq)).await.unwrap();
    assert_eq!(at(&past), "after b");
    rig.engine.set_breakpoint(&run, "b", None).await.unwrap();
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert!(done.tasks.iter().all(|t| t.breakpoint.is_none()));
}

#[tokio::test(start_paused = true)]
async fn what_is_in_flight_finishes_and_other_branches_wait() {
    let rig = Rig::in_memory();
    rig.read
        .on("slow", [Act::Slow(Duration::from_secs(5), json!("slow"))]);
    let tasks = [
        task("slow", "read.do", &[]),
        task("a", "read.do", &[]),
        task("b", "read.do", &["a"]),
        task("behind", "read.do", &["slow"]),
    ];
    let run = rig.open(&plan(&tasks)).await;
    stop(&rig, &run, "b", BreakpointView::Before).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "PAUSED: slow COMPLETED, a COMPLETED, b READY, behind PENDING"
    );
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls().len(), 4, "nothing ran twice");
}

#[tokio::test(start_paused = true)]
async fn a_live_run_takes_a_breakpoint_in() {
    let rig = Rig::that_stays();
    rig.read.on("a", [Act::Slow(Duration::from_secs(5), json!("a"))]);
    let run = rig.open(&chain()).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Running).await;
    stop(&rig, &run, "a", BreakpointView::After).await;
    stop(&rig, &run, "b", BreakpointView::Before).await;
    let end = rig.engine.until_left(&run).await.unwrap();
    assert_eq!(end.status, RunStatus::Paused);
    assert_eq!(at(&rig.show(&run).await), "after a");
    assert_eq!(at(&rig.go_on(&run).await), "before b");
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
    assert_eq!(rig.read.calls_of("a"), 1);
}

#[tokio::test(start_paused = true)]
async fn the_last_task_a_failed_one_and_an_item_can_be_stopped_at() {
    let rig = Rig::in_memory();
    rig.read.on("c", [Act::Permanent]);
    let run = rig.open(&chain()).await;
    stop(&rig, &run, "c", BreakpointView::After).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "PAUSED: a COMPLETED, b COMPLETED, c FAILED");
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Blocked);

    let map = json!({ "id": "m", "instruction": "Each.", "task_type": "map", "over": "list",
        "inputs": { "list": ["x", "y", "z"] }, "max_parallel": 1,
        "task": { "id": "one", "instruction": "One.", "task_type": "tool", "tool": "echo",
                  "inputs": { "value": { "$item": "" } } } });
    let run = rig.open(&plan(&[map])).await;
    stop(&rig, &run, "m[1]", BreakpointView::Both).await;
    let stops = [at(&rig.go_on(&run).await), at(&rig.go_on(&run).await)];
    assert_eq!(stops, ["before m[1]", "after m[1]"]);
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn a_rewind_keeps_breakpoints_and_a_pause_that_was_lost_in_a_crash_is_made_up() {
    let rig = Rig::in_memory();
    let shown = rig.run(&chain()).await;
    let run: RunId = shown.row.run.as_str().into();
    stop(&rig, &run, "b", BreakpointView::After).await;
    rig.engine.rewind(&run, 4, Files::Leave).await.unwrap();
    assert_eq!(at(&rig.go_on(&run).await), "after b");
    // The log up to the completion of b, without the pause: as a crash would leave it.
    let story = story(&rig.engine, &run).await;
    let lines: Vec<&str> = story.lines().collect();
    assert!(lines.last().unwrap().ends_with("run_paused"), "{story}");
    let cut = lines.len() as u64 - 1;
    let fork = rig
        .engine
        .fork(&run, Some(cut), None, Files::Leave)
        .await
        .unwrap()
        .run;
    rig.engine.approve_as_opened(&fork).await.unwrap();
    let again = rig.go_on(&fork).await;
    assert_eq!(
        (states(&again).as_str(), at(&again).as_str()),
        ("PAUSED: a COMPLETED, b COMPLETED, c PENDING", "after b")
    );
}

#[tokio::test(start_paused = true)]
async fn a_draft_takes_breakpoints_and_unknown_tasks_are_refused() {
    let rig = Rig::in_memory();
    let path = rig.write_plan("draft.plan.json", &chain());
    let draft = rig.engine.open_plan(path).await.unwrap();
    let run: RunId = draft.run.as_str().into();
    stop(&rig, &run, "a", BreakpointView::Before).await;
    let unknown = rig
        .engine
        .set_breakpoint(&run, "z", Some(BreakpointView::Before))
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), "not_found");
    rig.engine.approve_as_opened(&run).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(
        (states(&shown).as_str(), at(&shown).as_str()),
        ("PAUSED: a READY, b PENDING, c PENDING", "before a")
    );
}
