//! Cases plan-01 and plan-09 on their own inputs: which of the things in an answer is the plan.

use planloom_engine::Goal;
use planloom_engine::model::RunId;
use planloom_engine::model::problem::Code;
use planloom_engine::run::PlanRest;
use planloom_engine::views::RunStatus;
use planloom_tests::models::say;
use planloom_tests::rig::Rig;

use crate::support::*;

/// One file of a case from the field.
fn case(path: &str) -> String {
    std::fs::read_to_string(planloom_tests::process::root().join(path)).unwrap()
}

async fn planned(reply: String) -> (Rig, RunId) {
    let rig = Rig::with_models();
    rig.model.otherwise(move |_| Some(say(&reply)));
    let (run, rest) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(rest, PlanRest::Planned);
    (rig, run)
}

#[tokio::test(start_paused = true)]
async fn of_several_blocks_the_plan_is_taken_and_never_a_mixture() {
    for file in ["reply-fences.txt", "reply-think.txt", "reply-two-plans.txt"] {
        let reply = case(&format!("tests/cases/plan-01-several-json-blocks/{file}"));
        let (rig, run) = planned(reply.clone()).await;
        assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"], "{file}");
        let told = notes(&rig.engine, &run).await;
        assert_eq!(
            told.contains("several different plans"),
            file == "reply-two-plans.txt",
            "{told}"
        );
        let planning = rig.engine.planning(&run).await.unwrap().unwrap();
        assert_eq!(planning.calls[0].answer, reply, "the raw reply is kept");
        // The recorded plans have types of task that there are not: a person sees them as they are.
        assert!(
            errors(&rig.engine, &run)
                .await
                .iter()
                .all(|&code| code == Code::UnknownTaskType)
        );
    }
}

/// What was thought is no answer, in whatever marks it stands and however often.
#[tokio::test(start_paused = true)]
async fn a_plan_in_a_thought_is_not_taken() {
    let wrong = answer(&[task("wrong", &[], serde_json::json!({}))]);
    for (before, behind) in [
        ("[THINK]", "[/THINK]"),
        ("<Thought>", "</thought>"),
        ("<reasoning>hm", "\n</reasoning>\n"),
        ("<think>a</think><think>", "</think>"),
        ("<think>a <think>b</think>", "</think>"),
        (
            "<|channel|>analysis<|message|>",
            "<|end|><|start|>assistant<|channel|>final<|message|>",
        ),
    ] {
        let (rig, run) = planned(format!("{before}{wrong}{behind}{}", good())).await;
        assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"], "{before}");
        let told = notes(&rig.engine, &run).await;
        assert!(!told.contains("several different plans"), "{before}: {told}");
    }
}

/// Of two plans neither of which names its goal, only the planner can say which is meant.
#[tokio::test(start_paused = true)]
async fn a_better_second_plan_is_asked_for_not_taken() {
    let other = answer(&[task("mv", &[], serde_json::json!({}))]);
    let both = format!("{}\n\n{other}", ring());
    let (rig, run) = planned(both).await;
    assert!(last_question(&rig).contains("Give exactly one"));
    assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"]);
}

#[tokio::test(start_paused = true)]
async fn an_example_that_is_repeated_is_no_plan() {
    let rig = Rig::with_models();
    let echo = |request: &planloom_engine::llm::Request| {
        let at = request.system.find("{\"questions\"").unwrap();
        request.system[at..].lines().next().unwrap().to_owned()
    };
    rig.model
        .otherwise(move |request| Some(say(&format!("{}\n{}", echo(request), good()))));
    let (run, _) = plan(&rig.engine, Goal::new(GOAL)).await;
    assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"]);
    assert_eq!(rig.model.requests().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn an_empty_plan_is_asked_for_once_more_and_then_shown() {
    for file in [
        "empty-list.json",
        "bare-list.json",
        "null.json",
        "no-key.json",
        "prose.txt",
    ] {
        let (rig, run) = planned(case(&format!(
            "src-tauri/engine/tests/cases/plan-09-empty-plan/{file}"
        )))
        .await;
        assert_eq!(rig.model.requests().len(), 2, "{file}");
        assert_eq!(errors(&rig.engine, &run).await, [Code::EmptyPlan], "{file}");
        assert_eq!(rig.show(&run).await.row.status, RunStatus::AwaitingApproval);
        let told = notes(&rig.engine, &run).await;
        assert!(told.contains("The planner proposed no steps."), "{file}: {told}");
        assert_eq!(told.contains("the answer is 42"), file == "prose.txt", "{told}");
    }
}

#[tokio::test(start_paused = true)]
async fn broken_json_is_sent_back_with_its_fault() {
    let half = &good().to_string()[..150];
    let (rig, run) = planned(half.to_owned()).await;
    assert_eq!(rig.model.requests().len(), 4);
    assert!(last_question(&rig).contains("not JSON that can be read"));
    assert!(ids(&rig.engine, &run).await.is_empty());
    assert!(
        notes(&rig.engine, &run)
            .await
            .contains("no plan that can be read")
    );
}

/// A list with one plan in it is that plan; with several, the planner says which.
#[tokio::test(start_paused = true)]
async fn a_list_of_one_plan_is_that_plan() {
    let (rig, run) = planned(format!("[{}]", good())).await;
    assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"]);
    assert_eq!(rig.model.requests().len(), 1);
    let wrapped = serde_json::json!([{ "plan": good() }]);
    let (rig, run) = planned(wrapped.to_string()).await;
    assert_eq!(ids(&rig.engine, &run).await, ["fetch", "sum"]);
    let other = answer(&[task("mv", &[], serde_json::json!({}))]);
    let (rig, _) = planned(serde_json::json!([ring(), other]).to_string()).await;
    assert!(last_question(&rig).contains("Give exactly one"));
}
