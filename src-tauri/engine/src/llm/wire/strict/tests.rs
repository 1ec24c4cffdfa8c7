//! The strict dialect held against schemas of all kinds.

use proptest::prelude::*;

use super::*;
use crate::llm::wire::trial;
use crate::llm::{Answer, Outcome};

fn said(schema: Json) -> String {
    strict(&schema).unwrap().to_string()
}

fn why(schema: Json) -> String {
    strict(&schema).unwrap_err().to_string()
}

fn within(schema: Json) -> Json {
    json!({"type": "object", "properties": {"a": schema}, "required": ["a"]})
}

#[test]
fn optional_keys_become_nullable_ones() {
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Row",
        "type": "object",
        "properties": {
            "name": {"type": "string", "minLength": 1, "description": "Whose it is"},
            "size": {"enum": ["s", "m"]},
            "at": {"type": "object", "properties": {"x": {"type": "integer", "minimum": 0}}, "required": ["x"]},
        },
        "required": ["name"],
    });
    insta::assert_snapshot!(said(schema), @r#"{"type":"object","properties":{"name":{"type":"string","description":"Whose it is (minLength: 1)"},"size":{"type":["string","null"],"enum":["s","m",null]},"at":{"anyOf":[{"type":"object","properties":{"x":{"type":"integer","description":"minimum: 0"}},"required":["x"],"additionalProperties":false},{"type":"null"}]}},"required":["name","size","at"],"additionalProperties":false}"#);
}

