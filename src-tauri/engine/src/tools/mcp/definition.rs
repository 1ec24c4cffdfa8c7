//! What a server says of one of its tools, judged and turned into our own declaration. A bad one is told apart and hides
//! none beside it. It must not know how the server is reached.

use std::sync::Arc;

use serde_json::{Map, json};

use super::clean;
use super::setup::Setup;
use crate::model::grants::Need;
use crate::model::json::canonical;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec};
use crate::model::{Digest, Json};

/// Characters of a tool's description, and of each one inside its schema.
const MOST_DESCRIPTION: usize = 1024;
/// Bytes of all that a server says of one tool.
const MOST_DEFINITION: usize = 128 << 10;
/// Levels of the same.
const MOST_DEPTH: usize = 32;
/// Letters of a tool's name.
const MOST_NAME: usize = 128;
/// The parts of a definition that are frozen: all that a model or a call is led by.
const FROZEN: [&str; 6] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
];

/// In the place of parts that are too large to be kept.
const PROBLEM: &str = "problem";

/// A tool as its server defines it.
#[derive(Clone, Debug, PartialEq)]
pub struct Definition {
    pub name: String,
    /// Only the frozen parts, as they came.
    parts: Map<String, Json>,
}

impl Definition {
    /// `None`: it has no name, so that it can't even be told of. Of one that is too large only that is kept.
    pub fn read(raw: &Json) -> Option<Self> {
        let map = raw.as_object()?;
        let name: String = map.get("name")?.as_str()?.chars().take(4 * MOST_NAME).collect();
        let parts = FROZEN
            .iter()
            .filter_map(|key| Some(((*key).to_owned(), map.get(*key)?.clone())));
        let parts = Json::Object(parts.filter(|(_, value)| !value.is_null()).collect());
        let parts = match too_large(&parts) {
            Some(wrong) => json!({ "name": name, PROBLEM: wrong }),
            None => parts,
        };
        let Json::Object(parts) = parts else { return None };
        Some(Self { name, parts })
    }

    /// As [`Definition::to_json`] wrote it.
    pub fn of_kept(kept: &Json) -> Option<Self> {
        let mut read = Self::read(kept)?;
        if let Some(problem) = kept.get(PROBLEM) {
            read.parts.insert(PROBLEM.to_owned(), problem.clone());
        }
        Some(read)
    }

    /// Makes it unusable.
    pub fn refuse(&mut self, problem: &str) {
        let name = Json::String(self.name.clone());
        self.parts = [
            ("name".to_owned(), name),
            (PROBLEM.to_owned(), Json::from(problem)),
        ]
        .into_iter()
        .collect();
    }

    pub fn to_json(&self) -> Json {
        Json::Object(self.parts.clone())
    }

    /// The name as it may be shown.
    pub fn shown_name(&self) -> String {
        clean::line(&self.name, 80)
    }

    pub fn description(&self) -> String {
        let text = |key: &str| self.parts.get(key).and_then(Json::as_str).unwrap_or_default();
        let described = clean::text(text("description"), MOST_DESCRIPTION);
        if described.is_empty() {
            clean::text(text("title"), MOST_DESCRIPTION)
        } else {
            described
        }
    }

    /// What the server says of it by itself, in the protocol's words: it loosens nothing, and a person may want to know.
    pub fn hints(&self) -> Vec<String> {
        let said = |(key, word): (&str, &str)| {
            let value = self.parts.get("annotations")?.get(key)?.as_bool()?;
            value.then(|| word.to_owned())
        };
        let words = [
            ("readOnlyHint", "read-only"),
            ("destructiveHint", "destructive"),
            ("idempotentHint", "may be repeated"),
            ("openWorldHint", "reaches outside"),
        ];
        words.into_iter().filter_map(said).collect()
    }

    /// The hash that an approval holds for: of the definition and of how its server is reached.
    pub fn hash(&self, identity: Digest) -> Digest {
        let whole = json!([identity.to_string(), self.parts]);
        Digest::of(canonical(&whole).as_bytes())
    }

    /// In words, what differs in another definition of this tool.
    pub fn changes(&self, other: &Self) -> String {
        let changed = FROZEN
            .iter()
            .filter(|key| self.parts.get(**key) != other.parts.get(**key));
        let named: Vec<&str> = changed.copied().collect();
        if named.is_empty() {
            "nothing".to_owned()
        } else {
            named.join(", ")
        }
    }

