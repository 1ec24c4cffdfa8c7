//! The versions of a plan and what its tasks gave before, as a face shows them. Plain values; it knows no log.

use serde::Serialize;

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RevisionsView {
    /// Newest first.
    pub revisions: Vec<RevisionView>,
    /// Earlier ones without a name or a signature, where there are very many.
    pub left_off: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RevisionView {
    pub revision: u32,
    /// Its position in the log.
    pub seq: u32,
    pub at: f64,
    pub how: RevisedHow,
    /// What was done, such as "Connect a → b"; empty for a whole document.
    pub label: String,
    /// What a person calls it.
    pub name: Option<String>,
    /// It was approved, or taken over in the midst of a run.
    pub is_signed: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum RevisedHow {
    /// A whole document: opened, planned, or read anew from its file.
    Document,
    Edit,
    Undo,
    Redo,
    Replan,
}

/// What a task gave in an earlier run.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct LastOutput {
    pub run: String,
    pub at: f64,
    /// Bytes of its JSON text.
    pub bytes: f64,
    /// JSON text; null where it is too large to be shown.
    pub json: Option<String>,
    /// It was made of text from outside.
    pub is_untrusted: bool,
}
