//! Which values are too narrow to carry a message: truth values, numbers, one of a list of words, dates, ids. Where a
//! task's `output_schema` promises such a value and the value keeps the promise, it is no text from outside any more
//! (LIBRARIES D4, R4). Free text never is. Pure; it must not know who reads the value.

use super::Json;

/// The longest id that counts as one.
const LONGEST: u64 = 64;

/// Whether whatever keeps to the schema is narrow. `const` and `enum` count as long as they are short lists of scalars.
pub fn is_narrow_schema(schema: &Json) -> bool {
    let Some(schema) = schema.as_object() else {
        return false;
    };
    // What another keyword allows beside is not looked into: such a schema promises nothing here.
    const BESIDE: [&str; 9] = [
        "$ref",
        "$dynamicRef",
        "anyOf",
        "oneOf",
        "allOf",
        "not",
        "if",
        "then",
        "else",
    ];
    if BESIDE.iter().any(|name| schema.contains_key(*name)) {
        return false;
    }
    if schema.get("const").is_some_and(is_scalar) {
        return true;
    }
    if let Some(words) = schema.get("enum").and_then(Json::as_array) {
        return words.iter().all(is_scalar);
    }
    match schema.get("type").and_then(Json::as_str) {
        Some("boolean" | "number" | "integer" | "null") => true,
        Some("string") => is_narrow_text(schema),
        Some("object") => is_closed_object(schema),
        Some(_) | None => false,
    }
}

fn is_narrow_text(schema: &serde_json::Map<String, Json>) -> bool {
    let format = schema.get("format").and_then(Json::as_str);
    if matches!(format, Some("date" | "date-time" | "time" | "uuid")) {
        return true;
    }
    let is_short = schema
        .get("maxLength")
        .and_then(Json::as_u64)
        .is_some_and(|most| most <= LONGEST);
    let pattern = schema.get("pattern").and_then(Json::as_str);
    is_short && pattern.is_some_and(is_narrow_pattern)
}

/// From end to end, and without what stands for any character.
fn is_narrow_pattern(pattern: &str) -> bool {
    let Some(inside) = pattern.strip_prefix('^').and_then(|p| p.strip_suffix('$')) else {
        return false;
    };
    let mut rest = inside.chars().peekable();
    while let Some(c) = rest.next() {
        let is_wide = match c {
            '.' | '|' => true,
            '[' => rest.peek() == Some(&'^'),
            '\\' => !rest
                .next()
                .is_some_and(|c| c == 'd' || c == 'w' || c.is_ascii_punctuation()),
            _ => false,
        };
        if is_wide {
            return false;
        }
    }
    true
}

/// An object of narrow values whose names are all in the schema.
fn is_closed_object(schema: &serde_json::Map<String, Json>) -> bool {
    let is_closed = schema.get("additionalProperties") == Some(&Json::Bool(false))
        && !schema.contains_key("patternProperties");
    let properties = schema.get("properties").and_then(Json::as_object);
    is_closed && properties.is_some_and(|all| all.values().all(is_narrow_schema))
}

fn is_scalar(value: &Json) -> bool {
    !value.is_array() && !value.is_object()
}

/// The schema of a place in a value (a JSON Pointer), where it says so plainly.
pub fn schema_at<'s>(schema: &'s Json, path: &str) -> Option<&'s Json> {
    let mut at = schema;
    for step in path.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        // What a combination allows beside `properties` could be anything.
        let is_plain = ["$ref", "$dynamicRef"].iter().all(|name| at.get(name).is_none());
        at = at.get("properties").filter(|_| is_plain)?.get(&name)?;
    }
    Some(at)
}

/// Whether the value at this place of an output is narrow, by its schema and by what it is.
pub fn is_narrow(schema: Option<&Json>, path: &str, value: &Json) -> bool {
    let promised = schema.and_then(|schema| schema_at(schema, path));
    promised.is_some_and(|schema| is_narrow_schema(schema) && keeps(schema, value))
}

/// The promise is looked at once more, on this very value: an output may have been put there by a person, or a pattern
/// may let through more than an id.
fn keeps(schema: &Json, value: &Json) -> bool {
    match value {
        Json::Null | Json::Bool(_) => true,
        // Digits without end are no number.
        Json::Number(number) => number.to_string().len() <= LONGEST as usize,
        Json::String(text) => keeps_text(schema, text),
        Json::Object(map) => map.iter().all(|(name, value)| {
            let schema = schema.get("properties").and_then(|all| all.get(name));
            schema.is_some_and(|schema| keeps(schema, value))
        }),
        Json::Array(_) => false,
    }
}

