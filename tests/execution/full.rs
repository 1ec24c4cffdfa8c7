//! Case state-10: the disk is full. What could not be stored is held, nothing new begins, and the run goes on by
//! itself when there is space again.

use std::time::Duration;

use planloom_engine::model::{Json, RunId};
use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::json;

fn large(seed: u64) -> Json {
    // Does not compress, so that it needs pages of its own.
    let mut x = seed | 1;
    let words: Vec<String> = (0..4000)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 7;
            x ^= x << 17;
            format!("{x:016x}")
        })
        .collect();
    json!({ "words": words })
}

/// Fills the disk as soon as this task's call is under way.
async fn fill_when_running(rig: &Rig, run: &RunId, task: &str) {
    rig.engine.resume(run).await.unwrap();
    rig.until(run, task, TaskStatus::Running).await;
    let pages = rig.engine.limit_pages(1).await.unwrap();
    // SQLite does not shrink below what there is: full from here on.
    assert!(pages > 1);
}

async fn trouble(rig: &Rig, run: &RunId) -> Option<String> {
    rig.show(run).await.row.trouble
}

async fn pass(ms: u64) {
    tokio::time::sleep(Duration::from_millis(ms)).await;
}

/// `first` and `slow` are under way; `after` waits for `first`, `pay` for `slow`.
fn two_branches() -> Json {
    plan(&[
        task("first", "keyed.do", &[]),
        task("slow", "effect.do", &[]),
        task("after", "read.do", &["first"]),
        task("pay", "effect.do", &["slow"]),
    ])
}

#[tokio::test(start_paused = true)]
async fn a_full_disk_is_waited_out_and_the_held_results_follow_in_order() {
    let rig = Rig::that_stays();
    rig.keyed
        .on("first", [Act::Slow(Duration::from_secs(1), large(7))]);
    rig.effect
        .on("slow", [Act::Slow(Duration::from_secs(3), large(8))]);
    let run = rig.open(&two_branches()).await;
    fill_when_running(&rig, &run, "slow").await;
    pass(600_000).await;
    // Both have finished; neither result is acknowledged, nothing that follows has begun.
    assert_eq!(rig.effect.running() + rig.keyed.running(), 0);
    assert_eq!(
        states(&rig.show(&run).await),
        "RUNNING: first RUNNING, slow RUNNING, after PENDING, pay PENDING"
    );
    assert_eq!((rig.read.calls_of("after"), rig.effect.calls_of("pay")), (0, 0));
    let told = trouble(&rig, &run).await.unwrap();
    assert!(
        told.starts_with("storage full") && told.contains("first"),
        "{told}"
    );

    rig.engine.limit_pages(0).await.unwrap();
    let end = rig.engine.until_left(&run).await.unwrap();
    assert_eq!((end.status, end.trouble), (RunStatus::Succeeded, None));
    for id in ["first", "slow", "pay"] {
        assert_eq!(rig.effect.calls_of(id) + rig.keyed.calls_of(id), 1, "{id}");
    }
    assert_eq!(trouble(&rig, &run).await, None);
    let told = story(&rig.engine, &run).await;
    let at = |what: &str| told.lines().position(|l| l.contains(what)).unwrap();
    assert!(
        at("task_completed     first") < at("task_completed     slow"),
        "{told}"
    );
    assert_eq!(told.matches("task_completed").count(), 4, "{told}");
}

