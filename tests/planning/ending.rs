//! Planning ends, whatever a planner answers, and can be taken up again after a failure.

use planloom_engine::Goal;
use planloom_engine::llm::{Fault, Outcome, Reply};
use planloom_engine::model::edit::PlanEdit;
use planloom_engine::run::PlanRest;
use planloom_tests::models::{Line, cut, fail, say};
use planloom_tests::rig::{Rig, story};
use proptest::prelude::*;
use serde_json::json;

use crate::support::*;

/// Questions that any planning may come to: turns that help, and faults between them.
const MOST: usize = 70;

#[tokio::test(start_paused = true)]
async fn what_does_not_fit_is_asked_once_more_smaller_and_then_ends() {
    let rig = Rig::with_models();
    for model in [&rig.model, &rig.spare_model] {
        model.otherwise(|_| Some(fail(Outcome::Overflow)));
    }
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    let PlanRest::Failed(error) = rest else {
        panic!("{rest:?}");
    };
    assert!(
        error.message.contains("does not fit into the context"),
        "{}",
        error.message
    );
    assert!(error.message.contains("as scripted"), "{}", error.message);
    assert_eq!(state(&rig.engine, &run).await, "failed");
    for model in [&rig.model, &rig.spare_model] {
        let asked = model.requests();
        assert_eq!(asked.len(), 2);
        assert!(asked[1].system.len() < asked[0].system.len());
        assert!(asked[1].max_output_tokens < asked[0].max_output_tokens);
    }
}

#[tokio::test(start_paused = true)]
async fn a_smaller_question_that_fits_gives_the_plan() {
    let rig = Rig::with_models();
    rig.model
        .on(GOAL, [fail(Outcome::Overflow), say(&good().to_string())]);
    let (_, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!((rest, rig.model.requests().len()), (PlanRest::Planned, 2));
}

#[tokio::test(start_paused = true)]
async fn a_failure_is_forgotten_when_planning_is_taken_up_again() {
    let rig = Rig::with_models();
    rig.model.on(
        GOAL,
        [
            say(&ring().to_string()),
            fail(Outcome::Permanent),
            say(&good().to_string()),
        ],
    );
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert!(matches!(rest, PlanRest::Failed(_)));
    assert_eq!(go_on(&rig.engine, &run).await, rest, "not by itself");
    let none = tokio_util::sync::CancellationToken::new();
    let again = rig.engine.plan_again(&run, &none, false).await.unwrap();
    assert_eq!((again, rig.model.requests().len()), (PlanRest::Planned, 3));
    assert_eq!(
        rig.model.requests()[1],
        rig.model.requests()[2],
        "the answer before the failure is kept"
    );
    assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"]);
    let told = story(&rig.engine, &run).await;
    assert!(told.contains("planning_resumed"), "{told}");
    rig.engine.approve_as_opened(&run).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_draft_that_a_person_went_on_with_is_not_planned_again() {
    let rig = Rig::with_models();
    rig.model
        .on(GOAL, [fail(Outcome::Permanent), say(&good().to_string())]);
    let (run, _) = plan(&rig.engine, Goal::new(GOAL)).await;
    let own = json!({ "id": "own", "instruction": "Own.", "task_type": "tool", "tool": "echo", "inputs": { "value": 1 } });
    let edit = PlanEdit::AddTask {
        task: own.to_string(),
        after: vec![],
        before: vec![],
        position: None,
    };
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    rig.engine.edit_draft(&run, revision, vec![edit]).await.unwrap();
    let none = tokio_util::sync::CancellationToken::new();
    let rest = rig.engine.plan_again(&run, &none, false).await.unwrap();
    assert_eq!((rest, rig.model.requests().len()), (PlanRest::Planned, 1));
    assert_eq!(ids(&rig.engine, &run).await, ["own"]);
}

#[tokio::test(start_paused = true)]
async fn the_budget_outlives_a_planning_without_a_plan() {
    for line in [fail(Outcome::Permanent), say(&ring().to_string()), say("no plan")] {
        let rig = Rig::with_models();
        rig.model.otherwise(move |_| Some(line.clone()));
        let goal = Goal {
            budget: json!({ "tokens": 900_000 }),
            ..Goal::new(GOAL)
        };
        let (run, _) = plan(&rig.engine, goal).await;
        assert_eq!(
            document(&rig.engine, &run).await["budget"],
            json!({ "tokens": 900_000 })
        );
        let shown = serde_json::to_value(&rig.show(&run).await.row).unwrap();
        assert_eq!(shown["budget"]["tokens"].as_f64(), Some(900_000.0), "{shown}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_tool_beyond_the_goal_is_told_until_a_person_has_changed_the_plan() {
    let rig = Rig::with_models();
    let reads = task("fetch", &[], json!({ "task_type": "agent", "tools": ["wait"] }));
    let reply = answer(&[reads]).to_string();
    rig.model.otherwise(move |_| Some(say(&reply)));
    let goal = Goal {
        tools: Some(vec!["echo".to_owned()]),
        ..Goal::new(GOAL)
    };
    let (run, _) = plan(&rig.engine, goal).await;
    assert_eq!(state(&rig.engine, &run).await, "unmended");
    let left = rig.engine.left_unmended(&run).await.unwrap();
    assert!(
        left.iter()
            .any(|p| p.message.contains("`wait`, which the goal does not allow")),
        "{left:?}"
    );
    let edit = PlanEdit::SetPlan {
        field: "/goal".to_owned(),
        value: Some("\"x\"".to_owned()),
    };
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    rig.engine.edit_draft(&run, revision, vec![edit]).await.unwrap();
    assert!(rig.engine.left_unmended(&run).await.unwrap().is_empty());
}

fn any_line() -> impl Strategy<Value = Line> {
    let code = prop_oneof![
        Just("overflow"),
        Just("cut"),
        Just("quota"),
        Just("no_room"),
        Just("empty_answer"),
        Just("attempt_timeout"),
        Just("context_length"),
    ];
    let class: [fn(Fault) -> Outcome; 7] = [
        Outcome::Rate,
        Outcome::Quota,
        Outcome::Overflow,
        Outcome::Auth,
        Outcome::Transient,
        Outcome::Permanent,
        Outcome::Unknown,
    ];
    let fault = (prop::sample::select(class.to_vec()), code)
        .prop_map(|(class, code)| Line::Give(Reply::of(class(Fault::new(code, "words")))));
    prop_oneof![
        4 => fault,
        1 => Just(cut("{\"tasks\":")),
        1 => Just(say("")),
        1 => Just(say("words")),
        1 => Just(say("{\"tasks\": [")),
        1 => Just(say(&ring().to_string())),
        1 => Just(Line::Panic),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// The lines come over and over, so that only an end of its own ends it.
    #[test]
    fn any_sequence_of_faults_ends(lines in prop::collection::vec(any_line(), 1..6)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().start_paused(true).build().unwrap();
        runtime.block_on(async move {
            let rig = Rig::with_models();
            for model in [&rig.model, &rig.spare_model] {
                let (lines, next) = (lines.clone(), std::sync::atomic::AtomicUsize::new(0));
                model.otherwise(move |_| {
                    let at = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
                    assert!(at < 2 * MOST, "it goes on without end");
                    Some(lines[at % lines.len()].clone())
                });
            }
            let (run, _) = plan(&rig.engine, Goal::new(GOAL)).await;
            assert_ne!(state(&rig.engine, &run).await, "open");
            let asked = rig.model.requests().len() + rig.spare_model.requests().len();
            assert!(asked <= MOST, "{asked} questions");
        });
    }
}
