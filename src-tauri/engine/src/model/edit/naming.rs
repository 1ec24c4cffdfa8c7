//! Free ids for new tasks, and changing an id everywhere it is meant.

use std::collections::{HashMap, HashSet};

use super::EditError;
use super::recorder::{Recorder, token};
use super::shape::{Shape, id_of};
use crate::model::Json;

/// Longest id (DESIGN §2).
const LONGEST: usize = 64;

pub(super) fn is_id(text: &str) -> bool {
    (1..=LONGEST).contains(&text.len())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

/// An id that nobody has: the wanted one if it is free, else made from the title or the kind, with a number if need be.
pub(super) fn free_id(task: &Json, taken: &HashSet<String>) -> String {
    let wanted = id_of(task).filter(|id| is_id(id));
    if let Some(id) = wanted.filter(|id| !taken.contains(*id)) {
        return id.to_owned();
    }
    let text = |field: &str| task.get(field).and_then(Json::as_str);
    let base = wanted
        .map(str::to_owned)
        .or_else(|| text("title").map(slug).filter(|s| !s.is_empty()))
        .or_else(|| text("tool").or_else(|| text("task_type")).map(slug).filter(|s| !s.is_empty()))
        .unwrap_or_else(|| "task".to_owned());
    if !taken.contains(&base) {
        return base;
    }
    // A copy of `fetch_2` is `fetch_3`, not `fetch_2_2`.
    let stem = base.trim_end_matches(|c: char| c.is_ascii_digit()).trim_end_matches('_');
    let stem: String = if stem.is_empty() { "task".to_owned() } else { stem.chars().take(LONGEST - 8).collect() };
    (2u32..).map(|n| format!("{stem}_{n}")).find(|id| !taken.contains(id)).unwrap_or(base)
}

fn slug(title: &str) -> String {
    let mut out = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        if c.is_ascii_alphanumeric() {
            out.push(c);
        } else if !out.ends_with('_') && !out.is_empty() {
            out.push('_');
        }
    }
    out.truncate(48);
    out.trim_end_matches('_').to_owned()
}

/// Changes an id, and every dependency, reference and layout entry that means it.
pub(super) fn rename(recorder: &mut Recorder, from: &str, to: &str) -> Result<(), EditError> {
    let shape = Shape::of(&recorder.document);
    let at = shape.find(from).ok_or_else(|| EditError::NoTask { id: from.to_owned() })?;
    if from == to {
        return Ok(());
    }
    if !is_id(to) {
        return Err(EditError::BadId { id: to.to_owned() });
    }
    if shape.tasks.iter().any(|task| id_of(task) == Some(to)) {
        return Err(EditError::Taken { id: to.to_owned() });
    }
    let is_own = id_of(shape.tasks[at]) == Some(from);
    recorder.set(&format!("/tasks/{at}/id"), Json::String(to.to_owned()))?;
    if is_own {
        let names = HashMap::from([(from.to_owned(), to.to_owned())]);
        let count = recorder.document.get("tasks").and_then(Json::as_array).map_or(0, Vec::len);
        for ix in 0..count {
            let task = &recorder.document["tasks"][ix];
            for (field, value) in retargeted(task, &names) {
                recorder.set(&format!("/tasks/{ix}/{field}"), value)?;
            }
        }
        move_position(recorder, from, to)?;
    }
    Ok(())
}

fn move_position(recorder: &mut Recorder, from: &str, to: &str) -> Result<(), EditError> {
    let old = format!("/layout/positions/{}", token(from));
    if let Some(position) = recorder.document.pointer(&old).cloned() {
        recorder.remove(&old)?;
        recorder.set(&format!("/layout/positions/{}", token(to)), position)?;
    }
    Ok(())
}

/// The fields of a task that name other tasks, where renaming changes them.
pub(super) fn retargeted(task: &Json, names: &HashMap<String, String>) -> Vec<(&'static str, Json)> {
    let mut changed = Vec::new();
    if let Some(list) = task.get("dependencies").and_then(Json::as_array) {
        let new: Vec<Json> = list
            .iter()
            .map(|d| match d.as_str().and_then(|id| names.get(id)) {
                Some(to) => Json::String(to.clone()),
                None => d.clone(),
            })
            .collect();
        if new != *list {
            changed.push(("dependencies", Json::Array(new)));
        }
    }
    for field in ["inputs", "over", "task"] {
        let Some(value) = task.get(field) else { continue };
        let mut new = value.clone();
        if retarget(&mut new, names, 0) {
            changed.push((field, new));
        }
    }
    changed
}

/// Exchanges the names in `{"$from": name}` at any depth; what stands under `$literal` is data. True: something changed.
fn retarget(value: &mut Json, names: &HashMap<String, String>, depth: u32) -> bool {
    if depth > 70 {
        return false;
    }
    match value {
        Json::Array(items) => {
            items.iter_mut().fold(false, |changed, item| retarget(item, names, depth + 1) || changed)
        }
        Json::Object(map) => {
            if map.contains_key("$literal") {
                return false;
            }
            if let Some(Json::String(from)) = map.get_mut("$from")
                && let Some(to) = names.get(from.as_str())
            {
                from.clone_from(to);
                return true;
            }
            map.values_mut().fold(false, |changed, item| retarget(item, names, depth + 1) || changed)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}
