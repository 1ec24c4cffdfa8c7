//! Answers that can't be taken: sent back, cut, empty, refused.

use planloom_engine::Goal;
use planloom_engine::llm::{Fault, Outcome, Reply};
use planloom_engine::model::problem::Code;
use planloom_engine::run::PlanRest;
use planloom_engine::views::RunStatus;
use planloom_tests::models::{Line, cut, fail, refuse, say, using};
use planloom_tests::rig::{Rig, story};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::*;

#[tokio::test(start_paused = true)]
async fn the_exact_problems_are_sent_back_and_mended() {
    let rig = Rig::with_models();
    let mut wrong = good();
    wrong["tasks"][1]["dependencies"] = json!(["fetsh"]);
    rig.model.on(
        GOAL,
        [
            say(&wrong.to_string()),
            say(&ring().to_string()),
            say(&good().to_string()),
        ],
    );
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    let told = last_question(&rig);
    assert!(
        told.contains("unknown_dependency") && told.contains("Did you mean `fetch`?"),
        "{told}"
    );
    assert!(told.contains("cycle") && told.contains("/tasks/"), "{told}");
    assert!(errors(&rig.engine, &run).await.is_empty());
    assert_eq!(rig.model.requests().len(), 3);
    let planning = rig.engine.planning(&run).await.unwrap().unwrap();
    assert_eq!(planning.calls.len(), 3);
    assert_eq!(
        planning.calls[0].answer,
        wrong.to_string(),
        "the raw answers are kept"
    );
}

#[tokio::test(start_paused = true)]
async fn what_is_never_mended_is_a_draft_with_its_problems_that_a_person_can_mend() {
    let rig = Rig::with_models();
    rig.model.otherwise(|_| Some(say(&ring().to_string())));
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    assert_eq!(rig.model.requests().len(), 4, "sent back at most three times");
    assert_eq!(errors(&rig.engine, &run).await, [Code::Cycle]);
    assert_eq!(state(&rig.engine, &run).await, "unmended");
    assert_eq!(rig.show(&run).await.row.status, RunStatus::AwaitingApproval);
    assert!(
        rig.engine.approve_as_opened(&run).await.is_err(),
        "nothing with errors is signed"
    );

    use planloom_engine::model::edit::PlanEdit;
    let edit = PlanEdit::Disconnect {
        from: "sum".to_owned(),
        to: "fetch".to_owned(),
    };
    let revision = rig.engine.draft(&run).await.unwrap().revision;
    let view = rig.engine.edit_draft(&run, revision, vec![edit]).await.unwrap();
    assert!(view.problems.iter().all(|p| p.code != Code::Cycle));
    rig.engine.approve_as_opened(&run).await.unwrap();
    assert_eq!(rig.go_on(&run).await.row.status, RunStatus::Succeeded);
}

/// Case plan-03: what was cut is not asked for in the same way, and nothing of it is ever used.
#[tokio::test(start_paused = true)]
async fn a_cut_answer_changes_the_request() {
    let rig = Rig::with_models();
    let half = &good().to_string()[..120];
    rig.model
        .on(GOAL, [using(cut(half), 812, 256), say(&good().to_string())]);
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    let requests = rig.model.requests();
    assert!(requests[1].max_output_tokens > requests[0].max_output_tokens);
    assert!(format!("{:?}", requests[1].messages).contains("was cut"));
    assert!(!format!("{:?}", requests[1].messages).contains("assistant") && requests[1].messages.len() == 1);
    assert!(errors(&rig.engine, &run).await.is_empty());
}

