//! What a person says about a revision of the plan. Nothing executes it, and no rewind takes it back.

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
