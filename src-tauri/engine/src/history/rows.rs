//! One line about a run, from its cached summary or its state.

use crate::model::ledger::{Cap, Spent, seconds_of};
use crate::model::status::{RunStatus, TaskStatus};
use crate::store::{RunRecord, Summary};
use crate::views::{BudgetView, RunRow, SpentView, StatusCount};

/// A run that its log says is going on, but that nobody drives, was interrupted: people see it as paused.
pub fn shown_status(status: RunStatus, is_driven: bool) -> RunStatus {
    match status {
        RunStatus::Running if !is_driven => RunStatus::Paused,
        RunStatus::Running
        | RunStatus::AwaitingApproval
        | RunStatus::Paused
        | RunStatus::Waiting
        | RunStatus::Blocked
        | RunStatus::Succeeded
        | RunStatus::Failed
        | RunStatus::Cancelled => status,
    }
}

/// The row of a run. `owner` is who drives it now, in any process; `trouble` what keeps it from being read.
pub fn row(
    record: &RunRecord,
    summary: &Summary,
    owner: Option<String>,
    now_ms: i64,
    trouble: Option<String>,
) -> RunRow {
    let status = summary.status.unwrap_or(RunStatus::Paused);
    let is_driven = owner.is_some();
    let running_ms = match summary.going_since_ms {
        Some(since) if is_driven => (now_ms - since).max(0),
        // Interrupted: it was going on until its last event.
        Some(since) => (record.changed_ms - since).max(0),
        None => 0,
    };
    let has_started = status != RunStatus::AwaitingApproval;
    RunRow {
        run: record.id.to_string(),
        title: summary.title.clone(),
        tags: summary.tags.clone(),
        parent: None,
        goal: summary.goal.clone(),
        status: shown_status(status, is_driven),
        revision: summary.revision,
        started_at: record.created_ms as f64,
        changed_at: record.changed_ms as f64,
        ran_ms: has_started.then_some((summary.ran_ms + running_ms) as f64),
        counts: counts(&summary.counts),
        open_decisions: summary.open_decisions,
        spent: spent(&summary.spent),
        budget: budget(summary.cap),
        owner,
        trouble,
    }
}

pub fn spent(spent: &Spent) -> SpentView {
    SpentView {
        usd: spent.usd.to_string(),
        input_tokens: spent.input_tokens as f64,
        output_tokens: spent.output_tokens as f64,
        zero: spent.zero,
        estimated: spent.estimated,
        unknown: spent.unknown,
        guessed: spent.guessed,
        lost: spent.lost,
        lost_usd: spent.lost_usd.to_string(),
        lost_unpriced: spent.lost_unpriced,
        lost_tokens: spent.lost_tokens as f64,
    }
}

pub(crate) fn budget(cap: Cap) -> BudgetView {
    BudgetView {
        usd: cap.usd.map(|usd| usd.to_string()),
        tokens: cap.tokens.map(|n| n as f64),
        seconds: cap.ms.map(seconds_of),
    }
}

fn counts(counts: &[u32]) -> Vec<StatusCount> {
    TaskStatus::ALL
        .into_iter()
        .zip(counts)
        .filter(|&(_, &count)| count > 0)
        .map(|(status, &count)| StatusCount { status, count })
        .collect()
}