/// The inputs of case plan-03, as the wire gives them.
#[tokio::test(start_paused = true)]
async fn nothing_of_a_half_plan_is_scheduled() {
    let folder = planloom_tests::process::root().join("tests/cases/plan-03-cut-off-at-token-limit");
    for (file, at) in [
        ("openai-cut.json", "/body/choices/0/message/content"),
        ("anthropic-cut.json", "/body/content/0/text"),
        (
            "gateway-cut.json",
            "/body/choices/0/message/tool_calls/0/function/arguments",
        ),
        ("reasoning-ate-limit.json", "/body/choices/0/message/content"),
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        let exchange: serde_json::Value = serde_json::from_str(&text).unwrap();
        let half = exchange.pointer(at).unwrap().as_str().unwrap().to_owned();
        let rig = Rig::with_models();
        rig.model.otherwise(move |_| Some(using(cut(&half), 812, 256)));
        let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
        let PlanRest::Failed(error) = rest else {
            panic!("{file}: {rest:?}")
        };
        assert_eq!(error.code, "cut", "{file}");
        assert!(
            error.message.contains("limit") && error.message.contains("256"),
            "{}",
            error.message
        );
        assert_eq!(
            error.message.contains("thinking"),
            file.starts_with("reasoning"),
            "{}",
            error.message
        );
        assert!(ids(&rig.engine, &run).await.is_empty(), "{file}");
        let requests = rig.model.requests();
        assert_eq!(requests.len(), 3);
        assert!(
            requests[0] != requests[1] && requests[1] != requests[2],
            "never the same twice"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_refusal_is_shown_in_its_words_and_not_repeated() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [refuse("I can't help with that.")]);
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    let PlanRest::Failed(error) = rest else {
        panic!("{rest:?}")
    };
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("refusal", "The model refused: I can't help with that.")
    );
    assert_eq!(rig.model.requests().len(), 1);
    assert_eq!(state(&rig.engine, &run).await, "failed");
    assert_eq!(
        go_on(&rig.engine, &run).await,
        PlanRest::Failed(error),
        "and stays so"
    );
}

#[tokio::test(start_paused = true)]
async fn what_passes_by_itself_is_waited_out_and_what_does_not_goes_to_the_next_model() {
    let rig = Rig::with_models();
    rig.model.on(
        GOAL,
        [
            fail(Outcome::Transient),
            fail(Outcome::Rate),
            fail(Outcome::Quota),
        ],
    );
    rig.spare_model.on(GOAL, [say(&good().to_string())]);
    let begun = tokio::time::Instant::now();
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    assert!(begun.elapsed().as_secs() >= 3, "1 s, then 2 s");
    assert_eq!(
        (rig.model.requests().len(), rig.spare_model.requests().len()),
        (3, 1)
    );
    let told = story(&rig.engine, &run).await;
    assert_eq!(told.matches("call_started").count(), 4, "{told}");
}

fn malformed() -> Line {
    let why = "the model wrote a call that can't be read: print(default_api.plan(";
    Line::Give(Reply::of(Outcome::Transient(Fault::new(
        Fault::MALFORMED_CALL,
        why,
    ))))
}

/// Asked the same again, it would mostly write the same again.
#[tokio::test(start_paused = true)]
async fn a_call_that_cannot_be_read_is_told_with_what_was_wrong() {
    let rig = Rig::with_models();
    rig.model.on(GOAL, [malformed(), say(&good().to_string())]);
    let since = tokio::time::Instant::now();
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!((rest, rig.model.requests().len()), (PlanRest::Planned, 2));
    assert!(last_question(&rig).contains("print(default_api.plan("));
    assert!(since.elapsed().as_millis() < 500, "nothing is waited for");
    let calls = rig.engine.planning(&run).await.unwrap().unwrap().calls;
    assert!(calls[0].error.as_deref().unwrap().contains("default_api"));
}

#[tokio::test(start_paused = true)]
async fn it_is_told_once_and_forgotten_when_planning_is_taken_up_again() {
    let rig = Rig::with_models();
    rig.model
        .on(GOAL, [malformed(), malformed(), say(&good().to_string())]);
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    let PlanRest::Failed(error) = rest else {
        panic!("{rest:?}");
    };
    assert_eq!(
        (error.code.as_str(), rig.model.requests().len()),
        ("malformed_call", 2)
    );
    let none = CancellationToken::new();
    let again = rig.engine.plan_again(&run, &none, false).await.unwrap();
    assert_eq!((again, rig.model.requests().len()), (PlanRest::Planned, 3));
    assert_eq!(rig.model.requests()[0], rig.model.requests()[2]);
}
