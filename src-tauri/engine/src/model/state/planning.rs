//! How the plan of a draft comes to be: the goal, what the planner was asked, and how it ended.

mod edits;

pub use edits::Edit;

use super::super::events::{EventBody, GoalGiven, PlanningEnded, PlanningOutcome};
use super::super::ledger::Ledger;
use super::super::plan::Budget;
use super::super::status::{DecisionKind, RunStatus};
use super::{Call, Illegal, RunState};

/// The planning that a log begins with.
#[derive(Clone, Debug)]
pub struct Planning {
    pub given: GoalGiven,
    /// Of the goal; what the plan's own will be.
    pub budget: Budget,
    /// What the planner was asked, in order.
    pub calls: Vec<Call>,
    /// How often somebody has gone on with it; who has seen fewer does not drive it any more.
    pub epoch: u32,
    pub ended: Option<PlanningEnded>,
    /// The next question is not asked before this moment, whoever asks it.
    pub not_before_ms: Option<i64>,
    /// How many of the calls were made before it was taken up again after a failure: what failed then is forgotten.
    pub forgotten: usize,
    /// The plan's revision when planning ended; a later one is a person's.
    left_at: u32,
    /// Something else than the planner has settled the plan.
    is_left: bool,
}

impl Planning {
    fn new(given: &GoalGiven) -> Self {
        let budget = &given.budget;
        let usd = budget.get("usd").map(|usd| match usd.as_str() {
            Some(text) => text.to_owned(),
            None => usd.to_string(),
        });
        Self {
            budget: Budget {
                usd,
                tokens: budget.get("tokens").and_then(super::Json::as_u64),
                seconds: None,
            },
            given: given.clone(),
            calls: Vec::new(),
            epoch: 0,
            ended: None,
            not_before_ms: None,
            forgotten: 0,
            left_at: 0,
            is_left: false,
        }
    }

    pub fn is_open(&self) -> bool {
        self.ended.is_none() && !self.is_left
    }

    /// Another process goes on; what was in flight is lost, and counted.
    fn resume(&mut self, ledger: &mut Ledger) {
        if self.ended.take().is_some() {
            self.forgotten = self.calls.len();
            self.not_before_ms = None;
        }
        self.epoch += 1;
        self.lose_open(ledger);
    }

    fn lose_open(&mut self, ledger: &mut Ledger) {
        let open = self.calls.iter_mut();
        for call in open.filter(|call| call.outcome.is_none() && !call.is_lost) {
            call.is_lost = true;
            ledger.lose(call.started.reserve.unwrap_or_default());
        }
    }

    /// What planning ended with; `None` once a person has changed the plan since.
    fn untouched(&self, revision: u32) -> Option<&PlanningOutcome> {
        let ended = self
            .ended
            .as_ref()
            .filter(|_| self.left_at == revision && !self.is_left);
        ended.map(|ended| &ended.how)
    }
}

impl RunState {
    /// The planning that is not over yet.
    pub fn open_planning(&self) -> Option<&Planning> {
        let edit = self.edit.as_deref().map(|edit| &edit.asking);
        let all = self.planning.as_deref().into_iter().chain(edit);
        let open = all.into_iter().find(|planning| planning.is_open());
        open.filter(|_| self.status == RunStatus::AwaitingApproval)
    }

    /// The same, wherever the run stands.
    pub(super) fn asking_mut(&mut self) -> Option<&mut Planning> {
        let edit = self.edit.as_deref_mut().map(|edit| &mut edit.asking);
        let mut all = self.planning.as_deref_mut().into_iter().chain(edit);
        all.find(|planning| planning.is_open())
    }

    /// How the planning ended of which the draft is still as the planner left it.
    pub fn planned_draft(&self) -> Option<(&Planning, &PlanningOutcome)> {
        let planning = self.planning.as_deref()?;
        let how = planning.untouched(self.revision)?;
        (self.status == RunStatus::AwaitingApproval).then_some((planning, how))
    }

    /// Whether a planner may be asked anew: planning failed, and nobody has gone on by hand.
    pub fn may_plan_again(&self) -> bool {
        matches!(self.planned_draft(), Some((_, PlanningOutcome::Failed(_))))
    }

    pub(super) fn apply_planning(&mut self, body: &EventBody) -> Result<(), Illegal> {
        let illegal = Illegal::Run {
            kind: body.kind(),
            status: self.status,
        };
        let (revision, may_plan_again) = (self.revision, self.may_plan_again());
        match (body, &mut self.planning) {
            (EventBody::GoalGiven(given), None) if self.status == RunStatus::AwaitingApproval => {
                self.planning = Some(Box::new(Planning::new(given)));
                Ok(())
            }
            (EventBody::PlanningResumed(_), Some(planning)) if planning.is_open() || may_plan_again => {
                planning.resume(&mut self.ledger);
                Ok(())
            }
            (EventBody::PlanningWaiting(waiting), _) => {
                let asking = self.asking_mut().ok_or(illegal)?;
                asking.not_before_ms = Some(waiting.until_ms);
                Ok(())
            }
            (EventBody::PlanningEnded(ended), Some(planning)) if planning.is_open() => {
                planning.ended = Some(ended.clone());
                planning.left_at = revision;
                self.close_planning_questions();
                Ok(())
            }
            _ => Err(illegal),
        }
    }

    /// The planner is asked, so it waits no more.
    pub(super) fn end_planners_wait(&mut self) {
        if let Some(planning) = self.asking_mut() {
            planning.not_before_ms = None;
        }
    }

    /// The plan is settled otherwise, so nobody asks for another one.
    pub(super) fn leave_planning(&mut self) {
        let Some(planning) = self.asking_mut() else {
            return;
        };
        planning.is_left = true;
        self.close_planning_questions();
    }

    fn close_planning_questions(&mut self) {
        self.ledger.asked = None;
        let is_planners = |kind| matches!(kind, DecisionKind::Question | DecisionKind::Budget);
        for decision in &mut self.decisions {
            if decision.is_open() && decision.task.is_none() && is_planners(decision.kind) {
                decision.is_closed = true;
                self.open_count -= 1;
            }
        }
    }
}
