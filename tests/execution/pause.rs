//! Pause, resume, stop and close: nothing is lost, nothing happens twice.

use std::time::Duration;

use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_engine::{Consent, Files, Parameters};
use planloom_tests::rig::{Rig, plan, state_of, states, task};
use planloom_tests::script::Act;
use serde_json::{Value as Json, json};
use tokio::time::sleep;

#[tokio::test(start_paused = true)]
async fn pause_lets_what_is_in_flight_finish_and_begins_nothing() {
    let rig = Rig::that_stays();
    rig.read.on("a", [Act::Slow(Duration::from_secs(5), json!(1))]);
    let run = rig
        .open(&plan(&[task("a", "read.do", &[]), task("b", "read.do", &["a"])]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    sleep(Duration::from_secs(1)).await;
    rig.engine.pause(&run).await.unwrap();
    let end = rig.engine.until_left(&run).await.unwrap();
    assert_eq!(end.status, RunStatus::Paused);
    let shown = rig.show(&run).await;
    assert_eq!(
        (state_of(&shown, "a"), rig.read.calls_of("b")),
        (TaskStatus::Completed, 0)
    );
    assert_eq!(
        states(&rig.go_on(&run).await),
        "SUCCEEDED: a COMPLETED, b COMPLETED"
    );
    assert_eq!(rig.read.calls_of("a"), 1);
}

#[tokio::test(start_paused = true)]
async fn closing_cuts_reads_short_waits_for_effects_and_leaves_the_run_resumable() {
    let rig = Rig::that_stays();
    rig.read.on("read", [Act::Hang]);
    rig.effect
        .on("send", [Act::Slow(Duration::from_secs(2), json!("sent"))]);
    let run = rig
        .open(&plan(&[
            task("read", "read.do", &[]),
            task("send", "effect.do", &[]),
        ]))
        .await;
    rig.engine.resume(&run).await.unwrap();
    sleep(Duration::from_millis(100)).await;
    rig.engine.close().await;
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "PAUSED: read READY, send COMPLETED");
    assert_eq!(
        shown.tasks[0].attempts, 0,
        "an interrupted attempt does not count"
    );
    let refused = rig.engine.resume(&run).await.unwrap_err();
    assert_eq!(refused.code(), "closing");
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_does_not_answer_in_time_is_in_doubt_at_the_next_resume() {
    let rig = Rig::on_file();
    rig.effect.on("send", [Act::Deaf]);
    let run = rig.open(&plan(&[task("send", "effect.do", &[])])).await;
    rig.engine.resume(&run).await.unwrap();
    // The call begins a moment after its intent is stored.
    while rig.effect.calls_of("send") == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    rig.engine.close().await;
    let second = rig.another();
    second.resume(&run).await.unwrap();
    second.until_left(&run).await.unwrap();
    let shown = second.show(&run, None).await.unwrap();
    assert_eq!(states(&shown), "WAITING: send IN_DOUBT");
    assert_eq!(rig.effect.calls_of("send"), 1);
}

#[tokio::test(start_paused = true)]
async fn a_run_at_rest_can_be_stopped_and_a_draft_too() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let run = rig.open(&plan(&[task("a", "read.do", &[])])).await;
    rig.go_on(&run).await;
    rig.engine.cancel(&run).await.unwrap();
    assert_eq!(states(&rig.show(&run).await), "CANCELLED: a FAILED");
    let again = rig.engine.cancel(&run).await.unwrap_err();
    assert_eq!(again.code(), "over");

    let draft = rig.engine.new_plan().await.unwrap();
    let run = draft.run.as_str().into();
    rig.engine.cancel(&run).await.unwrap();
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Cancelled);
}

/// What it asked is asked no more: nobody waits for a signature that would sign nothing.
#[tokio::test(start_paused = true)]
async fn a_draft_that_was_stopped_asks_nothing_any_more_and_a_rewind_asks_again() {
    let rig = Rig::in_memory();
    let path = rig.write_plan("p.plan.json", &plan(&[task("a", "read.do", &[])]));
    let open = rig
        .engine
        .open_run(path, &Parameters::Json(Json::Null), &Consent::Asked);
    let run = open.await.unwrap();
    let asked = rig.show(&run).await;
    assert_eq!(asked.decisions.len(), 1);
    rig.engine.cancel(&run).await.unwrap();
    let over = rig.show(&run).await;
    assert_eq!((over.row.status, over.decisions.len()), (RunStatus::Cancelled, 0));
    assert_eq!(over.row.open_decisions, 0);
    assert_eq!(over.tasks[0].wait.as_ref().unwrap().text, "The run is over");
    let late = rig
        .engine
        .decide(&run, &"d1".into(), json!("approve"))
        .await
        .unwrap_err();
    assert!(late.to_string().contains("no longer matters"), "{late}");
    rig.engine.rewind(&run, asked.seq, Files::Leave).await.unwrap();
    assert_eq!(rig.show(&run).await.decisions.len(), 1);
}
