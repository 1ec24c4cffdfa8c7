//! The facts of going again: rewound, forked, set back, taken up anew. Not what follows from them.

use serde::{Deserialize, Serialize};

use super::super::Seq;

/// The run goes back to an earlier position of its log. What was recorded since stays in the log, and effects stay made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRewound {
    /// The position whose state it has again.
    pub to: Seq,
    pub by: String,
    /// Of a fork: back into what another run was allowed, so that this one needs a signature of its own again.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}

/// The log of a fork begins: everything before is its parent's.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunForked {
    pub from: String,
    pub by: String,
    /// The parent's log came from a file, so that nothing in it is trusted here.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub imported: bool,
}

/// The task will run again as if it never had; what it has done outside stays done.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskReset {
    /// A person chose to do its effects again, so that their keys are new ones.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub again: bool,
}

/// A run that was over can go on: tasks of it are to run again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunReopened {
    pub by: String,
    /// The plan is to be another one, which nobody has signed yet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unsigned: bool,
}
