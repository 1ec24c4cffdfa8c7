//! Taking up a run where its log ends: what was in flight when its last owner went is classified by its intent.

use super::driver::{DriveError, Driver};
use crate::model::Digest;
use crate::model::events::{Again, Failure, FailureClass, TaskInDoubt};
use crate::model::plan::TaskIx;
use crate::model::state::{CallIntent, Made};
use crate::model::status::TaskStatus;

impl Driver {
    /// Finished calls are not repeated; an effect whose outcome is unknown is only repeated if that is harmless.
    pub(super) fn take_up(&mut self) -> Result<(), DriveError> {
        self.state.unlocked.clear();
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
        Ok(())
    }

    fn take_up_running(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        // After a rewind the outcome may be known from what was taken back.
        let is_known = self
            .state
            .task(ix)
            .open_calls()
            .all(|call| matches!(self.state.made.get(&call.key), Some(Made::Done(_))));
        match self.state.task(ix).intent() {
            CallIntent::None | CallIntent::Repeatable => self.ready_again(ix, Again::Interrupted),
            CallIntent::Unrepeatable if is_known => self.ready_again(ix, Again::Interrupted),
            CallIntent::Unrepeatable => {
                let error = Failure {
                    class: FailureClass::Unknown,
                    code: "interrupted".to_owned(),
                    message: "Planloom ended while the call was under way; whether it happened is not known."
                        .to_owned(),
                };
                self.doubt(ix, error)
            }
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
