//! Long waits and dead servers: until when is told, what stands in is used at once, and nobody waits for ever unasked.

use std::sync::Arc;
use std::time::Duration;

use planloom_engine::Config;
use planloom_engine::llm::{Answer, Entry, Fault, Models, Outcome, Price, Reply, Role};
use planloom_engine::model::RunId;
use planloom_engine::views::{DecisionKind, RunStatus, TaskStatus, WaitReason};
use planloom_tests::models::{Line, NAME, ScriptedModel, fail, fail_for};
use planloom_tests::rig::{Rig, agent, plan, state_of, states, story, task, with};
use planloom_tests::script::Act;
use serde_json::json;
use tokio::time::Instant;

const DAY: Duration = Duration::from_secs(86_400);

/// One model, and nothing that stands in for it.
fn alone(model: &ScriptedModel) -> Rig {
    let entry = Entry {
        price: Price::Free,
        ..Entry::new(NAME, Arc::new(model.clone()))
    };
    let models = Models::none().with(entry).with_role(Role::Executor, &[NAME]);
    Rig::set_up(|config| Config { models, ..config })
}

fn fault(class: fn(Fault) -> Outcome, code: &str) -> Line {
    Line::Give(Reply::of(class(Fault::new(code, "as scripted"))))
}

fn id(shown: &planloom_engine::Shown) -> RunId {
    shown.row.run.as_str().into()
}

