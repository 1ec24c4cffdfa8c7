//! Replans in the fold: how many were tried, the one that is under way, and what is left to do of one that was taken.
//! It must not know models, nor how a proposal is judged.

use std::sync::Arc;

use super::super::events::{Approved, Change, Event, EventBody, PlanRevised, ReplanAsked, ReplanProposed};
use super::super::json::canonical;
use super::super::plan::{Plan, TaskIx};
use super::super::replan::{Standing, Standings};
use super::super::status::{DecisionKind, RunStatus, TaskStatus};
use super::super::{DecisionId, Digest, TaskId};
use super::{Call, Decision, Illegal, Planning, RunState};

/// At most so many replans in one run (rule 7).
pub const MOST_REPLANS: u32 = 3;

/// The replans of a run.
#[derive(Clone, Debug, Default)]
pub struct Replans {
    /// Those that came to nothing included.
    pub tried: u32,
    pub outcomes: Vec<Tried>,
    /// The same was proposed twice: trying again leads nowhere.
    pub is_spent: bool,
    pub current: Option<OpenReplan>,
    /// What is left to do of the one that was taken last: tasks to prune, and to set back.
    pub to_prune: Vec<TaskId>,
    pub to_reset: Vec<TaskId>,
    /// Why the last one came to nothing, for people, and which failures it was about.
    pub refusal: Option<(Vec<TaskId>, String)>,
    /// A person wants another proposal instead of the last one: the decision in which they said so, and for which tasks.
    pub wanted: Option<(DecisionId, Vec<TaskId>)>,
}

/// One replan that is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tried {
    pub failure: Digest,
    /// Digest of its patch; none where nothing could be taken.
    pub proposal: Option<Digest>,
    /// It became the plan.
    pub was_taken: bool,
}

/// One replan under way.
#[derive(Clone, Debug)]
pub struct OpenReplan {
    pub failed: Vec<TaskId>,
    pub failure: Digest,
    pub attempt: u32,
    pub proposed: Option<Arc<ReplanProposed>>,
    /// The decision about it, once it is open.
    pub decision: Option<DecisionId>,
    /// The face in which it was accepted.
    pub accepted: Option<String>,
}

/// What tells one proposal from another.
pub fn digest_of_proposal(proposed: &ReplanProposed) -> Digest {
    Digest::of(canonical(&proposed.patch).as_bytes())
}

impl Replans {
    pub fn are_left(&self) -> bool {
        self.tried < MOST_REPLANS && !self.is_spent
    }

    /// Whether a replan of the same failure has come to nothing.
    pub fn has_given_up(&self, failure: Digest) -> bool {
        self.outcomes
            .iter()
            .any(|tried| tried.failure == failure && !tried.was_taken)
    }

    /// The one under way is over without having become the plan.
    fn give_up(&mut self) {
        if let Some(current) = self.current.take() {
            self.outcomes.push(Tried {
                failure: current.failure,
                proposal: current.proposed.as_deref().map(digest_of_proposal),
                was_taken: false,
            });
        }
    }

    /// Of a run that others began: what was taken there still has to be carried through.
    pub(super) fn begin_anew(&mut self) {
        *self = Self {
            to_prune: std::mem::take(&mut self.to_prune),
            to_reset: std::mem::take(&mut self.to_reset),
            ..Self::default()
        };
    }

    pub(super) fn note_opened(&mut self, id: &DecisionId) {
        if let Some(current) = &mut self.current {
            current.decision = Some(id.clone());
        }
    }

    pub(super) fn note_answer(&mut self, id: &DecisionId, word: Option<&str>, by: &str) {
        let Some(current) = self.current.as_mut().filter(|c| c.decision.as_ref() == Some(id)) else {
            return;
        };
        match word {
            Some("accept") => current.accepted = Some(by.to_owned()),
            Some("stop") => {}
            Some("again") => {
                self.wanted = Some((id.clone(), current.failed.clone()));
                self.refusal = None;
                self.give_up();
            }
            Some(_) | None => {
                self.refusal = None;
                self.give_up();
            }
        }
    }

