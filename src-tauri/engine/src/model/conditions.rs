//! Under which conditions a person signs: what they switched off, what is left out for it, and which ways of foreign text
//! they let go without a question. Part of the signature. It must not know who asks, nor what runs.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::TaskId;
use super::grants::Withheld;

/// What a person chose beside the plan itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct Choices {
    pub off: Vec<Withheld>,
    pub flows: Vec<FlowChoice>,
}

/// One way of foreign text between two tasks.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct FlowChoice {
    pub source: String,
    pub sink: String,
    /// The person is asked at each call; otherwise it goes without a question.
    pub ask: bool,
}

/// What follows from the choices, as it is signed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Conditions {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub off: Vec<Withheld>,
    /// Tasks of the plan that can't run without it, and all behind them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub left_out: BTreeSet<TaskId>,
    /// `(task, from)`: what the task reads from there may be foreign text without a question.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub accepts: BTreeSet<(TaskId, String)>,
}

impl Conditions {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    pub fn accepts(&self, task: &TaskId, from: &str) -> bool {
        self.accepts
            .iter()
            .any(|(known, name)| known == task && name == from)
    }
}
