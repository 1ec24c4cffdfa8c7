//! Turns a JSON Schema into the strict dialect that providers' grammars have in common, or says why it can't be said
//! in it. It must not know who asks nor which provider is asked.
//!
//! The dialect: the outermost value is an object; every key is required, and `null` stands for one that was optional;
//! no other keys; references written out; no bounds on lengths or numbers; no tuples, maps, conditions or recursion.
//! An answer in the dialect goes through [`as_asked`] before it is checked against the schema that was meant.

mod flat;
mod undone;

use serde_json::{Map, json};

use crate::llm::OutputFormat;
use crate::model::Json;
use flat::Flat;
pub use undone::{answer_as_asked, as_asked};

/// Why a schema can't be said in the dialect.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{why} (at `{at}`)")]
pub struct NotStrict {
    /// JSON Pointer of the place in the value that the schema describes, with `*` for any item.
    pub at: String,
    pub why: String,
}

/// Objects inside each other that every provider takes.
const OBJECTS: usize = 5;
/// Containers and alternatives inside each other, so that no schema takes the stack.
const DEPTH: usize = 32;
/// Schemas in all, references written out: a few lines of references can stand for millions.
const SCHEMAS: usize = 5_000;

/// What would be lost by leaving it out.
const UNSAYABLE: [(&str, &str); 9] = [
    ("if", "conditions can't be said"),
    ("then", "conditions can't be said"),
    ("else", "conditions can't be said"),
    ("dependentSchemas", "conditions can't be said"),
    ("dependencies", "conditions can't be said"),
    ("patternProperties", "keys that a pattern describes can't be said"),
    ("prefixItems", "tuples can't be said"),
    ("$dynamicRef", "dynamic references can't be said"),
    ("$recursiveRef", "dynamic references can't be said"),
];
/// Told in words instead: they only bound what the dialect allows, and are checked afterwards.
const TOLD: [&str; 16] = [
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "multipleOf",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "contentEncoding",
    "default",
];
const TYPES: [&str; 7] = [
    "object", "array", "string", "integer", "number", "boolean", "null",
];

/// The schema in the strict dialect.
pub fn strict(schema: &Json) -> Result<Json, NotStrict> {
    let mut walk = Walk {
        flat: Flat::new(schema, SCHEMAS),
        path: Vec::new(),
        objects: 0,
        depth: 0,
    };
    let said = walk.schema(schema)?;
    if said["type"] == "object" {
        Ok(said)
    } else {
        Err(walk.no("the outermost value must be one kind of object"))
    }
}

/// The demand for a shape in words, for a model whose wire can't carry it.
pub fn in_words(output: &OutputFormat) -> String {
    format!(
        "Answer with one JSON value and nothing else: no fence and no words around it. \
         It must be valid against this JSON Schema:\n{}",
        output.schema
    )
}

/// The schema of a tool's arguments as every provider takes it: an object, with no alternatives at its outermost place,
/// which are checked before the call is made.
pub fn tool_arguments(schema: &Json) -> Json {
    let flat = Flat::new(schema, SCHEMAS).of(schema);
    let mut arguments = flat.unwrap_or_else(|_| schema.as_object().cloned().unwrap_or_default());
    arguments.retain(|keyword, _| {
        !["$schema", "$id", "anyOf", "oneOf", "allOf", "not", "enum"].contains(&keyword.as_str())
    });
    arguments.insert("type".to_owned(), json!("object"));
    arguments.entry("properties").or_insert_with(|| json!({}));
    Json::Object(arguments)
}

struct Walk<'s> {
    flat: Flat<'s>,
    path: Vec<String>,
    objects: usize,
    depth: usize,
}

type Said = Result<Json, NotStrict>;

