//! Planning that rests and goes on: questions, budgets, crashes, stops.

use std::time::Duration;

use planloom_engine::llm::{Entry, Models, Outcome, Price, Role};
use planloom_engine::model::DecisionId;
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::run::{Clock, PlanRest};
use planloom_engine::views::{DecisionKind, RunStatus};
use planloom_engine::{Config, Goal};
use planloom_tests::models::{Line, NAME, ScriptedModel, fail_for, late, say, using};
use planloom_tests::rig::{Rig, story};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::*;

fn asking() -> Line {
    let mut asks = answer(&[]);
    asks["questions"] = json!([{ "question": "Which week?", "options": ["this", "last"] }]);
    say(&asks.to_string())
}

#[tokio::test(start_paused = true)]
async fn a_question_is_a_decision_and_its_answer_goes_into_the_plan() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [asking(), say(&good().to_string())]);
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Asks);
    let decisions = rig.show(&run).await.decisions;
    assert_eq!(decisions.len(), 1);
    assert_eq!(decisions[0].kind, DecisionKind::Question);
    assert!(decisions[0].question.contains("Which week?"));
    assert_eq!(
        go_on(&rig.engine, &run).await,
        PlanRest::Asks,
        "nothing happens before it is answered"
    );
    assert_eq!(rig.model.requests().len(), 1);
    let id = DecisionId::from(decisions[0].id.as_str());
    assert!(
        rig.engine.decide(&run, &id, json!("this")).await.is_err(),
        "the form is kept to"
    );
    rig.engine
        .decide(&run, &id, json!({ "q1": "last" }))
        .await
        .unwrap();
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Planned);
    assert!(last_question(&rig).contains("Which week? last"));
    assert!(rig.show(&run).await.decisions.is_empty());
    rig.engine.approve_as_opened(&run).await.unwrap();
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
}

#[tokio::test(start_paused = true)]
async fn straight_on_means_no_question() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [asking(), say(&good().to_string())]);
    let goal = Goal {
        may_ask: false,
        ..Goal::new(GOAL)
    };
    let (run, rest) = plan(&rig.engine, goal).await;
    assert_eq!(rest, PlanRest::Planned);
    assert!(rig.show(&run).await.decisions.is_empty());
    assert!(last_question(&rig).contains("Don't ask."));
}

#[tokio::test(start_paused = true)]
async fn endless_questions_end() {
    let rig = Rig::with_models();
    rig.model.otherwise(|_| Some(asking()));
    let (run, _) = plan(&rig.engine, Goal::new(GOAL)).await;
    for n in 1..=2 {
        let id = DecisionId::from(format!("d{n}"));
        rig.engine
            .decide(&run, &id, json!({ "q1": "this" }))
            .await
            .unwrap();
        go_on(&rig.engine, &run).await;
    }
    assert_eq!(state(&rig.engine, &run).await, "unmended");
    assert_eq!(rig.model.requests().len(), 6);
}

#[tokio::test]
async fn a_crash_in_mid_planning_goes_on_without_paying_again() {
    let rig = Rig::on_file_with_models();
    rig.model.on(
        GOAL,
        [
            using(say(&ring().to_string()), 100, 10),
            Line::Hang,
            say(&good().to_string()),
        ],
    );
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let none = CancellationToken::new();
    // The process dies while the second question is under way: what was awaited is dropped.
    let cut_short = tokio::time::timeout(Duration::from_secs(2), rig.engine.plan_on(&run, &none)).await;
    assert!(cut_short.is_err());
    let other = rig.another_modelled(Clock::System);
    assert_eq!(go_on(&other, &run).await, PlanRest::Planned);
    assert_eq!(
        rig.model.requests().len(),
        3,
        "the first answer is not asked for again"
    );
    assert_eq!(rig.model.requests()[1], rig.model.requests()[2]);
    assert_eq!(ids(&other, &run).await, ["fetch", "sum"]);
    insta::assert_snapshot!(story(&other, &run).await, @r"
      1 run_opened
      2 goal_given
      3 plan_revised
      4 call_started
      5 call_finished
      6 call_started
      7 planning_resumed
      8 call_started
      9 call_finished
     10 plan_revised
     11 planning_ended
    ");
}

#[tokio::test(start_paused = true)]
async fn it_can_be_left_and_gone_on_with() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [Line::Hang, say(&good().to_string())]);
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let cancel = CancellationToken::new();
    let (engine, token, id) = (rig.engine.clone(), cancel.clone(), run.clone());
    let planning = tokio::spawn(async move { engine.plan_on(&id, &token).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    cancel.cancel();
    assert_eq!(planning.await.unwrap().unwrap(), PlanRest::Interrupted);
    assert_eq!(state(&rig.engine, &run).await, "open");
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Planned);
}

