//! What the lists show of a draft: none of its tasks has begun, but a planner may have cost something.

use crate::model::ledger::{Cap, Spent};
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::{DraftPlan, title};
use crate::store::Summary;

/// What planners have come to, and what they may; edits cost nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Costs {
    spent: Spent,
    cap: Cap,
}

impl Costs {
    pub fn of(known: Option<&Summary>) -> Self {
        known.map_or_else(Self::default, |known| Self {
            spent: known.spent,
            cap: known.cap,
        })
    }

    pub fn summary(self, plan: &DraftPlan, path: Option<&str>, revision: u32) -> Summary {
        let mut counts = vec![0; TaskStatus::ALL.len()];
        counts[TaskStatus::Pending.index()] = u32::try_from(plan.task_count()).unwrap_or(u32::MAX);
        Summary {
            status: Some(RunStatus::AwaitingApproval),
            title: title::of(path, plan.goal()),
            goal: plan.goal().map(str::to_owned),
            revision,
            counts,
            path: path.map(str::to_owned),
            spent: self.spent,
            cap: self.cap,
            ..Summary::default()
        }
    }
}
