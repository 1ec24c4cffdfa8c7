//! What may follow what in a log, told a second time and without the engine's own words for it: each event is judged by
//! those before it. Whatever breaks a rule stops the life at that very event.

use std::collections::{HashMap, HashSet};

use planloom_engine::model::events::{
    Again, CallOutcome, CallStarted, DecisionAnswered, DecisionOpened, Event, EventBody, FailureClass,
    TaskStarted,
};
use planloom_engine::model::{DecisionId, Digest, Seq, TaskId};
use planloom_engine::views::{DecisionKind, TaskStatus};

use crate::calls::Calls;
use crate::others::Others;
use crate::rewinds::Rewinds;

#[derive(Default)]
pub struct Rules {
    tasks: HashMap<TaskId, Known>,
    calls: Calls,
    /// A rewind brings each task back to where it was; where that is, the fold says.
    is_unsure: bool,
    effects: HashMap<Digest, Effect>,
    others: Others,
    opened: Vec<Opened>,
    answered: HashSet<DecisionId>,
    /// Calls in the place of which a person wants others, with where they said so.
    changed: HashMap<Digest, Seq>,
    rewinds: Rewinds,
    is_driven: bool,
    is_over: bool,
}

#[derive(Default)]
struct Known {
    status: Option<TaskStatus>,
    attempt: u32,
    /// The last attempt was cut short, so that it may begin once more.
    is_cut: bool,
    /// A call is named once more only to say that it is in doubt.
    only_doubt: bool,
}

impl Known {
    fn start(&mut self, id: &TaskId, started: &TaskStarted, is_unsure: bool) {
        let is_next = self.attempt + 1 == started.attempt;
        let is_same = self.is_cut && self.attempt == started.attempt;
        assert!(
            is_next || is_same || (is_unsure && self.attempt == 0),
            "{id}: attempt {} began after {}",
            started.attempt,
            self.attempt
        );
        (self.attempt, self.is_cut) = (started.attempt, false);
    }
}

struct Opened {
    seq: Seq,
    id: DecisionId,
    kind: DecisionKind,
    binds: Option<Digest>,
}

/// What the log says of an effect that can't be repeated blindly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Effect {
    /// Its intent is there; what came of it is not known.
    Open,
    Done,
    /// It surely did not happen, or a person has chosen to do it once more.
    Free,
}

impl Rules {
    pub fn take(&mut self, event: &Event) {
        match &event.body {
            EventBody::RunClaimed(_) => self.is_driven = true,
            EventBody::RunPaused(_) => self.is_driven = false,
            EventBody::RunFinished(_) => (self.is_driven, self.is_over) = (false, true),
            EventBody::RunRewound(rewound) => {
                self.rewinds.add(event.seq, rewound.to);
                self.answered.clear();
                self.tasks.clear();
                (self.is_unsure, self.is_driven, self.is_over) = (true, false, false);
            }
            EventBody::RunForked(_) => {
                self.tasks.clear();
                (self.is_unsure, self.is_driven, self.is_over) = (true, false, false);
            }
            EventBody::RunReopened(_) => (self.is_driven, self.is_over) = (false, false),
            EventBody::DecisionOpened(opened) => self.open(opened, event.seq),
            EventBody::DecisionAnswered(answered) => self.answer(answered, event.seq),
            EventBody::FilesRestored(restored) => {
                let undone = restored.undone.iter();
                self.effects.extend(undone.map(|&key| (key, Effect::Free)));
            }
            _ => {}
        }
        self.others.take(event, &self.rewinds);
        if let Some(task) = &event.task {
            self.of_task(task, event);
        }
        self.calls.take(event.seq, event.task.as_ref(), &event.body);
    }

    fn open(&mut self, opened: &DecisionOpened, seq: Seq) {
        let id = opened.decision.clone();
        assert!(
            self.question(&id, seq).is_none(),
            "{id} was opened twice, at {seq} again"
        );
        let (kind, binds) = (opened.kind, opened.binds);
        self.opened.push(Opened { seq, id, kind, binds });
    }

    /// The question as it stands at this position, whatever was taken back.
    fn question(&self, id: &DecisionId, upto: Seq) -> Option<&Opened> {
        let is_it = |opened: &&Opened| opened.id == *id && self.rewinds.holds_at(opened.seq, upto);
        self.opened.iter().rev().find(is_it)
    }

    fn answer(&mut self, answered: &DecisionAnswered, seq: u64) {
        let id = &answered.decision;
        assert!(
            self.answered.insert(id.clone()),
            "{id} was answered twice, at {seq} again"
        );
        let question = self
            .question(id, seq)
            .map(|question| (question.kind, question.binds));
        let (kind, binds) =
            question.unwrap_or_else(|| panic!("{id} was answered at {seq} without a question"));
        let answer = serde_json::to_string(&answered.answer).unwrap();
        if let (DecisionKind::Effect, Some(key)) = (kind, binds) {
            match answer.contains(r#"{"allow":"#) {
                true => self.changed.insert(key, seq),
                false => self.changed.remove(&key),
            };
        }
        if let (DecisionKind::InDoubt, Some(key), true) = (kind, binds, answer.contains("retry"))
            && let Some(effect) = self.effects.get_mut(&key)
            && *effect == Effect::Open
        {
            *effect = Effect::Free;
        }
    }

