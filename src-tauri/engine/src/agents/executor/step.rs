//! What has happened in an attempt and what is to be done next, as plain values. It knows no rule.

use std::collections::HashMap;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::agents::Failed;
use crate::agents::suspicion::Flag;
use crate::llm::{Answer, Reply, Request};
use crate::model::Json;
use crate::model::events::Failure;

/// One finished call of the attempt.
#[derive(Clone, Debug)]
pub enum Happened {
    Replied(Reply),
    Called {
        call: CallId,
        /// A refusal by the gate or a person is an error like any other: the model is told and may go on.
        result: Result<Json, Failure>,
    },
}

/// Which call of the attempt: the complete reply that asked for it, counted from 1, and its place there, from 0.
/// Written `3.0`. Ids of providers are not used: they may be empty or repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CallId {
    pub turn: u32,
    pub index: u32,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    Ask(Box<Request>),
    /// Calls of offered tools with arguments that fit; they may be made at the same time.
    Call(Vec<Wanted>),
    Finish(Finished),
    Fail(Failed),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    pub call: CallId,
    pub tool: String,
    pub arguments: Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub output: Json,
    /// How many answers before it were sent back.
    pub accepted_after_rejections: u32,
    /// What a person should look at before relying on it; empty without rejections.
    pub flags: Vec<Flag>,
}

/// One complete reply with the results of its calls, by their place.
pub(super) struct Turn<'p> {
    pub answer: &'p Answer,
    pub results: HashMap<u32, &'p Result<Json, Failure>>,
}

impl<'p> Turn<'p> {
    pub fn of(answer: &'p Answer) -> Self {
        Self {
            answer,
            results: HashMap::new(),
        }
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.turn, self.index)
    }
}

/// Why a text names no call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a call is named by its turn and its place in it, such as 3.0")]
pub struct NoCallId;

impl FromStr for CallId {
    type Err = NoCallId;

    fn from_str(text: &str) -> Result<Self, NoCallId> {
        let (turn, index) = text.split_once('.').ok_or(NoCallId)?;
        let id = Self {
            turn: turn.parse().map_err(|_| NoCallId)?,
            index: index.parse().map_err(|_| NoCallId)?,
        };
        // Exactly one text for each call: no `+3.0`, no `03.0`.
        if id.to_string() == text {
            Ok(id)
        } else {
            Err(NoCallId)
        }
    }
}

impl Serialize for CallId {
    fn serialize<S: serde::Serializer>(&self, s: S) -> Result<S::Ok, S::Error> {
        s.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for CallId {
    fn deserialize<D: serde::Deserializer<'de>>(d: D) -> Result<Self, D::Error> {
        let text = String::deserialize(d)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_one_name_each() {
        let id = CallId { turn: 12, index: 3 };
        assert_eq!(id.to_string().parse(), Ok(id));
        assert_eq!(serde_json::to_string(&id).unwrap(), "\"12.3\"");
        for text in [
            "",
            "1",
            "1.",
            ".1",
            "+1.0",
            "01.0",
            "1.0.0",
            "1.-1",
            "99999999999.0",
        ] {
            assert_eq!(text.parse::<CallId>(), Err(NoCallId), "{text}");
        }
    }
}
