//! Facts about calls: what was meant, what came of it, what it came to. This file must not know how they are stored.

use serde::{Deserialize, Serialize};

use super::{Before, Failure};
use crate::model::Digest;
use crate::model::grants::{Labels, Need};
use crate::model::ledger::{Reserve, Usage};
use crate::model::tool::Effect;
use crate::model::value::ValueRef;

/// The intent of a call, durable before the call is made. Without `arguments`, they are the task's resolved inputs.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallStarted {
    pub tool: String,
    pub effect: Effect,
    /// Whether the call may be made again with its key when its outcome is unknown.
    pub repeatable: bool,
    pub key: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<ValueRef>,
    /// The most that it may cost; absent: nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserve: Option<Reserve>,
    /// The files that it may change, as they were before.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Before>,
    /// A question to the model that `tool` names; its result is the reply.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub model: bool,
    /// Which of the calls that a model asked for: its turn and its place there, such as `3.0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
    /// Of all that the arguments are made of, as the gate was told.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    /// What it touches, as the gate was told.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Need>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CallFinished {
    /// Which of the attempt's calls, from 0; absent: the newest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<u32>,
    pub outcome: CallOutcome,
    /// Of what came back, beside those of the arguments; of an agent's call. A task's own stand in its completion.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    /// What it came to: one row of the ledger. Absent: it cost nothing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallOutcome {
    Result(ValueRef),
    Error(Failure),
}
