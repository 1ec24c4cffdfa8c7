//! Who is told what a run holds, as a face shows it before a signature.

use serde::Serialize;

/// A model that a plan asks.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReceiverView {
    /// `provider/model`.
    pub model: String,
    /// Where what it is asked goes; null: it stays on this machine.
    pub host: Option<String>,
    /// Tasks that it does.
    pub tasks: Vec<String>,
    /// Tasks that it does where those before it can't be asked.
    pub stands_in: Vec<String>,
    pub writes_answer: bool,
}

/// Who looks for another way where tasks fail for good.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplannerView {
    pub model: String,
    /// Where the plan, its outputs and its errors go; null: they stay on this machine.
    pub host: Option<String>,
    /// Whether nobody else of the plan's models is told at that host, so that what is private goes there only by a
    /// person's word.
    pub holds_private_back: bool,
}