#[test]
fn references_and_parts_are_written_out() {
    let schema = json!({
        "$defs": {"id": {"type": "string", "pattern": "^t"}, "base": {"properties": {"id": {"$ref": "#/$defs/id"}}, "required": ["id"]}},
        "allOf": [{"$ref": "#/$defs/base"}, {"type": "object", "properties": {"next": {"$ref": "#/$defs/id"}}}],
    });
    insta::assert_snapshot!(said(schema), @r#"{"type":"object","properties":{"id":{"type":"string","description":"pattern: \"^t\""},"next":{"type":["string","null"],"description":"pattern: \"^t\""}},"required":["id","next"],"additionalProperties":false}"#);
}

#[test]
fn alternatives_stay_and_equal_ones_are_one() {
    let choice = json!({"oneOf": [{"type": "string"}, {"type": "array", "items": {"const": 1}}]});
    insta::assert_snapshot!(said(within(choice)), @r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"integer","enum":[1]}}]}},"required":["a"],"additionalProperties":false}"#);
    let only_bounds = json!({
        "type": "object",
        "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
        "required": ["a", "b"],
        "anyOf": [{"required": ["a"]}, {"required": ["b"]}],
    });
    insta::assert_snapshot!(said(only_bounds), @r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a","b"],"additionalProperties":false}"#);
    let mixed = json!({"type": ["integer", "array", "null"], "items": {"type": "boolean"}});
    insta::assert_snapshot!(said(within(mixed)), @r#"{"type":"object","properties":{"a":{"anyOf":[{"type":"array","items":{"type":"boolean"}},{"type":["integer","null"]}]}},"required":["a"],"additionalProperties":false}"#);
}

#[test]
fn what_it_has_no_words_for_is_said_with_its_place() {
    let told: Vec<String> = [
        json!(true),
        json!({"type": "array", "items": {"type": "string"}}),
        json!({"anyOf": [within(json!({"type": "null"})), within(json!({"type": "string"}))]}),
        within(json!({})),
        within(json!({"type": "object"})),
        within(json!({"type": "object", "additionalProperties": {"type": "string"}})),
        within(json!({"type": "array"})),
        within(json!({"type": "array", "items": {"type": "object", "patternProperties": {"x": {}}}})),
        within(json!({"type": "array", "prefixItems": [{"type": "string"}]})),
        within(json!({"type": "word"})),
        within(json!({"enum": [{"a": 1}]})),
        within(json!({"$ref": "https://example.com/schema"})),
        within(json!({"$ref": "#"})),
        within(json!({"allOf": [{"type": "string"}, {"type": "null"}]})),
        within(json!({"anyOf": []})),
        json!({"type": "object", "required": ["a"], "additionalProperties": false}),
    ]
    .into_iter()
    .map(why)
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    it takes any value, which can't be said (at ``)
    the outermost value must be one kind of object (at ``)
    the outermost value must be one kind of object (at ``)
    it takes any value, which can't be said (at `/a`)
    an object with free keys can't be said (at `/a`)
    an object with free keys can't be said (at `/a`)
    an array whose items may be anything, or a tuple, can't be said (at `/a`)
    keys that a pattern describes can't be said (at `/a/*`)
    tuples can't be said (at `/a`)
    `word` is no type (at `/a`)
    a list of whole objects can't be said (at `/a`)
    `https://example.com/schema` refers to nothing in this schema (at `/a`)
    `#` refers to itself, and recursion can't be said (at `/a/a`)
    no value can have both types (at `/a`)
    it has no alternatives (at `/a`)
    `a` is required, but may be any value (at ``)
    ");
}

#[test]
fn a_schema_that_grows_without_end_is_refused_at_once() {
    let mut defs = serde_json::Map::new();
    for level in 0..60 {
        let next = json!({"$ref": format!("#/$defs/l{}", level + 1)});
        let both = json!({"type": "array", "items": {"anyOf": [next, {"type": "array", "items": next}]}});
        defs.insert(format!("l{level}"), both);
    }
    defs.insert("l60".to_owned(), json!({"type": "string"}));
    let mut schema = within(json!({"$ref": "#/$defs/l0"}));
    schema["$defs"] = Json::Object(defs);
    assert!(strict(&schema).is_err());

    let mut deep = json!({"type": "string"});
    for _ in 0..200 {
        deep = json!({"type": "array", "items": deep});
    }
    insta::assert_snapshot!(why(within(deep)).split(" (at").next().unwrap(), @"it is nested too deep");
}

#[test]
fn null_for_an_optional_key_is_left_out_again() {
    let schema = json!({
        "$defs": {"row": {"type": "object", "properties": {"x": {"type": "integer"}, "y": {"type": ["integer", "null"]}}}},
        "type": "object",
        "properties": {
            "rows": {"type": "array", "items": {"$ref": "#/$defs/row"}},
            "must": {"type": "null"},
            "note": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
        },
        "required": ["rows", "must"],
    });
    let value = json!({"rows": [{"x": null, "y": null}, {"x": 9007199254740993u64, "y": 1}], "must": null, "note": null, "more": null});
    insta::assert_snapshot!(as_asked(&schema, value), @r#"{"rows":[{"y":null},{"x":9007199254740993,"y":1}],"must":null,"more":null}"#);
}

#[test]
fn arguments_are_one_object() {
    let whole = json!({"type": "object", "properties": {"a": {"oneOf": [{}]}}, "required": ["a"]});
    assert_eq!(tool_arguments(&whole), whole);
    let put_together = json!({
        "$schema": "x",
        "$ref": "#/$defs/base",
        "$defs": {"base": {"properties": {"a": {"type": "string"}}, "anyOf": [{"required": ["a"]}, {}]}},
    });
    assert_eq!(
        tool_arguments(&put_together)["properties"].to_string(),
        r#"{"a":{"type":"string"}}"#
    );
    assert!(tool_arguments(&put_together).get("anyOf").is_none());
    for odd in [
        json!(null),
        json!(true),
        json!({}),
        json!({"$ref": "#"}),
        json!([]),
    ] {
        let arguments = tool_arguments(&odd);
        assert_eq!(
            (&arguments["type"], &arguments["properties"]),
            (&json!("object"), &json!({}))
        );
    }
}

#[test]
fn an_answer_is_changed_only_where_it_must_be() {
    let request = trial::shaped(json!({"type": "object", "properties": {"a": {"type": "string"}, "n": {}}}));
    let asked = |text: &str| {
        let mut outcome = Outcome::Complete(Answer::text(text));
        answer_as_asked(&request, &mut outcome);
        outcome.answer().unwrap().text.clone()
    };
    assert_eq!(
        asked(r#"{"a": null, "n": 9007199254740993.10}"#),
        r#"{"n":9007199254740993.10}"#
    );
    for same in [
        r#"{ "a": "x", "n": null }"#,
        "{\"a\": null",
        "a",
        r#"{"a":null,"a":null}"#,
    ] {
        assert_eq!(asked(same), same);
    }
}

/// Schemas without bounds, so that the dialect says all that they say.
fn any_schema() -> impl Strategy<Value = Json> {
    let plain = prop_oneof![
        Just(json!({"type": "string"})),
        Just(json!({"type": "integer", "description": "a count"})),
        Just(json!({"type": ["boolean", "null"]})),
        Just(json!({"enum": ["a", "b", 3]})),
        Just(json!({"const": null})),
        Just(json!({"$ref": "#/$defs/word"})),
    ];
    plain.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            inner
                .clone()
                .prop_map(|items| json!({"type": "array", "items": items})),
            // One whole alternative at most: which of several was meant can't be told from a `null`.
            inner
                .clone()
                .prop_map(|choice| json!({"anyOf": [{"type": "number"}, choice]})),
            any_object(inner),
        ]
    })
}

