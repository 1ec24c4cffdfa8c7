//! People: they answer what is asked, as the dice fall, and remember which effects they chose to repeat.

use std::collections::HashMap;

use planloom_engine::Engine;
use planloom_engine::model::{DecisionId, RunId};
use planloom_engine::views::{BreakpointView, DecisionKind, DecisionView};
use serde_json::{Value, json};

use crate::dice::Dice;

/// How often a person chose to send again, by what its tool is asked with.
pub type Repeats = HashMap<String, u32>;

/// Answers some of what is open, at least one.
pub async fn answer(
    engine: &Engine,
    run: &RunId,
    open: &[DecisionView],
    dice: &mut Dice,
    repeats: &mut Repeats,
) {
    for (n, decision) in open.iter().enumerate() {
        if n > 0 && dice.chance(40) {
            continue;
        }
        let answer = answer_to(decision, dice);
        if decision.kind == DecisionKind::InDoubt && answer == json!("retry") {
            let task = decision.task.as_deref().unwrap_or_default();
            *repeats.entry(asked_with(task)).or_default() += 1;
        }
        let id = DecisionId::from(decision.id.as_str());
        if let Err(refused) = engine.decide(run, &id, answer.clone()).await {
            // Another answer a moment ago has let a task go on that the proposal would drop.
            let is_stale = decision.kind == DecisionKind::Replan && refused.code() == "stale";
            // What is said to have come of it can't be the task's output.
            let is_misfit = decision.kind == DecisionKind::InDoubt && refused.code() == "bad_answer";
            assert!(is_stale || is_misfit, "{refused}");
            let instead = if is_stale { "reject" } else { "skip" };
            engine.decide(run, &id, json!(instead)).await.unwrap();
        }
        let twice = engine.decide(run, &id, answer).await;
        assert!(twice.is_err(), "a decision is answered once");
    }
}

/// Lays hold of some task of a run at rest: its output, a place to stop at, or lets it go. What does not fit is refused.
pub async fn lay_hold(engine: &Engine, run: &RunId, dice: &mut Dice) {
    let Ok(shown) = engine.show(run, None).await else {
        return;
    };
    if shown.tasks.is_empty() {
        return;
    }
    let task = dice.pick(&shown.tasks).id.clone();
    let refused = match dice.below(5) {
        0 => engine.pin(run, &task, None).await,
        1 => {
            engine
                .pin(run, &task, Some(json!({ "held": dice.below(9) })))
                .await
        }
        2 => engine.unpin(run, &task).await,
        3 => {
            engine
                .set_breakpoint(run, &task, Some(BreakpointView::Before))
                .await
        }
        _ => {
            let side = *dice.pick(&[None, Some(BreakpointView::After), Some(BreakpointView::Both)]);
            engine.set_breakpoint(run, &task, side).await
        }
    };
    if let Err(error) = refused {
        let is_fair = ["not_pinned", "no_output", "bad_output"].contains(&error.code());
        assert!(is_fair, "{task}: {error}");
    }
}

/// The id that a task's tool is asked with, by its address: `t1[0]` with `t1-0`, `t1/n0` with `t1_0`.
fn asked_with(address: &str) -> String {
    address.replace('[', "-").replace(']', "").replace("/n", "_")
}

fn answer_to(decision: &DecisionView, dice: &mut Dice) -> Value {
    if decision.kind == DecisionKind::Question {
        return json!(dice.below(100));
    }
    if decision.may_change && dice.chance(40) {
        return json!({ "allow": changed(decision, dice) });
    }
    let words: Vec<&str> = decision.options.iter().map(|o| o.answer.as_str()).collect();
    assert!(!words.is_empty(), "{:?} can be answered", decision.kind);
    // Stopping now and then is enough.
    let word = *dice.pick(&words);
    if word == "stop" && dice.chance(80) {
        return json!(words[0]);
    }
    json!(word)
}

/// The call that is asked about, in the person's own way. Its receiver is told the same id.
fn changed(decision: &DecisionView, dice: &mut Dice) -> Value {
    let about = decision.about.as_deref().unwrap_or_default();
    let mut arguments: Value = serde_json::from_str(about).unwrap();
    arguments["note"] = json!(format!("changed {}", dice.below(3)));
    arguments
}
