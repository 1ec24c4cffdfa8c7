//! A change of the draft that a planner is asked for: the asking, what it proposed, and what a person did not want of it.

use super::super::super::events::{
    EditAsked, EditDropped, EditSettled, EventBody, GoalGiven, PlanningEnded, PlanningOutcome,
};
use super::super::super::ledger::Spent;
use super::super::super::status::RunStatus;
use super::super::super::value::ValueRef;
use super::super::{Illegal, Json, RunState};
use super::Planning;

/// The last change that was asked for.
#[derive(Clone, Debug)]
pub struct Edit {
    /// Asked like a plan; its goal is what is wanted.
    pub asking: Planning,
    pub base: u32,
    /// What the run had come to before.
    pub spent_before: Spent,
    /// The base, as a JSON string of its text.
    pub document: ValueRef,
    pub proposal: Option<ValueRef>,
    /// Pieces that a person did not want.
    pub dropped: Vec<String>,
    pub is_all_dropped: bool,
}

impl Edit {
    fn new(asked: &EditAsked, spent_before: Spent) -> Self {
        let given = GoalGiven {
            goal: asked.wanted.clone(),
            by: asked.by.clone(),
            tools: Some(asked.tools.clone()),
            may_ask: false,
            model: asked.model.clone(),
            parameters: Json::Null,
            grants: Json::Null,
            budget: asked.budget.clone(),
        };
        Self {
            asking: Planning::new(&given),
            base: asked.base,
            spent_before,
            document: asked.document.clone(),
            proposal: None,
            dropped: Vec::new(),
            is_all_dropped: false,
        }
    }

    /// How asking ended; `None` while it goes on, or where the plan was settled otherwise.
    pub fn how(&self) -> Option<&PlanningOutcome> {
        self.asking.ended.as_ref().map(|ended| &ended.how)
    }

    fn drop_pieces(&mut self, dropped: &EditDropped) {
        self.is_all_dropped |= dropped.pieces.is_empty();
        let new = dropped.pieces.iter().filter(|id| !self.dropped.contains(id));
        let new: Vec<String> = new.cloned().collect();
        self.dropped.extend(new);
    }

    fn settle(&mut self, settled: &EditSettled) {
        self.proposal.clone_from(&settled.proposal);
        self.asking.ended = Some(PlanningEnded {
            how: settled.how.clone(),
            notes: settled.notes.clone(),
        });
    }
}

impl RunState {
    /// The change that a planner is asked for now.
    pub fn open_edit(&self) -> Option<&Edit> {
        let edit = self.edit.as_deref().filter(|edit| edit.asking.is_open());
        edit.filter(|_| self.status == RunStatus::AwaitingApproval)
    }

    pub(in super::super) fn apply_edit(&mut self, body: &EventBody) -> Result<(), Illegal> {
        let illegal = Illegal::Run {
            kind: body.kind(),
            status: self.status,
        };
        let is_asked = self.open_planning().is_some();
        let is_draft = self.status == RunStatus::AwaitingApproval;
        match (body, self.edit.as_deref_mut()) {
            (EventBody::EditAsked(asked), _) if is_draft && !is_asked => {
                self.edit = Some(Box::new(Edit::new(asked, self.ledger.spent)));
                Ok(())
            }
            (EventBody::EditResumed(_), Some(edit)) if is_draft && edit.asking.is_open() => {
                edit.asking.resume(&mut self.ledger);
                Ok(())
            }
            (EventBody::EditSettled(settled), Some(edit)) if is_draft && edit.asking.is_open() => {
                edit.asking.lose_open(&mut self.ledger);
                edit.settle(settled);
                self.close_planning_questions();
                Ok(())
            }
            (EventBody::EditDropped(dropped), Some(edit)) if !edit.asking.is_open() => {
                edit.drop_pieces(dropped);
                Ok(())
            }
            _ => Err(illegal),
        }
    }
}
