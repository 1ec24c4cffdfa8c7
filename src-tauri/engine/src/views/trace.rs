//! What happened in the attempts of a task: the calls with what they were given and gave, what a model said, what it cost.

use serde::Serialize;

use super::{ErrorView, EventView, TaskView};
use crate::model::tool::Effect;

/// Everything about one task of a run.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TaskDetail {
    pub task: TaskView,
    pub title: String,
    pub task_type: String,
    pub detail: String,
    pub instruction: String,
    /// Resolved inputs, name → JSON text; empty before the first start.
    pub inputs: Vec<NamedValue>,
    /// JSON text.
    pub output: Option<String>,
    /// How many answers of the model were sent back before this output.
    pub accepted_after_rejections: u32,
    /// What a person should look at before relying on the output, a sentence each.
    pub flags: Vec<String>,
    pub attempts: Vec<AttemptView>,
    pub events: Vec<EventView>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct NamedValue {
    pub name: String,
    pub json: String,
    /// Where it came from: "literal", "from query_costs /rows", "parameter region" …
    pub source: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct AttemptView {
    pub number: u32,
    /// It goes on where the attempt before it was cut short: what its model has said counts on.
    pub goes_on: bool,
    pub started_at: f64,
    pub ended_at: Option<f64>,
    pub calls: Vec<CallView>,
    pub error: Option<ErrorView>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct CallView {
    pub tool: String,
    pub effect: Effect,
    /// JSON text.
    pub arguments: String,
    /// JSON text.
    pub result: Option<String>,
    pub error: Option<ErrorView>,
    pub started_at: f64,
    pub ended_at: Option<f64>,
    pub idempotency_key: String,
    /// A question to the model that `tool` names; its result is the reply.
    pub is_model: bool,
    /// Which call of a model's reply it is, such as `3.0`: the turn and its place there.
    pub turn: Option<String>,
    /// What it touched, as the gate was told, such as "read /home/ada/notes.md".
    pub touches: Vec<String>,
    /// What it was made of came from outside, or is private.
    pub is_untrusted: bool,
    pub is_private: bool,
    /// What a model said, where `result` is a reply that can be read as one.
    pub reply: Option<ReplyView>,
    /// Of a question to a model that has ended.
    pub paid: Option<PaidView>,
}

/// What was asked beside the tasks.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct AsideView {
    /// "planner", "replanner" or "synthesizer".
    pub role: String,
    pub call: CallView,
}

/// What a model answered to one question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplyView {
    /// What it thought before, as far as its provider tells.
    pub thoughts: Vec<String>,
    pub text: String,
    pub calls: Vec<AskedCallView>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct AskedCallView {
    pub name: String,
    /// As the model wrote them: JSON text, if it is well.
    pub arguments: String,
}

/// What one question came to.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PaidView {
    pub input_tokens: f64,
    pub output_tokens: f64,
    /// Decimal dollars; null where nobody knows.
    pub usd: Option<String>,
    /// The provider counted; else it is the most that the call may have come to.
    pub is_counted: bool,
}
