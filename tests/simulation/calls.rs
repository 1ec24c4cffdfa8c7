//! Which call of a task a number means, at any position of a log: an attempt that begins anew counts from none and one
//! that goes on counts on, a rewind brings back the calls of where it went to, and a fork has those of its parent.
//! It must not know what may follow what.

use std::collections::HashMap;

use planloom_engine::model::events::{CallOutcome, EventBody, FailureClass};
use planloom_engine::model::{Digest, Seq, TaskId};

use crate::rewinds::Rewinds;

#[derive(Default)]
pub struct Calls {
    upto: Seq,
    rewinds: Rewinds,
    steps: HashMap<TaskId, Vec<(Seq, Step)>>,
}

enum Step {
    Anew,
    Began(Call),
    Ended {
        number: Option<u32>,
        /// Nobody knows what came of it.
        is_unknown: bool,
    },
}

#[derive(Clone, Copy)]
pub struct Call {
    pub key: Digest,
    pub is_effect: bool,
    pub is_repeatable: bool,
    /// Its outcome is not recorded yet.
    pub is_open: bool,
    /// What is recorded is that nobody knows; a person may still say it.
    pub is_unknown: bool,
}

impl Calls {
    /// Takes the next event; one that was taken before changes nothing.
    pub fn take(&mut self, seq: Seq, task: Option<&TaskId>, body: &EventBody) {
        if seq <= self.upto {
            return;
        }
        self.upto = seq;
        if let EventBody::RunRewound(rewound) = body {
            self.rewinds.add(seq, rewound.to);
        }
        if let (Some(task), Some(step)) = (task, step(body)) {
            self.steps.entry(task.clone()).or_default().push((seq, step));
        }
    }

    /// The task's call of this number, or its last one, by all that was taken.
    pub fn named(&self, task: &TaskId, number: Option<u32>) -> Option<Call> {
        let mut calls = Vec::new();
        let steps = self.steps.get(task).into_iter().flatten();
        for (_, step) in steps.filter(|(seq, _)| self.rewinds.holds_at(*seq, self.upto)) {
            match step {
                Step::Anew => calls.clear(),
                Step::Began(call) => calls.push(*call),
                Step::Ended { number, is_unknown } => {
                    if let Some(at) = place(*number, calls.len()).filter(|at| *at < calls.len()) {
                        (calls[at].is_open, calls[at].is_unknown) = (false, *is_unknown);
                    }
                }
            }
        }
        calls.get(place(number, calls.len())?).copied()
    }
}

fn place(number: Option<u32>, length: usize) -> Option<usize> {
    match number {
        Some(number) => Some(number as usize),
        None => length.checked_sub(1),
    }
}

fn step(body: &EventBody) -> Option<Step> {
    match body {
        EventBody::TaskStarted(started) => (!started.goes_on).then_some(Step::Anew),
        EventBody::CallStarted(started) => Some(Step::Began(Call {
            key: started.key,
            is_effect: started.effect.is_effect(),
            is_repeatable: started.repeatable,
            is_open: true,
            is_unknown: false,
        })),
        EventBody::CallFinished(finished) => Some(Step::Ended {
            number: finished.call,
            is_unknown: matches!(
                &finished.outcome,
                CallOutcome::Error(error)
                    if matches!(error.class, FailureClass::Unknown | FailureClass::Cancelled)
            ),
        }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use planloom_engine::model::events::{CallFinished, RunRewound, TaskStarted};
    use planloom_engine::model::tool::Effect;
    use planloom_engine::model::value::ValueRef;

    use super::*;

    fn began(effect: Effect, name: &str) -> EventBody {
        let started = planloom_engine::model::events::CallStarted {
            labels: planloom_engine::model::grants::Labels::default(),
            touches: Vec::new(),
            tool: name.to_owned(),
            effect,
            repeatable: false,
            key: Digest::of(name.as_bytes()),
            arguments: None,
            reserve: None,
            before: Vec::new(),
            model: false,
            call: None,
        };
        started.into()
    }

    fn ended(number: u32) -> EventBody {
        let (value, _) = ValueRef::of(&planloom_engine::model::Json::Null);
        let finished = CallFinished {
            labels: planloom_engine::model::grants::Labels::default(),
            call: Some(number),
            outcome: CallOutcome::Result(value),
            usage: None,
        };
        finished.into()
    }

    fn starts(goes_on: bool) -> EventBody {
        TaskStarted { attempt: 1, goes_on }.into()
    }

    fn after(bodies: Vec<EventBody>) -> (Calls, TaskId) {
        let task = TaskId::from("t");
        let mut calls = Calls::default();
        for (body, seq) in bodies.iter().zip(1..) {
            calls.take(seq, Some(&task), body);
        }
        (calls, task)
    }

    #[test]
    fn a_rewind_brings_back_the_numbers_of_where_it_went_to() {
        let back = RunRewound {
            to: 2,
            by: String::new(),
            unsigned: false,
        };
        let (calls, t) = after(vec![
            starts(false),
            began(Effect::Read, "first"),
            ended(0),
            began(Effect::WriteExternal, "taken back"),
            back.into(),
            starts(true),
            began(Effect::Read, "second"),
        ]);
        let first = calls.named(&t, Some(0)).unwrap();
        assert!(first.is_open, "its outcome was taken back");
        let second = calls.named(&t, Some(1)).unwrap();
        assert_eq!(second.key, Digest::of(b"second"));
        assert!(!second.is_effect);
        assert!(calls.named(&t, Some(2)).is_none());
    }

    #[test]
    fn an_attempt_that_goes_on_counts_on_and_one_that_begins_anew_does_not() {
        let (calls, t) = after(vec![
            starts(false),
            began(Effect::Read, "one"),
            ended(0),
            starts(true),
            began(Effect::Read, "two"),
        ]);
        assert_eq!(calls.named(&t, Some(1)).unwrap().key, Digest::of(b"two"));
        assert!(!calls.named(&t, Some(0)).unwrap().is_open);
        let (calls, t) = after(vec![
            began(Effect::Read, "one"),
            starts(false),
            began(Effect::Read, "two"),
        ]);
        assert_eq!(calls.named(&t, None).unwrap().key, Digest::of(b"two"));
        assert!(calls.named(&t, Some(1)).is_none());
    }
}