impl Walk<'_> {
    fn no(&self, why: impl Into<String>) -> NotStrict {
        let at = self.path.iter().flat_map(|step| ["/", step]).collect();
        NotStrict { at, why: why.into() }
    }

    fn schema(&mut self, schema: &Json) -> Said {
        if self.depth == DEPTH {
            return Err(self.no("it is nested too deep"));
        }
        let entered = self.flat.entered();
        let flat = self.flat.of(schema).map_err(|why| self.no(why))?;
        self.depth += 1;
        let said = self.one_or_any(flat);
        self.depth -= 1;
        self.flat.leave(entered);
        said
    }

    fn one_or_any(&mut self, mut flat: Map<String, Json>) -> Said {
        if let Some((_, why)) = UNSAYABLE.iter().find(|(key, _)| flat.contains_key(*key)) {
            return Err(self.no(*why));
        }
        let choices = match (flat.remove("anyOf"), flat.remove("oneOf")) {
            (None, None) => return self.one(&flat),
            (Some(_), Some(_)) => return Err(self.no("`anyOf` beside `oneOf` can't be said")),
            (Some(Json::Array(choices)), None) | (None, Some(Json::Array(choices))) => choices,
            (Some(_), None) | (None, Some(_)) => return Err(self.no("`anyOf` and `oneOf` must be lists")),
        };
        let description = flat.remove("description");
        let base = Json::Object(flat);
        let mut said: Vec<Json> = Vec::new();
        for choice in choices {
            let both = json!({ "allOf": [base.clone(), choice] });
            let one = self.schema(&both)?;
            if !said.contains(&one) {
                said.push(one);
            }
        }
        if said.is_empty() {
            return Err(self.no("it has no alternatives"));
        }
        Ok(any_of(said, description))
    }

    /// A schema without alternatives, references written out.
    fn one(&mut self, flat: &Map<String, Json>) -> Said {
        let types = self.types(flat)?;
        let (whole, plain): (Vec<_>, Vec<_>) = types
            .iter()
            .partition(|name| ["object", "array"].contains(&name.as_str()));
        let mut said = Vec::new();
        for name in whole {
            said.push(if name == "object" {
                self.object(flat)?
            } else {
                self.array(flat)?
            });
        }
        if !plain.is_empty() {
            said.push(self.plain(flat, &plain)?);
        }
        Ok(any_of(said, None))
    }

    fn types(&self, flat: &Map<String, Json>) -> Result<Vec<String>, NotStrict> {
        let named = match flat.get("type") {
            Some(Json::String(name)) => vec![name.clone()],
            Some(list) => names(Some(list)).into_iter().map(str::to_owned).collect(),
            None => implied(flat),
        };
        if named.is_empty() {
            return Err(self.no("it takes any value, which can't be said"));
        }
        match named.iter().find(|name| !TYPES.contains(&name.as_str())) {
            Some(name) => Err(self.no(format!("`{name}` is no type"))),
            None => Ok(named),
        }
    }

    fn object(&mut self, flat: &Map<String, Json>) -> Said {
        if flat.contains_key("enum") {
            return Err(self.no("a list of whole objects can't be said"));
        }
        let no_keys = Map::new();
        let properties = match flat.get("properties") {
            Some(Json::Object(properties)) => properties,
            Some(_) => return Err(self.no("`properties` must be an object")),
            None => &no_keys,
        };
        let required = names(flat.get("required"));
        if let Some(name) = required.iter().find(|name| !properties.contains_key(**name)) {
            return Err(self.no(format!("`{name}` is required, but may be any value")));
        }
        let more = flat.get("additionalProperties");
        if more.is_some_and(Json::is_object) || (properties.is_empty() && more != Some(&Json::Bool(false))) {
            return Err(self.no("an object with free keys can't be said"));
        }
        if self.objects == OBJECTS {
            return Err(self.no(format!("it has more than {OBJECTS} objects inside each other")));
        }
        self.objects += 1;
        let said = self.properties(properties, &required);
        self.objects -= 1;
        let said = said?;
        let keys = json!(said.keys().collect::<Vec<_>>());
        let mut object = begun(flat, json!("object"));
        object.insert("properties".to_owned(), Json::Object(said));
        object.insert("required".to_owned(), keys);
        object.insert("additionalProperties".to_owned(), Json::Bool(false));
        Ok(Json::Object(object))
    }

    fn properties(
        &mut self,
        properties: &Map<String, Json>,
        required: &[&str],
    ) -> Result<Map<String, Json>, NotStrict> {
        let mut said = Map::new();
        for (name, schema) in properties {
            self.path.push(name.replace('~', "~0").replace('/', "~1"));
            let one = self.schema(schema)?;
            self.path.pop();
            let is_required = required.contains(&name.as_str());
            said.insert(name.clone(), if is_required { one } else { or_null(one) });
        }
        Ok(said)
    }

    fn array(&mut self, flat: &Map<String, Json>) -> Said {
        if flat.contains_key("enum") {
            return Err(self.no("a list of whole arrays can't be said"));
        }
        let Some(items @ Json::Object(_)) = flat.get("items") else {
            return Err(self.no("an array whose items may be anything, or a tuple, can't be said"));
        };
        self.path.push("*".to_owned());
        let items = self.schema(items)?;
        self.path.pop();
        let mut array = begun(flat, json!("array"));
        array.insert("items".to_owned(), items);
        Ok(Json::Object(array))
    }

    fn plain(&self, flat: &Map<String, Json>, types: &[&String]) -> Said {
        let types: Vec<&str> = types.iter().map(|name| name.as_str()).collect();
        let mut plain = begun(flat, type_of(&types));
        let Some(values) = flat.get("enum") else {
            return Ok(Json::Object(plain));
        };
        let values = values.as_array().map(Vec::as_slice).unwrap_or_default();
        let fitting: Vec<&Json> = values.iter().filter(|value| fits(value, &types)).collect();
        if fitting.is_empty() {
            return Err(self.no("no value of `enum` has the type"));
        }
        plain.insert("enum".to_owned(), json!(fitting));
        Ok(Json::Object(plain))
    }
}

