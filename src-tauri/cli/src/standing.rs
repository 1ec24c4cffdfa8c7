//! How a run stands, by one name everywhere that people read it, and how it goes on. A draft without a plan is told by
//! what became of its planning: there is nothing to approve. It changes nothing.

use planloom_engine::model::RunId;
use planloom_engine::views::{RunRow, RunStatus};
use planloom_engine::{Engine, PlanningShown};

use crate::out::{Out, piece};

/// Characters of a reason in a list.
const WHY: usize = 120;

pub struct Standing {
    status: RunStatus,
    /// Of a draft without a plan.
    planning: Option<PlanningShown>,
}

impl Standing {
    pub async fn of(engine: &Engine, row: &RunRow) -> Self {
        let has_no_plan = row.status == RunStatus::AwaitingApproval && row.counts.is_empty();
        let planning = match has_no_plan {
            true => engine
                .planning(&RunId::from(row.run.as_str()))
                .await
                .ok()
                .flatten(),
            false => None,
        };
        Self {
            status: row.status,
            planning: planning.filter(|planning| matches!(planning.state, "open" | "failed" | "stopped")),
        }
    }

    /// `open`, `failed` or `stopped`.
    pub fn planning(&self) -> Option<&'static str> {
        self.planning.as_ref().map(|planning| planning.state)
    }

    pub fn word(&self) -> String {
        match self.planning() {
            Some("failed") => "PLANNING FAILED".to_owned(),
            Some("stopped") => "PLANNING STOPPED".to_owned(),
            Some(_) => "PLANNING".to_owned(),
            None => self.status.to_string(),
        }
    }

    /// What became of the planning, in a list.
    pub fn why(&self) -> Option<String> {
        let planning = self.planning.as_ref()?;
        let Some(error) = &planning.error else {
            return (planning.state == "open").then(|| "planning is not over".to_owned());
        };
        let why: String = error.chars().take(WHY).collect();
        let more = if why.len() < error.len() { "…" } else { "" };
        Some(format!("planning failed: {}{more}", piece(&why)))
    }

    /// How it goes on from here; nothing for what is over.
    pub fn ways_on(&self, run: &RunId, out: &Out) -> Vec<String> {
        if self.status.is_over() {
            return Vec::new();
        }
        if self.planning() != Some("failed") {
            return vec![format!("Go on with: {}", out.resuming(run))];
        }
        vec![
            format!("Ask the planner again with: {}", out.resuming(run)),
            format!(
                "For another planner, add --model planner=PROVIDER/MODEL. Which there are is listed by: {}",
                out.command(&["models"], &[])
            ),
        ]
    }
}
