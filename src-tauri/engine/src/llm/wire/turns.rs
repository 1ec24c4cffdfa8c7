//! Brings a talk into the order that every provider takes: each call with exactly one result, right behind it, under an
//! id of its own. The talk that is stored stays as it is. It must not know any provider's words.

use std::collections::HashSet;

use crate::llm::{Message, Thought, ToolCall};
use crate::model::Json;

/// What stands for a result that nobody has.
pub const INTERRUPTED: &str = "The call was interrupted; whether it was carried out is unknown.";
/// What every provider takes as an id.
const LONGEST_ID: usize = 40;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Turn<'m> {
    User(&'m str),
    Model {
        text: &'m str,
        thoughts: &'m [Thought],
        calls: Vec<Called<'m>>,
    },
}

/// A call and what it gave.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called<'m> {
    /// Not repeated in the whole talk, and the same in every later turn of it.
    pub id: String,
    pub call: &'m ToolCall,
    pub content: &'m str,
    pub is_error: bool,
    is_answered: bool,
}

impl Called<'_> {
    /// The arguments as the object that they should be. A call that was written otherwise has no arguments: its result
    /// says what was wrong.
    pub fn arguments(&self) -> Json {
        match self.call.parsed() {
            Ok(object @ Json::Object(_)) => object,
            Ok(_) | Err(_) => Json::Object(serde_json::Map::new()),
        }
    }
}

/// The turns of a talk. A result without its call is left out, and so is a second one; a missing one is
/// [`INTERRUPTED`].
pub fn turns(messages: &[Message]) -> Vec<Turn<'_>> {
    let mut turns = Vec::new();
    let mut ids = HashSet::new();
    for message in messages {
        match message {
            Message::User(text) => turns.push(Turn::User(text)),
            Message::Assistant {
                text,
                calls,
                thoughts,
            } => turns.push(Turn::Model {
                text,
                thoughts,
                calls: calls.iter().map(|call| called(call, &mut ids)).collect(),
            }),
            Message::Observation {
                call,
                content,
                is_error,
            } => {
                if let Some(open) = open_call(&mut turns, call) {
                    (open.content, open.is_error, open.is_answered) = (content, *is_error, true);
                }
            }
        }
    }
    turns
}

fn called<'m>(call: &'m ToolCall, ids: &mut HashSet<String>) -> Called<'m> {
    let is_plain = |id: &str| {
        !id.is_empty()
            && id.len() <= LONGEST_ID
            && id
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
    };
    let mut id = call.id.clone();
    let mut number = ids.len();
    while !is_plain(&id) || ids.contains(&id) {
        number += 1;
        id = format!("call_{number}");
    }
    ids.insert(id.clone());
    Called {
        id,
        call,
        content: INTERRUPTED,
        is_error: true,
        is_answered: false,
    }
}

/// The first call of this id without a result, in the last turn that has one.
fn open_call<'t, 'm>(turns: &'t mut [Turn<'m>], id: &str) -> Option<&'t mut Called<'m>> {
    turns.iter_mut().rev().find_map(|turn| match turn {
        Turn::User(_) => None,
        Turn::Model { calls, .. } => calls
            .iter_mut()
            .find(|called| called.call.id == id && !called.is_answered),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> ToolCall {
        ToolCall {
            id: id.to_owned(),
            name: "t".to_owned(),
            arguments: String::new(),
            sealed: None,
        }
    }

    fn says(ids: &[&str]) -> Message {
        Message::Assistant {
            text: String::new(),
            calls: ids.iter().map(|id| call(id)).collect(),
            thoughts: Vec::new(),
        }
    }

    fn gave(id: &str, content: &str) -> Message {
        Message::Observation {
            call: id.to_owned(),
            content: content.to_owned(),
            is_error: false,
        }
    }

    fn told(messages: &[Message]) -> String {
        let told: Vec<String> = turns(messages)
            .iter()
            .map(|turn| match turn {
                Turn::User(text) => format!("user {text}"),
                Turn::Model { calls, .. } => calls
                    .iter()
                    .map(|called| {
                        let content = if called.is_error { "?" } else { called.content };
                        format!("{}={content}", called.id)
                    })
                    .collect::<Vec<_>>()
                    .join(" "),
            })
            .collect();
        told.join(" | ")
    }

    #[test]
    fn every_call_gets_one_result_right_behind_it() {
        let user = || Message::User("u".to_owned());
        assert_eq!(told(&[user(), says(&["a"])]), "user u | a=?");
        assert_eq!(
            told(&[user(), says(&["a", "b", "c"]), gave("b", "1")]),
            "user u | a=? b=1 c=?"
        );
        assert_eq!(
            told(&[says(&["a"]), user(), gave("a", "1"), gave("a", "2")]),
            "a=1 | user u"
        );
        assert_eq!(told(&[gave("a", "1"), user()]), "user u");
    }

    #[test]
    fn ids_that_are_empty_odd_or_repeated_become_own_ones_and_stay_paired() {
        let talk = [
            says(&["", "x"]),
            gave("x", "2"),
            gave("", "1"),
            says(&["x", "a b", "call_1"]),
            gave("call_1", "5"),
            gave("a b", "4"),
            gave("x", "3"),
        ];
        assert_eq!(told(&talk), "call_1=1 x=2 | call_3=3 call_4=4 call_5=5");
        // What was said before is said in the same words in each later turn.
        assert_eq!(told(&talk[..3]), "call_1=1 x=2");
        assert_eq!(
            told(&[says(&["d", "d"]), gave("d", "1"), gave("d", "2")]),
            "d=1 call_2=2"
        );
    }
}