#[tokio::test(start_paused = true)]
async fn a_call_whose_intent_could_not_be_stored_is_never_made() {
    for tool in ["read.do", "effect.do", "keyed.do"] {
        let rig = Rig::that_stays();
        rig.read
            .on("wait", [Act::Slow(Duration::from_secs(5), json!("here"))]);
        // The intent carries nothing large, so the disk is filled to the last byte by the plan itself.
        let tasks: Vec<Json> = (0..200)
            .map(|n| task(&format!("{}{n}", "next_".repeat(8)), tool, &["wait"]))
            .chain([task("wait", "read.do", &[])])
            .collect();
        let run = rig.open(&plan(&tasks)).await;
        fill_when_running(&rig, &run, "wait").await;
        pass(60_000).await;
        let told = trouble(&rig, &run).await.unwrap();
        assert!(told.starts_with("storage full"), "{told}");
        let made = rig.read.calls().len() + rig.effect.calls().len() + rig.keyed.calls().len();
        let stored = rig.show(&run).await;
        let begun = stored.tasks.iter().filter(|t| t.attempts > 0).count();
        assert_eq!(
            made, begun,
            "{tool}: each call that was made has its intent in the log"
        );
        assert!(begun < 200, "{tool}: the disk was full before the end");
        rig.engine.limit_pages(0).await.unwrap();
        let end = rig.engine.until_left(&run).await.unwrap();
        assert_eq!(end.status, RunStatus::Succeeded);
        let made = rig.read.calls().len() + rig.effect.calls().len() + rig.keyed.calls().len();
        assert_eq!(made, 201, "{tool}: each once");
    }
}

#[tokio::test(start_paused = true)]
async fn who_would_rather_leave_gives_up_and_what_was_not_stored_is_in_doubt() {
    let rig = Rig::in_memory();
    rig.effect
        .on("slow", [Act::Slow(Duration::from_secs(1), large(9))]);
    rig.keyed
        .on("first", [Act::Slow(Duration::from_secs(2), large(10))]);
    let run = rig.open(&two_branches()).await;
    fill_when_running(&rig, &run, "slow").await;
    let began = tokio::time::Instant::now();
    let end = rig.engine.until_left(&run).await.unwrap();
    let waited = began.elapsed().as_secs();
    assert!((30..35).contains(&waited), "{waited} s");
    let told = end.trouble.unwrap();
    for words in ["storage full", "is stored", "slow", "in doubt", "planloom resume"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    rig.engine.limit_pages(0).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(state_of(&shown, "slow"), TaskStatus::InDoubt, "a person is asked");
    assert_eq!(rig.effect.calls_of("slow"), 1, "it is not made again");
    let keys: Vec<String> = rig.keyed.calls().into_iter().map(|c| c.key).collect();
    assert!(
        keys.len() == 2 && keys[0] == keys[1],
        "repeated with its key: {keys:?}"
    );
    rig.answer(&run, "d1", json!({ "done": "seen" })).await;
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn closing_on_a_full_disk_does_not_hang() {
    let rig = Rig::that_stays();
    rig.keyed
        .on("first", [Act::Slow(Duration::from_secs(1), large(11))]);
    let run = rig.open(&plan(&[task("first", "keyed.do", &[])])).await;
    fill_when_running(&rig, &run, "first").await;
    pass(5_000).await;
    let began = tokio::time::Instant::now();
    rig.engine.close().await;
    assert!(began.elapsed() < Duration::from_secs(10), "{:?}", began.elapsed());
    let end = rig.engine.until_left(&run).await.unwrap();
    assert!(end.trouble.unwrap().starts_with("storage full"));
}

#[tokio::test(start_paused = true)]
async fn a_request_that_could_not_be_stored_is_refused_and_can_be_made_again() {
    let rig = Rig::that_stays();
    let ask = with(
        json!({ "id": "ask", "instruction": "Say.", "task_type": "human" }),
        json!({ "form": { "type": "object" } }),
    );
    let run = rig.open(&plan(&[ask])).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "ask", TaskStatus::Waiting).await;
    rig.engine.limit_pages(1).await.unwrap();
    let refused = rig
        .engine
        .decide(&run, &"d1".into(), json!({ "answer": large(12) }))
        .await
        .unwrap_err();
    assert_eq!(refused.code(), "disk_full");
    let empty = rig.write_plan(
        "large.plan.json",
        &plan(&[with(task("x", "read.do", &[]), json!({ "notes": large(13) }))]),
    );
    let none = planloom_engine::Parameters::Json(Json::Null);
    let opened = rig
        .engine
        .open_run(empty, &none, &planloom_engine::Consent::Given)
        .await;
    assert_eq!(opened.unwrap_err().code(), "disk_full");
    rig.engine.limit_pages(0).await.unwrap();
    rig.answer(&run, "d1", json!({ "answer": "yes" })).await;
    let end = rig.engine.until_left(&run).await.unwrap();
    assert_eq!(end.status, RunStatus::Succeeded);
}
