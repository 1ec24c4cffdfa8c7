//! Where the data of a call came from, told so that a person can judge it. Plain facts of the log; it must not know
//! how they are found.

use serde::{Deserialize, Serialize};

use super::TaskId;
use super::grants::{Concern, Labels, Need};
use super::moment::moment;

/// Why a person is asked about a call, and what it is made of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Provenance {
    /// The tool that would be called.
    pub tool: String,
    pub concerns: Vec<Concern>,
    /// What it would touch.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Need>,
    pub parts: Vec<Part>,
    /// What the task has done with the tool before, in what was taken back, with other arguments; oldest first, bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<Earlier>,
}

/// An effect that was made before, and stays made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Earlier {
    pub task: TaskId,
    pub tool: String,
    /// UTC milliseconds.
    pub at_ms: i64,
    /// As JSON text, cut where it is long; absent in logs of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// What came of it is in the log; else it may or may not have happened.
    pub is_known: bool,
}

/// One part of the final arguments that did not stand in the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Part {
    /// JSON Pointer into the arguments; `""` is all of them.
    pub at: String,
    pub from: From,
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    /// The calls that brought in what it is made of, nearest first; bounded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub origins: Vec<Origin>,
}

/// Who gave it to the task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum From {
    /// The output of a task, at this place.
    Task(TaskId, String),
    /// An item of the map around it.
    Item,
    /// A parameter of the nested plan around it.
    Parameter(String),
    /// A model wrote it, after it had read this.
    Model,
    /// What a tool gave to the model before.
    Tool(String),
}

/// A call that brought something in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    pub task: TaskId,
    pub tool: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub touches: Vec<Need>,
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
}

impl std::fmt::Display for From {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Task(task, path) if path.is_empty() => write!(f, "the output of {task}"),
            Self::Task(task, path) => write!(f, "the output of {task} at {path}"),
            Self::Item => f.write_str("the item of the map"),
            Self::Parameter(name) => write!(f, "the parameter {name} of the nested plan"),
            Self::Model => f.write_str("a model's own words, after all that it was given"),
            Self::Tool(tool) => write!(f, "what {tool} gave before"),
        }
    }
}

impl std::fmt::Display for Earlier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} called {} at {}", self.task, self.tool, moment(self.at_ms))?;
        if let Some(arguments) = &self.arguments {
            write!(f, " with {arguments}")?;
        }
        if !self.is_known {
            f.write_str(" (whether it happened is not known)")?;
        }
        Ok(())
    }
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} by {}", self.task, self.tool)?;
        if !self.touches.is_empty() {
            let touches: Vec<String> = self.touches.iter().map(ToString::to_string).collect();
            write!(f, " ({})", touches.join(", "))?;
        }
        Ok(())
    }
}
