//! What a tool says of the files that a call may change, before it is made. Knows no disk.

use crate::model::events::Size;
use crate::model::grants::{self, Place};
use crate::model::tool::{Access, ToolSpec};
use crate::model::{Digest, Json};

/// A file that a call may change, as it is now.
#[derive(Clone, Debug)]
pub struct Written {
    /// As in the need of the call: an absolute path, or `run:/name`.
    pub path: String,
    pub found: Found,
    /// Hash of what the file will hold after the call, where the arguments tell.
    pub after: Option<Digest>,
}

/// What is there before the call.
#[derive(Clone, Debug)]
pub enum Found {
    Absent,
    Bytes(Vec<u8>),
    /// The call only adds to its end.
    Beginning(Size),
    TooLarge(Size),
    Unreadable,
    /// The tool's files are listed, not kept.
    Listed,
}

/// Each file that the arguments name as written.
pub(super) fn listed(spec: &ToolSpec, arguments: &Json, place: &Place, found: &Found) -> Vec<Written> {
    let needs = grants::needs_of(spec, arguments, place).unwrap_or_default();
    let written = needs.into_iter().filter(|n| n.access == Access::Write);
    written
        .map(|need| Written {
            path: need.resource,
            found: found.clone(),
            after: None,
        })
        .collect()
}

/// The same, where nothing could be found out about them.
pub fn unreadable(spec: &ToolSpec, arguments: &Json, place: &Place) -> Vec<Written> {
    listed(spec, arguments, place, &Found::Unreadable)
}
