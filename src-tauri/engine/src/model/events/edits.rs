//! Facts about a change of the draft that a planner is asked for: what is wanted of which plan, and what came of it.
//! This file must not know how they are stored or shown, nor what a planner is asked.

use serde::{Deserialize, Serialize};

use super::PlanningOutcome;
use crate::model::Json;
use crate::model::value::ValueRef;

/// Somebody wants the draft changed so.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditAsked {
    pub wanted: String,
    /// The face in which it was asked for.
    pub by: String,
    /// A role or `provider/model`.
    pub model: String,
    /// The revision that is to be changed.
    pub base: u32,
    /// Its document, as a JSON string of its text.
    pub document: ValueRef,
    /// Names of the tools that the changed plan may use.
    pub tools: Vec<String>,
    /// The plan's own, as in a plan; asking counts too.
    #[serde(default, skip_serializing_if = "Json::is_null")]
    pub budget: Json,
}

/// A process goes on with asking; whoever did so before does not any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditResumed {
    pub by: String,
}

/// The planner is not asked any more. What it proposed changes nothing by itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditSettled {
    pub how: PlanningOutcome,
    /// The whole plan as it would be, as a JSON string of its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub proposal: Option<ValueRef>,
    /// What a person should know of how it came out, in sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// A person does not want these pieces of what was proposed.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EditDropped {
    /// Ids of pieces; none: all that are left.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub pieces: Vec<String>,
}
