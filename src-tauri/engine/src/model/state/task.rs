//! How one task's own record changes with its events. It must not know other tasks, nor which transitions are legal.

use super::super::TaskId;
use super::super::backoff::LONG_WAIT;
use super::super::events::{Again, CallOutcome, Failure, TaskReady, TaskRetrying, TaskStarted};
use super::super::grants::Need;
use super::super::provenance::Origin;
use super::super::tool::Access;
use super::super::value::ValueRef;
use super::{Call, TaskState};

/// Calls that are told of one task.
const MOST_SOURCES: usize = 8;

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
    pub(super) fn retry(&mut self, retrying: &TaskRetrying, most: u32) {
        self.not_before_ms = retrying.not_before_ms;
        self.held_by = retrying.breaker.as_deref().map(Into::into);
        if self.held_by.is_none() {
            self.tries += 1;
            if retrying.error.code == LONG_WAIT {
                self.tries = self.tries.max(most);
            }
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

    /// The calls that brought in something worth telling. A tool task's output is its call's result.
    pub fn sources(&self, address: &TaskId) -> Vec<Origin> {
        let is_whole = !self.has_asked();
        let of_call = |call: &Call| {
            let labels = if is_whole { self.labels } else { call.labels };
            let reads = |need: &Need| need.access != Access::Write;
            let is_source = call.has_result() && call.started.touches.iter().any(reads);
            (is_source && !labels.is_default()).then(|| Origin {
                task: address.clone(),
                tool: call.started.tool.clone(),
                touches: call.started.touches.clone(),
                labels,
            })
        };
        self.calls.iter().filter_map(of_call).take(MOST_SOURCES).collect()
    }

    /// What it has touched, each once: by its calls, or by those that its output came from.
    pub fn touched(&self) -> Vec<String> {
        let calls = self.calls.iter().flat_map(|call| &call.started.touches);
        let origins = self.origins.iter().flatten().flat_map(|origin| &origin.touches);
        let mut found: Vec<String> = Vec::new();
        for need in calls.chain(origins) {
            let told = need.to_string();
            if !found.contains(&told) {
                found.push(told);
            }
        }
        found
    }

    pub(super) fn call_result(&self) -> Option<ValueRef> {
        match self.calls.last()?.outcome.as_ref()? {
            CallOutcome::Result(value) => Some(value.clone()),
            CallOutcome::Error(_) => None,
        }
    }
}
