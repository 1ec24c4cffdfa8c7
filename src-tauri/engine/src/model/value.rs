//! A stored JSON value: small ones stand in the event itself, large ones are payloads named by their hash.
//! This file must not know where payloads lie.

use std::fmt::Write as _;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{Digest, Json};

/// Values whose JSON text is longer than this many bytes are stored once, as payloads.
pub const INLINE_LIMIT: usize = 4096;

/// Where a value is. Numbers keep their digits either way.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub enum ValueRef {
    #[serde(rename = "v")]
    Inline(Arc<RawValue>),
    #[serde(rename = "p")]
    Payload { hash: Digest, bytes: u64 },
}

/// A payload that must be stored in the same transaction as the event that names it.
#[derive(Clone, Debug)]
pub struct NewPayload {
    pub hash: Digest,
    pub text: Arc<String>,
}

impl ValueRef {
    /// The reference to a value, and the payload that has to be stored with it, if it is large.
    pub fn of(value: &Json) -> (Self, Option<NewPayload>) {
        Self::of_json(value.to_string())
    }

    /// The same of a text as a JSON string. The text goes as soon as its JSON is made: it may be a large document.
    pub fn of_text(text: String) -> (Self, Option<NewPayload>) {
        // As long as it becomes. Grown step by step it would take up to twice that, and the allocator would keep as much
        // for the rest of the program's life.
        let quoted = text
            .bytes()
            .filter(|b| matches!(b, b'"' | b'\\' | 0..=0x1f))
            .count();
        let mut json = String::with_capacity(text.len() + quoted + 2);
        // Writing into a text does not fail.
        let _ = write!(json, "{}", Json::String(text));
        Self::of_json(json)
    }

    fn of_json(text: String) -> (Self, Option<NewPayload>) {
        let bytes = text.len();
        if bytes <= INLINE_LIMIT
            && let Ok(raw) = RawValue::from_string(text.clone())
        {
            return (Self::Inline(raw.into()), None);
        }
        let hash = Digest::of(text.as_bytes());
        (
            Self::Payload {
                hash,
                bytes: bytes as u64,
            },
            Some(NewPayload {
                hash,
                text: text.into(),
            }),
        )
    }

    /// Whether both name the same JSON text.
    pub fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Inline(one), Self::Inline(two)) => one.get() == two.get(),
            (Self::Payload { hash: one, .. }, Self::Payload { hash: two, .. }) => one == two,
            (Self::Inline(_), Self::Payload { .. }) | (Self::Payload { .. }, Self::Inline(_)) => false,
        }
    }

    pub fn bytes(&self) -> u64 {
        match self {
            Self::Inline(raw) => raw.get().len() as u64,
            Self::Payload { bytes, .. } => *bytes,
        }
    }
}
