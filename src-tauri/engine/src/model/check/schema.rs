//! JSON Schemas in a plan: whether they can be compiled, and values against them. Never from the network or a
//! file: a schema that refers outside of itself is refused.

use std::collections::HashMap;
use std::sync::Arc;

use jsonschema::Validator;

use super::{Check, Who, did_you_mean, fits};
use crate::model::json::{self, At};
use crate::model::near::Names;
use crate::model::problem::Code;
use crate::model::tool::ToolSpec;
use crate::model::{Digest, Json};

/// What is known of the schemas seen so far: a thousand tasks with one schema compile it once. Compiled schemas
/// are large, so only those of tools are kept.
#[derive(Default)]
pub(super) struct Schemas {
    verdicts: HashMap<Digest, Result<(), String>>,
    of_tools: HashMap<String, Option<Arc<Validator>>>,
}

impl Schemas {
    fn verdict(&mut self, schema: &Json) -> Result<(), String> {
        let key = Digest::of(json::canonical(schema).as_bytes());
        self.verdicts
            .entry(key)
            .or_insert_with(|| compile(schema).map(|_| ()))
            .clone()
    }

    /// The arguments schema of a tool. A tool whose own schema is broken can't be judged here.
    pub fn of_tool(&mut self, spec: &ToolSpec) -> Option<Arc<Validator>> {
        if let Some(known) = self.of_tools.get(&spec.name) {
            return known.clone();
        }
        let compiled = compile(&spec.arguments).ok().map(Arc::new);
        self.of_tools.insert(spec.name.clone(), compiled.clone());
        compiled
    }
}

fn compile(schema: &Json) -> Result<Validator, String> {
    if !(schema.is_object() || schema.is_boolean()) {
        return Err("a schema is an object, true or false".to_owned());
    }
    jsonschema::options()
        .offline()
        .build(schema)
        .map_err(|error| unknown_type(schema).unwrap_or_else(|| error.to_string()))
}

/// The most usual mistake, of which the library only says that nothing fits. Recursion is bounded by the document's depth.
fn unknown_type(schema: &Json) -> Option<String> {
    const TYPES: [&str; 7] = [
        "array", "boolean", "integer", "null", "number", "object", "string",
    ];
    let map = schema.as_object()?;
    if let Some(name) = map
        .get("type")
        .and_then(Json::as_str)
        .filter(|name| !TYPES.contains(name))
    {
        let meant = did_you_mean(Names::new(TYPES).nearest(name));
        let name: String = name.chars().take(40).collect();
        return Some(format!(
            "there is no type `{name}`; the types are {}.{meant}",
            TYPES.join(", ")
        ));
    }
    let below = |key: &str| map.get(key).into_iter();
    let properties = below("properties")
        .filter_map(Json::as_object)
        .flat_map(|all| all.values());
    let mut inner = properties
        .chain(below("items"))
        .chain(below("additionalProperties"));
    inner.find_map(unknown_type)
}

/// Tells what is wrong with a schema; whether nothing is.
pub(super) fn check(check: &mut Check<'_>, schema: &Json, at: &At<'_>, who: &Who) -> bool {
    match check.schemas.verdict(schema) {
        Ok(()) => true,
        Err(error) => {
            let error = cut(&error);
            let message = format!("{who}: this is no JSON Schema that can be used: {error}");
            check.error(Code::BadSchema, at, who, message);
            false
        }
    }
}

/// The same, and whether there is anything that fits it.
pub(super) fn check_possible(
    check: &mut Check<'_>,
    schema: &Json,
    at: &At<'_>,
    (who, what): (&Who, &str),
) -> bool {
    if !self::check(check, schema, at, who) {
        return false;
    }
    let why = fits::impossible(schema).filter(|_| check.foresees());
    let Some(why) = why else { return true };
    let message = format!("{who}: no {what} can fit this: {}.", cut(&why));
    check.error(Code::BadSchema, at, who, message);
    false
}

/// The schema of a parameter, with its default.
pub(super) fn check_parameter(check: &mut Check<'_>, name: &str, schema: &Json, at: &At<'_>) {
    let who = Who::plan();
    if !check_possible(check, schema, at, (&who, &format!("value of parameter `{name}`"))) {
        return;
    }
    let (Some(default), Ok(validator)) = (schema.get("default"), compile(schema)) else {
        return;
    };
    if let Some(error) = validator.iter_errors(default).next() {
        let error = cut(&error.to_string());
        let message = format!("The default of parameter `{name}` does not fit its own schema: {error}.");
        check.error(Code::BadSchema, &at.key("default"), &who, message);
    }
}

/// Messages of the library quote the whole value; only their beginning is worth showing.
pub(super) fn cut(message: &str) -> String {
    const MOST: usize = 300;
    match message.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} …", &message[..at]),
        None => message.trim_end_matches('.').to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schemas_that_refer_outside_or_are_none_are_refused() {
        for schema in [
            json!({"type": "strin"}),
            json!({"$ref": "https://example.com/schema.json"}),
            json!({"$ref": "file:///etc/passwd"}),
            json!({"$ref": "#/$defs/nope"}),
            json!({"pattern": "("}),
            json!(3),
            json!("string"),
            json!({"$schema": "https://example.com/own-dialect"}),
        ] {
            assert!(compile(&schema).is_err(), "{schema}");
        }
    }

    #[test]
    fn a_mistaken_type_is_named() {
        let told = |schema: Json| compile(&schema).err().unwrap_or_default();
        assert!(told(json!({"type": "strin"})).contains("no type `strin`; the types are array"));
        assert!(told(json!({"type": "strin"})).ends_with("Did you mean `string`?"));
        let inner =
            json!({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "text"}}}});
        assert!(told(inner).contains("no type `text`"));
    }

    #[test]
    fn usual_schemas_compile() {
        for schema in [
            json!({}),
            json!(true),
            json!({"pattern": "^(?!x)y"}),
            json!({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "integer"}}}),
            json!({"$schema": "http://json-schema.org/draft-07/schema#", "type": "array"}),
            json!({"$schema": "https://json-schema.org/draft/2020-12/schema", "type": ["string", "null"]}),
        ] {
            assert!(compile(&schema).is_ok(), "{schema}");
        }
    }

    /// A schema that refers to itself must neither hang nor overflow, on the smallest stack in use.
    #[test]
    fn loops_of_references_end() {
        let run = || {
            for schema in [
                json!({"$ref": "#"}),
                json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}),
                json!({"allOf": [{"$ref": "#"}]}),
                json!({"properties": {"a": {"$ref": "#"}}}),
                json!({"$dynamicRef": "#x", "$dynamicAnchor": "x"}),
            ] {
                if let Ok(validator) = compile(&schema) {
                    let _ = validator.is_valid(&json!({"a": {"a": {"a": 1}}}));
                }
            }
        };
        std::thread::Builder::new()
            .stack_size(2 << 20)
            .spawn(run)
            .unwrap()
            .join()
            .unwrap();
    }
}
