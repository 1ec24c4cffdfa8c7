//! An example that fits a form (a JSON Schema): what a person changes before it is sent. It judges nothing.

use planloom_engine::model::decision::misfits;
use serde_json::{Map, Value, json};

/// Forms nest less deep; what is deeper is left out.
const DEEPEST: usize = 8;
/// Items of a list, and letters of a text, that an example is filled up to.
const ITEMS: u64 = 3;
const LETTERS: u64 = 64;

/// None where what was made up does not fit: an example that is refused would lead astray.
pub fn of(schema: &Value) -> Option<Value> {
    let made = inner(schema, DEEPEST);
    let misfits = misfits(Some(schema), &made);
    misfits.is_ok_and(|misfits| misfits.is_empty()).then_some(made)
}

fn inner(schema: &Value, left: usize) -> Value {
    if left == 0 {
        return Value::Null;
    }
    if let Some(given) = given(schema) {
        return given;
    }
    for word in ["anyOf", "oneOf", "allOf"] {
        if let Some([first, others @ ..]) = schema.get(word).and_then(Value::as_array).map(Vec::as_slice) {
            return inner(&beside(schema, word, first, others), left - 1);
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

/// The first of several ways together with what holds for all of them.
fn beside(schema: &Value, word: &str, first: &Value, others: &[Value]) -> Value {
    let (Some(all), Some(first)) = (schema.as_object(), first.as_object()) else {
        return first.clone();
    };
    let mut whole = all.clone();
    whole.remove(word);
    for (name, value) in first {
        match (whole.get_mut(name), value) {
            (Some(Value::Object(held)), Value::Object(more)) => held.extend(more.clone()),
            (Some(held), more) => *held = more.clone(),
            (None, more) => drop(whole.insert(name.clone(), more.clone())),
        }
    }
    // What another way asks for and this one does not may say the contrary, such as that nothing is given.
    let mut whole = Value::Object(whole);
    let own: Vec<String> = required_by(&whole).map(str::to_owned).collect();
    if word != "allOf"
        && let Some(fields) = whole.get_mut("properties").and_then(Value::as_object_mut)
    {
        let theirs: Vec<&str> = others.iter().flat_map(required_by).collect();
        fields.retain(|name, _| own.contains(name) || !theirs.contains(&name.as_str()));
    }
    whole
}

fn required_by(schema: &Value) -> impl Iterator<Item = &str> {
    let names = schema.get("required").and_then(Value::as_array);
    names.into_iter().flatten().filter_map(Value::as_str)
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
    for name in required_by(schema) {
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
            (
                // As a server asks that may be declined.
                json!({ "type": "object", "additionalProperties": false,
                    "properties": { "pw": { "type": "string" }, "decline": { "type": "boolean" } },
                    "anyOf": [
                        { "required": ["pw"] },
                        { "required": ["decline"], "properties": { "decline": { "const": true } } } ] }),
                json!({ "pw": "text" }),
            ),
            (json!(true), json!("text")),
        ] {
            assert_eq!(of(&form), Some(expected), "{form}");
        }
    }

    #[test]
    fn a_form_without_end_has_an_example_with_one() {
        let mut form = json!({ "type": "string" });
        for _ in 0..60 {
            form = json!({ "type": "array", "items": form, "minItems": 1 });
        }
        assert!(inner(&form, DEEPEST).is_array());
    }

    #[test]
    fn what_would_be_refused_is_no_example() {
        for form in [
            json!(false),
            json!({ "type": "string", "pattern": "^[0-9]+$" }),
            json!({ "type": "object", "required": ["zz"], "additionalProperties": false }),
            json!({ "not": {} }),
        ] {
            assert_eq!(of(&form), None, "{form}");
        }
    }
}
