//! A proposal becomes the plan: signed, taken over by the state, and carried through task by task, also where the
//! process ended in between. It must not know who proposed it, nor why.

use std::sync::Arc;

use super::amending::{Amendment, Before};
use super::chain::models_of;
use super::driver::{DriveError, Driver, Mode};
use super::inputs::{Lists, load};
use super::redact::add_plan;
use crate::model::decision::{Acceptance, ReplanAnswer, read_replan};
use crate::model::events::{
    Change, Failure, FailureClass, NewEvent, PlanRevised, ReplanProposed, Revision, Signature, TaskPruned,
    TaskReset,
};
use crate::model::ledger::Spent;
use crate::model::plan::{Plan, TaskIx};
use crate::model::replan::Replanned;
use crate::model::signature::signature_of;
use crate::model::state::{Decision, OpenReplan};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};
use crate::model::value::ValueRef;
use crate::model::{DecisionId, digest};

impl Driver {
    /// The answer to a decision about the run as a whole.
    pub(super) async fn settle_of_run(
        &mut self,
        decision: &Decision,
        answer: &ValueRef,
    ) -> Result<(), DriveError> {
        if decision.kind == DecisionKind::Budget {
            return self.settle_budget(decision.about.as_ref(), answer).await;
        }
        let word = decision.word();
        match (decision.kind, word.as_deref()) {
            (kind, Some("stop")) => {
                self.mode = Mode::Ending(RunStatus::Failed);
                if kind == DecisionKind::Blocked {
                    self.why_ending = Some(Failure {
                        class: FailureClass::Permanent,
                        code: "synthesis".to_owned(),
                        message: decision.question.clone(),
                    });
                }
                Ok(())
            }
            (DecisionKind::Replan, Some("accept")) => self.accept_replan(decision).await,
            (DecisionKind::Replan, Some("again")) => self.ask_another(decision).await,
            // What else may be answered has had its consequence in the state.
            (_, _) => Ok(()),
        }
    }

    /// Whether a decision about the run as a whole may still have a consequence.
    pub(super) fn is_undecided_of_run(&self, decision: &Decision) -> bool {
        if decision.kind == DecisionKind::Budget {
            return self.state.ledger.asked.as_ref() == Some(&decision.id);
        }
        if decision.is_closed {
            return false;
        }
        match decision.kind {
            DecisionKind::Replan => {
                let replans = &self.state.replans;
                let current = replans.current.as_ref();
                let is_current =
                    current.is_some_and(|current| current.decision.as_ref() == Some(&decision.id));
                is_current
                    || replans
                        .wanted
                        .as_ref()
                        .is_some_and(|(wanted, _)| *wanted == decision.id)
            }
            DecisionKind::Blocked => {
                let is_later =
                    |other: &&Decision| other.kind == DecisionKind::Blocked && other.task.is_none();
                let newest = self.state.decisions.iter().rev().find(is_later);
                newest.is_some_and(|newest| newest.id == decision.id)
            }
            DecisionKind::Approval
            | DecisionKind::Question
            | DecisionKind::Grant
            | DecisionKind::Effect
            | DecisionKind::InDoubt
            | DecisionKind::Budget => false,
        }
    }

    /// A person has accepted what was shown, or their own version of it. If the run has gone on since, nothing of it
    /// applies.
    async fn accept_replan(&mut self, decision: &Decision) -> Result<(), DriveError> {
        let Some(current) = self.state.replans.current.clone() else {
            return Ok(());
        };
        let (Some(by), Some(proposed)) = (current.accepted.clone(), current.proposed.clone()) else {
            return Ok(());
        };
        let how = match self.acceptance(decision, &proposed).await? {
            Ok(how) => how,
            Err(reason) => return self.turn_down_replan(&current, vec![reason]),
        };
        let (draft, events) = self.document().await?;
        let before = Before {
            state: &self.state,
            events: &events,
            draft: &draft,
            setting: self.setting(),
        };
        match before.amend(&how) {
            Ok(Amendment {
                replanned,
                amended: Some(amended),
                ..
            }) => {
                self.go_on()?;
                let version = self.version_of(&proposed, &replanned, amended);
                self.emit(None, version.clone())?;
                self.take_over(&replanned, &version, by, current.decision)
            }
            Ok(Amendment { replanned, .. }) => {
                self.go_on()?;
                self.take_over(&replanned, &proposed, by, current.decision)
            }
            Err(reasons) => self.turn_down_replan(&current, reasons),
        }
    }

    fn turn_down_replan(&mut self, current: &OpenReplan, reasons: Vec<String>) -> Result<(), DriveError> {
        self.go_on()?;
        self.refuse_replan(current, reasons, false, Spent::default())
    }

