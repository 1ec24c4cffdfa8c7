//! The memory of effects: what was begun under a key, and what came of it.

use super::super::DecisionId;
use super::super::Digest;
use super::super::events::{CallOutcome, FailureClass};
use super::super::status::DecisionKind;
use super::{Made, RunState};

impl RunState {
    pub(super) fn begin_effect(&mut self, key: Digest) {
        let before = self.made.insert(key, Made::Begun);
        if matches!(before, Some(Made::Begun)) {
            self.lost.insert(key);
        }
    }

    /// What the outcome says of the effect: done, surely not done, or still unknown.
    pub(super) fn end_effect(&mut self, key: Digest, outcome: &CallOutcome) {
        match outcome {
            CallOutcome::Result(value) => {
                self.made.insert(key, Made::Done(value.clone()));
                self.lost.remove(&key);
            }
            CallOutcome::Error(error) => match error.class {
                // This call surely did nothing; of a lost one before it that says nothing.
                FailureClass::Transient | FailureClass::Permanent | FailureClass::NotGranted => {
                    if !self.lost.contains(&key) {
                        self.made.remove(&key);
                    }
                }
                FailureClass::Unknown | FailureClass::Cancelled => {}
            },
        }
    }

    /// A person chose to make again the effect that is in doubt: its intent no longer stands in the way.
    pub(super) fn forget_intent(&mut self, decision: Option<&DecisionId>) {
        let key = decision
            .and_then(|id| self.decision(id))
            .filter(|d| d.kind == DecisionKind::InDoubt)
            .and_then(|d| d.binds);
        if let Some(key) = key {
            self.made.remove(&key);
            self.lost.remove(&key);
        }
    }
}