#[tokio::test(start_paused = true)]
async fn who_asks_for_a_day_is_left_alone_and_the_stand_in_is_asked_at_once() {
    let rig = Rig::with_models();
    rig.model.on("Work on a", [fail_for(Outcome::Rate, DAY)]);
    let began = Instant::now();
    let shown = rig
        .run(&plan(&[with(agent("a", &[]), json!({ "model": "planner" }))]))
        .await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert!(began.elapsed() < Duration::from_secs(60), "{:?}", began.elapsed());
    assert_eq!(rig.model.requests().len(), 1);
    assert_eq!(rig.spare_model.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_short_wait_is_still_waited_out_by_the_same_model() {
    let rig = Rig::with_models();
    rig.model
        .on("Work on a", [fail_for(Outcome::Rate, Duration::from_secs(200))]);
    rig.run(&plan(&[with(agent("a", &[]), json!({ "model": "planner" }))]))
        .await;
    assert_eq!(
        (rig.model.requests().len(), rig.spare_model.requests().len()),
        (2, 0)
    );
}

#[tokio::test(start_paused = true)]
async fn without_a_stand_in_the_end_of_the_wait_is_told_and_a_restart_keeps_to_it() {
    let model = ScriptedModel::default();
    let rig = alone(&model);
    model.on("Work on a", [fail_for(Outcome::Rate, DAY)]);
    let run = rig.open(&plan(&[agent("a", &[])])).await;
    let began = Instant::now();
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(30)).await;
    let shown = rig.show(&run).await;
    let wait = shown.tasks[0].wait.clone().unwrap();
    assert_eq!(wait.reason, WaitReason::RateLimit);
    let until = wait.until.unwrap() - shown.row.started_at;
    assert!((86_400_000.0..86_410_000.0).contains(&until), "{until}");
    assert!(wait.text.contains("left alone until 2026-01-02"), "{}", wait.text);
    let mut watch = rig.engine.watch_all(&run, 0).await.unwrap();
    let told = watch.next().await.unwrap().unwrap().events;
    let retrying = told.iter().find(|e| e.kind == "task_retrying").unwrap();
    assert!(
        retrying.text.contains("will try again at 2026-01-02"),
        "{}",
        retrying.text
    );

    rig.engine.pause(&run).await.unwrap();
    rig.engine.until_left(&run).await.unwrap();
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded);
    let waited = began.elapsed();
    assert!(
        (DAY..DAY + Duration::from_secs(60)).contains(&waited),
        "{waited:?}"
    );
    assert_eq!(model.requests().len(), 2);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_asks_for_a_day_gives_way_to_its_fallback() {
    let rig = Rig::in_memory();
    rig.read.on("a", [Act::Transient(Some(DAY))]);
    let began = Instant::now();
    let shown = rig
        .run(&plan(&[with(
            task("a", "read.do", &[]),
            json!({ "fallback": "spare.do" }),
        )]))
        .await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert!(began.elapsed() < Duration::from_secs(60));
    assert_eq!((rig.read.calls().len(), rig.spare.calls().len()), (1, 1));
}

/// A server that gives nothing, or half an answer, is there: that is no matter of the tasks beside.
#[tokio::test(start_paused = true)]
async fn answers_that_are_none_open_no_breaker() {
    let empty = || Line::Give(Reply::complete(Answer::default()));
    for (name, line) in [
        ("nothing", empty as fn() -> Line),
        ("empty", || fault(Outcome::Unknown, "empty_answer")),
        ("cut off", || fault(Outcome::Transient, "truncated")),
    ] {
        let model = ScriptedModel::default();
        let rig = alone(&model);
        model.on("Work on a", (0..4).map(|_| line()));
        model.on("Work on b", (0..4).map(|_| line()));
        let shown = rig.run(&plan(&[agent("a", &[]), agent("b", &[])])).await;
        let log = story(&rig.engine, &id(&shown)).await;
        assert!(!log.contains("breaker_opened"), "{name}: {log}");
    }
}

/// Many tasks, one dead server: each of them comes to a person within minutes, with what to start.
#[tokio::test(start_paused = true)]
async fn a_server_that_stays_dead_comes_to_a_person_with_what_to_start() {
    let model = ScriptedModel::default();
    let rig = alone(&model);
    model.otherwise(|_| Some(fault(Outcome::Transient, "connection")));
    let tasks: Vec<_> = (0..6).map(|n| agent(&format!("a{n}"), &[])).collect();
    let began = Instant::now();
    let shown = rig.run(&plan(&tasks)).await;
    assert_eq!(shown.row.status, RunStatus::Blocked, "{}", states(&shown));
    assert!(
        began.elapsed() < Duration::from_secs(900),
        "{:?}",
        began.elapsed()
    );
    assert_eq!(shown.decisions.len(), 6);
    assert!(shown.decisions.iter().all(|d| d.kind == DecisionKind::Blocked));
    let told = shown
        .decisions
        .iter()
        .filter(|d| d.question.contains("Start its server") && d.question.contains("as scripted"));
    assert!(told.count() > 0, "{}", shown.decisions[0].question);

    // Once it is there, a retry goes through at once.
    model.otherwise(|_| None);
    let run = id(&shown);
    for decision in &shown.decisions {
        rig.answer(&run, &decision.id, json!("retry")).await;
    }
    let again = Instant::now();
    let shown = rig.go_on(&run).await;
    assert_eq!(shown.row.status, RunStatus::Succeeded, "{}", states(&shown));
    assert!(again.elapsed() < Duration::from_secs(30), "{:?}", again.elapsed());
}

#[tokio::test(start_paused = true)]
async fn who_is_held_by_a_breaker_hears_until_when() {
    let model = ScriptedModel::default();
    let rig = alone(&model);
    model.otherwise(|_| Some(fail(Outcome::Transient)));
    let tasks: Vec<_> = (0..6).map(|n| agent(&format!("a{n}"), &[])).collect();
    let run = rig.open(&plan(&tasks)).await;
    rig.engine.resume(&run).await.unwrap();
    tokio::time::sleep(Duration::from_secs(10)).await;
    let shown = rig.show(&run).await;
    assert_eq!(state_of(&shown, "a5"), TaskStatus::Retrying, "{}", states(&shown));
    let mut watch = rig.engine.watch_all(&run, 0).await.unwrap();
    let told = watch.next().await.unwrap().unwrap().events;
    let opened = told.iter().find(|e| e.kind == "breaker_opened").unwrap();
    assert!(
        opened.text.contains("until 2026-01-01 00:00:3"),
        "{}",
        opened.text
    );
    let held = told
        .iter()
        .filter(|e| e.text.contains("left alone until 2026-01-01"));
    assert!(held.count() > 0);
}
