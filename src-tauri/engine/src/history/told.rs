//! A log as attempts and calls: one pass over the events, values left where they lie. What readers of a whole run build on.
//! It must not know how it is written down.

use std::collections::HashMap;

use super::load::TakenBack;
use crate::model::events::{CallFinished, CallOutcome, CallStarted, Event, EventBody, Failure};
use crate::model::grants::Need;
use crate::model::ledger::Usage;
use crate::model::tool::Effect;
use crate::model::value::ValueRef;
use crate::model::{Digest, Seq, TaskId};

/// One call of a tool, or one question to a model.
#[derive(Clone, Debug)]
pub struct Call {
    pub seq: Seq,
    pub tool: String,
    pub is_model: bool,
    /// Which call of a model's reply it is, such as `3.0`.
    pub turn: Option<String>,
    pub effect: Effect,
    pub key: Digest,
    pub touches: Vec<Need>,
    pub arguments: Option<ValueRef>,
    pub result: Option<ValueRef>,
    pub error: Option<Failure>,
    pub started_ms: i64,
    pub ended_ms: Option<i64>,
    pub usage: Option<Usage>,
    /// A later rewind has set it aside.
    pub is_set_aside: bool,
    /// Of a question that belongs to no task: the role that it was asked in.
    pub role: &'static str,
}

/// One try of a task.
#[derive(Clone, Debug)]
pub struct Attempt {
    pub seq: Seq,
    pub number: u32,
    /// It goes on where the attempt before it was cut short.
    pub goes_on: bool,
    pub started_ms: i64,
    pub ended_ms: Option<i64>,
    pub error: Option<Failure>,
    pub calls: Vec<Call>,
    pub is_set_aside: bool,
}

/// What a log tells of attempts and calls.
#[derive(Default)]
pub struct Told {
    tasks: HashMap<TaskId, OneTask>,
    /// Questions to models that belong to no task: of the planner, the replanner and for the final answer.
    pub aside: Vec<Call>,
}

#[derive(Default)]
struct OneTask {
    attempts: Vec<Attempt>,
    /// Where each call stands that an end may name: attempt, place.
    numbered: Vec<(usize, usize)>,
}

impl Told {
    pub fn of(events: &[Event]) -> Self {
        let taken_back = TakenBack::of(events);
        let mut told = Self::default();
        let mut role = "synthesizer";
        for event in events {
            let is_set_aside = taken_back.has(event.seq);
            match &event.task {
                Some(task) => told
                    .tasks
                    .entry(task.clone())
                    .or_default()
                    .take(event, is_set_aside),
                None => told.take_aside(event, is_set_aside, &mut role),
            }
        }
        told
    }

    /// The attempts of a task, the first one first.
    pub fn attempts(&self, task: &str) -> &[Attempt] {
        let found = self.tasks.get(&TaskId::from(task));
        found.map_or(&[], |task| &task.attempts)
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds ask nobody")]
    fn take_aside(&mut self, event: &Event, is_set_aside: bool, role: &mut &'static str) {
        match &event.body {
            EventBody::GoalGiven(_) | EventBody::PlanningResumed(_) | EventBody::EditAsked(_) => {
                *role = "planner"
            }
            EventBody::ReplanAsked(_) => *role = "replanner",
            EventBody::PlanningEnded(_) | EventBody::EditSettled(_) | EventBody::ReplanProposed(_) => {
                *role = "synthesizer";
            }
            EventBody::CallStarted(started) => {
                let call = begun(event, started, is_set_aside);
                self.aside.push(Call { role, ..call });
            }
            EventBody::CallFinished(finished) => {
                if let Some(call) = self.aside.last_mut() {
                    end_call(call, event.at_ms, finished);
                }
            }
            _ => {}
        }
    }
}

impl OneTask {
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "other kinds say nothing of attempts"
    )]
    fn take(&mut self, event: &Event, is_set_aside: bool) {
        match &event.body {
            EventBody::TaskStarted(started) => {
                if !started.goes_on {
                    self.numbered.clear();
                }
                self.attempts.push(Attempt {
                    seq: event.seq,
                    number: started.attempt,
                    goes_on: started.goes_on,
                    started_ms: event.at_ms,
                    ended_ms: None,
                    error: None,
                    calls: Vec::new(),
                    is_set_aside,
                });
            }
            EventBody::CallStarted(started) => {
                let at = self.attempts.len().saturating_sub(1);
                let Some(attempt) = self.attempts.last_mut() else {
                    return;
                };
                self.numbered.push((at, attempt.calls.len()));
                attempt.calls.push(begun(event, started, is_set_aside));
            }
            EventBody::CallFinished(finished) => {
                let place = match finished.call {
                    Some(number) => self.numbered.get(number as usize),
                    None => self.numbered.last(),
                };
                let call =
                    place.and_then(|&(attempt, call)| self.attempts.get_mut(attempt)?.calls.get_mut(call));
                if let Some(call) = call {
                    end_call(call, event.at_ms, finished);
                }
            }
            EventBody::TaskRetrying(retrying) => self.end(event.at_ms, Some(&retrying.error)),
            EventBody::TaskFailed(failed) => self.end(event.at_ms, Some(&failed.error)),
            EventBody::TaskInDoubt(doubt) => self.end(event.at_ms, Some(&doubt.error)),
            EventBody::TaskCompleted(_) | EventBody::TaskCancelled(_) => self.end(event.at_ms, None),
            EventBody::TaskReady(ready) if ready.again.is_some() => self.end(event.at_ms, None),
            _ => {}
        }
    }

    fn end(&mut self, at_ms: i64, error: Option<&Failure>) {
        if let Some(attempt) = self.attempts.last_mut().filter(|a| a.ended_ms.is_none()) {
            attempt.ended_ms = Some(at_ms.max(attempt.started_ms));
            attempt.error = error.cloned();
        }
    }
}

fn begun(event: &Event, started: &CallStarted, is_set_aside: bool) -> Call {
    Call {
        seq: event.seq,
        tool: started.tool.clone(),
        is_model: started.model,
        turn: started.call.clone(),
        effect: started.effect,
        key: started.key,
        touches: started.touches.clone(),
        arguments: started.arguments.clone(),
        result: None,
        error: None,
        started_ms: event.at_ms,
        ended_ms: None,
        usage: None,
        is_set_aside,
        role: "executor",
    }
}

fn end_call(call: &mut Call, at_ms: i64, finished: &CallFinished) {
    call.ended_ms = Some(at_ms.max(call.started_ms));
    call.usage = finished.usage;
    match &finished.outcome {
        CallOutcome::Result(value) => call.result = Some(value.clone()),
        CallOutcome::Error(error) => call.error = Some(error.clone()),
    }
}
