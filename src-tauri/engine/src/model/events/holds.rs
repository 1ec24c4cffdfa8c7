//! What a person lays on a task from outside: an output to hold, a place to stop at. Not how it takes effect.

use serde::{Deserialize, Serialize};

use super::super::TaskId;
use super::super::grants::Labels;
use super::super::value::ValueRef;

/// Whether laying this on a draft is a step that undo takes back, or a step of undo itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Turn {
    Act,
    Undo,
    Redo,
}

/// The task's output is held for the next runs: whenever the task comes up, it is done with this.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OutputPinned {
    pub output: ValueRef,
    /// Of the output that the task had; what a person gives is trusted.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    pub by: String,
    /// Absent where this is no step of its own: it follows a task that is renamed, or came with a copy of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

/// The task runs again as any other does.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OutputUnpinned {
    pub by: String,
    /// Absent where this is no step of its own: it follows a task that is renamed, or came with a copy of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
}

/// Where the run stops at this task from now on; nowhere, if neither is set.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct BreakpointSet {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub before: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub after: bool,
    pub by: String,
    /// Absent where this is no step of its own: it follows a task that is renamed, or came with a copy of a plan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<Turn>,
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