    /// How much was accepted. A version that stands in the log already, from before the process ended, is taken whole.
    async fn acceptance(
        &self,
        decision: &Decision,
        proposed: &ReplanProposed,
    ) -> Result<Result<Acceptance, String>, DriveError> {
        let Some(answer) = decision.answer.as_ref().filter(|_| proposed.amended.is_none()) else {
            return Ok(Ok(Acceptance::Whole));
        };
        let answer = load(&self.store, answer).await?;
        Ok(match read_replan(&answer) {
            Ok(ReplanAnswer::Accept(how)) => Ok(how),
            Ok(ReplanAnswer::Again(_) | ReplanAnswer::Reject | ReplanAnswer::Stop) => {
                Err("The answer accepts nothing.".to_owned())
            }
            Err(wrong) => Err(wrong),
        })
    }

    /// Another proposal is wanted, with the person's words.
    async fn ask_another(&mut self, decision: &Decision) -> Result<(), DriveError> {
        let Some((_, failed)) = self.state.replans.wanted.clone() else {
            return Ok(());
        };
        let note = match &decision.answer {
            Some(answer) => match read_replan(&load(&self.store, answer).await?) {
                Ok(ReplanAnswer::Again(note)) => self.redactor.text(&note),
                Ok(ReplanAnswer::Accept(_) | ReplanAnswer::Reject | ReplanAnswer::Stop) | Err(_) => {
                    String::new()
                }
            },
            None => String::new(),
        };
        let failed: Vec<TaskIx> = failed
            .iter()
            .filter_map(|id| self.state.find(id.as_str()))
            .filter(|&ix| self.state.task(ix).status == TaskStatus::Failed && self.is_mendable(ix))
            .collect();
        if failed.is_empty() || !self.can_replan() {
            return Ok(());
        }
        self.ask_replan(&failed, Some(decision.id.clone()), note)
    }

    /// Signs the new plan and goes on with it.
    pub(super) fn take_over(
        &mut self,
        replanned: &Replanned,
        proposed: &ReplanProposed,
        by: String,
        decision: Option<DecisionId>,
    ) -> Result<(), DriveError> {
        // While the old plan still says what is inside.
        for id in proposed.prunes.iter().chain(&proposed.resets) {
            if let Some(ix) = self.state.find(id.as_str()) {
                self.fail_around(ix)?;
            }
        }
        let plan = Arc::new(replanned.plan.clone());
        let signed = Signature {
            digest: signature_of(
                &plan,
                self.tools.catalog(),
                &self.place,
                &models_of(&self.models, &plan),
            ),
            by,
            decision,
        };
        let revised = PlanRevised {
            revision: self.state.revision + 1,
            digest: digest::of_document(&replanned.document),
            change: Change::Replan(Revision {
                label: proposed.label.clone(),
                patch: proposed.patch.clone(),
                inverse: proposed.inverse.clone(),
            }),
            signed: Some(signed),
        };
        self.barrier();
        self.emit_revision(&plan, revised)?;
        self.frozen.clear();
        self.lists = Lists::default();
        add_plan(Arc::make_mut(&mut self.redactor), &plan, &self.secrets);
        self.is_restless = true;
        self.carry_through()
    }

    /// Like any fact, but the state takes the plan over first.
    fn emit_revision(&mut self, plan: &Arc<Plan>, revised: PlanRevised) -> Result<(), DriveError> {
        let event = NewEvent {
            at_ms: self.clock.now_ms(),
            task: None,
            body: revised.into(),
        };
        self.state
            .take_revision(plan, &event.clone().at(self.state.seq + 1))?;
        self.batch.push(event);
        Ok(())
    }

    /// A map or a nested plan that is stuck fails as a whole before it goes or starts anew.
    fn fail_around(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        if self.state.task(ix).status != TaskStatus::Running || !self.state.is_stuck_inside(ix) {
            return Ok(());
        }
        self.cancel_inner(ix)?;
        self.state.joined.retain(|&joined| joined != ix);
        let message = "a task inside it failed, and another plan takes its place".to_owned();
        self.fail(ix, "inner_failed", message)
    }

    /// What is left to do of the replan that was taken last.
    pub(super) fn carry_through(&mut self) -> Result<(), DriveError> {
        for id in self.state.replans.to_prune.clone() {
            let Some(ix) = self.state.find(id.as_str()) else {
                continue;
            };
            let may_go = matches!(
                self.state.task(ix).status,
                TaskStatus::Pending | TaskStatus::Ready | TaskStatus::Failed
            );
            if may_go {
                self.held.remove(&ix);
                self.emit(Some(ix), TaskPruned {})?;
            }
        }
        for id in self.state.replans.to_reset.clone() {
            let Some(ix) = self.state.find(id.as_str()) else {
                continue;
            };
            if matches!(self.state.task(ix).status, TaskStatus::Ready | TaskStatus::Failed) {
                self.held.remove(&ix);
                self.emit(Some(ix), TaskReset { again: false })?;
            }
        }
        Ok(())
    }
}
