//! What a person holds: pinned outputs stand in for their tasks, and breakpoints pause the run.

use super::driver::{DriveError, Driver, Mode};
use crate::model::events::{RunPaused, TaskCompleted, TaskStarted};
use crate::model::plan::TaskIx;
use crate::model::status::TaskStatus;

impl Driver {
    /// The output that a person holds is the task's; nothing of the task is called. False: it has none.
    pub(super) fn complete_pinned(&mut self, ix: TaskIx) -> Result<bool, DriveError> {
        let Some(pin) = self.state.pin_of(ix).cloned() else {
            return Ok(false);
        };
        let attempt = self.state.task(ix).attempts + 1;
        let goes_on = false;
        self.emit(Some(ix), TaskStarted { attempt, goes_on })?;
        let completed = TaskCompleted {
            output: Some(pin.output),
            labels: pin.labels,
            pinned: true,
            ..TaskCompleted::default()
        };
        self.emit(Some(ix), completed)?;
        Ok(true)
    }

    /// True: the run has come to a breakpoint before this task. It lets what is in flight finish, then pauses.
    pub(super) fn stops_before(&mut self, ix: TaskIx) -> bool {
        if self.state.task(ix).status != TaskStatus::Ready {
            return false;
        }
        let Some(stop) = self.state.stop_before(ix) else {
            return false;
        };
        self.push_ready(ix);
        self.stop = Some(stop);
        self.mode = Mode::Pausing;
        true
    }

    /// True: the run has come to a breakpoint after a task.
    pub(super) fn stops_after(&mut self) -> bool {
        if self.mode == Mode::Going
            && let Some(stop) = self.state.stop_after()
        {
            self.stop = Some(stop);
            self.mode = Mode::Pausing;
        }
        self.mode == Mode::Pausing
    }

    /// Pauses once nothing is in flight any more. True: it has.
    pub(super) fn pause_when_quiet(&mut self) -> Result<bool, DriveError> {
        if self.only_asks() && self.undecided_answers().is_empty() {
            // A person may think for as long as they like; the run does not.
            self.put_off_questions()?;
        }
        if !self.flights.is_empty() || self.asides.is_asking() {
            return Ok(false);
        }
        self.stirred.append(&mut self.short);
        self.interrupt_stirred()?;
        self.barrier();
        let at = self.stop.take();
        self.emit(None, RunPaused { at })?;
        Ok(true)
    }
}
