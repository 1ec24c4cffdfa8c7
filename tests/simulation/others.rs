//! No agent makes another effect beside one that it has made in a stretch which was taken back, unless a person has
//! allowed this very call: told from the log alone, by other means than the engine's.

use std::collections::{HashMap, HashSet};

use planloom_engine::model::events::{CallOutcome, CallStarted, Event, EventBody, FailureClass};
use planloom_engine::model::{DecisionId, Digest, Seq, TaskId};
use planloom_engine::views::DecisionKind;

use crate::rewinds::Rewinds;

#[derive(Default)]
pub struct Others {
    made: Vec<Made>,
    /// Those of which it is not sure that they did not happen, also from before a person chose to do the task again: by
    /// their key they are remembered for ever.
    known: HashSet<Digest>,
    asked: HashMap<DecisionId, (DecisionKind, Digest)>,
    allowed: HashSet<Digest>,
    failed: HashSet<TaskId>,
}

struct Made {
    seq: Seq,
    task: TaskId,
    tool: String,
    key: Digest,
    /// It surely did not happen.
    is_free: bool,
    is_set_back: bool,
}

impl Others {
    pub fn take(&mut self, event: &Event, rewinds: &Rewinds) {
        match (&event.body, &event.task) {
            (EventBody::RunForked(_), _) => {
                self.made.clear();
                self.known.clear();
            }
            // Which task stood as failed there, only a fold could tell.
            (EventBody::RunRewound(_), _) => self.failed.clear(),
            (EventBody::TaskReset(reset), Some(task)) if reset.again => {
                self.made.retain(|made| !is_at_or_inside(&made.task, task));
            }
            (EventBody::TaskReset(_), Some(task)) => self.set_back(|at| is_at_or_inside(at, task)),
            (EventBody::TaskFailed(_), Some(task)) => {
                self.failed.insert(task.clone());
            }
            (EventBody::TaskReady(_), Some(task)) if self.failed.remove(task) => {
                self.set_back(|at| at == task);
            }
            (EventBody::DecisionOpened(opened), _) => {
                let about = opened.binds.map(|key| (opened.kind, key));
                self.asked
                    .extend(about.map(|about| (opened.decision.clone(), about)));
            }
            (EventBody::DecisionAnswered(answered), _) => {
                let answer = serde_json::to_string(&answered.answer).unwrap();
                self.hear(&answered.decision, &answer);
            }
            (EventBody::CallStarted(started), Some(task)) if started.effect.is_effect() => {
                self.begin(task, started, event.seq, rewinds);
            }
            // What came of it before is taken over, so that it stands again.
            (EventBody::CallStarted(started), Some(_)) if started.call.is_some() => {
                self.stand(started.key, event.seq);
            }
            (EventBody::TaskCompleted(completed), Some(_)) => {
                completed
                    .reused
                    .iter()
                    .for_each(|&key| self.stand(key, event.seq));
            }
            _ => {}
        }
    }

    fn hear(&mut self, decision: &DecisionId, answer: &str) {
        match self.asked.get(decision) {
            Some((DecisionKind::Effect, key)) if answer.contains("allow") => {
                self.allowed.insert(*key);
            }
            Some((DecisionKind::InDoubt, key)) if answer.contains("retry") => {
                let key = *key;
                self.free(key);
            }
            _ => {}
        }
    }

    fn begin(&mut self, task: &TaskId, started: &CallStarted, seq: Seq, rewinds: &Rewinds) {
        let key = started.key;
        let is_known = !self.known.insert(key);
        let before = self.made.iter().find(|made| {
            let is_its = made.task == *task && made.tool == started.tool && made.key != key;
            is_its && !made.is_free && (made.is_set_back || !rewinds.holds_at(made.seq, seq))
        });
        if let Some(before) = before.filter(|_| started.call.is_some() && !is_known) {
            assert!(
                self.allowed.contains(&key),
                "{task} makes at {seq} another effect than at {}, and nobody was asked",
                before.seq
            );
        }
        self.made.retain(|made| made.key != key);
        self.made.push(Made {
            seq,
            task: task.clone(),
            tool: started.tool.clone(),
            key,
            is_free: false,
            is_set_back: false,
        });
    }

    pub fn end(&mut self, key: Digest, outcome: &CallOutcome) {
        match outcome {
            CallOutcome::Result(_) => {}
            CallOutcome::Error(error) => match error.class {
                FailureClass::Transient | FailureClass::Permanent | FailureClass::NotGranted => {
                    self.free(key);
                }
                FailureClass::Unknown | FailureClass::Cancelled => {}
            },
        }
    }

    fn stand(&mut self, key: Digest, seq: Seq) {
        for made in self.made.iter_mut().filter(|made| made.key == key) {
            (made.seq, made.is_set_back) = (seq, false);
        }
    }

    fn free(&mut self, key: Digest) {
        let its = self.made.iter_mut().filter(|made| made.key == key);
        its.for_each(|made| made.is_free = true);
        self.known.remove(&key);
    }

    fn set_back(&mut self, is_it: impl Fn(&TaskId) -> bool) {
        let its = self.made.iter_mut().filter(|made| is_it(&made.task));
        its.for_each(|made| made.is_set_back = true);
    }
}

fn is_at_or_inside(task: &TaskId, owner: &TaskId) -> bool {
    let rest = task.as_str().strip_prefix(owner.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '/']))
}
