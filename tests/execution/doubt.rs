//! Effects whose outcome is unknown are never repeated blindly: a person decides.

use planloom_engine::Files;
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, output_of, plan, seq_of, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::json;

async fn in_doubt(rig: &Rig) -> planloom_engine::model::RunId {
    rig.effect.on("pay", [Act::Unknown]);
    let shown = rig
        .run(&plan(&[
            task("pay", "effect.do", &[]),
            task("after", "read.do", &["pay"]),
            task("other", "read.do", &[]),
        ]))
        .await;
    assert_eq!(
        states(&shown),
        "WAITING: pay IN_DOUBT, after PENDING, other COMPLETED"
    );
    assert_eq!(rig.effect.calls_of("pay"), 1, "it is not retried");
    let words: Vec<&str> = shown.decisions[0]
        .options
        .iter()
        .map(|o| o.answer.as_str())
        .collect();
    assert_eq!(words, ["retry", "done", "skip", "stop"]);
    shown.row.run.as_str().into()
}

#[tokio::test(start_paused = true)]
async fn send_again_uses_the_same_key() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!("retry")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    let keys: Vec<String> = rig.effect.calls().into_iter().map(|c| c.key).collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
}

#[tokio::test(start_paused = true)]
async fn it_happened_with_and_without_an_output() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!({ "done": { "receipt": 12.50 } }))
        .await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: pay COMPLETED, after COMPLETED, other COMPLETED"
    );
    assert_eq!(output_of(&shown, "pay"), json!({ "receipt": 12.50 }));
    assert_eq!(rig.effect.calls_of("pay"), 1);
    let pay = shown.tasks.iter().find(|t| t.id == "pay").unwrap();
    assert!(
        pay.error.is_none(),
        "what a person has settled is no failure: {:?}",
        pay.error
    );
    let detail = rig.engine.task_detail(&run, "pay").await.unwrap();
    let attempt = detail.attempts.last().unwrap();
    assert!(attempt.error.is_none(), "{:?}", attempt.error);
    let call = attempt.calls.last().unwrap();
    assert_eq!(
        (call.error.is_none(), call.result.as_deref()),
        (true, Some(r#"{"receipt":12.5}"#))
    );
}

#[tokio::test(start_paused = true)]
async fn skip_and_stop() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!("skip")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: pay SKIPPED, after SKIPPED, other COMPLETED"
    );

    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    rig.answer(&run, "d1", json!("stop")).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(
        states(&shown),
        "FAILED: pay CANCELLED, after CANCELLED, other COMPLETED"
    );
}

#[tokio::test(start_paused = true)]
async fn a_persons_word_that_the_receiver_honours_the_key_allows_the_retry() {
    let rig = Rig::in_memory();
    rig.effect.on("pay", [Act::Unknown]);
    let shown = rig
        .run(&plan(&[with(
            task("pay", "effect.do", &[]),
            json!({ "idempotent": true }),
        )]))
        .await;
    assert_eq!(state_of(&shown, "pay"), TaskStatus::Completed);
    assert_eq!(rig.effect.calls_of("pay"), 2);
}

#[tokio::test(start_paused = true)]
async fn an_answer_is_taken_once_and_a_strange_one_not_at_all() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    let strange = rig
        .engine
        .decide(&run, &"d1".into(), json!("perhaps"))
        .await
        .unwrap_err();
    assert_eq!(strange.code(), "bad_answer");
    rig.answer(&run, "d1", json!("skip")).await;
    let second = rig
        .engine
        .decide(&run, &"d1".into(), json!("retry"))
        .await
        .unwrap_err();
    assert_eq!(second.code(), "answered");
    let unknown = rig
        .engine
        .decide(&run, &"d9".into(), json!("retry"))
        .await
        .unwrap_err();
    assert_eq!(unknown.code(), "not_found");
}

/// The run is taken back to where the effect was still in doubt, though its result is known by now.
#[tokio::test(start_paused = true)]
async fn send_again_does_not_repeat_what_has_come_to_be_known_since() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    let asked = rig.show(&run).await.seq;
    rig.answer(&run, "d1", json!("retry")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    rig.engine.rewind(&run, asked, Files::Leave).await.unwrap();
    rig.answer(&run, "d1", json!("retry")).await;
    let again = rig.go_on(&run).await;
    assert_eq!(again.row.status, RunStatus::Succeeded);
    assert_eq!(output_of(&again, "pay"), output_of(&done, "pay"));
    assert_eq!(rig.effect.calls_of("pay"), 2, "the result is taken over");
}

/// The run is taken back to right after the answer, whose call has been made and was lost as well.
#[tokio::test(start_paused = true)]
async fn one_word_to_send_again_is_good_for_one_call() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    rig.effect.on("pay", [Act::Unknown]);
    rig.answer(&run, "d1", json!("retry")).await;
    let answered = rig.show(&run).await.seq;
    rig.go_on(&run).await;
    assert_eq!(rig.effect.calls_of("pay"), 2);
    rig.engine.rewind(&run, answered, Files::Leave).await.unwrap();
    let again = rig.go_on(&run).await;
    assert_eq!(
        states(&again),
        "WAITING: pay IN_DOUBT, after PENDING, other COMPLETED"
    );
    assert_eq!(rig.effect.calls_of("pay"), 2, "nobody chose a third");
    let asked = again.decisions[0].id.clone();
    rig.answer(&run, &asked, json!("retry")).await;
    let done = rig.go_on(&run).await;
    assert_eq!(done.row.status, RunStatus::Succeeded);
    assert_eq!(rig.effect.calls_of("pay"), 3);
}

/// Where the run is taken back to the call is under way, but its outcome is known by now: it surely did nothing.
#[tokio::test(start_paused = true)]
async fn nobody_is_asked_about_a_call_that_is_known_to_have_done_nothing() {
    let rig = Rig::in_memory();
    rig.effect.on("pay", [Act::Permanent]);
    let shown = rig.run(&plan(&[task("pay", "effect.do", &[])])).await;
    let run = shown.row.run.as_str().into();
    let begun = seq_of(&rig, &run, "call_started", "pay").await;
    rig.engine.rewind(&run, begun, Files::Leave).await.unwrap();
    assert_eq!(states(&rig.show(&run).await), "PAUSED: pay READY");
    let again = rig.go_on(&run).await;
    assert_eq!(states(&again), "SUCCEEDED: pay COMPLETED");
    assert_eq!(rig.effect.calls_of("pay"), 2);
}

/// The word is taken back with the rest; what it was about is as unknown as before.
#[tokio::test(start_paused = true)]
async fn a_word_that_it_happened_that_is_taken_back_leaves_the_call_in_doubt() {
    let rig = Rig::in_memory();
    let run = in_doubt(&rig).await;
    let begun = seq_of(&rig, &run, "call_started", "pay").await;
    rig.answer(&run, "d1", json!("done")).await;
    rig.go_on(&run).await;
    rig.engine.rewind(&run, begun, Files::Leave).await.unwrap();
    let again = rig.go_on(&run).await;
    assert_eq!(state_of(&again, "pay"), TaskStatus::InDoubt, "{}", states(&again));
    assert_eq!(rig.effect.calls_of("pay"), 1);
}
