//! What a person calls a revision of the plan, and the whole, and how it is sorted. Nothing executes it.

use serde::{Deserialize, Serialize};

use crate::model::Digest;

/// A revision is called so from now on; without a name, it has none any more.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RevisionNamed {
    pub revision: u32,
    /// Of the whole document: a number that was taken back may come again for another plan.
    pub digest: Digest,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub by: String,
}

/// The plan or run is called so in all lists from now on; without a name, by its file or goal again.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunNamed {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    pub by: String,
}

/// Words by which the plan or run is found again are laid on it, or taken off.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunTagged {
    /// As [`crate::model::tags`] reads them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub added: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub removed: Vec<String>,
    pub by: String,
}
