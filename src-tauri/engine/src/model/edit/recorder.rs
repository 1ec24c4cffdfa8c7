//! Changes a document step by step and writes each step down as JSON Patch (RFC 6902), with the way back.
//! It must not know what the document means.

use serde_json::{Map, json};

use super::EditError;
use crate::model::Json;

/// A document under change.
pub(super) struct Recorder {
    pub document: Json,
    patch: Vec<Json>,
    /// Newest first once finished.
    inverse: Vec<Json>,
}

/// One reference token of a JSON Pointer, escaped.
pub(super) fn token(text: &str) -> String {
    text.replace('~', "~0").replace('/', "~1")
}

impl Recorder {
    pub fn new(document: &Json) -> Self {
        Self { document: document.clone(), patch: Vec::new(), inverse: Vec::new() }
    }

    /// The document with the patch that led to it and the one that leads back.
    pub fn finish(mut self) -> (Json, Json, Json) {
        self.inverse.reverse();
        (self.document, Json::Array(self.patch), Json::Array(self.inverse))
    }

    /// Sets a place to a value, new or not. Missing objects on the way are made.
    pub fn set(&mut self, pointer: &str, value: Json) -> Result<(), EditError> {
        let Some((parent, key)) = split(pointer) else {
            let before = std::mem::replace(&mut self.document, value.clone());
            self.note("replace", "", Some(value), "replace", Some(before));
            return Ok(());
        };
        if self.document.pointer(parent).is_none() {
            self.set(parent, Json::Object(Map::new()))?;
        }
        let place = self.document.pointer_mut(parent).ok_or_else(|| EditError::no_place(pointer))?;
        let before = match place {
            Json::Object(map) => map.insert(key.clone(), value.clone()),
            Json::Array(items) => {
                let slot = key.parse().ok().and_then(|ix: usize| items.get_mut(ix));
                let slot = slot.ok_or_else(|| EditError::no_place(pointer))?;
                Some(std::mem::replace(slot, value.clone()))
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Err(EditError::no_place(pointer));
            }
        };
        match before {
            Some(before) => self.note("replace", pointer, Some(value), "replace", Some(before)),
            None => self.note("add", pointer, Some(value), "remove", None),
        }
        Ok(())
    }

    /// Removes a place; nothing happens where there is none. The order of what stays is kept.
    pub fn remove(&mut self, pointer: &str) -> Result<(), EditError> {
        let Some((parent, key)) = split(pointer) else { return Err(EditError::no_place(pointer)) };
        let Some(place) = self.document.pointer_mut(parent) else { return Ok(()) };
        match place {
            Json::Object(map) => match map.shift_remove(&key) {
                Some(before) => self.note("remove", pointer, None, "add", Some(before)),
                None => return Ok(()),
            },
            Json::Array(items) => {
                let ix: usize = key.parse().map_err(|_| EditError::no_place(pointer))?;
                if ix >= items.len() {
                    return Ok(());
                }
                let before = items.remove(ix);
                self.note("remove", pointer, None, "add", Some(before));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                return Err(EditError::no_place(pointer));
            }
        }
        Ok(())
    }

    /// Appends to an array.
    pub fn push(&mut self, pointer: &str, value: Json) -> Result<(), EditError> {
        let items = self.document.pointer_mut(pointer).and_then(Json::as_array_mut);
        let items = items.ok_or_else(|| EditError::no_place(pointer))?;
        let at = format!("{pointer}/{}", items.len());
        items.push(value.clone());
        self.note("add", &at, Some(value), "remove", None);
        Ok(())
    }

    fn note(&mut self, op: &str, path: &str, value: Option<Json>, back: &str, before: Option<Json>) {
        self.patch.push(operation(op, path, value));
        self.inverse.push(operation(back, path, before));
    }
}

fn operation(op: &str, path: &str, value: Option<Json>) -> Json {
    match value {
        Some(value) => json!({ "op": op, "path": path, "value": value }),
        None => json!({ "op": op, "path": path }),
    }
}

/// The parent's pointer and the last token, unescaped; nothing for the whole document.
fn split(pointer: &str) -> Option<(&str, String)> {
    let at = pointer.rfind('/')?;
    Some((&pointer[..at], pointer[at + 1..].replace("~1", "/").replace("~0", "~")))
}