    pub(super) fn note_closed(&mut self, id: &DecisionId) {
        if self
            .current
            .as_ref()
            .is_some_and(|c| c.decision.as_ref() == Some(id))
        {
            self.give_up();
        }
    }

    pub(super) fn carried_through(&mut self, task: &TaskId) {
        self.to_prune.retain(|id| id != task);
        self.to_reset.retain(|id| id != task);
    }
}

impl RunState {
    pub(super) fn ask_replan(&mut self, asked: &ReplanAsked) -> Result<(), Illegal> {
        if self.replans.current.is_some() || self.status != RunStatus::Running {
            return Err(self.no_place_for("replan_asked"));
        }
        for id in &asked.failed {
            if let Some(ix) = self.find(id.as_str()) {
                self.tasks[ix as usize].decision = None;
            }
        }
        self.aside.clear();
        self.replans.wanted = None;
        self.replans.tried += 1;
        self.replans.current = Some(OpenReplan {
            failed: asked.failed.clone(),
            failure: asked.failure,
            attempt: asked.attempt,
            proposed: None,
            decision: None,
            accepted: None,
        });
        Ok(())
    }

    pub(super) fn propose_replan(&mut self, proposed: &ReplanProposed) -> Result<(), Illegal> {
        let illegal = self.no_place_for("replan_proposed");
        let replans = &mut self.replans;
        let current = replans.current.as_mut().ok_or(illegal)?;
        self.aside.clear();
        if proposed.refused.is_empty() {
            current.proposed = Some(Arc::new(proposed.clone()));
        } else {
            replans.refusal = Some((current.failed.clone(), proposed.refused.join(" ")));
            replans.is_spent |= proposed.repeats;
            replans.give_up();
        }
        Ok(())
    }

    pub(super) fn revise(&mut self, revised: &PlanRevised) -> Result<(), Illegal> {
        if let Change::Replan(_) = revised.change {
            self.take_replan(revised)?;
        }
        self.revision = revised.revision;
        self.document = Some(revised.digest);
        Ok(())
    }

    /// What was proposed is the plan now, and signed as such.
    fn take_replan(&mut self, revised: &PlanRevised) -> Result<(), Illegal> {
        let illegal = self.no_place_for("plan_revised");
        let (Some(proposed), Some(signed), Some(approved)) =
            (self.proposal(), &revised.signed, &mut self.approved)
        else {
            return Err(illegal);
        };
        *approved = Approved {
            revision: revised.revision,
            digest: signed.digest,
            parameters: std::mem::take(&mut approved.parameters),
            conditions: std::mem::take(&mut approved.conditions),
            by: signed.by.clone(),
        };
        let replans = &mut self.replans;
        if let Some(current) = replans.current.take() {
            replans.outcomes.push(Tried {
                failure: current.failure,
                proposal: Some(digest_of_proposal(&proposed)),
                was_taken: true,
            });
        }
        replans.refusal = None;
        replans.to_prune.clone_from(&proposed.prunes);
        replans.to_reset.clone_from(&proposed.resets);
        Ok(())
    }

    /// A run that was over goes on: what was asked about it as a whole is no question any more.
    pub(super) fn reopen(&mut self) {
        self.replans.give_up();
        self.replans.wanted = None;
        self.aside.clear();
        self.skips_answer = false;
        let is_moot = |d: &&mut Decision| {
            d.task.is_none() && matches!(d.kind, DecisionKind::Blocked | DecisionKind::Replan)
        };
        for decision in self.decisions.iter_mut().filter(is_moot) {
            self.open_count -= u32::from(decision.is_open());
            decision.is_closed = true;
        }
    }

    fn proposal(&self) -> Option<Arc<ReplanProposed>> {
        self.replans.current.as_ref()?.proposed.clone()
    }

    fn no_place_for(&self, kind: &'static str) -> Illegal {
        let status = self.status;
        Illegal::Run { kind, status }
    }

