//! Ending a run before its time, and leaving it resumable when the process must go.

use std::time::Duration;

use super::attempt::Part;
use super::driver::{DriveError, Driver};
use super::finish::lost;
use crate::model::events::{Again, DecisionClosed, RunFinished, RunPaused, TaskCancelled};
use crate::model::grants::Labels;
use crate::model::plan::TaskIx;
use crate::model::status::{RunStatus, TaskStatus};

/// How long a cancelled call may take to end by itself.
const CANCEL_GRACE: Duration = Duration::from_millis(2500);
/// How long the process waits for effects in flight before it goes.
const EFFECT_GRACE: Duration = Duration::from_secs(5);

impl Driver {
    /// Cancelled by a person, or stopped by an answer: what is done stays done, nothing more begins.
    pub(super) async fn end(&mut self, status: RunStatus) -> Result<(), DriveError> {
        for flight in self.flights.values() {
            flight.cancel.cancel();
        }
        self.asides.stop().await;
        self.collect(CANCEL_GRACE).await?;
        self.jobs.shutdown().await;
        self.flights.clear();
        self.stirred.clear();
        let nodes: Vec<TaskIx> = self.state.nodes().collect();
        for ix in nodes {
            self.cancel_task(ix)?;
        }
        let open: Vec<_> = self.state.open_decisions().map(|d| d.id.clone()).collect();
        for decision in open {
            self.emit(None, DecisionClosed { decision })?;
        }
        self.barrier();
        let error = self.why_ending.take();
        self.emit(
            None,
            RunFinished {
                state: status,
                output: None,
                error,
                labels: Labels::default(),
            },
        )
    }

    fn cancel_task(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let task = self.state.task(ix);
        let outcome_unknown = match task.status {
            TaskStatus::Pending | TaskStatus::Ready | TaskStatus::Retrying | TaskStatus::Waiting => false,
            TaskStatus::Running => self.lost_effect(ix).is_some(),
            TaskStatus::InDoubt => true,
            // What failed stays visible as failed.
            TaskStatus::Completed
            | TaskStatus::Failed
            | TaskStatus::Skipped
            | TaskStatus::Cancelled
            | TaskStatus::Pruned => return Ok(()),
        };
        self.emit(Some(ix), TaskCancelled { outcome_unknown })
    }

    /// Reads are cut short and start again later; effects get a little time to say what came of them, unless they wait for
    /// a person.
    pub(super) async fn shut_down(&mut self) -> Result<(), DriveError> {
        self.put_off_questions()?;
        for flight in self.flights.values().filter(|f| !f.is_effect) {
            flight.cancel.cancel();
        }
        self.asides.stop().await;
        self.collect(EFFECT_GRACE).await?;
        self.jobs.shutdown().await;
        self.close_all_midcall()?;
        for (ix, flight) in self.flights.drain() {
            match flight.part {
                Part::Whole if flight.is_effect && !flight.is_repeatable => self.doubt(ix, lost())?,
                Part::Whole => self.ready_again(ix, Again::Interrupted)?,
                Part::Question | Part::Call => {
                    self.stirred.insert(ix);
                }
            }
        }
        self.leave_stirred()?;
        self.barrier();
        if self.state.status != RunStatus::Paused && !self.state.status.is_over() {
            let at = self.stop.take();
            self.emit(None, RunPaused { at })?;
        }
        self.commit().await
    }

    /// Agents stop between two steps. A call of one that may have happened is in doubt at once.
    fn leave_stirred(&mut self) -> Result<(), DriveError> {
        for ix in self.stirred.clone() {
            if self.state.task(ix).status != TaskStatus::Running {
                continue;
            }
            if let Some(key) = self.lost_effect(ix) {
                self.stirred.remove(&ix);
                self.doubt_of(ix, Some(key), lost())?;
            }
        }
        self.interrupt_stirred()
    }

    /// Takes in the reports that arrive within the grace period; real results are facts and are kept.
    async fn collect(&mut self, grace: Duration) -> Result<(), DriveError> {
        let deadline = tokio::time::Instant::now() + grace;
        while !self.jobs.is_empty() {
            match tokio::time::timeout_at(deadline, self.jobs.join_next()).await {
                Ok(Some(joined)) => self.take_report(joined)?,
                Ok(None) | Err(_) => break,
            }
        }
        Ok(())
    }
}
