//! What files held before a call wrote over them, and what was put back. Not how files are read or written.

use serde::{Deserialize, Serialize};

use super::super::value::ValueRef;
use super::super::{Digest, Seq};

/// A file that a call may change, as it was before the call.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Before {
    /// The file as the need names it: an absolute path, or `run:/name`.
    pub path: String,
    pub content: Content,
    /// Hash of the bytes that the file has once the call has done its work, where that is known beforehand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<Digest>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Content {
    /// There was no such file.
    Absent,
    Kept(Kept),
    /// The call only adds to its end, so that what was there stays there.
    Beginning(Size),
    NotKept(NotKept),
}

/// Text is a JSON string, other bytes are `{"base64": …}`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kept {
    pub hash: Digest,
    pub value: ValueRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    pub bytes: u64,
    pub hash: Digest,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotKept {
    pub why: WhyNot,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<Size>,
}

/// Why a file's content is not in the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WhyNot {
    TooLarge,
    /// It holds a secret of the plan.
    Secret,
    Unreadable,
    /// Such a file, for example a database, is only listed.
    Listed,
}

impl WhyNot {
    /// The reason as a half sentence for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::TooLarge => "too large to be kept",
            Self::Secret => "held a secret and was not kept",
            Self::Unreadable => "could not be read beforehand",
            Self::Listed => "only listed: what this tool writes is not kept",
        }
    }
}

/// Files have again what they had at an earlier position.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FilesRestored {
    /// The position whose contents they have.
    pub to: Seq,
    pub paths: Vec<Restored>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed: Vec<NotRestored>,
    /// Keys of the calls that are undone by this: they are to be made again when their tasks come to them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<Digest>,
    /// Keys of calls that an earlier restoring had undone and whose writes are there again by this one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub redone: Vec<Digest>,
    pub by: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Restored {
    pub path: String,
    /// The tool that wrote it first, which knows how to look at it.
    pub tool: String,
    /// What it held until then; none: it held already what it should.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<Content>,
    /// Hash of the content that it has again; none: the file is gone, as it was then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hash: Option<Digest>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct NotRestored {
    pub path: String,
    pub why: String,
}