    /// Takes a revision in the midst of a run: the new plan first, so that what follows finds its tasks. Live and
    /// from the log, this is the one way.
    pub fn take_revision(&mut self, plan: &Arc<Plan>, event: &Event) -> Result<(), Illegal> {
        let is_replan = matches!(
            &event.body,
            EventBody::PlanRevised(revised) if matches!(revised.change, Change::Replan(_))
        );
        if is_replan && (self.proposal().is_none() || self.approved.is_none()) {
            return Err(self.no_place_for("plan_revised"));
        }
        self.adopt(plan);
        self.apply(event)
    }

    /// Whose call it is: a running task's, or the run's own.
    pub(super) fn caller(&self, task: Option<&TaskId>, body: &EventBody) -> Result<Option<TaskIx>, Illegal> {
        match task {
            Some(_) => self.expect_running(task, body).map(Some),
            None if self.status == RunStatus::Running || self.open_planning().is_some() => Ok(None),
            None => Err(Illegal::Run {
                kind: body.kind(),
                status: self.status,
            }),
        }
    }

    pub(super) fn in_doubt(&self, task: Option<&TaskId>) -> Option<TaskIx> {
        let ix = self.find(task?.as_str())?;
        (self.task(ix).status == TaskStatus::InDoubt).then_some(ix)
    }

    pub(super) fn calls_of(&mut self, ix: Option<TaskIx>) -> &mut Vec<Call> {
        match ix {
            Some(ix) => &mut self.tasks[ix as usize].calls,
            None if self.planning.as_deref().is_some_and(Planning::is_open) => self
                .planning
                .as_deref_mut()
                .map_or(&mut self.aside, |planning| &mut planning.calls),
            None => match &mut self.edit {
                Some(edit) if edit.asking.is_open() => &mut edit.asking.calls,
                Some(_) | None => &mut self.aside,
            },
        }
    }

    /// What these tasks have failed of. Equal failures are equal, whenever they happen.
    pub fn failure_of(&self, failed: &[TaskIx]) -> Digest {
        let mut lines: Vec<String> = failed
            .iter()
            .map(|&ix| {
                let error = self.task(ix).error.as_deref();
                let (code, message) = error.map_or(("", ""), |e| (e.code.as_str(), e.message.as_str()));
                let message = Digest::of(message.as_bytes());
                format!("{} {code} {message}", self.tree.address(ix))
            })
            .collect();
        lines.sort_unstable();
        Digest::of(lines.join("\n").as_bytes())
    }

    /// The task of the run's own plan that the node belongs to.
    pub fn top_of(&self, ix: TaskIx) -> TaskIx {
        let mut top = ix;
        while let Some(owner) = self.tree.owner(top) {
            top = owner;
        }
        top
    }

    /// A map or a nested plan that can't go on: a task in it has failed for good, and none of the others is under way.
    pub fn is_stuck_inside(&self, ix: TaskIx) -> bool {
        let (mut open, mut has_failed) = (vec![ix], false);
        while let Some(owner) = open.pop() {
            let Some(inner) = &self.task(owner).inner else {
                return false;
            };
            for node in inner.first..inner.first + inner.count {
                let task = self.task(node);
                match task.status {
                    TaskStatus::Running if task.inner.is_some() => open.push(node),
                    TaskStatus::Ready
                    | TaskStatus::Running
                    | TaskStatus::Retrying
                    | TaskStatus::Waiting
                    | TaskStatus::InDoubt => return false,
                    TaskStatus::Failed => has_failed |= !self.is_settled(node),
                    TaskStatus::Pending
                    | TaskStatus::Completed
                    | TaskStatus::Skipped
                    | TaskStatus::Cancelled
                    | TaskStatus::Pruned => {}
                }
            }
        }
        has_failed
    }
}

impl Standings for RunState {
    fn of(&self, id: &str) -> Option<Standing> {
        let ix = self.tree.find_root(id)?;
        if self.plan.find(id).is_none() {
            return Some(Standing::Pruned);
        }
        let status = self.task(ix).status;
        if status == TaskStatus::Running && self.is_stuck_inside(ix) {
            return Some(Standing::Failed);
        }
        Some(Standing::of(status, self.def(ix).is_optional))
    }
}