#[tokio::test]
async fn an_owner_that_lives_keeps_it_until_a_person_takes_it_over() {
    let rig = Rig::on_file_with_models();
    rig.model.on(GOAL, [Line::Hang, say(&good().to_string())]);
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let (engine, id) = (rig.engine.clone(), run.clone());
    let first = tokio::spawn(async move { go_on(&engine, &id).await });
    while rig.model.running() == 0 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    let other = rig.another_modelled(Clock::System);
    let none = CancellationToken::new();
    let refused = other.plan_on(&run, &none).await.unwrap_err();
    assert_eq!(refused.code(), "owned");
    let rest = other.plan_on_with(&run, &none, true).await.unwrap();
    assert_eq!(rest, PlanRest::Planned);
    assert_ne!(
        first.await.unwrap(),
        PlanRest::Asks,
        "it hears that it has lost it, and ends"
    );
    assert_eq!(rig.model.running(), 0);
    assert_eq!(ids(&other, &run).await, ["fetch", "sum"]);
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_question_and_the_run() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [Line::Hang]);
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let (engine, id) = (rig.engine.clone(), run.clone());
    let planning = tokio::spawn(async move { go_on(&engine, &id).await });
    tokio::time::sleep(Duration::from_secs(1)).await;
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    let edit = PlanEdit::SetPlan {
        field: "/goal".to_owned(),
        value: Some("\"x\"".to_owned()),
    };
    let error = rig
        .engine
        .edit_draft(&run, revision, vec![edit])
        .await
        .unwrap_err();
    assert_eq!(error.code(), "planning");
    rig.engine.cancel(&run).await.unwrap();
    assert_eq!(planning.await.unwrap(), PlanRest::Stopped);
    assert_eq!(rig.show(&run).await.row.status, RunStatus::Cancelled);
    assert_eq!(rig.model.running(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_person_can_go_on_by_hand_where_the_planner_waits_for_an_answer() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [asking()]);
    let (run, _) = plan(&rig.engine, Goal::new(GOAL)).await;
    let task = json!({ "id": "own", "instruction": "Own.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } });
    let edit = PlanEdit::AddTask {
        task: task.to_string(),
        after: vec![],
        before: vec![],
        position: None,
    };
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    rig.engine.edit_draft(&run, revision, vec![edit]).await.unwrap();
    assert!(
        rig.show(&run).await.decisions.is_empty(),
        "the question no longer matters"
    );
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Stopped);
    rig.engine.approve_as_opened(&run).await.unwrap();
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
}

/// A dollar for each token, so that the second question is beyond any small budget.
fn priced(model: &ScriptedModel) -> Models {
    let price = Price::PerMillion {
        input: "1".parse().unwrap(),
        output: "1".parse().unwrap(),
        cached: None,
    };
    let entry = Entry {
        price,
        ..Entry::new(NAME, std::sync::Arc::new(model.clone()))
    };
    Models::none()
        .with(entry)
        .with_role(Role::Planner, &[NAME])
        .with_role(Role::Executor, &[NAME])
}

#[tokio::test(start_paused = true)]
async fn the_question_that_would_pass_the_budget_is_asked_about_first() {
    let model = ScriptedModel::default();
    let models = priced(&model);
    let rig = Rig::set_up(|config| Config { models, ..config });
    model.on(
        GOAL,
        [
            late(
                using(say(&ring().to_string()), 5_000, 8_000),
                Duration::from_secs(1),
            ),
            using(say(&good().to_string()), 10, 10),
        ],
    );
    let goal = Goal {
        budget: json!({ "tokens": 22_000 }),
        ..Goal::new(GOAL)
    };
    let (run, rest) = plan(&rig.engine, goal).await;
    assert_eq!((rest, model.requests().len()), (PlanRest::Asks, 1));
    let asked = rig.show(&run).await.decisions.remove(0);
    assert_eq!(asked.kind, DecisionKind::Budget);
    rig.answer(&run, &asked.id, json!({ "raise": { "tokens": 50_000 } }))
        .await;
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Planned);
    let shown = rig.show(&run).await;
    assert_eq!(
        (shown.row.spent.estimated, shown.row.spent.output_tokens),
        (2, 8_010.0)
    );
}

