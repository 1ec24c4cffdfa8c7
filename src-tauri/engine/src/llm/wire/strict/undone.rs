//! Brings an answer in the strict dialect back to the schema that was meant: `null` for a key that was optional means
//! that it isn't there. It must not judge whether the answer is valid.

use serde_json::Map;

use super::flat::find;
use crate::llm::{Outcome, Request, json_of};
use crate::model::Json;

/// Schemas that are looked at for one value; beyond them the value stays as it is.
const SCHEMAS: usize = 256;

/// The value with every `null` left out that stands for a key which `schema` allows to be absent and doesn't allow to
/// be `null`. A value that was never in the dialect stays as it is otherwise. Where alternatives with the same keys
/// differ in this, `null` stays.
pub fn as_asked(schema: &Json, value: Json) -> Json {
    undo(schema, &[schema], value)
}

/// The same for an answer whose shape was asked for. A text that is no JSON, or needs no change, stays as it is.
pub fn answer_as_asked(request: &Request, outcome: &mut Outcome) {
    let (Some(output), Outcome::Complete(answer)) = (&request.output, outcome) else {
        return;
    };
    if let Ok(said) = json_of(&answer.text) {
        let asked = as_asked(&output.schema, said.clone());
        if asked != said {
            answer.text = asked.to_string();
        }
    }
}

fn undo(root: &Json, schemas: &[&Json], value: Json) -> Json {
    let schemas = parts_of(root, schemas);
    if schemas.is_empty() {
        return value;
    }
    match value {
        Json::Object(object) => Json::Object(undo_object(root, &schemas, object)),
        Json::Array(items) => {
            let of_items: Vec<&Json> = schemas.iter().filter_map(|schema| schema.get("items")).collect();
            Json::Array(
                items
                    .into_iter()
                    .map(|item| undo(root, &of_items, item))
                    .collect(),
            )
        }
        plain @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => plain,
    }
}

fn undo_object(root: &Json, schemas: &[&Json], object: Map<String, Json>) -> Map<String, Json> {
    let mut kept = Map::new();
    for (name, value) in object {
        let of_value: Vec<&Json> = schemas
            .iter()
            .filter_map(|schema| schema.get("properties")?.get(&name))
            .collect();
        if value.is_null() && may_be_absent(schemas, &name) && !takes_null(root, &of_value) {
            continue;
        }
        kept.insert(name, undo(root, &of_value, value));
    }
    kept
}

/// Whether one of the schemas knows the key without requiring it.
fn may_be_absent(schemas: &[&Json], name: &str) -> bool {
    schemas.iter().any(|schema| {
        let is_known = schema
            .get("properties")
            .is_some_and(|known| known.get(name).is_some());
        let is_required = schema
            .get("required")
            .is_some_and(|required| holds(required, |one| one == name));
        is_known && !is_required
    })
}

/// The schemas with all that they refer to and are put together from.
fn parts_of<'s>(root: &'s Json, schemas: &[&'s Json]) -> Vec<&'s Json> {
    let mut parts: Vec<&Json> = Vec::new();
    let mut waiting: Vec<&Json> = schemas.iter().rev().copied().collect();
    while let Some(schema) = waiting.pop() {
        if parts.len() == SCHEMAS || parts.iter().any(|part| std::ptr::eq(*part, schema)) {
            continue;
        }
        parts.push(schema);
        let target = schema.get("$ref").and_then(Json::as_str);
        waiting.extend(target.and_then(|reference| find(root, reference)));
        for keyword in ["allOf", "anyOf", "oneOf"] {
            waiting.extend(schema.get(keyword).and_then(Json::as_array).into_iter().flatten());
        }
    }
    parts
}

/// Whether one of the schemas speaks of `null`, or of no type at all.
fn takes_null(root: &Json, schemas: &[&Json]) -> bool {
    let is_null_type = |types: &Json| types == "null" || holds(types, |name| name == "null");
    parts_of(root, schemas).into_iter().any(|schema| {
        let of_types = schema.get("type").map(is_null_type);
        let of_values = schema.get("enum").map(|values| holds(values, Json::is_null));
        let of_value = schema.get("const").map(Json::is_null);
        let said: Vec<bool> = [of_types, of_values, of_value].into_iter().flatten().collect();
        let is_made_of_others = ["$ref", "allOf", "anyOf", "oneOf", "properties", "items"]
            .iter()
            .any(|keyword| schema.get(keyword).is_some());
        if said.is_empty() {
            !is_made_of_others
        } else {
            said.into_iter().all(|takes| takes)
        }
    })
}

fn holds(list: &Json, what: impl Fn(&Json) -> bool) -> bool {
    list.as_array().is_some_and(|list| list.iter().any(what))
}
