//! Everything about one task, told from its events.

use crate::model::Json;
use crate::model::events::{
    CallFinished, CallOutcome, CallStarted, Event, EventBody, Failure, TaskCompleted,
};
use crate::model::ledger::{CostKind, Usage};
use crate::model::plan::{Input, Plan, Task, TaskKind};
use crate::model::value::ValueRef;
use crate::store::{Store, StoreError};
use crate::views::{AttemptView, CallView, ErrorView, NamedValue, PaidView};

/// The attempts of a task, from its events oldest first. `inputs` are the arguments of calls that name none.
#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "other kinds say nothing of attempts"
)]
pub async fn attempts(store: &Store, events: &[Event], inputs: &str) -> Result<Vec<AttemptView>, StoreError> {
    let mut attempts: Vec<AttemptView> = Vec::new();
    // Where each call of the attempt stands that the newest one goes on from: attempt, place.
    let mut numbered: Vec<(usize, usize)> = Vec::new();
    let mut is_in_doubt = false;
    for event in events {
        let at = event.at_ms as f64;
        match &event.body {
            EventBody::TaskStarted(started) => {
                if !started.goes_on {
                    numbered.clear();
                }
                attempts.push(AttemptView {
                    number: started.attempt,
                    goes_on: started.goes_on,
                    started_at: at,
                    ended_at: None,
                    calls: Vec::new(),
                    error: None,
                });
            }
            EventBody::CallStarted(call) => {
                let view = begun(store, call, at, inputs).await?;
                let at_attempt = attempts.len().saturating_sub(1);
                let Some(attempt) = attempts.last_mut() else {
                    continue;
                };
                numbered.push((at_attempt, attempt.calls.len()));
                attempt.calls.push(view);
            }
            EventBody::CallFinished(finished) => {
                let place = match finished.call {
                    Some(number) => numbered.get(number as usize),
                    None => numbered.last(),
                };
                let call = place.and_then(|&(attempt, call)| attempts.get_mut(attempt)?.calls.get_mut(call));
                let Some(call) = call else { continue };
                finish(store, call, finished, at).await?;
            }
            EventBody::TaskRetrying(retrying) => end(&mut attempts, at, Some(&retrying.error)),
            EventBody::TaskFailed(failed) => end(&mut attempts, at, Some(&failed.error)),
            EventBody::TaskInDoubt(doubt) => {
                is_in_doubt = true;
                end(&mut attempts, at, Some(&doubt.error));
            }
            EventBody::TaskReady(_) => is_in_doubt = false,
            EventBody::TaskCompleted(completed) if is_in_doubt => {
                settle(&mut attempts, at, told(store, completed).await?);
            }
            EventBody::TaskCompleted(_) | EventBody::TaskCancelled(_) => end(&mut attempts, at, None),
            _ => {}
        }
    }
    Ok(attempts)
}

/// The questions to models that belong to no task, from the events that belong to none.
pub async fn asides(store: &Store, events: &[Event]) -> Result<Vec<CallView>, StoreError> {
    let mut calls: Vec<CallView> = Vec::new();
    for event in events {
        let at = event.at_ms as f64;
        if let EventBody::CallStarted(call) = &event.body {
            calls.push(begun(store, call, at, "null").await?);
        } else if let EventBody::CallFinished(finished) = &event.body {
            let last = calls.len().wrapping_sub(1);
            let which = finished.call.map_or(last, |number| number as usize);
            if let Some(call) = calls.get_mut(which) {
                finish(store, call, finished, at).await?;
            }
        }
    }
    calls.retain(|call| call.is_model);
    Ok(calls)
}

async fn finish(
    store: &Store,
    call: &mut CallView,
    finished: &CallFinished,
    at: f64,
) -> Result<(), StoreError> {
    (call.result, call.error) = match &finished.outcome {
        CallOutcome::Result(value) => (Some(text(store, value).await?), None),
        CallOutcome::Error(error) => (None, Some(shown(error))),
    };
    call.ended_at = Some(at);
    call.paid = finished.usage.as_ref().map(paid);
    Ok(())
}

async fn begun(store: &Store, call: &CallStarted, at: f64, inputs: &str) -> Result<CallView, StoreError> {
    let arguments = match &call.arguments {
        Some(value) => text(store, value).await?,
        // What a model is asked follows from the task and the calls before.
        None if call.model => "null".to_owned(),
        None => inputs.to_owned(),
    };
    Ok(CallView {
        is_model: call.model,
        turn: call.call.clone(),
        tool: call.tool.clone(),
        effect: call.effect,
        arguments,
        result: None,
        error: None,
        started_at: at,
        ended_at: None,
        idempotency_key: call.key.to_string(),
        touches: call.touches.iter().map(ToString::to_string).collect(),
        is_untrusted: call.labels.untrusted,
        is_private: call.labels.private,
        reply: None,
        paid: None,
    })
}