fn keeps_text(schema: &Json, text: &str) -> bool {
    let is_listed = |words: &Json| words.as_array().is_some_and(|all| all.iter().any(|w| w == text));
    if schema.get("const").is_some_and(|word| word == text) || schema.get("enum").is_some_and(is_listed) {
        return true;
    }
    // Validators do not look at formats.
    let is_letter = |c: char| match schema.get("format").and_then(Json::as_str) {
        Some("date" | "date-time" | "time") => c.is_ascii_digit() || "-:+.TtZz".contains(c),
        Some("uuid") => c.is_ascii_hexdigit() || c == '-',
        Some(_) | None => c.is_ascii_alphanumeric() || "._-:+".contains(c),
    };
    text.len() <= LONGEST as usize && text.chars().all(is_letter)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn narrow(schema: &Json, value: &Json) -> bool {
        is_narrow(Some(schema), "", value)
    }

    #[test]
    #[expect(clippy::too_many_lines, reason = "one table")]
    fn only_what_can_carry_no_message_is_narrow() {
        let id = json!({ "type": "string", "pattern": "^[A-Z]{2}-[0-9]+$", "maxLength": 20 });
        let closed = json!({ "type": "object", "additionalProperties": false,
            "properties": { "n": { "type": "integer" }, "id": id } });
        for (schema, value) in [
            (json!({ "type": "boolean" }), json!(true)),
            (json!({ "type": "number" }), json!(1.5)),
            (json!({ "enum": ["red green", "blue"] }), json!("red green")),
            (json!({ "const": "Yes, please" }), json!("Yes, please")),
            (json!({ "type": "string", "format": "date" }), json!("2026-11-29")),
            (
                json!({ "type": "string", "format": "date-time" }),
                json!("2026-11-29T10:00:00+01:00"),
            ),
            (id.clone(), json!("AB-12")),
            (closed.clone(), json!({ "n": 3, "id": "AB-1" })),
        ] {
            assert!(narrow(&schema, &value), "{schema} {value}");
        }
        for (schema, value) in [
            (json!({ "type": "string" }), json!("x")),
            (json!({ "type": "string", "maxLength": 10 }), json!("x")),
            (
                json!({ "type": "string", "maxLength": 64, "pattern": "^.*$" }),
                json!("x"),
            ),
            (
                json!({ "type": "string", "maxLength": 64, "pattern": "^[\\s\\S]{0,64}$" }),
                json!("x"),
            ),
            (
                json!({ "type": "string", "maxLength": 64, "pattern": "^[^,]+$" }),
                json!("x"),
            ),
            (
                json!({ "type": "string", "maxLength": 64, "pattern": "^a|x$" }),
                json!("x"),
            ),
            (
                json!({ "type": "string", "pattern": "^.*$", "maxLength": 64 }),
                json!("send it all"),
            ),
            (
                json!({ "type": "string", "pattern": "^.*$", "maxLength": 64 }),
                json!("https://evil.example/"),
            ),
            (json!({ "type": "string", "pattern": "^a+$" }), json!("aaa")),
            (
                json!({ "type": "string", "pattern": "a", "maxLength": 9 }),
                json!("a"),
            ),
            (
                json!({ "type": "string", "format": "date" }),
                json!("today, and send it all"),
            ),
            (
                json!({ "type": "string", "format": "date" }),
                json!("delete-everything"),
            ),
            (
                json!({ "type": "string", "format": "uri" }),
                json!("https://evil.example"),
            ),
            (
                json!({ "type": "array", "items": { "type": "boolean" } }),
                json!([true]),
            ),
            (json!({ "enum": ["a"] }), json!("say something else")),
            (json!({ "enum": [["a"]] }), json!(["a"])),
            (
                json!({ "type": "object", "properties": { "n": { "type": "integer" } } }),
                json!({ "n": 1 }),
            ),
            (closed.clone(), json!({ "n": 3, "id": "AB 1" })),
            (closed, json!({ "n": 3, "more": 1 })),
            (json!({ "type": ["boolean", "string"] }), json!("x")),
            (json!({ "type": "boolean", "anyOf": [{}] }), json!(true)),
            (json!(true), json!(true)),
            (json!({}), json!(1)),
        ] {
            assert!(!narrow(&schema, &value), "{schema} {value}");
        }
        let digits: Json = serde_json::from_str(&"7".repeat(200)).unwrap();
        assert!(!narrow(&json!({ "type": "integer" }), &digits));
        assert!(!is_narrow(None, "", &json!(true)));
    }

    #[test]
    fn a_place_in_an_output_has_its_own_schema() {
        let schema = json!({ "properties": { "a/b": { "properties": { "n": { "type": "integer" } } }, "text": { "type": "string" } } });
        assert!(is_narrow(Some(&schema), "/a~1b/n", &json!(1)));
        assert!(!is_narrow(Some(&schema), "/text", &json!("x")));
        assert!(!is_narrow(Some(&schema), "/a~1b", &json!({ "n": 1 })));
        assert!(!is_narrow(Some(&schema), "/more", &json!(1)));
    }
}
