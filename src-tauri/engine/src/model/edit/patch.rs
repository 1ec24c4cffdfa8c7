//! JSON Patches (RFC 6902: add, remove, replace) made while a document changes, with what takes them back exactly,
//! the order of keys included. This file must not know what the edits mean.

use serde_json::{Map, json};

use crate::model::json::{push_step, steps};
use crate::model::{Json, fields, read};

/// A document under edit, with the operations so far.
pub(in crate::model) struct Work {
    pub document: Json,
    forward: Vec<Json>,
    /// What takes each operation back, in the order of the operations.
    back: Vec<Vec<Json>>,
}

/// A place that an operation names does not exist, or can't hold what it should.
#[derive(Debug, thiserror::Error)]
#[error("there is nothing at `{0}` that could be changed so")]
pub(in crate::model) struct NoPlace(pub String);

impl Work {
    pub fn new(document: Json) -> Self {
        Self {
            document,
            forward: Vec::new(),
            back: Vec::new(),
        }
    }

    /// The document, the patch, and the patch that takes it back.
    pub fn finish(self) -> (Json, Json, Json) {
        let back = self.back.into_iter().rev().flatten().collect();
        (self.document, Json::Array(self.forward), Json::Array(back))
    }

    pub fn get(&self, pointer: &str) -> Option<&Json> {
        self.document.pointer(pointer)
    }

    /// Sets a value; the containers around it must exist. What is equal already is left alone.
    pub fn set(&mut self, pointer: &str, value: Json) -> Result<(), NoPlace> {
        match self.document.pointer(pointer) {
            Some(old) if *old == value => Ok(()),
            Some(old) => {
                let back = operation("replace", pointer, Some(old.clone()));
                self.run(operation("replace", pointer, Some(value)), vec![back])
            }
            None => self.add(pointer, value),
        }
    }

    /// Adds a value that is not there yet; in a list, before the entry of that number, or at the end.
    pub fn add(&mut self, pointer: &str, value: Json) -> Result<(), NoPlace> {
        let back = vec![operation("remove", pointer, None)];
        self.run(operation("add", pointer, Some(value)), back)
    }

    /// Removes a value. What is not there is left alone.
    pub fn remove(&mut self, pointer: &str) -> Result<(), NoPlace> {
        let Some(old) = self.document.pointer(pointer) else {
            return Ok(());
        };
        let mut back = vec![operation("add", pointer, Some(old.clone()))];
        let (parent, key) = split(pointer);
        if let Some(Json::Object(map)) = self.document.pointer(parent) {
            back.extend(behind_again(parent, map, &key));
        }
        self.run(operation("remove", pointer, None), back)
    }

    fn run(&mut self, forward: Json, back: Vec<Json>) -> Result<(), NoPlace> {
        run(&mut self.document, &forward)?;
        self.forward.push(forward);
        self.back.push(back);
        Ok(())
    }
}

/// A key that comes back comes back at the end; these put the keys that stood behind it behind it again.
/// Not needed where the writer has its own order.
fn behind_again(parent: &str, map: &Map<String, Json>, key: &str) -> Vec<Json> {
    if fields::is_ordered(parent, key) {
        return Vec::new();
    }
    let behind = map.iter().skip_while(|(other, _)| *other != key).skip(1);
    behind
        .filter(|(other, _)| !fields::is_ordered(parent, other))
        .flat_map(|(other, value)| {
            let mut place = parent.to_owned();
            push_step(&mut place, other);
            [
                operation("remove", &place, None),
                operation("add", &place, Some(value.clone())),
            ]
        })
        .collect()
}

fn operation(op: &str, path: &str, value: Option<Json>) -> Json {
    match value {
        Some(value) => json!({ "op": op, "path": path, "value": value }),
        None => json!({ "op": op, "path": path }),
    }
}

/// The document after a patch. Nothing of a patch that does not fit is applied. The result keeps the bounds of a
/// document that was read.
pub fn patched(document: &Json, patch: &Json) -> Result<Json, String> {
    let mut document = document.clone();
    patch_in_place(&mut document, patch)?;
    Ok(document)
}

/// The same without a copy; a document that the patch does not fit is left changed by half.
pub(in crate::model) fn patch_in_place(document: &mut Json, patch: &Json) -> Result<(), String> {
    let operations = patch.as_array().ok_or("a patch is a list of operations")?;
    for (ix, operation) in operations.iter().enumerate() {
        run(document, operation).map_err(|error| format!("operation {}: {error}", ix + 1))?;
    }
    check_bounds(document)
}

/// What may only be read from a text holds for a patched document, too.
pub(in crate::model) fn check_bounds(document: &Json) -> Result<(), String> {
    let most = read::PLAN;
    if document
        .get("tasks")
        .and_then(Json::as_array)
        .is_some_and(|tasks| tasks.len() > most.tasks)
    {
        return Err(format!("the plan would have more than {} tasks", most.tasks));
    }
    let mut open = vec![(document, 1)];
    while let Some((value, depth)) = open.pop() {
        let inner: Box<dyn Iterator<Item = &Json>> = match value {
            Json::Array(items) => Box::new(items.iter()),
            Json::Object(map) => Box::new(map.values()),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => continue,
        };
        if depth > most.depth {
            return Err(format!(
                "the plan would be nested deeper than {} levels",
                most.depth
            ));
        }
        open.extend(
            inner
                .filter(|value| value.is_object() || value.is_array())
                .map(|value| (value, depth + 1)),
        );
    }
    Ok(())
}

fn run(document: &mut Json, operation: &Json) -> Result<(), NoPlace> {
    let text = |name: &str| operation.get(name).and_then(Json::as_str).unwrap_or_default();
    let path = text("path");
    let wrong = || NoPlace(path.to_owned());
    let value = || operation.get("value").cloned().ok_or_else(wrong);
    match text("op") {
        "replace" => *document.pointer_mut(path).ok_or_else(wrong)? = value()?,
        "add" if path.is_empty() => *document = value()?,
        "add" => insert(document, path, value()?).ok_or_else(wrong)?,
        "remove" => take(document, path).ok_or_else(wrong)?,
        _ => return Err(wrong()),
    }
    Ok(())
}

fn insert(document: &mut Json, path: &str, value: Json) -> Option<()> {
    let (parent, key) = split(path);
    match document.pointer_mut(parent)? {
        Json::Object(map) => {
            map.insert(key, value);
        }
        Json::Array(items) if key == "-" => items.push(value),
        Json::Array(items) => {
            let ix = index(&key).filter(|ix| *ix <= items.len())?;
            items.insert(ix, value);
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
    }
    Some(())
}

fn take(document: &mut Json, path: &str) -> Option<()> {
    if path.is_empty() {
        return None;
    }
    let (parent, key) = split(path);
    match document.pointer_mut(parent)? {
        Json::Object(map) => {
            map.shift_remove(&key)?;
        }
        Json::Array(items) => {
            let ix = index(&key).filter(|ix| *ix < items.len())?;
            items.remove(ix);
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => return None,
    }
    Some(())
}

/// Digits without a sign or padding, as RFC 6901 wants them.
fn index(key: &str) -> Option<usize> {
    let is_plain = key == "0" || (!key.starts_with('0') && key.bytes().all(|b| b.is_ascii_digit()));
    if is_plain { key.parse().ok() } else { None }
}

/// The pointer of the container, and the last step, unescaped.
pub(super) fn split(pointer: &str) -> (&str, String) {
    let (parent, _) = pointer.rsplit_once('/').unwrap_or(("", pointer));
    (parent, steps(&pointer[parent.len()..]).next().unwrap_or_default())
}
