//! Which values differ between two JSON values, by JSON Pointer. It must not know what the fields mean.

use super::FieldDiff;
use crate::model::Json;
use crate::model::json::push_step;

/// Objects are gone into, and lists of the same length whose entries are more than plain values; everything else is told
/// as a whole. Objects with a `$` key are one value: a reference is not half another one.
pub(super) fn differing(before: &Json, after: &Json) -> Vec<FieldDiff> {
    let mut found = Vec::new();
    go_into(String::new(), before, after, &mut found);
    found
}

fn go_into(pointer: String, before: &Json, after: &Json, found: &mut Vec<FieldDiff>) {
    if before == after {
        return;
    }
    match (before, after) {
        (Json::Object(old), Json::Object(new)) if !is_reference(before) && !is_reference(after) => {
            let gone = old.keys().filter(|key| !new.contains_key(*key));
            for key in new.keys().chain(gone) {
                let mut inner = pointer.clone();
                push_step(&mut inner, key);
                match (old.get(key), new.get(key)) {
                    (Some(old), Some(new)) => go_into(inner, old, new, found),
                    (old, new) => found.push(field(inner, old, new)),
                }
            }
        }
        (Json::Array(old), Json::Array(new)) if old.len() == new.len() && (is_deep(old) || is_deep(new)) => {
            for (ix, (old, new)) in old.iter().zip(new).enumerate() {
                go_into(format!("{pointer}/{ix}"), old, new, found);
            }
        }
        _ => found.push(field(pointer, Some(before), Some(after))),
    }
}

fn field(pointer: String, before: Option<&Json>, after: Option<&Json>) -> FieldDiff {
    FieldDiff {
        pointer,
        before: before.map(ToString::to_string),
        after: after.map(ToString::to_string),
    }
}

fn is_reference(value: &Json) -> bool {
    let keys = value.as_object().into_iter().flat_map(|map| map.keys());
    keys.into_iter().any(|key| key.starts_with('$'))
}

fn is_deep(items: &[Json]) -> bool {
    items.iter().any(|item| item.is_object() || item.is_array())
}
