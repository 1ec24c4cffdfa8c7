//! An example that fits a form (a JSON Schema): what a person changes before it is sent. It judges nothing.

use serde_json::{Map, Value, json};

/// Forms nest less deep; what is deeper is left out.
const DEEPEST: usize = 8;
/// Items of a list, and letters of a text, that an example is filled up to.
const ITEMS: u64 = 3;
const LETTERS: u64 = 64;

pub fn of(schema: &Value) -> Value {
    inner(schema, DEEPEST)
}

fn inner(schema: &Value, left: usize) -> Value {
    if left == 0 {
        return Value::Null;
    }
    if let Some(given) = given(schema) {
        return given;
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some(first) = schema.get(word).and_then(|ways| ways.get(0)) {
            return inner(first, left - 1);
        }
    }
    match kind(schema) {
        "object" => object(schema, left - 1),
        "array" => array(schema, left - 1),
        "boolean" => json!(true),
        "integer" | "number" => number(schema),
        "null" => Value::Null,
        _ => text(schema),
    }
}

/// What the form itself names.
fn given(schema: &Value) -> Option<Value> {
    let first = |word: &str| schema.get(word)?.get(0).cloned();
    let named = schema.get("const").or(schema.get("default")).cloned();
    named.or_else(|| first("examples")).or_else(|| first("enum"))
}

fn kind(schema: &Value) -> &str {
    let named = schema.get("type");
    let first = named.and_then(|kinds| kinds.get(0));
    let named = first.or(named).and_then(Value::as_str);
    named.unwrap_or(match schema.get("properties") {
        Some(_) => "object",
        None => "string",
    })
}

fn object(schema: &Value, left: usize) -> Value {
    let fields = schema.get("properties").and_then(Value::as_object);
    let mut object: Map<String, Value> = fields
        .into_iter()
        .flatten()
        .map(|(name, field)| (name.clone(), inner(field, left)))
        .collect();
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        object.entry(name).or_insert_with(|| json!("text"));
    }
    Value::Object(object)
}

fn array(schema: &Value, left: usize) -> Value {
    let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(1);
    let item = schema
        .get("items")
        .map_or(json!("text"), |item| inner(item, left));
    (0..least.min(ITEMS)).map(|_| item.clone()).collect()
}

fn number(schema: &Value) -> Value {
    let bound = |word: &str| schema.get(word).filter(|bound| bound.is_number()).cloned();
    let above = || {
        let bound = schema.get("exclusiveMinimum")?.as_i64()?;
        bound.checked_add(1).map(Value::from)
    };
    let at_least = bound("minimum").or_else(above);
    at_least.or_else(|| bound("maximum")).unwrap_or(json!(1))
}

fn text(schema: &Value) -> Value {
    let said = match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("time") => "12:00:00Z",
        Some("email") => "ada@example.com",
        Some("uri") => "https://example.com/",
        Some(_) | None => "text",
    };
    let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(0);
    let most = schema
        .get("maxLength")
        .and_then(Value::as_u64)
        .unwrap_or(u64::MAX);
    let shortest = usize::try_from(least.min(LETTERS)).unwrap_or_default();
    let longest = usize::try_from(most).unwrap_or(usize::MAX);
    let padded = format!("{said:.<shortest$}");
    Value::String(padded.chars().take(longest).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_example_has_the_forms_own_fields() {
        for (form, expected) in [
            (
                json!({ "type": "object", "required": ["yes", "n"], "properties": {
                    "yes": { "type": "boolean" }, "n": { "type": "integer", "minimum": 3 }, "why": { "type": "string" } } }),
                json!({ "yes": true, "n": 3, "why": "text" }),
            ),
            (json!({ "type": "string", "enum": ["red", "blue"] }), json!("red")),
            (json!({ "type": "number", "exclusiveMinimum": 3 }), json!(4)),
            (
                json!({ "type": ["string", "null"], "format": "date" }),
                json!("2026-01-31"),
            ),
            (
                json!({ "type": "string", "minLength": 6, "maxLength": 6 }),
                json!("text.."),
            ),
            (
                json!({ "type": "array", "items": { "type": "number" }, "minItems": 2 }),
                json!([1, 1]),
            ),
            (
                json!({ "required": ["a"], "properties": {} }),
                json!({ "a": "text" }),
            ),
            (
                json!({ "anyOf": [{ "type": "boolean" }, { "type": "null" }] }),
                json!(true),
            ),
            (json!(true), json!("text")),
        ] {
            assert_eq!(of(&form), expected, "{form}");
        }
    }

    #[test]
    fn a_form_without_end_has_an_example_with_one() {
        let mut form = json!({ "type": "string" });
        for _ in 0..60 {
            form = json!({ "type": "array", "items": form, "minItems": 1 });
        }
        assert!(of(&form).is_array());
    }
}
