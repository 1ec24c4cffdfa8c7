//! How decisions open, are answered and close. What an answer makes follow in the run, whoever drives it records.

use std::sync::Arc;

use super::super::TaskId;
use super::super::events::{DecisionAnswered, DecisionOpened};
use super::super::plan::{TaskIx, TaskKind};
use super::super::status::DecisionKind;
use super::{Decision, Illegal, RunState, TaskAllowed};

impl RunState {
    pub(super) fn open_decision(
        &mut self,
        task: Option<&TaskId>,
        at: i64,
        opened: &DecisionOpened,
    ) -> Result<(), Illegal> {
        if opened.decision != self.next_decision() {
            return Err(Illegal::Decision(opened.decision.clone()));
        }
        let task = task.map(|id| self.expect(id)).transpose()?;
        if let Some(ix) = task {
            self.tasks[ix as usize].decision = Some(opened.decision.clone());
        } else if opened.kind == DecisionKind::Budget {
            self.ledger.asked = Some(opened.decision.clone());
        }
        if opened.kind == DecisionKind::Replan {
            self.replans.note_opened(&opened.decision);
        }
        let is_in_talk = opened.binds.is_some()
            && opened.kind != DecisionKind::Approval
            && task.is_some_and(|ix| matches!(self.def(ix).kind, TaskKind::Agent { .. }));
        self.decisions.push(Decision {
            id: opened.decision.clone(),
            kind: opened.kind,
            task,
            question: opened.question.clone(),
            form: opened.form.clone(),
            binds: opened.binds,
            needs: opened.needs.clone(),
            about: opened.about.clone(),
            provenance: opened.provenance.as_deref().map(|p| Arc::new(p.clone())),
            may_replan: opened.may_replan,
            is_in_talk,
            opened_ms: at,
            answer: None,
            choice: None,
            is_closed: false,
        });
        self.open_count += 1;
        Ok(())
    }

    pub(super) fn close(&mut self, id: &super::DecisionId) -> Result<(), Illegal> {
        let decision = self.decision_mut(id)?;
        let was_open = decision.is_open();
        decision.is_closed = true;
        self.open_count -= u32::from(was_open);
        if self.ledger.asked.as_ref() == Some(id) {
            self.ledger.asked = None;
        }
        self.replans.note_closed(id);
        Ok(())
    }

    /// Of a run that is over nothing is asked any more; a rewind to before its end asks again.
    pub(super) fn close_all(&mut self) {
        let open: Vec<_> = self.open_decisions().map(|d| d.id.clone()).collect();
        for id in &open {
            // Each of them is there, as it has just been found.
            let _ = self.close(id);
        }
    }

    fn decision_mut(&mut self, id: &super::DecisionId) -> Result<&mut Decision, Illegal> {
        let number = id
            .as_str()
            .strip_prefix('d')
            .and_then(|n| n.parse::<usize>().ok());
        number
            .and_then(|n| n.checked_sub(1))
            .and_then(|ix| self.decisions.get_mut(ix))
            .filter(|d| d.id == *id)
            .ok_or_else(|| Illegal::Decision(id.clone()))
    }

    pub(super) fn answer(&mut self, answered: &DecisionAnswered) -> Result<(), Illegal> {
        let decision = self.decision_mut(&answered.decision)?;
        if decision.answer.is_some() {
            return Err(Illegal::Decision(answered.decision.clone()));
        }
        let was_open = decision.is_open();
        decision.answer = Some(answered.answer.clone());
        decision.choice.clone_from(&answered.choice);
        let word = decision.word();
        let (kind, task, needs, binds) = (
            decision.kind,
            decision.task,
            decision.needs.clone(),
            decision.binds,
        );
        self.open_count -= u32::from(was_open);
        match (kind, word.as_deref(), task) {
            (DecisionKind::Grant, Some("run"), _) => self.allowed.extend(needs),
            (DecisionKind::Grant, Some("task"), Some(ix)) => self.allow(ix).task.extend(needs),
            (DecisionKind::Grant, Some("once"), Some(ix)) => {
                let allowed = self.allow(ix);
                allowed.once.extend(needs);
                allowed.once_for = binds;
            }
            (DecisionKind::Effect, Some("allow"), Some(ix)) => {
                let is_changed = answered.choice.is_some();
                let allowed = self.allow(ix);
                allowed.effect = binds;
                // Asked about it once more, a person is shown what they have changed: a plain yes means that.
                if is_changed {
                    allowed.changed_in = Some(answered.decision.clone());
                }
            }
            (DecisionKind::Approval, Some("approve"), Some(ix)) => self.allow(ix).start = true,
            (DecisionKind::Replan, word, None) => {
                self.replans.note_answer(&answered.decision, word, &answered.by);
            }
            // The final answer is asked for anew.
            (DecisionKind::Blocked, Some("retry"), None) => self.aside.clear(),
            (DecisionKind::Blocked, Some("skip"), None) => self.skips_answer = true,
            _ => {}
        }
        Ok(())
    }

    fn allow(&mut self, ix: TaskIx) -> &mut TaskAllowed {
        self.tasks[ix as usize].allowed.get_or_insert_default()
    }
}

impl Decision {
    /// The choice that it was answered with; `None` while it is open, and where the answer is no choice.
    pub fn word(&self) -> Option<String> {
        let answer = self.answer.as_ref()?;
        self.choice
            .clone()
            .or_else(|| super::super::decision::word(answer))
    }
}
