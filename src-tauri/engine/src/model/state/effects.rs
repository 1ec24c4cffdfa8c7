//! The memory of effects: what was begun under a key, and what came of it.

use super::super::DecisionId;
use super::super::Digest;
use super::super::TaskId;
use super::super::events::{CallOutcome, CallStarted, Content, FailureClass};
use super::super::grants::FileMarks;
use super::super::status::DecisionKind;
use super::super::tool::Access;
use super::{Decision, Made, RunState};

impl RunState {
    /// What is written to a file is what reading it gives, whatever becomes of the call. Where something of the run's
    /// own folder was there before that the run had not written, somebody else had.
    pub(super) fn note_writes(&mut self, started: &CallStarted) {
        let touches = |access| started.touches.iter().any(|need| need.access == access);
        if touches(Access::Command) {
            self.files.note_program();
        }
        if touches(Access::Mcp) && started.effect.is_effect() {
            self.files.note_server();
        }
        for need in started.touches.iter().filter(|need| need.access == Access::Write) {
            let before = started.before.iter().find(|file| file.path == need.resource);
            let was_absent = before.is_some_and(|file| matches!(file.content, Content::Absent));
            let mut labels = started.labels;
            labels.untrusted |= !was_absent && self.files.of(&need.resource).is_none();
            self.files.note(&need.resource, labels);
        }
    }

    /// A log from elsewhere says of its values what it likes: all of them are foreign here, and its files are not.
    pub(super) fn distrust(&mut self) {
        for task in &mut self.tasks {
            task.labels.untrusted = true;
            task.inner
                .iter_mut()
                .for_each(|inner| inner.labels.untrusted = true);
            task.calls
                .iter_mut()
                .for_each(|call| call.labels.untrusted = true);
        }
        self.pins.values_mut().for_each(|pin| pin.labels.untrusted = true);
        self.output_labels.untrusted = true;
        self.files = FileMarks::default();
    }

    /// What the call wrote is not there any more, because somebody wanted the files of before.
    pub(super) fn undo(&mut self, key: Digest) {
        if let Some(made) = self.made.remove(&key) {
            let was_lost = self.lost.remove(&key);
            self.undone.insert(key, (made, was_lost));
        }
    }

    /// It is there again, because somebody wanted the files of a moment at which it was.
    pub(super) fn redo(&mut self, key: Digest) {
        if self.made.contains_key(&key) {
            return;
        }
        // Without a word on what came of it, nobody may repeat it blindly.
        let (made, was_lost) = self.undone.remove(&key).unwrap_or((Made::Begun, false));
        self.made.insert(key, made);
        if was_lost {
            self.lost.insert(key);
        }
    }

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

    /// A call of a stretch that was taken back: if a person's word before it let it be made again, that word is used up.
    /// It does not bring about another one when the run comes to it once more.
    pub(super) fn use_word(&mut self, task: Option<&TaskId>, key: Digest) {
        let ix = task.and_then(|task| self.find(task.as_str()));
        let asked = ix.and_then(|ix| self.task(ix).decision.as_ref());
        let decision = asked.and_then(|id| self.decision(id));
        let is_its = |d: &&Decision| may_repeat(d) && d.binds == Some(key) && d.answer.is_some();
        if let Some(id) = decision.filter(is_its).map(|d| d.id.clone()) {
            self.spent_words.insert(id);
        }
    }

    /// A person chose to make again the effect that is in doubt, or that could not wait for their answer: its intent no
    /// longer stands in the way. One whose result has come to be known since, in a stretch that was taken back, is in
    /// doubt no more and stays made.
    pub(super) fn forget_intent(&mut self, decision: Option<&DecisionId>) {
        let key = decision
            .filter(|&id| !self.spent_words.contains(id))
            .and_then(|id| self.decision(id))
            .filter(|d| may_repeat(d))
            .and_then(|d| d.binds);
        if let Some(key) = key
            && matches!(self.made.get(&key), Some(Made::Begun))
        {
            self.made.remove(&key);
            self.lost.remove(&key);
        }
    }
}

/// Whether an answer to this can let a call be made once more.
fn may_repeat(decision: &Decision) -> bool {
    matches!(decision.kind, DecisionKind::InDoubt | DecisionKind::Question)
}
