//! Facts about planning: the goal that a log begins with, and what came of asking a planner for it.
//! This file must not know how they are stored or shown, nor what a planner is asked.

use serde::{Deserialize, Serialize};

use super::{EventBody, Failure};
use crate::model::Json;

impl EventBody {
    /// Whether a plan is being made after this; `None` where it says nothing of that.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "nothing else begins or ends planning"
    )]
    pub fn opens_planning(&self) -> Option<bool> {
        let is_over = matches!(
            self,
            Self::PlanningEnded(_) | Self::Approved(_) | Self::RunImported(_)
        );
        match self {
            Self::GoalGiven(_) | Self::PlanningResumed(_) => Some(true),
            _ => is_over.then_some(false),
        }
    }
}

/// Somebody wants a plan for this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GoalGiven {
    pub goal: String,
    /// The face in which it was given.
    pub by: String,
    /// Names of the tools that the plan may use; absent: all that there are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Vec<String>>,
    /// Whether the planner may ask back.
    #[serde(default)]
    pub may_ask: bool,
    /// A role or `provider/model`.
    pub model: String,
    /// Name → JSON Schema, as in a plan; the plan has exactly these.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub parameters: Json,
    /// What is granted whatever the planner asks for, as in a plan.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub grants: Json,
    /// As in a plan; planning counts too.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub budget: Json,
}

/// A process goes on with the planning; whoever did so before does not any more. After a failure it begins anew with
/// what was answered so far.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanningResumed {
    pub by: String,
}

/// The planner is not asked before then: its provider wants it so, or has just failed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanningWaiting {
    pub error: Failure,
    /// UTC milliseconds.
    pub until_ms: i64,
}

/// The planner is not asked any more; what it proposed is a revision of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanningEnded {
    pub how: PlanningOutcome,
    /// What a person should know of how the plan came out, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PlanningOutcome {
    /// The plan has no errors.
    Planned,
    /// The planner could not do better: the plan is shown as it is, for a person to mend.
    Unmended,
    /// No plan came of it.
    Failed(Failure),
    /// A person stopped it, or took the plan into their own hands.
    Stopped,
}
