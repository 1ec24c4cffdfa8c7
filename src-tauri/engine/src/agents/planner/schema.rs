//! The schemas that a planner's answer is bound to. It must not know how the answer is read.
//!
//! The strict form keeps to the dialect that all providers share: every key required, `null` instead of optional, no
//! further keys, no bounds, no choice between shapes, no recursion, at most five levels. Free-form objects (schemas,
//! arguments) therefore come as lists of named values and as JSON text. The tuple form is for servers whose grammar
//! holds each place of a list by itself: task k is named `tk` and can only depend on earlier ones, so that neither a
//! loop nor an edge to nowhere can be written.

use serde_json::{Map, json};

use crate::model::Json;

/// How many tasks the tuple form has at most; a grammar grows with the square of it.
pub const MOST_TUPLES: usize = 6;

/// Which shape the answer is asked in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Form {
    #[default]
    Strict,
    Tuple,
}

pub const TASK_TYPES: [&str; 5] = ["tool", "model", "agent", "code", "human"];
pub const KINDS: [&str; 7] = ["text", "json", "task", "parameter", "template", "secret", "item"];
pub const TIERS: [&str; 3] = ["none", "cheap", "strong"];

/// The schema of the whole answer. `tools` are the names that may stand in it.
pub fn of(form: Form, tools: &[&str]) -> Json {
    match form {
        Form::Strict => strict(tools),
        Form::Tuple => tuple(tools),
    }
}

fn strict(tools: &[&str]) -> Json {
    let input = object([
        ("name", text()),
        ("kind", one_of(&KINDS)),
        ("value", text()),
        ("path", text()),
    ]);
    let task = object([
        ("id", text()),
        ("title", text_or_null()),
        ("task_type", one_of(&TASK_TYPES)),
        ("instruction", text()),
        ("dependencies", list(text())),
        ("tools", list(named(tools))),
        ("inputs", list(input)),
        ("for_each", text_or_null()),
        ("output_schema", text_or_null()),
        ("check", text_or_null()),
        ("when", text_or_null()),
        ("writes", list(text())),
        ("optional", json!({ "type": "boolean" })),
        ("tier", one_of(&TIERS)),
        ("source", text_or_null()),
        ("form", text_or_null()),
    ]);
    let question = object([("question", text()), ("options", list(text()))]);
    let grants = object(["read", "write", "hosts", "databases", "commands"].map(|kind| (kind, list(text()))));
    object([
        ("questions", list(question)),
        ("assumptions", list(text())),
        ("tasks", list(task)),
        ("grants", grants),
        ("answer", text_or_null()),
    ])
}

fn tuple(tools: &[&str]) -> Json {
    let lists: Vec<Json> = (1..=MOST_TUPLES)
        .map(|count| {
            let tasks: Vec<Json> = (1..=count).map(|number| tuple_task(number, tools)).collect();
            json!({ "type": "array", "prefixItems": tasks, "minItems": count, "maxItems": count })
        })
        .collect();
    object([("tasks", json!({ "anyOf": lists }))])
}

fn tuple_task(number: usize, tools: &[&str]) -> Json {
    let earlier: Vec<String> = (1..number).map(|n| format!("t{n}")).collect();
    let items = if earlier.is_empty() {
        text()
    } else {
        json!({ "type": "string", "enum": earlier })
    };
    let tools = if tools.is_empty() {
        json!({ "type": "array", "maxItems": 0, "items": text() })
    } else {
        json!({ "type": "array", "maxItems": 3, "items": named(tools) })
    };
    object([
        ("id", json!({ "const": format!("t{number}") })),
        (
            "instruction",
            json!({ "type": "string", "minLength": 8, "maxLength": 400 }),
        ),
        ("tools", tools),
        (
            "dependencies",
            json!({ "type": "array", "maxItems": earlier.len(), "items": items }),
        ),
    ])
}

/// Every key is required, and no other is taken.
fn object<const N: usize>(properties: [(&str, Json); N]) -> Json {
    let required: Vec<&str> = properties.iter().map(|(name, _)| *name).collect();
    let map: Map<String, Json> = properties
        .iter()
        .map(|(name, schema)| ((*name).to_owned(), schema.clone()))
        .collect();
    json!({ "type": "object", "additionalProperties": false, "required": required, "properties": map })
}

fn list(items: Json) -> Json {
    json!({ "type": "array", "items": items })
}

fn text() -> Json {
    json!({ "type": "string" })
}

fn text_or_null() -> Json {
    json!({ "type": ["string", "null"] })
}

fn one_of(words: &[&str]) -> Json {
    json!({ "type": "string", "enum": words })
}

/// Of no tools there is no choice to write down; the validator refuses whatever is named.
fn named(tools: &[&str]) -> Json {
    if tools.is_empty() { text() } else { one_of(tools) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The words of the dialect, and nothing else.
    const WORDS: [&str; 6] = [
        "type",
        "properties",
        "required",
        "additionalProperties",
        "items",
        "enum",
    ];

    fn keep_to_dialect(schema: &Json, depth: usize) {
        assert!(depth <= 5, "too deep: {schema}");
        let map = schema.as_object().unwrap();
        for word in map.keys() {
            assert!(WORDS.contains(&word.as_str()), "{word}");
        }
        let kind = map["type"].clone();
        if kind == json!("object") {
            assert_eq!(map["additionalProperties"], json!(false));
            let names: Vec<Json> = map["properties"]
                .as_object()
                .unwrap()
                .keys()
                .map(|k| json!(k))
                .collect();
            assert_eq!(map["required"], Json::Array(names), "every key is required");
            for inner in map["properties"].as_object().unwrap().values() {
                keep_to_dialect(inner, depth + 1);
            }
        } else if kind == json!("array") {
            // A list of objects is one level with them.
            keep_to_dialect(&map["items"], depth);
        } else {
            assert!(!map.contains_key("properties"));
        }
    }

    #[test]
    fn the_strict_form_keeps_to_the_common_dialect() {
        for tools in [&[][..], &["echo", "http.get"]] {
            keep_to_dialect(&of(Form::Strict, tools), 1);
            let schema = of(Form::Strict, tools);
            jsonschema::options().offline().build(&schema).unwrap();
            let said = crate::llm::wire::strict::strict(&schema).unwrap();
            assert_eq!(said, schema, "it needs no translation");
        }
    }

    #[test]
    fn the_tuple_form_admits_neither_loops_nor_edges_to_nowhere() {
        let schema = of(Form::Tuple, &["echo"]);
        let validator = jsonschema::options().offline().build(&schema).unwrap();
        let task = |id: &str, dependencies: &[&str]| json!({ "id": id, "instruction": "Do something.", "tools": [], "dependencies": dependencies });
        let is_valid = |tasks: &[Json]| validator.is_valid(&json!({ "tasks": tasks }));
        assert!(is_valid(&[task("t1", &[]), task("t2", &["t1"])]));
        for wrong in [
            vec![],
            vec![task("t2", &[])],
            vec![task("t1", &["t1"])],
            vec![task("t1", &[]), task("t2", &["t2"])],
            vec![task("t1", &[]), task("t2", &["t9"])],
            vec![task("t1", &["t2"]), task("t2", &["t1"])],
            vec![task("t1", &[]), task("t1", &[])],
        ] {
            assert!(!is_valid(&wrong), "{wrong:?}");
        }
    }
}
