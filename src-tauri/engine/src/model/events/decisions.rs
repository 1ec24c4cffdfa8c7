//! Facts about questions to a person. This file must not know how they are stored or shown.

use serde::{Deserialize, Serialize};

use super::super::grants::Need;
use super::super::provenance::Provenance;
use super::super::status::DecisionKind;
use super::super::value::ValueRef;
use super::super::{DecisionId, Digest, Json};

/// A question to a person, durable until it is answered or no longer matters.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecisionOpened {
    pub decision: DecisionId,
    pub kind: DecisionKind,
    pub question: String,
    /// JSON Schema of the answer, for a `question`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub form: Option<Json>,
    /// What the answer is bound to: a digest, a call's key.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub binds: Option<Digest>,
    /// What is missing, for a `grant`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub needs: Vec<Need>,
    /// What it is about, to be shown: final arguments, an error.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub about: Option<ValueRef>,
    /// Of an `effect`: why it is asked, and where each part of the arguments came from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provenance: Option<Box<Provenance>>,
    /// Of a `blocked` one and of a `replan`: another way can be asked for.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub may_replan: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecisionAnswered {
    pub decision: DecisionId,
    pub answer: ValueRef,
    /// The face in which it was answered.
    pub by: String,
    /// The choice that it comes to, where the answer says more than that word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choice: Option<String>,
}

/// The question no longer matters, for example because the run was stopped.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DecisionClosed {
    pub decision: DecisionId,
}