    fn of_task(&mut self, id: &TaskId, event: &Event) {
        let seq = event.seq;
        if let EventBody::TaskReset(_) = event.body {
            let inside = [format!("{id}["), format!("{id}/")];
            self.tasks
                .retain(|task, _| task != id && !inside.iter().any(|with| task.as_str().starts_with(with)));
            self.reopen_around(id);
            return;
        }
        let is_unsure = self.is_unsure;
        let task = self.tasks.entry(id.clone()).or_insert_with(|| Known {
            status: (!is_unsure).then_some(TaskStatus::Pending),
            ..Known::default()
        });
        let to = turned(&event.body);
        if let (Some(from), Some(to)) = (task.status, to) {
            assert!(may(from, to), "{id} went from {from} to {to} at {seq}");
        }
        task.status = to.or(task.status);
        assert!(
            !task.only_doubt
                || matches!(
                    event.body,
                    EventBody::TaskInDoubt(_) | EventBody::DecisionOpened(_)
                ),
            "{id} made a call again whose outcome nobody knows, before {seq}"
        );
        task.only_doubt = false;
        match &event.body {
            EventBody::TaskStarted(started) => {
                assert!(
                    self.is_driven && !self.is_over,
                    "{id} started at {seq} though nobody drives"
                );
                task.start(id, started, is_unsure);
            }
            EventBody::TaskReady(ready) => {
                // Whatever held it back, it begins the same attempt once more; only a person's retry is another one.
                task.is_cut = ready.again.is_some_and(|again| again != Again::Retry);
            }
            // Held back behind its endpoint, it has not ended an attempt, though one that has asked nothing counts it.
            EventBody::TaskRetrying(retrying) => task.is_cut = retrying.breaker.is_some(),
            EventBody::CallStarted(started) => {
                assert!(
                    self.is_driven && !self.is_over,
                    "{id} called at {seq} though nobody drives"
                );
                self.call(id, started, seq);
            }
            EventBody::CallFinished(finished) => self.end_call(id, finished.call, &finished.outcome, seq),
            _ => {}
        }
    }

    /// A map or a nested plan that was done goes on with what is set back inside of it.
    fn reopen_around(&mut self, id: &TaskId) {
        for (at, _) in id.as_str().match_indices(['[', '/']) {
            let around = self.tasks.get_mut(&TaskId::from(&id.as_str()[..at]));
            if let Some(around) = around.filter(|around| around.status == Some(TaskStatus::Completed)) {
                around.status = Some(TaskStatus::Running);
            }
        }
    }

    fn call(&mut self, id: &TaskId, started: &CallStarted, seq: u64) {
        if !started.effect.is_effect() {
            return;
        }
        let instead = self.changed.get(&started.key);
        assert!(
            instead.is_none_or(|&said| !self.rewinds.holds_at(said, seq)),
            "{id} calls at {seq} what a person has changed"
        );
        if started.repeatable {
            return;
        }
        let task = self.tasks.get_mut(id).expect("it was looked up just now");
        match self.effects.insert(started.key, Effect::Open) {
            None | Some(Effect::Free) => {}
            Some(Effect::Open) => task.only_doubt = true,
            Some(Effect::Done) => panic!("{id} repeats at {seq} what was done"),
        }
    }

    fn end_call(&mut self, id: &TaskId, number: Option<u32>, outcome: &CallOutcome, seq: u64) {
        let call = self.calls.named(id, number);
        let call = call.unwrap_or_else(|| panic!("{id}: a call ended at {seq} that had not begun"));
        let is_effect = call.is_effect && !call.is_repeatable;
        // By the outcome on record here: a rewind may stand between a person's word and what follows from it.
        let is_told = is_effect && call.is_unknown;
        assert!(call.is_open || is_told, "{id}: a call ended twice, at {seq}");
        if call.is_effect {
            self.others.end(call.key, outcome);
        }
        if !is_effect {
            return;
        }
        let now = match outcome {
            CallOutcome::Result(_) => Effect::Done,
            CallOutcome::Error(error) => match error.class {
                FailureClass::Transient | FailureClass::Permanent | FailureClass::NotGranted => Effect::Free,
                FailureClass::Unknown | FailureClass::Cancelled => Effect::Open,
            },
        };
        self.effects.insert(call.key, now);
    }
}

fn turned(body: &EventBody) -> Option<TaskStatus> {
    Some(match body {
        EventBody::TaskReady(_) => TaskStatus::Ready,
        EventBody::TaskStarted(_) => TaskStatus::Running,
        EventBody::TaskRetrying(_) => TaskStatus::Retrying,
        EventBody::TaskWaiting(_) => TaskStatus::Waiting,
        EventBody::TaskCompleted(_) => TaskStatus::Completed,
        EventBody::TaskFailed(_) => TaskStatus::Failed,
        EventBody::TaskSkipped(_) => TaskStatus::Skipped,
        EventBody::TaskCancelled(_) => TaskStatus::Cancelled,
        EventBody::TaskInDoubt(_) => TaskStatus::InDoubt,
        EventBody::TaskPruned(_) => TaskStatus::Pruned,
        _ => return None,
    })
}

/// By the state that is reached: where a task may come from (section 3 of the design).
fn may(from: TaskStatus, to: TaskStatus) -> bool {
    use TaskStatus::{
        Cancelled, Completed, Failed, InDoubt, Pending, Pruned, Ready, Retrying, Running, Skipped, Waiting,
    };
    match to {
        Pending => false,
        Ready => matches!(from, Pending | Running | Waiting | InDoubt | Failed),
        Running => matches!(from, Ready | Retrying),
        Retrying => matches!(from, Ready | Running | Retrying),
        Waiting => matches!(from, Ready | Running | Retrying),
        InDoubt => from == Running,
        Completed => matches!(from, Running | Waiting | InDoubt),
        Failed => matches!(from, Ready | Running | Retrying | Waiting | InDoubt),
        Skipped => matches!(from, Pending | Ready | Retrying | Waiting | InDoubt | Failed),
        Cancelled => !matches!(from, Completed | Skipped | Cancelled | Pruned),
        Pruned => matches!(from, Pending | Ready | Retrying | Waiting | Failed),
    }
}