    /// Our declaration of it; else why it can't be used.
    pub fn spec(&self, setup: &Setup) -> Result<ToolSpec, String> {
        check_name(&self.name)?;
        if let Some(problem) = self.parts.get(PROBLEM).and_then(Json::as_str) {
            return Err(problem.to_owned());
        }
        let arguments = self.arguments()?;
        let word = setup.tools.get(&self.name).copied().unwrap_or_default();
        let name = format!("{}/{}", setup.name, self.name);
        Ok(ToolSpec {
            description: self.description(),
            arguments,
            result: result_schema(),
            // What the server says of itself loosens nothing, and there is nothing stricter that it could ask for.
            effect: word.effect.unwrap_or(Effect::WriteExternal),
            idempotency: if word.is_idempotent {
                Idempotency::ByKey
            } else {
                Idempotency::Not
            },
            touches: Vec::new(),
            method_argument: None,
            is_source_untrusted: !word.is_trusted,
            needs: vec![Need {
                access: Access::Mcp,
                resource: name.clone(),
                method: None,
            }],
            definition: Some(self.hash(setup.identity()).to_string()),
            name,
        })
    }

    fn arguments(&self) -> Result<Json, String> {
        let schema = match self.parts.get("inputSchema") {
            Some(schema @ Json::Object(_)) => schema,
            Some(_) => return Err("its `inputSchema` is no object".to_owned()),
            None => return Err("it has no `inputSchema`".to_owned()),
        };
        check_schema(schema).map_err(|wrong| format!("its `inputSchema` {wrong}"))?;
        match schema.get("type").and_then(Json::as_str) {
            Some("object") => Ok(clean::schema(schema, MOST_DESCRIPTION)),
            Some(_) | None => Err("its `inputSchema` is not of type object".to_owned()),
        }
    }

    /// What its results must fit, where it says so and that can be checked.
    pub fn output_schema(&self) -> Option<Arc<jsonschema::Validator>> {
        let schema = self.parts.get("outputSchema")?;
        check_schema(schema).ok()?;
        jsonschema::validator_for(schema).ok().map(Arc::new)
    }
}

/// The names that can be written into a plan and be told apart: the letters of the specification.
fn check_name(name: &str) -> Result<(), String> {
    let is_known = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/');
    if name.is_empty() || name.len() > MOST_NAME {
        return Err(format!("its name is not 1 to {MOST_NAME} characters long"));
    }
    let is_part = |part: &str| part.bytes().any(|b| b.is_ascii_alphanumeric());
    if name.bytes().all(is_known) && !name.split('/').all(is_part) {
        return Err("a part of its name between `/` is empty or has no letter".to_owned());
    }
    if !name.bytes().all(is_known) {
        return Err("its name has other characters than letters, digits, `_`, `-`, `.` and `/`".to_owned());
    }
    Ok(())
}

fn too_large(parts: &Json) -> Option<String> {
    if deeper_than(parts, MOST_DEPTH) {
        return Some(format!(
            "its definition is nested more than {MOST_DEPTH} levels deep"
        ));
    }
    // A text of a value is longer than what is in it.
    let is_large = parts.to_string().len() > MOST_DEFINITION;
    is_large.then(|| format!("its definition is larger than {} KiB", MOST_DEFINITION >> 10))
}

fn check_schema(schema: &Json) -> Result<(), String> {
    if let Some(reference) = foreign_reference(schema) {
        return Err(format!(
            "refers to `{}`, which lies elsewhere",
            clean::line(reference, 80)
        ));
    }
    jsonschema::validator_for(schema).map(drop).map_err(|error| {
        format!(
            "is no usable JSON Schema: {}",
            clean::line(&error.masked().to_string(), 200)
        )
    })
}

