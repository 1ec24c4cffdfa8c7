//! How one task's own record changes with its events. It must not know other tasks, nor which transitions are legal.

use super::super::events::{Again, CallOutcome, Failure, TaskReady, TaskRetrying, TaskStarted};
use super::super::value::ValueRef;
use super::TaskState;

impl TaskState {
    pub(super) fn begin(&mut self, started: &TaskStarted, at: i64) {
        self.attempts = started.attempt;
        self.started_ms = at;
        self.ended_ms = 0;
        self.error = None;
        self.held_by = None;
        if started.goes_on {
            self.lose_open_calls();
        } else {
            self.calls.clear();
        }
    }

    pub(super) fn ready_again(&mut self, ready: &TaskReady) {
        self.ended_ms = 0;
        self.decision = None;
        self.held_by = None;
        match ready.again {
            Some(Again::Retry) => {
                self.tries = 0;
                self.not_before_ms = 0;
            }
            // The same attempt begins again.
            Some(Again::Interrupted | Again::Budget) => self.attempts = self.attempts.saturating_sub(1),
            Some(Again::Allowed | Again::Denied | Again::Told) if self.has_asked() => {
                self.attempts = self.attempts.saturating_sub(1);
            }
            Some(Again::Allowed | Again::Denied | Again::Told) | None => {}
        }
    }

    /// An attempt has failed, or none was made because what it would call is down.
    pub(super) fn retry(&mut self, retrying: &TaskRetrying) {
        self.not_before_ms = retrying.not_before_ms;
        self.held_by = retrying.breaker.as_deref().map(Into::into);
        if self.held_by.is_none() {
            self.tries += 1;
            self.error = Some(Box::new(retrying.error.clone()));
        }
    }

    pub(super) fn fail(&mut self, error: &Failure) {
        self.error = Some(Box::new(error.clone()));
        self.decision = None;
    }

    pub(super) fn end_well(&mut self) {
        self.decision = None;
        self.calls = Vec::new();
        self.allowed = None;
    }

    pub(super) fn call_result(&self) -> Option<ValueRef> {
        match self.calls.last()?.outcome.as_ref()? {
            CallOutcome::Result(value) => Some(value.clone()),
            CallOutcome::Error(_) => None,
        }
    }
}
