//! llama.cpp's server, which makes a grammar of every schema: one that it can't make breaks the whole request. It must
//! not know which model is loaded there.

use serde_json::{Map, json};

use super::chat::{Chat, Habits};
use super::classify::Dialect;
use crate::model::Json;

pub type LlamaCpp = Chat<OfLlamaCpp>;

pub struct OfLlamaCpp;

impl Habits for OfLlamaCpp {
    const DIALECT: Dialect = Dialect::LlamaCpp;
    const NAME: &'static str = "llama_cpp";
    const IS_STRICT: bool = false;
    /// The schema would be dropped without a word.
    const IS_SHAPED_WITH_TOOLS: bool = false;
    const NO_TEXT: Option<&'static str> = Some("");

    fn schema(schema: &Json) -> Json {
        bearable(schema, 0)
    }
}

/// Repetitions beyond this make a grammar that takes minutes or fails.
const MOST_REPEATED: u64 = 1000;
/// Deeper schemas are taken as anything at all.
const DEEPEST: usize = 64;
const BOUNDS: &[&str] = &["minLength", "maxLength", "minItems", "maxItems"];

/// The schema without what its grammar can't bear. What is left out is checked after the answer.
fn bearable(schema: &Json, depth: usize) -> Json {
    let Json::Object(map) = schema else {
        // `true` and `false` are schemas too, which it doesn't read.
        return if schema.is_boolean() {
            json!({})
        } else {
            schema.clone()
        };
    };
    if depth > DEEPEST {
        return json!({});
    }
    let kept = map.iter().filter(|(key, value)| is_borne(key, value));
    let kept: Map<String, Json> = kept
        .map(|(key, value)| (key.clone(), inner(key, value, depth + 1)))
        .collect();
    let is_empty = |key: &str| kept.get(key).and_then(Json::as_object).is_none_or(Map::is_empty);
    if kept.get("type") == Some(&json!("object")) && is_empty("properties") {
        return without_properties(kept);
    }
    Json::Object(kept)
}

/// `"properties": {}` makes a rule that nothing follows.
fn without_properties(mut schema: Map<String, Json>) -> Json {
    for key in ["properties", "required"] {
        schema.shift_remove(key);
    }
    if schema
        .get("additionalProperties")
        .is_some_and(|more| !more.is_object())
    {
        schema.shift_remove("additionalProperties");
    }
    Json::Object(schema)
}

fn is_borne(key: &str, value: &Json) -> bool {
    match key {
        "pattern" => value.as_str().is_some_and(is_plain_pattern),
        _ if BOUNDS.contains(&key) => value.as_u64().is_some_and(|bound| bound <= MOST_REPEATED),
        _ => true,
    }
}

/// It must be anchored, and escapes and groups that look around are read as something else.
fn is_plain_pattern(pattern: &str) -> bool {
    pattern.len() <= 200
        && pattern.starts_with('^')
        && pattern.ends_with('$')
        && !pattern.contains('\\')
        && !pattern.contains("(?")
}

/// Only where schemas stand: a key of that name among the values of an `enum` is none.
fn inner(key: &str, value: &Json, depth: usize) -> Json {
    let each = |map: &Map<String, Json>| {
        map.iter()
            .map(|(name, schema)| (name.clone(), bearable(schema, depth)))
            .collect()
    };
    match (key, value) {
        ("properties" | "$defs" | "definitions", Json::Object(map)) => Json::Object(each(map)),
        ("anyOf" | "oneOf" | "allOf" | "prefixItems" | "items", Json::Array(items)) => {
            items.iter().map(|schema| bearable(schema, depth)).collect()
        }
        ("items", schema) => bearable(schema, depth),
        ("additionalProperties", Json::Object(_)) => bearable(value, depth),
        (_, value) => value.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn schemas_lose_only_what_breaks_the_grammar() {
        for (schema, sent) in [
            (
                json!({"type": "object", "properties": {}, "required": [], "additionalProperties": false}),
                json!({"type": "object"}),
            ),
            (
                json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 1_000_000, "minLength": 1}}}),
                json!({"type": "object", "properties": {"a": {"type": "string", "minLength": 1}}}),
            ),
            (
                json!({"type": "string", "pattern": "^[a-z]+$"}),
                json!({"type": "string", "pattern": "^[a-z]+$"}),
            ),
            (
                json!({"type": "string", "pattern": "\\d+"}),
                json!({"type": "string"}),
            ),
            (
                json!({"type": "array", "items": true}),
                json!({"type": "array", "items": {}}),
            ),
            // A property may have the name of a keyword.
            (
                json!({"type": "object", "properties": {"pattern": {"type": "string"}, "maxLength": {"type": "integer"}}}),
                json!({"type": "object", "properties": {"pattern": {"type": "string"}, "maxLength": {"type": "integer"}}}),
            ),
            (
                json!({"anyOf": [{"type": "array", "prefixItems": [{"const": "t1"}], "maxItems": 3}]}),
                json!({"anyOf": [{"type": "array", "prefixItems": [{"const": "t1"}], "maxItems": 3}]}),
            ),
        ] {
            assert_eq!(OfLlamaCpp::schema(&schema), sent);
        }
        let mut deep = json!({"type": "string"});
        for _ in 0..100 {
            deep = json!({"type": "array", "items": deep});
        }
        OfLlamaCpp::schema(&deep);
    }
}
