//! References between tasks, found in the raw document: what reads the output of a task.

use crate::model::Json;
use crate::model::json::{push_step, steps};

/// Every `$from` of a task: its pointer inside the task, and the id that it names. Literals are data, and a plan
/// inside the task has names of its own.
pub(in crate::model) fn all(task: &Json) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    // A map's inner task reads what the map may read.
    let mut prefix = String::new();
    let mut at = Some(task);
    while let Some(task) = at {
        for field in ["inputs", "over"] {
            if let Some(value) = task.get(field) {
                let mut pointer = format!("{prefix}/{field}");
                collect(value, &mut pointer, &mut found);
            }
        }
        prefix.push_str("/task");
        at = task.get("task");
    }
    found
}

/// The pointers of those that name this id.
pub(super) fn to(task: &Json, id: &str) -> Vec<String> {
    all(task)
        .into_iter()
        .filter(|(_, name)| *name == id)
        .map(|(pointer, _)| pointer)
        .collect()
}

/// Recursion is bounded by the depth of the document.
fn collect<'d>(value: &'d Json, pointer: &mut String, found: &mut Vec<(String, &'d str)>) {
    let len = pointer.len();
    match value {
        Json::Object(map) if map.contains_key("$literal") => {}
        Json::Object(map) => {
            for (key, value) in map {
                push_step(pointer, key);
                match value.as_str().filter(|_| key == "$from") {
                    Some(name) => found.push((pointer.clone(), name)),
                    None => collect(value, pointer, found),
                }
                pointer.truncate(len);
            }
        }
        Json::Array(items) => {
            for (ix, item) in items.iter().enumerate() {
                push_step(pointer, &ix.to_string());
                collect(item, pointer, found);
                pointer.truncate(len);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// Names of the inputs that are nothing but a reference to this task.
pub(super) fn whole_inputs(task: &Json, id: &str) -> Vec<String> {
    let inputs = task.get("inputs").and_then(Json::as_object);
    let reads = |value: &Json| value.get("$from").and_then(Json::as_str) == Some(id);
    inputs
        .into_iter()
        .flatten()
        .filter(|(_, value)| reads(value))
        .map(|(name, _)| name.clone())
        .collect()
}

/// The input, or the field beside the inputs, that a reference stands in.
pub(in crate::model) fn input_of(pointer: &str) -> String {
    let mut steps = steps(pointer);
    let field = steps.next().unwrap_or_default();
    if field == "inputs" {
        steps.next().unwrap_or(field)
    } else {
        field
    }
}
