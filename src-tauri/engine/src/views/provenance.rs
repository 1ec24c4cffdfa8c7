//! What a call is made of, as a face shows it. Plain values; it decides nothing.

use serde::Serialize;

use crate::model::grants::Concern;

/// What a call is made of, for the person who decides about it.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ProvenanceView {
    pub tool: String,
    pub concerns: Vec<ConcernView>,
    /// What it would touch, such as "POST api.example:443".
    pub touches: Vec<String>,
    pub parts: Vec<PartView>,
    /// What the task has done with the tool before, in what was taken back, with other arguments.
    pub earlier: Vec<EarlierView>,
}

/// An effect that was made before, and stays made.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EarlierView {
    pub task: String,
    pub tool: String,
    /// UTC milliseconds.
    pub at: f64,
    /// JSON text, cut where it is long.
    pub arguments: Option<String>,
    /// What came of it is in the log; else it may or may not have happened.
    pub is_known: bool,
    /// All of it, as a sentence without its end.
    pub text: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ConcernView {
    pub concern: Concern,
    /// What would happen, as a half sentence.
    pub text: String,
}

/// One part of the final arguments that did not stand in the plan.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PartView {
    /// JSON Pointer into `about`; `""` is all of it.
    pub at: String,
    /// Who gave it, in words.
    pub from: String,
    /// The task that gave it.
    pub task: Option<String>,
    pub is_untrusted: bool,
    pub is_private: bool,
    pub origins: Vec<OriginView>,
}

/// A call that brought in what a part is made of.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OriginView {
    pub task: String,
    pub tool: String,
    /// What it touched, such as "GET evil.example:443".
    pub touches: Vec<String>,
    pub is_untrusted: bool,
    pub is_private: bool,
}