/// Without recursion, so that depth itself can't do harm.
fn deeper_than(value: &Json, most: usize) -> bool {
    let mut open = vec![(value, 0)];
    while let Some((value, depth)) = open.pop() {
        if depth > most {
            return true;
        }
        match value {
            Json::Object(map) => open.extend(map.values().map(|inner| (inner, depth + 1))),
            Json::Array(items) => open.extend(items.iter().map(|inner| (inner, depth + 1))),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    false
}

/// A reference out of the schema itself: nothing is ever fetched for one.
fn foreign_reference(value: &Json) -> Option<&str> {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Json::Object(map) => {
                for key in ["$ref", "$dynamicRef", "$recursiveRef"] {
                    let target = map.get(key).and_then(Json::as_str);
                    if let Some(target) = target.filter(|target| !target.starts_with('#')) {
                        return Some(target);
                    }
                }
                open.extend(map.values());
            }
            Json::Array(items) => open.extend(items),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    None
}

/// What every such tool gives (see [`super::results`]).
fn result_schema() -> Json {
    json!({
        "type": "object",
        "properties": {
            "content": {
                "type": "array",
                "items": { "type": "object" },
                "description": "Parts as the server gave them: {\"type\": \"text\", \"text\"}, images and files with their bytes in base64",
            },
            "structuredContent": { "description": "The same as one JSON value, where the server gives one" },
        },
        "required": ["content"],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tools::mcp::testing::setup;

    fn definition(raw: &Json) -> Definition {
        Definition::read(raw).unwrap()
    }

    #[test]
    fn what_a_server_says_of_itself_loosens_nothing() {
        let raw = json!({
            "name": "send", "description": "Sends.\u{200b} <b>x</b>", "inputSchema": { "type": "object" },
            "annotations": { "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false },
        });
        let spec = definition(&raw).spec(&setup("mail", "true", &[])).unwrap();
        assert_eq!(
            (spec.effect, spec.idempotency),
            (Effect::WriteExternal, Idempotency::Not)
        );
        assert!(spec.is_source_untrusted);
        assert_eq!(spec.needs[0].to_string(), "call mail/send");
        assert_eq!(spec.description, "Sends. <b>x</b>");
    }

    #[test]
    fn a_bad_tool_is_told_with_its_reason() {
        let deep = (0..200).fold(json!({}), |inner, _| json!({ "properties": { "a": inner } }));
        let rows = [
            (json!({ "name": "a" }), "no `inputSchema`"),
            (json!({ "name": "a", "inputSchema": [] }), "no object"),
            (
                json!({ "name": "a", "inputSchema": { "type": "string" } }),
                "not of type object",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "objekt" } }),
                "no usable",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "object", "$ref": "https://evil.example/s.json" } }),
                "lies elsewhere",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "x": { "$ref": "file:///etc/passwd" } } } }),
                "lies elsewhere",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "object", "description": "x".repeat(200_000) } }),
                "larger",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "x": deep } } }),
                "levels deep",
            ),
            (
                json!({ "name": "a", "inputSchema": { "type": "object", "properties": { "x": { "pattern": "(" } } } }),
                "no usable",
            ),
            (
                json!({ "name": "a b", "inputSchema": { "type": "object" } }),
                "other characters",
            ),
            (
                json!({ "name": "se\u{0441}nd", "inputSchema": { "type": "object" } }),
                "other characters",
            ),
            (
                json!({ "name": "a\n", "inputSchema": { "type": "object" } }),
                "other characters",
            ),
            (
                json!({ "name": "", "inputSchema": { "type": "object" } }),
                "characters long",
            ),
            (
                json!({ "name": "x".repeat(129), "inputSchema": { "type": "object" } }),
                "characters long",
            ),
        ];
        for (raw, want) in rows {
            let wrong = definition(&raw).spec(&setup("s", "true", &[])).unwrap_err();
            assert!(wrong.contains(want), "{wrong} for {want}");
        }
    }

    #[test]
    fn every_part_counts_for_the_hash() {
        let raw = json!({ "name": "a", "title": "t", "description": "d", "inputSchema": { "type": "object" }, "_meta": { "x": 1 } });
        let (one, setup) = (definition(&raw), setup("s", "true", &[]));
        let hash = |raw: &Json| definition(raw).hash(setup.identity());
        for (key, value) in [
            ("title", json!("u")),
            ("description", json!("d\u{200b}")),
            ("annotations", json!({})),
            ("outputSchema", json!({})),
        ] {
            let mut other = raw.clone();
            other[key] = value;
            assert_ne!(hash(&raw), hash(&other), "{key}");
            assert_eq!(one.changes(&definition(&other)), key);
        }
        let mut other = raw.clone();
        other["_meta"] = json!({ "x": 2 });
        assert_eq!(hash(&raw), hash(&other));
    }
}