#[tokio::test(start_paused = true)]
async fn a_budget_that_is_not_raised_ends_the_planning() {
    let model = ScriptedModel::default();
    let models = priced(&model);
    let rig = Rig::set_up(|config| Config { models, ..config });
    let goal = Goal {
        budget: json!({ "tokens": 10 }),
        ..Goal::new(GOAL)
    };
    let (run, rest) = plan(&rig.engine, goal).await;
    assert_eq!((rest, model.requests().len()), (PlanRest::Asks, 0));
    rig.answer(&run, "d1", json!("stop")).await;
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Stopped);
    assert_eq!(state(&rig.engine, &run).await, "stopped");
}

/// One planner, and nobody else.
fn without_a_stand_in() -> (Rig, ScriptedModel) {
    let model = ScriptedModel::default();
    let models = model.models();
    let rig = Rig::set_up(|config| Config { models, ..config });
    (rig, model)
}

#[tokio::test(start_paused = true)]
async fn a_planner_that_asks_for_an_hour_gives_way_to_the_next_at_once() {
    let rig = Rig::with_models();
    rig.model
        .on(GOAL, [fail_for(Outcome::Rate, Duration::from_secs(3600))]);
    rig.spare_model.on(GOAL, [say(&good().to_string())]);
    let since = tokio::time::Instant::now();
    let (_, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    assert!(since.elapsed() < Duration::from_secs(60), "{:?}", since.elapsed());
    assert_eq!(
        (rig.model.requests().len(), rig.spare_model.requests().len()),
        (1, 1)
    );
}

/// The wait stands in the log with its reason, so that every face shows it, and is kept to however long it is.
#[tokio::test(start_paused = true)]
async fn a_long_wait_is_seen_can_be_left_and_is_not_cut_short_by_a_resume() {
    let (rig, model) = without_a_stand_in();
    let hour = Duration::from_secs(3600);
    model.on(GOAL, [fail_for(Outcome::Rate, hour), say(&good().to_string())]);
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let since = tokio::time::Instant::now();
    let cancel = CancellationToken::new();
    let (engine, token, id) = (rig.engine.clone(), cancel.clone(), run.clone());
    let planning = tokio::spawn(async move { engine.plan_on(&id, &token).await });
    tokio::time::sleep(Duration::from_secs(60)).await;
    let mut watch = rig.engine.watch_all(&run, 0).await.unwrap();
    let told = watch.next().await.unwrap().unwrap().events;
    let told = &told.last().unwrap().text;
    assert!(
        told.contains("waits until 2026-01-01 01:00:0") && told.contains("as scripted"),
        "{told}"
    );
    cancel.cancel();
    let left = tokio::time::timeout(Duration::from_millis(100), planning)
        .await
        .unwrap();
    assert_eq!(
        left.unwrap().unwrap(),
        PlanRest::Interrupted,
        "it is left at once"
    );
    assert_eq!(model.requests().len(), 1);

    tokio::time::sleep(Duration::from_secs(600)).await;
    assert_eq!(go_on(&rig.engine, &run).await, PlanRest::Planned);
    let waited = since.elapsed();
    assert!(
        (hour..hour + Duration::from_secs(5)).contains(&waited),
        "{waited:?}"
    );
    assert_eq!(model.requests().len(), 2);
    let waits = story(&rig.engine, &run).await.matches("planning_waiting").count();
    assert_eq!(waits, 1, "told once");
}

#[tokio::test(start_paused = true)]
async fn a_stop_ends_the_wait() {
    let (rig, model) = without_a_stand_in();
    model.on(GOAL, [fail_for(Outcome::Rate, Duration::from_secs(86_400))]);
    let run = rig.engine.open_goal(Goal::new(GOAL)).await.unwrap();
    let (engine, id) = (rig.engine.clone(), run.clone());
    let planning = tokio::spawn(async move { go_on(&engine, &id).await });
    tokio::time::sleep(Duration::from_secs(5)).await;
    rig.engine.cancel(&run).await.unwrap();
    let rest = tokio::time::timeout(Duration::from_secs(2), planning)
        .await
        .unwrap();
    assert_eq!(rest.unwrap(), PlanRest::Stopped);
}