/// What a schema without `type` speaks of.
fn implied(flat: &Map<String, Json>) -> Vec<String> {
    let mut implied: Vec<&str> = Vec::new();
    if let Some(Json::Array(values)) = flat.get("enum") {
        for name in values.iter().map(name_of) {
            if !implied.contains(&name) {
                implied.push(name);
            }
        }
    } else if ["properties", "required", "additionalProperties"]
        .iter()
        .any(|key| flat.contains_key(*key))
    {
        implied.push("object");
    } else if flat.contains_key("items") {
        implied.push("array");
    }
    implied.into_iter().map(str::to_owned).collect()
}

fn name_of(value: &Json) -> &'static str {
    match value {
        Json::Null => "null",
        Json::Bool(_) => "boolean",
        Json::Number(number) if number.is_i64() || number.is_u64() => "integer",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) => "array",
        Json::Object(_) => "object",
    }
}

fn fits(value: &Json, types: &[&str]) -> bool {
    let name = name_of(value);
    types.contains(&name) || (name == "integer" && types.contains(&"number"))
}

fn names(list: Option<&Json>) -> Vec<&str> {
    let list = list
        .and_then(Json::as_array)
        .map(Vec::as_slice)
        .unwrap_or_default();
    list.iter().filter_map(Json::as_str).collect()
}

fn type_of(types: &[&str]) -> Json {
    match types {
        [one] => json!(one),
        several => json!(several),
    }
}

/// The type and what is told about the value, with the bounds that the dialect has no words for.
fn begun(flat: &Map<String, Json>, name: Json) -> Map<String, Json> {
    let mut begun = Map::new();
    begun.insert("type".to_owned(), name);
    let bounds = TOLD.iter().filter_map(|key| {
        let value = flat.get(*key)?;
        let is_plain = !value.is_object() && !value.is_array();
        is_plain.then(|| format!("{key}: {value}"))
    });
    let bounds = bounds.collect::<Vec<_>>().join(", ");
    let told = flat.get("description").and_then(Json::as_str).unwrap_or_default();
    let told = match (told, bounds.as_str()) {
        (told, "") => told.to_owned(),
        ("", bounds) => bounds.to_owned(),
        (told, bounds) => format!("{told} ({bounds})"),
    };
    if !told.is_empty() {
        begun.insert("description".to_owned(), json!(told));
    }
    begun
}

/// One schema for several; `description` is what was told about all of them.
fn any_of(mut said: Vec<Json>, description: Option<Json>) -> Json {
    let mut any = if said.len() == 1 {
        said.remove(0)
    } else {
        json!({ "anyOf": said })
    };
    if let (Json::Object(any), Some(description @ Json::String(_))) = (&mut any, description) {
        any.entry("description").or_insert(description);
    }
    any
}

/// The same or `null`.
fn or_null(mut schema: Json) -> Json {
    let null = || json!({ "type": "null" });
    if let Some(Json::Array(choices)) = schema.get_mut("anyOf") {
        if !choices.iter().any(takes_null) {
            choices.push(null());
        }
        return schema;
    }
    if takes_null(&schema) {
        return schema;
    }
    let types = names_of(&schema);
    if types.iter().any(|name| name == "object" || name == "array") {
        return any_of(vec![schema, null()], None);
    }
    schema["type"] = json!([types, vec!["null".to_owned()]].concat());
    if let Some(Json::Array(values)) = schema.get_mut("enum") {
        values.push(Json::Null);
    }
    schema
}

fn takes_null(schema: &Json) -> bool {
    names_of(schema).iter().any(|name| name == "null")
}

fn names_of(schema: &Json) -> Vec<String> {
    match schema["type"].as_str() {
        Some(name) => vec![name.to_owned()],
        None => names(schema.get("type")).into_iter().map(str::to_owned).collect(),
    }
}

#[cfg(test)]
mod tests;
