//! What is found: runs by their state, tags, time and words, and places inside of runs by what stands there.

use serde::{Deserialize, Serialize};

use super::{RunRow, RunStatus};
pub use crate::model::query::Found;

/// Which plans and runs are wanted. What is empty does not filter.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunsAsked {
    /// Only drafts, or only what was approved.
    pub drafts: Option<bool>,
    /// Any of them, as shown.
    pub states: Vec<RunStatus>,
    /// All of them.
    pub tags: Vec<String>,
    /// Milliseconds since 1970; changed then or later.
    pub since: Option<f64>,
    /// Changed before.
    pub until: Option<f64>,
    /// As a person types it: words, "phrases", beginnings*, and the filters above as `tag:`, `state:`, `since:`, `until:` and
    /// `run:`. Every text is a query.
    pub text: String,
    /// At most so many.
    pub limit: u32,
}

/// Plans and runs, forks right behind what they were made from.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunsPage {
    /// Each run's `parent` is a row before it, where that is among them; families stand in the order of their newest member.
    pub rows: Vec<RunRow>,
    /// How many there are in all.
    pub total: u32,
    /// Without the words and filters: whether there is anything at all.
    pub is_any: bool,
    /// The tags of all plans and runs of this kind, the most used first.
    pub tags: Vec<TagCount>,
    /// What of the query was read otherwise than it may have been meant, in sentences.
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TagCount {
    pub tag: String,
    pub count: u32,
}

/// Places inside of plans and runs that hold the words.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundView {
    /// The best first.
    pub hits: Vec<HitView>,
    /// How many more there are; counted no further than some thousands.
    pub more: u32,
    /// Events that have not been looked through yet: what stands there is not found. Ask again.
    #[specta(type = u32)]
    pub behind: f64,
    pub notes: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct HitView {
    pub run: String,
    pub title: String,
    pub status: RunStatus,
    /// Address of the task; null: it is the run's own.
    pub task: Option<String>,
    pub place: Found,
    /// Position in the log at which it stood there; null for what a plan says now.
    pub seq: Option<u32>,
    /// A line around the words, as it was stored: text of others.
    pub snippet: String,
    pub marks: Vec<FoundMark>,
}

/// Letters of the snippet that were looked for: Unicode scalar values from the first, the end not included.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FoundMark {
    pub from: u32,
    pub to: u32,
}

/// What single runs take on the disk. Bytes are whole numbers.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunSize {
    pub run: String,
    /// Its own events with the values that they name; one that several runs name counts for each.
    #[specta(type = u32)]
    pub bytes: f64,
    /// In its own folder.
    #[specta(type = u32)]
    pub files: f64,
}
