//! Rules 4 to 6: another tool for when the first is down, under the same key and the same gate.

use planloom_engine::views::{RunStatus, TaskStatus};
use planloom_tests::rig::{Rig, output_of, plan, state_of, states, task, with};
use planloom_tests::script::Act;
use serde_json::{Value, json};

fn spare(id: &str, tool: &str, fallback: &str) -> Value {
    with(task(id, tool, &[]), json!({ "fallback": fallback }))
}

async fn tools_called(rig: &Rig, shown: &planloom_engine::Shown, task: &str) -> Vec<String> {
    let run = shown.row.run.as_str().into();
    let detail = rig.engine.task_detail(&run, task).await.unwrap();
    let calls = detail.attempts.into_iter().flat_map(|a| a.calls);
    calls.map(|c| c.tool).collect()
}

#[tokio::test(start_paused = true)]
async fn used_up_attempts_lead_to_the_fallback_with_the_same_key() {
    let rig = Rig::in_memory();
    rig.keyed.on("a", vec![Act::Transient(None); 4]);
    rig.spare_keyed
        .on("a", [Act::Transient(None), Act::Give(json!("spare"))]);
    let shown = rig.run(&plan(&[spare("a", "keyed.do", "spare.keyed")])).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(output_of(&shown, "a"), json!("spare"));
    assert_eq!((shown.tasks[0].attempts, shown.tasks[0].max_attempts), (6, 8));
    let (first, other) = (rig.keyed.calls(), rig.spare_keyed.calls());
    assert_eq!((first.len(), other.len()), (4, 2));
    assert_eq!(first[0].key, other[0].key, "the effect is the same one");
    let told = tools_called(&rig, &shown, "a").await;
    assert_eq!(told.last().map(String::as_str), Some("spare.keyed"));
}

#[tokio::test(start_paused = true)]
async fn a_permanent_failure_is_no_reason_to_try_another() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Permanent]);
    let shown = rig.run(&plan(&[spare("a", "read.do", "spare.do")])).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert!(rig.spare.calls().is_empty());
}

#[tokio::test(start_paused = true)]
async fn an_open_breaker_leads_to_the_fallback_at_once() {
    let rig = Rig::in_memory();
    let mut tasks: Vec<Value> = (0..5).map(|n| task(&format!("a{n}"), "read.do", &[])).collect();
    for n in 0..5 {
        rig.read.on(&format!("a{n}"), [Act::Transient(None)]);
    }
    tasks.push(with(
        task("pause", "wait", &[]),
        json!({ "inputs": { "ms": 2000 } }),
    ));
    tasks.push(with(
        task("b", "read.do", &["pause"]),
        json!({ "fallback": "spare.do" }),
    ));
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    assert_eq!(rig.spare.order(), ["b"]);
    assert_eq!(tools_called(&rig, &shown, "b").await, ["spare.do"]);
    let b = shown.tasks.iter().find(|t| t.id == "b").unwrap();
    let wait = shown.tasks.iter().find(|t| t.id == "pause").unwrap();
    assert!(b.ended_at.unwrap() - wait.ended_at.unwrap() < 1000.0);
}

#[tokio::test(start_paused = true)]
async fn what_may_have_arrived_is_never_sent_by_another_tool() {
    // Not idempotent: in doubt at once.
    let rig = Rig::in_memory();
    rig.effect.on("a", [Act::Unknown]);
    let shown = rig.run(&plan(&[spare("a", "effect.do", "spare.send")])).await;
    assert_eq!(states(&shown), "WAITING: a IN_DOUBT");
    assert!(rig.spare_effect.calls().is_empty());

    // The first may repeat it; the second would not know that it is a repetition, even when the last try surely failed.
    let rig = Rig::in_memory();
    let mut acts = vec![Act::Unknown];
    acts.extend(vec![Act::Transient(None); 3]);
    rig.keyed.on("a", acts);
    let shown = rig.run(&plan(&[spare("a", "keyed.do", "spare.send")])).await;
    assert_eq!(states(&shown), "WAITING: a IN_DOUBT");
    assert_eq!(rig.keyed.calls().len(), 4);
    assert!(rig.spare_effect.calls().is_empty());

    // A person's word that the receiver honours the key covers both.
    let rig = Rig::in_memory();
    rig.effect.on("a", vec![Act::Unknown; 4]);
    let task = with(
        spare("a", "effect.do", "spare.send"),
        json!({ "idempotent": true }),
    );
    let shown = rig.run(&plan(&[task])).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.spare_effect.calls()[0].key, rig.effect.calls()[0].key);
}

#[tokio::test(start_paused = true)]
async fn an_effect_that_surely_did_not_happen_may_be_sent_by_another() {
    let rig = Rig::in_memory();
    rig.effect.on("a", vec![Act::Transient(None); 4]);
    let shown = rig.run(&plan(&[spare("a", "effect.do", "spare.send")])).await;
    assert_eq!(states(&shown), "SUCCEEDED: a COMPLETED");
    assert_eq!(rig.spare_effect.calls().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn when_both_are_used_up_the_task_fails() {
    let rig = Rig::in_memory();
    rig.read.on("a", vec![Act::Transient(None); 2]);
    rig.spare.on("a", vec![Act::Transient(None); 2]);
    let task = with(
        spare("a", "read.do", "spare.do"),
        json!({ "retry": { "max_attempts": 2 } }),
    );
    let shown = rig.run(&plan(&[task])).await;
    assert_eq!(states(&shown), "BLOCKED: a FAILED");
    assert_eq!((rig.read.calls().len(), rig.spare.calls().len()), (2, 2));
}

#[tokio::test(start_paused = true)]
async fn a_restart_in_between_stays_with_the_fallback() {
    let rig = Rig::in_memory();
    rig.read.on("a", vec![Act::Transient(None); 4]);
    rig.spare.on("a", [Act::Hang]);
    let run = rig.open(&plan(&[spare("a", "read.do", "spare.do")])).await;
    rig.engine.resume(&run).await.unwrap();
    while rig.spare.calls().is_empty() {
        tokio::time::sleep(std::time::Duration::from_millis(100)).await;
    }
    rig.engine.close().await;
    assert_eq!(state_of(&rig.show(&run).await, "a"), TaskStatus::Ready);
    assert_eq!(rig.read.calls().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn a_fallback_that_does_not_exist_or_does_not_fit_is_told_before_the_run() {
    let rig = Rig::in_memory();
    for (fallback, code) in [("spare.dont", "unknown_tool"), ("file.read", "bad_arguments")] {
        let path = rig.write_plan("c.plan.json", &plan(&[spare("a", "read.do", fallback)]));
        let codes: Vec<Value> = rig
            .engine
            .check(path)
            .await
            .iter()
            .map(|p| serde_json::to_value(p.code).unwrap())
            .collect();
        assert!(codes.contains(&json!(code)), "{fallback}: {codes:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn what_the_fallback_touches_is_shown_and_signed() {
    let rig = Rig::on_file();
    let run = rig.open(&plan(&[spare("a", "read.do", "spare.send")])).await;
    let changed = rig.another_spare().resume(&run).await.unwrap_err();
    assert_eq!(changed.code(), "definitions");
    let shown = rig.engine.approval(&run).await.unwrap();
    let effects: Vec<Value> = shown
        .needs
        .iter()
        .map(|n| serde_json::to_value(n.effect).unwrap())
        .collect();
    assert!(effects.contains(&json!("write_external")), "{effects:?}");
}