fn any_object(inner: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
    prop::collection::vec((inner, any::<bool>()), 1..4).prop_map(|fields| {
        let names = ["one", "two", "three", "four"];
        let mut properties = Map::new();
        let mut required = Vec::new();
        for (name, (schema, is_required)) in names.iter().zip(fields) {
            properties.insert((*name).to_owned(), schema);
            required.extend(is_required.then_some(*name));
        }
        json!({"type": "object", "properties": properties, "required": required})
    })
}

fn any_root() -> impl Strategy<Value = Json> {
    any_object(any_schema()).prop_map(|mut root| {
        root["$defs"] = json!({"word": {"type": "string"}});
        root
    })
}

/// The dialect, told a second time.
fn is_in_dialect(schema: &Json, objects: usize) -> bool {
    let known = [
        "type",
        "description",
        "enum",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "anyOf",
    ];
    let Some(keywords) = schema.as_object() else {
        return false;
    };
    if objects > OBJECTS || !keywords.keys().all(|key| known.contains(&key.as_str())) {
        return false;
    }
    if let Some(choices) = schema.get("anyOf") {
        let choices = choices.as_array().unwrap();
        return choices.len() > 1 && choices.iter().all(|choice| is_in_dialect(choice, objects));
    }
    match schema["type"].as_str() {
        Some("object") => {
            let properties = schema["properties"].as_object().unwrap();
            schema["additionalProperties"] == false
                && json!(properties.keys().collect::<Vec<_>>()) == schema["required"]
                && properties.values().all(|one| is_in_dialect(one, objects + 1))
        }
        Some("array") => is_in_dialect(&schema["items"], objects),
        Some(name) => TYPES.contains(&name),
        None => schema["type"].as_array().is_some_and(|names| names.len() > 1),
    }
}

/// A value that a model bound to the dialect could write; `dice` chooses.
fn written(schema: &Json, dice: &mut impl FnMut(usize) -> usize) -> Json {
    if let Some(choices) = schema.get("anyOf").and_then(Json::as_array) {
        return written(&choices[dice(choices.len())], dice);
    }
    if let Some(values) = schema.get("enum").and_then(Json::as_array) {
        return values[dice(values.len())].clone();
    }
    let names = names_of(schema);
    match names[dice(names.len())].as_str() {
        "object" => {
            let properties = schema["properties"].as_object().unwrap();
            let fields = properties
                .iter()
                .map(|(name, schema)| (name.clone(), written(schema, dice)));
            Json::Object(fields.collect())
        }
        "array" => (0..dice(3)).map(|_| written(&schema["items"], dice)).collect(),
        "string" => json!("text"),
        "integer" | "number" => json!(7),
        "boolean" => json!(dice(2) == 1),
        "null" => Json::Null,
        other => panic!("{other}"),
    }
}

proptest! {
    /// What comes out is in the dialect and stays as it is when it goes in again; and what is written in it satisfies
    /// the schema that was meant.
    #[test]
    fn what_is_written_in_the_dialect_is_what_was_asked(root in any_root(), seed in any::<u64>()) {
        match strict(&root) {
            Err(no) => prop_assert!(no.why.contains("objects inside"), "{no}"),
            Ok(said) => {
                prop_assert!(is_in_dialect(&said, 1), "{said}");
                prop_assert_eq!(&strict(&said).unwrap(), &said);
                let mut state = seed;
                let mut dice = |sides: usize| {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    (state >> 33) as usize % sides
                };
                let validator = jsonschema::validator_for(&root).unwrap();
                for _ in 0..8 {
                    let value = as_asked(&root, written(&said, &mut dice));
                    prop_assert!(validator.is_valid(&value), "{value} for {root}");
                }
            }
        }
    }

    /// Any JSON at all is no reason to fall over.
    #[test]
    fn nothing_is_too_odd(root in any_json(), value in any_json()) {
        if let Ok(said) = strict(&root) {
            prop_assert!(is_in_dialect(&said, 1), "{said}");
        }
        as_asked(&root, value);
    }
}

fn any_json() -> impl Strategy<Value = Json> {
    let plain = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::Bool),
        any::<i64>().prop_map(|number| json!(number)),
        prop::sample::select(vec![
            "object",
            "string",
            "null",
            "array",
            "#",
            "#/a",
            "#/$defs/a",
            "a"
        ])
        .prop_map(|text| json!(text)),
    ];
    let key = prop::sample::select(vec![
        "type",
        "properties",
        "required",
        "items",
        "anyOf",
        "allOf",
        "oneOf",
        "$ref",
        "$defs",
        "enum",
        "const",
        "a",
        "additionalProperties",
        "description",
        "if",
        "minimum",
    ]);
    plain.prop_recursive(6, 48, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::vec((key.clone(), inner), 0..5).prop_map(|fields| {
                Json::Object(
                    fields
                        .into_iter()
                        .map(|(key, value)| (key.to_owned(), value))
                        .collect(),
                )
            }),
        ]
    })
}
