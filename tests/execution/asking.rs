//! The seam to models from outside: an agent's steps carried out one by one against a scripted model and a real tool.

use std::sync::Arc;
use std::time::Duration;

use planloom_engine::agents::Failed;
use planloom_engine::agents::executor::{Assignment, Bounds, Finished, Happened, Kind, Step, next};
use planloom_engine::llm::{Cancelled, Models, Outcome};
use planloom_engine::model::Json;
use planloom_engine::tools::{Registry, Tool};
use planloom_tests::models::{Line, ScriptedModel, call, fail_for, late, refuse, say, submit, using};
use serde_json::json;
use tokio_util::sync::CancellationToken;

/// What came of an attempt.
#[derive(Debug)]
enum End {
    Finished(Finished),
    Failed(Failed),
    Cancelled,
}

fn echo() -> Vec<Arc<dyn Tool>> {
    vec![Registry::builtin().get("echo").unwrap().clone()]
}

/// Does what each step says, in the plainest way. The past is what a run would have in its log.
async fn carry_out(models: &Models, past: &mut Vec<Happened>, cancel: &CancellationToken) -> End {
    let tools = echo();
    let assignment = Assignment {
        kind: Kind::Agent { max_steps: 9 },
        model: "executor",
        instruction: "Repeat it.",
        inputs: &[],
        tools: &tools,
        output_schema: None,
        check: None,
        catalog: None,
        bounds: Bounds::default(),
    };
    loop {
        match next(&assignment, past) {
            Step::Ask(request) => {
                let model = models.find(&request.model).unwrap().model.clone();
                match model.ask(&request, cancel).await {
                    Ok(reply) => past.push(Happened::Replied(reply)),
                    Err(Cancelled) => return End::Cancelled,
                }
            }
            Step::Call(wanted) => past.extend(wanted.into_iter().map(|wanted| Happened::Called {
                call: wanted.call,
                result: Ok(wanted.arguments["value"].clone()),
            })),
            Step::Finish(finished) => return End::Finished(finished),
            Step::Fail(failed) => return End::Failed(failed),
        }
    }
}

async fn once(model: &ScriptedModel) -> End {
    carry_out(&model.models(), &mut Vec::new(), &CancellationToken::new()).await
}

fn output(end: End) -> Json {
    match end {
        End::Finished(finished) => finished.output,
        End::Failed(_) | End::Cancelled => panic!("{end:?}"),
    }
}

#[tokio::test(start_paused = true)]
async fn steps_lead_from_a_question_to_a_result() {
    let model = ScriptedModel::default();
    assert_eq!(output(once(&model).await), json!("ok"));
    model.on(
        "Repeat it.",
        [
            call(&[("echo", json!({"value": 1})), ("echo", json!({"value": 2}))]),
            late(
                using(submit(json!({"result": [1, 2]})), 10, 5),
                Duration::from_secs(30),
            ),
        ],
    );
    assert_eq!(output(once(&model).await), json!([1, 2]));
    assert_eq!((model.asked("Repeat it."), model.asked("Something else")), (3, 0));
    assert_eq!((model.running(), model.most_at_once()), (0, 1));
}

/// A crash between any two calls: what is in the log is enough to go on, and nothing is asked twice.
#[tokio::test(start_paused = true)]
async fn an_attempt_goes_on_from_any_place_without_asking_again() {
    let lines = || {
        [
            call(&[("echo", json!({"value": 1}))]),
            say("Hm."),
            call(&[("echo", json!({"value": 2}))]),
            submit(json!({"result": 3})),
        ]
    };
    let whole = ScriptedModel::default();
    whole.on("Repeat it.", lines());
    let mut past = Vec::new();
    let cancel = CancellationToken::new();
    output(carry_out(&whole.models(), &mut past, &cancel).await);
    for kept in 0..=past.len() {
        let mut past = past[..kept].to_vec();
        let answered = past
            .iter()
            .filter(|one| matches!(one, Happened::Replied(_)))
            .count();
        let model = ScriptedModel::default();
        model.on("Repeat it.", lines().into_iter().skip(answered));
        assert_eq!(
            output(carry_out(&model.models(), &mut past, &cancel).await),
            json!(3)
        );
        assert_eq!(model.requests(), whole.requests()[answered..]);
    }
}

#[tokio::test(start_paused = true)]
async fn failures_keep_their_class_and_words() {
    let model = ScriptedModel::default();
    model.on(
        "Repeat it.",
        [
            fail_for(Outcome::Rate, Duration::from_secs(7)),
            refuse("I won't."),
        ],
    );
    let End::Failed(failed) = once(&model).await else {
        panic!("a full queue is no answer")
    };
    assert_eq!(
        (failed.error.code.as_str(), failed.retry_after_ms),
        ("rate_limited", Some(7000))
    );
    let End::Failed(failed) = once(&model).await else {
        panic!("a refusal is no answer")
    };
    assert_eq!(failed.error.code, "refusal");
    assert!(failed.error.message.contains("I won't."));
}

#[tokio::test(start_paused = true)]
async fn a_model_that_hangs_can_be_given_up() {
    let model = ScriptedModel::default();
    model.on("Repeat it.", [Line::Hang]);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(60)).await;
        stop.cancel();
    });
    let end = carry_out(&model.models(), &mut Vec::new(), &cancel).await;
    assert!(matches!(end, End::Cancelled), "{end:?}");
    assert_eq!(model.running(), 0);
}