fn paid(usage: &Usage) -> PaidView {
    PaidView {
        input_tokens: usage.input_tokens as f64,
        output_tokens: usage.output_tokens as f64,
        usd: (usage.kind != CostKind::Unknown).then(|| usage.usd.to_string()),
        is_counted: usage.counted.is_told(),
    }
}

/// What speaks against relying on the newest output: answers that were sent back before it, and signs in it.
pub fn doubts(events: &[Event]) -> (u32, Vec<String>) {
    let completed = events.iter().rev().find_map(|e| e.body.as_completed());
    completed.map_or((0, Vec::new()), |done| {
        let told = done.flags.iter().map(|word| sign(word).to_owned()).collect();
        (done.accepted_after_rejections, told)
    })
}

/// One sentence about a sign.
fn sign(word: &str) -> &str {
    match word {
        "collapsed" => "After rejections, the answer shrank to a small part of what it had said before.",
        "placeholder" => "After rejections, the answer holds words that only fill a field.",
        other => other,
    }
}

fn end(attempts: &mut [AttemptView], at: f64, error: Option<&Failure>) {
    if let Some(attempt) = attempts.last_mut().filter(|a| a.ended_at.is_none()) {
        attempt.ended_at = Some(at);
        attempt.error = error.map(shown);
    }
}

async fn told(store: &Store, completed: &TaskCompleted) -> Result<String, StoreError> {
    match &completed.output {
        Some(value) => text(store, value).await,
        None => Ok("null".to_owned()),
    }
}

/// A person has said that what was in doubt has happened, and what came of it.
fn settle(attempts: &mut [AttemptView], at: f64, told: String) {
    let Some(attempt) = attempts.last_mut() else {
        return;
    };
    (attempt.ended_at, attempt.error) = (Some(at), None);
    if let Some(call) = attempt.calls.last_mut() {
        (call.result, call.error, call.ended_at) = (Some(told), None, Some(at));
    }
}

fn shown(error: &Failure) -> ErrorView {
    ErrorView {
        code: error.code.clone(),
        message: error.message.clone(),
    }
}

/// The JSON text of a stored value.
pub async fn text(store: &Store, value: &ValueRef) -> Result<String, StoreError> {
    match value {
        ValueRef::Inline(raw) => Ok(raw.get().to_owned()),
        ValueRef::Payload { hash, .. } => store.payload(*hash).await,
    }
}

/// Resolved inputs with where each came from.
pub fn named(plan: &Plan, task: &Task, values: &[(String, Json)]) -> Vec<NamedValue> {
    let source_of = |name: &str| {
        task.inputs
            .iter()
            .find(|(n, _)| **n == *name)
            .map_or(String::new(), |(_, input)| source(plan, input))
    };
    values
        .iter()
        .map(|(name, value)| NamedValue {
            name: name.clone(),
            json: value.to_string(),
            source: source_of(name),
        })
        .collect()
}

fn source(plan: &Plan, input: &Input) -> String {
    match input {
        Input::Literal(_) => "literal".to_owned(),
        Input::From { task, path } if path.is_empty() => format!("from {}", plan.task(*task).name()),
        Input::From { task, path } => format!("from {} {path}", plan.task(*task).name()),
        Input::Param(name) => format!("parameter {name}"),
        Input::Secret(name) => format!("secret {name}"),
        Input::Template { .. } => "template".to_owned(),
        Input::Item { .. } => "the map's item".to_owned(),
        Input::Index => "the map's index".to_owned(),
        Input::Object(_) | Input::Array(_) => "composed".to_owned(),
    }
}

/// The second line of a card: the tool, the model or what the kind does.
pub fn second_line(task: &Task) -> String {
    match &task.kind {
        TaskKind::Tool { tool } => tool.to_string(),
        TaskKind::Code { .. } => "JavaScript".to_owned(),
        TaskKind::Human { .. } => "you".to_owned(),
        TaskKind::Agent { .. } | TaskKind::Model => task.model.as_deref().unwrap_or("executor").to_owned(),
        TaskKind::Map { .. } => "each item".to_owned(),
        TaskKind::Subplan { .. } => "nested plan".to_owned(),
    }
}
