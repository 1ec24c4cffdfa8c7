//! What lists and heads show of a run as it stands, driven or left behind: the same numbers everywhere. Nothing is recorded.

use crate::history::tasks;
use crate::model::state::RunState;
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::title;
use crate::run::summary_of;
use crate::store::Summary;

/// Of a run that nobody drives, tasks and calls count as the next resume finds them.
pub(super) fn summary_seen(state: &RunState, goal: Option<&str>, is_driven: bool) -> Summary {
    let title = title::of(state.path.as_deref(), goal);
    let mut summary = summary_of(state, &title, goal);
    if !is_driven {
        // Nobody is left to hear what they come to.
        summary.spent = summary.spent.with_lost(state.open_questions());
        summary.counts = tasks::counts_left(state);
    }
    summary
}

/// The cached summary was written by somebody who was at work, and has not been heard of since.
pub(super) fn is_left_in_midst(summary: &Summary) -> bool {
    let running = summary.counts.get(TaskStatus::Running.index());
    summary.status == Some(RunStatus::Running) || running.is_some_and(|&count| count > 0)
}
