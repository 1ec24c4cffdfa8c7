//! One run as a file that stands alone: JSON Lines, sealed by a hash. The format and both ways through it.
//! It must not know where files lie or what is done with a run that was read.
//!
//! - first `{"planloom_run":{"format":1,"planloom":"0.1.0","run":"…","created_ms":…}}`
//! - `{"payload":{"hash":"…","text":"…"}}`: a large value, before the first event that names it. The text is its JSON;
//!   a long one comes in pieces, all but the last with `"more":true`.
//! - `{"event":{"seq":1,"at_ms":…,"kind":1,"task":"…","body":{…}}}`: 1, 2, 3 …, a fork's with those of its parent
//! - last `{"end":{"events":…,"payloads":…,"blake3":"…"}}`: the hash of all lines before

mod read;
mod write;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

pub use read::{Came, Refused, read};
pub use write::{Writing, Written};

use crate::model::Digest;

/// The format that is written, and the newest that is read.
pub const FORMAT: u64 = 1;
/// No line is longer.
pub const LONGEST_LINE: usize = 64 * 1024 * 1024;
/// A payload's text is cut into pieces of about this many bytes: escaped, six times as long at most.
const PIECE: usize = 4 * 1024 * 1024;
/// The longest text of one payload: a plan of 64 MiB, each byte escaped, and more.
const LONGEST_TEXT: usize = 512 * 1024 * 1024;

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line<'a> {
    PlanloomRun(Header),
    #[serde(borrow)]
    Event(EventLine<'a>),
    Payload(PayloadLine),
    End(End),
}

#[derive(Serialize, Deserialize)]
struct Header {
    format: u64,
    /// Version of Planloom that wrote it.
    planloom: String,
    run: String,
    created_ms: i64,
}

#[derive(Serialize, Deserialize)]
struct EventLine<'a> {
    seq: u64,
    at_ms: i64,
    kind: i64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    #[serde(borrow)]
    body: &'a RawValue,
}

#[derive(Serialize, Deserialize)]
struct PayloadLine {
    hash: Digest,
    text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    more: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct End {
    events: u64,
    payloads: u64,
    blake3: Digest,
}

#[cfg(test)]
mod tests;
