//! A planning that changes a plan which is there: its base, and how it ends. What it proposes is recorded beside the draft,
//! which stays as it is. It must not know what a person makes of that.

use super::{Driver, PlanLaunch, PlanRest, PlanningError};
use crate::agents::planner::Planned;
use crate::model::events::{EditSettled, EventBody, PlanningEnded, PlanningOutcome};
use crate::model::value::ValueRef;
use crate::model::{DraftPlan, Json};
use crate::run::load;

/// The plan that is to be changed, where it is one.
pub(super) async fn base(launch: &PlanLaunch) -> Result<Option<DraftPlan>, PlanningError> {
    let Some(edit) = launch.state.open_edit() else {
        return Ok(None);
    };
    let text = load(&launch.store, &edit.document).await?;
    // It was a draft when it was recorded; one without tasks asks for everything anew.
    let draft = text.as_str().and_then(|text| DraftPlan::parse(text).ok());
    Ok(Some(draft.unwrap_or_else(DraftPlan::empty)))
}

impl Driver {
    /// What the plan is for, as far as that is known.
    pub(super) fn goal(&self) -> Option<&str> {
        match &self.base {
            Some(base) => base.goal(),
            None => Some(&self.given.goal),
        }
    }

    /// That the planner is not asked any more, without a plan.
    pub(super) fn ended(&self, how: PlanningOutcome, notes: Vec<String>) -> EventBody {
        match self.base {
            Some(_) => EditSettled {
                how,
                proposal: None,
                notes,
            }
            .into(),
            None => PlanningEnded { how, notes }.into(),
        }
    }

    /// The whole plan as it would be stands in the log; the draft is as it was.
    pub(super) async fn propose(
        &mut self,
        how: PlanningOutcome,
        planned: Planned,
    ) -> Result<PlanRest, PlanningError> {
        let text = Json::String(planned.draft.to_text());
        let (proposal, payload) = ValueRef::of(&text);
        let settled = EditSettled {
            how,
            proposal: Some(proposal),
            notes: planned.notes,
        };
        self.append(vec![settled.into()], payload.into_iter().collect())
            .await?;
        Ok(PlanRest::Planned)
    }
}
