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
            .current(slot, id, name)
            .filter(|at| !(is_fresh || self.0[*at].is_other(slot, id, name)));
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
        } else if name != open.name && !open.written.is_begun {
            // A name in pieces.
            open.name.push_str(name);
        }
        open.written.read(&arguments);
        open.arguments.push_str(&arguments);
        is_named.then(|| name.to_owned())
    }

    /// The call that a piece of this number and id belongs to, unless it is another one. Some servers give all calls one
    /// id, some all one number: where both are known, both must fit.
    fn current(&self, slot: Option<u64>, id: &str, name: &str) -> Option<usize> {
        let last = |is_it: &dyn Fn(&Open) -> bool| self.0.iter().rposition(is_it);
        let same_id = |open: &Open| !id.is_empty() && open.id == id;
        let Some(slot) = slot else {
            return last(&same_id).or_else(|| self.0.len().checked_sub(1));
        };
        let same_slot = |open: &Open| open.slot == Some(slot);
        last(&|open| same_slot(open) && same_id(open))
            // What has no name goes on, and its id says with what.
            .or_else(|| last(&|open| name.is_empty() && same_id(open)))
            .or_else(|| last(&same_slot))
            .or_else(|| last(&|open| open.slot.is_none() && same_id(open)))
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
    /// Whether a piece with this number, id and name begins another call.
    fn is_other(&self, slot: Option<u64>, id: &str, name: &str) -> bool {
        let is_same_id = !id.is_empty() && self.id == id;
        if !id.is_empty() && !self.id.is_empty() && !is_same_id {
            return true;
        }
        if name.is_empty() || self.name.is_empty() {
            return false;
        }
        let is_bound = is_same_id || (slot.is_some() && self.slot == slot && !self.written.is_begun);
        self.written.is_whole() || (name != self.name && !is_bound)
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
    fn calls_with_one_id_are_told_apart_by_their_numbers() {
        let both = pairs(&[("echo", "{\"v\":1}"), ("echo", "{\"v\":2}")]);
        let whole = [
            piece(0, "null", "echo", "{\"v\":1}"),
            piece(1, "null", "echo", "{\"v\":2}"),
        ];
        assert_eq!(told(&whole), both);
        let mixed = [
            piece(0, "null", "echo", ""),
            piece(1, "null", "echo", ""),
            piece(0, "null", "", "{\"v\":"),
            piece(1, "null", "", "{\"v\":"),
            piece(0, "null", "echo", "1}"),
            piece(1, "null", "echo", "2}"),
        ];
        assert_eq!(told(&mixed), both);
        // Without numbers, or all with one: a name begins another call once the arguments are whole.
        for number in [None, Some(0)] {
            let whole = [
                piece(number, "null", "echo", "{\"v\":1}"),
                piece(number, "null", "echo", "{\"v\":"),
                piece(number, "null", "", "2}"),
            ];
            assert_eq!(told(&whole), both, "{number:?}");
        }
        // A number that is wrong does not take a call's arguments away.
        let wrong = [piece(0, "a", "echo", "{\"v\":"), piece(1, "a", "", "1}")];
        assert_eq!(told(&wrong), pairs(&[("echo", "{\"v\":1}")]));
    }

    #[test]
    fn a_name_may_come_in_pieces() {
        for id in ["", "a"] {
            let split = [
                piece(0, "a", "ec", ""),
                piece(0, id, "ho", ""),
                piece(0, id, "", "{}"),
                piece(1, "b", "add", "{}"),
            ];
            assert_eq!(told(&split), pairs(&[("echo", "{}"), ("add", "{}")]), "{id}");
        }
        let unnumbered = [piece(None, "a", "ec", ""), piece(None, "a", "ho", "{}")];
        assert_eq!(told(&unnumbered), pairs(&[("echo", "{}")]));
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
