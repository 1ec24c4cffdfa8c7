//! How the plan of a run came to be, for faces: what the planner was asked, said, and what came of it. It asks nobody.

use serde::Serialize;

use super::super::{Engine, Error};
use crate::llm::{Outcome, Reply, Usage};
use crate::model::RunId;
use crate::model::events::{CallOutcome, PlanningOutcome};
use crate::model::ledger::Spent;
use crate::model::state::{Call, Planning};
use crate::model::status::RunStatus;
use crate::run::END;

/// How the plan of a run came to be.
#[derive(Clone, Debug, Serialize)]
pub struct PlanningShown {
    pub goal: String,
    /// `open`, `planned`, `unmended`, `failed` or `stopped`.
    pub state: &'static str,
    /// Why there is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub notes: Vec<String>,
    /// Every question to the planner with its answer as it came, oldest first.
    pub calls: Vec<PlannerCall>,
    /// What the run has come to, of which planning is all before it is approved.
    #[serde(skip)]
    pub spent: Spent,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlannerCall {
    pub model: String,
    /// The word of its outcome, such as `complete` or `cut`; `error`, or `open`.
    pub outcome: &'static str,
    /// Raw, as the planner gave it; the arguments where it called something.
    pub answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub usage: Usage,
}

impl Engine {
    /// How the plan came to be; `None` where the log does not begin with a goal.
    pub async fn planning(&self, run: &RunId) -> Result<Option<PlanningShown>, Error> {
        let state = self.state(run, END).await?;
        let Some(planning) = &state.planning else {
            return Ok(None);
        };
        let mut calls = Vec::new();
        for call in &planning.calls {
            calls.push(self.planner_call(call).await?);
        }
        let (word, error, notes) = how(planning, state.status);
        Ok(Some(PlanningShown {
            goal: planning.given.goal.clone(),
            state: word,
            error,
            notes,
            calls,
            spent: state.ledger.spent,
        }))
    }

    pub(in crate::engine) async fn planner_call(&self, call: &Call) -> Result<PlannerCall, Error> {
        let mut shown = PlannerCall {
            model: call.started.tool.clone(),
            outcome: "open",
            answer: String::new(),
            error: None,
            usage: Usage::default(),
        };
        match &call.outcome {
            None => {}
            Some(CallOutcome::Error(error)) => {
                shown.outcome = "error";
                shown.error = Some(error.message.clone());
            }
            Some(CallOutcome::Result(value)) => {
                let value = crate::run::load(&self.inner.store, value).await?;
                if let Ok(reply) = serde_json::from_value::<Reply>(value) {
                    shown.outcome = reply.outcome.word();
                    shown.usage = reply.usage;
                    shown.answer = said(&reply.outcome);
                    shown.error = reply.outcome.fault().map(|fault| fault.message.clone());
                }
            }
        }
        Ok(shown)
    }
}

/// The raw text, or the arguments of what was called instead.
fn said(outcome: &Outcome) -> String {
    let (Outcome::Complete(answer) | Outcome::Cut(answer)) = outcome else {
        return String::new();
    };
    if !answer.text.is_empty() {
        return answer.text.clone();
    }
    let calls: Vec<&str> = answer.calls.iter().map(|call| call.arguments.as_str()).collect();
    calls.join("\n")
}

fn how(planning: &Planning, status: RunStatus) -> (&'static str, Option<String>, Vec<String>) {
    let Some(ended) = &planning.ended else {
        let is_open = planning.is_open() && status == RunStatus::AwaitingApproval;
        return (if is_open { "open" } else { "stopped" }, None, Vec::new());
    };
    let notes = ended.notes.clone();
    match &ended.how {
        PlanningOutcome::Planned => ("planned", None, notes),
        PlanningOutcome::Unmended => ("unmended", None, notes),
        PlanningOutcome::Failed(error) => ("failed", Some(error.message.clone()), notes),
        PlanningOutcome::Stopped => ("stopped", None, notes),
    }
}
