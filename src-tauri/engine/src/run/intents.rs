//! Taking up a run where its log ends: what was in flight when its last owner went is classified by its intent.

use super::breakers::Breakers;
use super::driver::{DriveError, Driver};
use crate::model::events::{Again, DecisionClosed, Failure, FailureClass, TaskInDoubt, TaskWaiting};
use crate::model::plan::TaskIx;
use crate::model::state::{CallIntent, Decision, Made, TaskState};
use crate::model::status::TaskStatus;
use crate::model::{DecisionId, Digest};

impl Driver {
    /// Finished calls are not repeated; an effect whose outcome is unknown is only repeated if that is harmless.
    pub(super) fn take_up(&mut self) -> Result<(), DriveError> {
        self.state.unlocked.clear();
        self.breakers = Breakers::resumed(&self.state.breakers, self.clock.now_ms());
        self.mend_questions()?;
        self.undecided = (0..self.state.decisions.len())
            .filter(|&n| self.is_undecided(n))
            .collect();
        self.state.joined.clear();
        let nodes: Vec<TaskIx> = self.state.nodes().collect();
        for ix in nodes {
            let task = self.state.task(ix);
            match task.status {
                TaskStatus::Pending if task.open == 0 => self.state.unlocked.push(ix),
                TaskStatus::Ready => self.push_ready(ix),
                TaskStatus::Retrying => {
                    self.retries.insert((task.not_before_ms, ix));
                }
                TaskStatus::Running => match &task.inner {
                    Some(inner) => {
                        if inner.open == 0 {
                            self.state.joined.push(ix);
                        }
                        self.count_item(ix, TaskStatus::Pending);
                    }
                    None => self.take_up_running(ix)?,
                },
                TaskStatus::Pending
                | TaskStatus::Waiting
                | TaskStatus::InDoubt
                | TaskStatus::Completed
                | TaskStatus::Failed
                | TaskStatus::Skipped
                | TaskStatus::Cancelled
                | TaskStatus::Pruned => {}
            }
        }
        self.carry_through()
    }

    /// A rewind or a fork may have ended between a question and what it was asked for.
    fn mend_questions(&mut self) -> Result<(), DriveError> {
        let is_lost = |d: &&Decision| d.is_open() && d.task.is_some_and(|ix| !self.is_waited_for(ix, &d.id));
        let lost: Vec<_> = self
            .state
            .decisions
            .iter()
            .filter(is_lost)
            .map(|d| d.id.clone())
            .collect();
        for decision in lost {
            self.emit(None, DecisionClosed { decision })?;
        }
        let nodes: Vec<TaskIx> = self.state.nodes().collect();
        for ix in nodes {
            let task = self.state.task(ix);
            let asked = task.decision.as_ref().and_then(|id| self.state.decision(id));
            if asked.is_some_and(|d| !d.is_closed) {
                continue;
            }
            match task.status {
                TaskStatus::Waiting => self.ready_again(ix, Again::Allowed)?,
                TaskStatus::InDoubt => {
                    let last = task.calls.last().map(|c| c.started.key);
                    let key = self.lost_effect(ix).or(last);
                    let error = task.error.as_deref().cloned().unwrap_or_else(super::finish::lost);
                    self.ask_in_doubt(ix, key, &error)?;
                }
                TaskStatus::Failed if task.decision.is_some() && !self.state.is_settled(ix) => {
                    self.ask_blocked(ix)?;
                }
                TaskStatus::Failed
                | TaskStatus::Pending
                | TaskStatus::Ready
                | TaskStatus::Running
                | TaskStatus::Retrying
                | TaskStatus::Completed
                | TaskStatus::Skipped
                | TaskStatus::Cancelled
                | TaskStatus::Pruned => {}
            }
        }
        Ok(())
    }

    /// The first call of the task that may have changed something, of which nobody knows whether it did.
    pub(super) fn lost_effect(&self, ix: TaskIx) -> Option<Digest> {
        let calls = self.state.task(ix).calls.iter();
        let mut unknown = calls
            .filter(|call| call.is_unknown())
            .map(|call| call.started.key);
        unknown.find(|key| matches!(self.state.made.get(key), Some(Made::Begun)))
    }

    /// Whether a task waits for the decision, or a call of it did when its process ended.
    fn is_waited_for(&self, ix: TaskIx, decision: &DecisionId) -> bool {
        waits_for(self.state.task(ix), decision) || self.asks_in_call(ix).as_ref() == Some(decision)
    }

    fn take_up_running(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        if let Some(decision) = self.asks_in_call(ix) {
            let position = self.state.decisions.iter().position(|d| d.id == decision);
            self.undecided.extend(position);
            return self.emit(Some(ix), TaskWaiting { decision });
        }
        if self.state.pin_of(ix).is_some() {
            return self.ready_again(ix, Again::Interrupted);
        }
        if self.state.task(ix).has_asked() {
            return match self.lost_effect(ix) {
                Some(key) => self.doubt_of(ix, Some(key), gone()),
                None => self.ready_again(ix, Again::Interrupted),
            };
        }
        match self.state.intent(self.state.task(ix)) {
            CallIntent::None | CallIntent::Repeatable => self.ready_again(ix, Again::Interrupted),
            CallIntent::Unrepeatable => self.doubt(ix, gone()),
        }
    }

    /// The outcome of an effect is unknown: it is not repeated, a person decides.
    pub(super) fn doubt(&mut self, ix: TaskIx, error: Failure) -> Result<(), DriveError> {
        let key = self.state.task(ix).calls.last().map(|c| c.started.key);
        self.doubt_of(ix, key, error)
    }

    pub(super) fn doubt_of(
        &mut self,
        ix: TaskIx,
        key: Option<Digest>,
        error: Failure,
    ) -> Result<(), DriveError> {
        self.emit(Some(ix), TaskInDoubt { error: error.clone() })?;
        self.ask_in_doubt(ix, key, &error)
    }
}

/// Whether the decision is what the task is waiting for.
pub(super) fn waits_for(task: &TaskState, decision: &DecisionId) -> bool {
    let is_waiting = match task.status {
        TaskStatus::Waiting | TaskStatus::InDoubt | TaskStatus::Failed => true,
        TaskStatus::Pending
        | TaskStatus::Ready
        | TaskStatus::Running
        | TaskStatus::Retrying
        | TaskStatus::Completed
        | TaskStatus::Skipped
        | TaskStatus::Cancelled
        | TaskStatus::Pruned => false,
    };
    is_waiting && !task.is_gone && task.decision.as_ref() == Some(decision)
}

fn gone() -> Failure {
    Failure {
        class: FailureClass::Unknown,
        code: "interrupted".to_owned(),
        message: "Planloom ended while the call was under way; whether it happened is not known.".to_owned(),
    }
}
