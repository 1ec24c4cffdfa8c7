//! Facts about replans: what was asked, what was proposed, and who signed what came of it.
//! This file must not know how they are stored or shown.

use serde::{Deserialize, Serialize};

use crate::model::ledger::Spent;
use crate::model::replan::Ask;
use crate::model::{DecisionId, Digest, Json, TaskId};

/// Tasks have failed for good, and the replanner is asked for another way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplanAsked {
    /// Addresses of the failed tasks, in the order of their nodes.
    pub failed: Vec<TaskId>,
    /// Counted from 1 within the run, those that came to nothing included.
    pub attempt: u32,
    /// What has failed and how: equal failures have equal digests.
    pub failure: Digest,
    /// The decision in which a person chose it; absent: it was asked by itself.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionId>,
    /// What the person says to the replanner.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// What a person has made of a proposal before it was signed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Amended {
    /// Only some of its pieces were taken; these were not.
    Part { left_out: Vec<String> },
    /// The person has changed it.
    Edited,
}

/// What came of a replan: a change that could be taken, or why there is none.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ReplanProposed {
    pub label: String,
    /// A JSON Patch of the plan's document, and the one that takes it back; empty lists where there is no proposal.
    pub patch: Json,
    pub inverse: Json,
    /// What a person must allow first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asks: Vec<Ask>,
    /// Why nothing could be taken, in sentences. Not empty: the replan is over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub refused: Vec<String>,
    /// The same was proposed for the same failure before: no more replans are tried in this run.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// Something that was given to the replanner came from outside.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub untrusted: bool,
    /// Tasks that the new version has no more.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prunes: Vec<TaskId>,
    /// Tasks that stay, do something else and run again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub resets: Vec<TaskId>,
    /// What its calls came to.
    pub spent: Spent,
    /// It is a person's version of what was proposed just before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amended: Option<Amended>,
}

/// Who signed a revision of a plan in the midst of its run, and exactly what.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Signature {
    /// As in `Approved`: plan, grants and tool definitions.
    pub digest: Digest,
    /// The face in which a person accepted it, or the policy that let it apply by itself.
    pub by: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<DecisionId>,
}
