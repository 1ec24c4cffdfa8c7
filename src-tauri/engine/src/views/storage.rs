//! What lies on the disk, what of it would go or has gone, and what the settings say of how much goes on at once. Counts of
//! bytes are whole numbers.

use serde::{Deserialize, Serialize};

/// Sizes in bytes.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct StorageView {
    /// The database; empty in memory.
    pub file: String,
    /// Where the runs' own folders lie.
    pub folder: String,
    /// The database with its WAL; of these, what is free for what comes next, and large values.
    // Named so that it is no nullable number to TypeScript: it is always finite.
    #[specta(type = u32)]
    pub bytes: f64,
    #[specta(type = u32)]
    pub free: f64,
    #[specta(type = u32)]
    pub values: f64,
    /// The index of words beside the database; it can be made anew.
    #[specta(type = u32)]
    pub search: f64,
    pub runs: u32,
    pub drafts: u32,
    /// In the runs' own folders.
    pub files: u32,
    #[specta(type = u32)]
    pub files_bytes: f64,
    /// There are more files than were counted.
    pub is_more: bool,
    /// Who is at work on a run now: then the file is not rewritten.
    pub held_by: Option<String>,
}

/// What goes with runs that are deleted.
#[derive(Clone, Debug, Default, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct WhatGoes {
    pub runs: u32,
    pub drafts: u32,
    #[specta(type = u32)]
    pub events: f64,
    /// In their own folders.
    pub files: u32,
    #[specta(type = u32)]
    pub bytes: f64,
    /// Questions that nobody can answer any more.
    pub open_decisions: u32,
    /// Runs that were made from these, and keep what they read of them.
    pub forks: u32,
    /// Those that can't go now.
    pub refused: Vec<RefusedRun>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RefusedRun {
    pub run: String,
    pub title: String,
    pub why: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OldRunsView {
    pub runs: Vec<String>,
    pub goes: WhatGoes,
}

#[derive(Clone, Debug, Default, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct GoneView {
    pub runs: Vec<String>,
    #[specta(type = u32)]
    pub events: f64,
    pub refused: Vec<RefusedRun>,
}

/// How much goes on at once, and what is synced.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct LimitsView {
    /// Tasks of one run.
    pub per_run: u32,
    /// Calls of one run to one provider of models.
    pub per_provider: u32,
    /// Calls of one run to one tool; others have no limit of their own.
    pub tools: Vec<ToolLimit>,
    pub usual_per_run: u32,
    pub usual_per_provider: u32,
    pub syncs_everything: bool,
    /// What of the settings can't be used.
    pub troubles: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolLimit {
    pub tool: String,
    pub at_once: u32,
}
