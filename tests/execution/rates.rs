//! Receivers that want to be left alone for a while: one that says so is left alone by everybody, a minute's limit is
//! outlasted, and a server that loads its model is waited for.

use std::time::Duration;

use planloom_engine::llm::{Fault, Outcome, Reply};
use planloom_engine::views::{RunStatus, TaskStatus, WaitReason};
use planloom_tests::models::{Line, fail, fail_for, say};
use planloom_tests::rig::{Rig, plan, states};
use serde_json::{Value, json};

fn model(id: &str, after: &[&str]) -> Value {
    json!({
        "id": id, "instruction": format!("Say {id}."), "task_type": "model", "dependencies": after,
    })
}

fn loading() -> Line {
    Line::Give(Reply::of(Outcome::Transient(Fault::new(
        "loading",
        "Loading model",
    ))))
}

#[tokio::test(start_paused = true)]
async fn one_task_that_is_told_to_wait_holds_back_all_that_ask_the_same_provider() {
    let rig = Rig::with_models();
    rig.model.on(
        "Say a",
        [fail_for(Outcome::Rate, Duration::from_secs(20)), say("a")],
    );
    let wait = json!({ "id": "w", "instruction": "Wait.", "task_type": "tool", "tool": "read.do", "inputs": { "id": "w" } });
    rig.read.on(
        "w",
        [planloom_tests::script::Act::Slow(
            Duration::from_secs(2),
            json!("w"),
        )],
    );
    let run = rig
        .open(&plan(&[
            model("a", &[]),
            wait,
            model("b", &["w"]),
            model("c", &["w"]),
        ]))
        .await;
    let begun = tokio::time::Instant::now();
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert_eq!(rig.model.requests().len(), 1, "nobody else asks meanwhile");
    let shown = rig.show(&run).await;
    let b = shown.tasks.iter().find(|task| task.id == "b").unwrap();
    assert_eq!(b.status, TaskStatus::Retrying);
    let wait = b.wait.as_ref().unwrap();
    assert_eq!(wait.reason, WaitReason::RateLimit);
    assert!(
        wait.until.is_some() && wait.text.contains("too many requests"),
        "{wait:?}"
    );
    rig.engine.until_left(&run).await.unwrap();
    assert!(begun.elapsed() >= Duration::from_secs(20));
    let shown = rig.show(&run).await;
    assert_eq!(
        states(&shown),
        "SUCCEEDED: a COMPLETED, w COMPLETED, b COMPLETED, c COMPLETED"
    );
    assert_eq!(rig.model.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_limit_by_the_minute_is_outlasted_though_nobody_says_how_long_it_takes() {
    let rig = Rig::with_models();
    rig.model.on("Say a", (0..4).map(|_| fail(Outcome::Rate)));
    let run = rig.open(&plan(&[model("a", &[])])).await;
    let begun = tokio::time::Instant::now();
    let shown = rig.go_on(&run).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert!(
        begun.elapsed() >= Duration::from_secs(60),
        "{:?}",
        begun.elapsed()
    );
    assert_eq!(rig.model.requests().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_loads_its_model_is_waited_for_and_that_is_no_attempt() {
    let rig = Rig::with_models();
    let lines = (0..20).map(|_| loading()).chain([say("there")]);
    rig.model.on("Say a", lines);
    let run = rig.open(&plan(&[model("a", &[])])).await;
    rig.engine.resume(&run).await.unwrap();
    rig.until(&run, "a", TaskStatus::Retrying).await;
    let shown = rig.show(&run).await;
    assert!(
        shown.tasks[0]
            .wait
            .as_ref()
            .unwrap()
            .text
            .contains("Loading model")
    );
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.show(&run).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(shown.tasks[0].attempts, 1);

    let rig = Rig::with_models();
    rig.model.otherwise(|_| Some(loading()));
    let run = rig.open(&plan(&[model("a", &[])])).await;
    let begun = tokio::time::Instant::now();
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Blocked, "but not for ever");
    let waited = begun.elapsed().as_secs();
    assert!((200..900).contains(&waited), "{waited} s");
}
