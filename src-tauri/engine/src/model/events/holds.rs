//! What a person lays on a task from outside: an output to hold, a place to stop at. Not how it takes effect.

use serde::{Deserialize, Serialize};

use super::super::TaskId;
use super::super::grants::Labels;
use super::super::value::ValueRef;

/// The task's output is held for the next runs: whenever the task comes up, it is done with this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OutputPinned {
    pub output: ValueRef,
    /// Of the output that the task had; what a person gives is trusted.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    pub by: String,
}

/// The task runs again as any other does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OutputUnpinned {
    pub by: String,
}

/// Where the run stops at this task from now on; nowhere, if neither is set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BreakpointSet {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    pub by: String,
}

/// The breakpoint that a run has come to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stop {
    pub task: TaskId,
    pub side: Side,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Side {
    Before,
    After,
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Before => "before",
            Self::After => "after",
        })
    }
}
