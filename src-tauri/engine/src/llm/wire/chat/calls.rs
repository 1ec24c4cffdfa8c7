//! Puts the pieces of calls together, from servers that count them, that don't, and that count wrongly: two calls are
//! never glued, and none is lost. It must not know what is called.

use uuid::Uuid;

use crate::llm::ToolCall;
use crate::model::Json;

#[derive(Default)]
pub(super) struct Calls(Vec<Open>);

#[derive(Default)]
struct Open {
    slot: Option<u64>,
    id: String,
    name: String,
    arguments: String,
    written: Written,
}

/// How far the arguments have come, so that nothing is read twice.
#[derive(Default)]
struct Written {
    depth: usize,
    is_begun: bool,
    in_string: bool,
    is_escaped: bool,
}

impl Calls {
    /// One piece. `is_fresh`: it stands beside another one of the same frame that has no number either, so that it is
    /// another call. Gives the name of a call that begins.
    pub fn take(&mut self, piece: &Json, is_fresh: bool) -> Option<String> {
        let function = piece
            .get("function")
            .filter(|function| function.is_object())
            .unwrap_or(piece);
        let slot = piece.get("index").and_then(Json::as_u64);
        let id = piece.get("id").and_then(Json::as_str).unwrap_or_default();
        let name = function.get("name").and_then(Json::as_str).unwrap_or_default();
        let arguments = text_of(function.get("arguments"));
        let found = self
            .current(slot, id)
            .filter(|at| !(is_fresh || self.0[*at].is_other(id, name)));
        let at = found.unwrap_or_else(|| {
            self.0.push(Open {
                slot,
                ..Open::default()
            });
            self.0.len() - 1
        });
        let open = &mut self.0[at];
        let is_named = open.name.is_empty() && !name.is_empty();
        if open.id.is_empty() {
            id.clone_into(&mut open.id);
        }
        if is_named {
            name.clone_into(&mut open.name);
        }
        open.written.read(&arguments);
        open.arguments.push_str(&arguments);
        is_named.then(|| name.to_owned())
    }

    /// The call that a piece of this number and id belongs to, unless it is another one.
    fn current(&self, slot: Option<u64>, id: &str) -> Option<usize> {
        let same_id = || self.0.iter().rposition(|open| !id.is_empty() && open.id == id);
        let same_slot = || {
            self.0
                .iter()
                .rposition(|open| slot.is_some() && open.slot == slot)
        };
        let last = || self.0.len().checked_sub(1).filter(|_| slot.is_none());
        same_id().or_else(same_slot).or_else(last)
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// In the order in which they began, each with an id.
    pub fn done(self) -> Vec<ToolCall> {
        let calls = self.0.into_iter();
        let calls =
            calls.filter(|open| !(open.name.is_empty() && open.id.is_empty() && open.arguments.is_empty()));
        calls
            .map(|open| ToolCall {
                id: if open.id.trim().is_empty() {
                    made_id()
                } else {
                    open.id
                },
                name: open.name,
                arguments: open.arguments,
                sealed: None,
            })
            .collect()
    }
}

/// Unique in every run.
fn made_id() -> String {
    format!("call_{}", Uuid::now_v7().simple())
}

/// Some send the object itself.
fn text_of(arguments: Option<&Json>) -> String {
    match arguments {
        None | Some(Json::Null) => String::new(),
        Some(Json::String(text)) => text.clone(),
        Some(other @ (Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_))) => {
            other.to_string()
        }
    }
}

impl Open {
    /// Whether a piece with this id and name begins another call.
    fn is_other(&self, id: &str, name: &str) -> bool {
        if !id.is_empty() && !self.id.is_empty() {
            return id != self.id;
        }
        let is_again = !name.is_empty() && !self.name.is_empty();
        is_again && (name != self.name || self.written.is_whole())
    }
}

impl Written {
    fn is_whole(&self) -> bool {
        self.is_begun && self.depth == 0 && !self.in_string
    }

    fn read(&mut self, text: &str) {
        for byte in text.bytes() {
            if self.in_string {
                match byte {
                    _ if std::mem::take(&mut self.is_escaped) => {}
                    b'\\' => self.is_escaped = true,
                    b'"' => self.in_string = false,
                    _ => {}
                }
                continue;
            }
            match byte {
                b'"' => (self.in_string, self.is_begun) = (true, true),
                b'{' | b'[' => (self.depth, self.is_begun) = (self.depth + 1, true),
                b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                byte => self.is_begun |= !byte.is_ascii_whitespace(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told(pieces: &[Json]) -> Vec<(String, String)> {
        let mut calls = Calls::default();
        for piece in pieces {
            calls.take(piece, false);
        }
        let done = calls.done();
        assert!(done.iter().all(|call| !call.id.trim().is_empty()));
        done.into_iter().map(|call| (call.name, call.arguments)).collect()
    }

    fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
        pairs
            .iter()
            .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()))
            .collect()
    }

    fn piece(index: impl Into<Option<u64>>, id: &str, name: &str, arguments: &str) -> Json {
        json!({"index": index.into(), "id": id, "function": {"name": name, "arguments": arguments}})
    }

    #[test]
    fn names_that_come_with_every_piece_begin_no_call() {
        assert_eq!(
            told(&[
                piece(0, "", "add", ""),
                piece(0, "", "add", "{\"x\":"),
                piece(0, "", "add", "1}")
            ]),
            pairs(&[("add", "{\"x\":1}")])
        );
    }

    #[test]
    fn equal_calls_without_ids_are_two() {
        let both = [
            piece(0, "", "add", "{\"x\":\"}\"}"),
            piece(0, "", "add", "{\"x\":2}"),
        ];
        assert_eq!(
            told(&both),
            pairs(&[("add", "{\"x\":\"}\"}"), ("add", "{\"x\":2}")])
        );
        let none = [
            piece(None, "", "a", "{}"),
            piece(None, "", "b", ""),
            piece(None, "", "c", "{}"),
        ];
        assert_eq!(told(&none), pairs(&[("a", "{}"), ("b", ""), ("c", "{}")]));
    }

    #[test]
    fn pieces_without_numbers_find_their_call_by_id() {
        let mixed = [
            piece(None, "a", "add", "{\"x\":"),
            piece(None, "b", "mul", "{\"y\":"),
            piece(None, "a", "", "1}"),
            piece(None, "b", "", "2}"),
        ];
        assert_eq!(told(&mixed), pairs(&[("add", "{\"x\":1}"), ("mul", "{\"y\":2}")]));
    }

    #[test]
    fn an_id_may_come_behind_the_name_and_arguments_may_be_objects() {
        let late = [piece(0, "", "add", ""), piece(0, "x", "", "{}")];
        assert_eq!(told(&late), pairs(&[("add", "{}")]));
        let object = json!({"function": {"name": "add", "arguments": {"n": 1}}});
        assert_eq!(told(&[object]), pairs(&[("add", "{\"n\":1}")]));
        assert_eq!(told(&[json!({}), json!(null), json!("x")]), pairs(&[]));
    }
}
