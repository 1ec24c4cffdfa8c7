//! Writes references and `allOf` out, one schema at a time. It must not know the strict dialect.

use serde_json::{Map, json};

use crate::model::Json;

pub struct Flat<'s> {
    root: &'s Json,
    /// Schemas that may still be looked at.
    left: usize,
    /// References that are being written out, so that a ring is seen.
    entered: Vec<String>,
}

type Whole = Result<Map<String, Json>, String>;

impl<'s> Flat<'s> {
    pub fn new(root: &'s Json, schemas: usize) -> Self {
        Self {
            root,
            left: schemas,
            entered: Vec::new(),
        }
    }

    pub fn entered(&self) -> usize {
        self.entered.len()
    }

    /// Forgets the references that were entered since.
    pub fn leave(&mut self, entered: usize) {
        self.entered.truncate(entered);
    }

    /// The keywords of a schema, with those of what it refers to and of all its parts.
    pub fn of(&mut self, schema: &Json) -> Whole {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or("it is too large, references written out")?;
        let Json::Object(keywords) = schema else {
            let why = match schema.as_bool() {
                Some(true) => "it takes any value, which can't be said",
                Some(false) => "it takes no value, which can't be said",
                None => "a schema must be an object",
            };
            return Err(why.to_owned());
        };
        let mut whole = Map::new();
        for (keyword, value) in keywords {
            match (keyword.as_str(), value) {
                ("$ref", Json::String(reference)) => self.refer(reference, &mut whole)?,
                ("allOf", Json::Array(parts)) => {
                    for part in parts {
                        let part = self.of(part)?;
                        join(&mut whole, part)?;
                    }
                }
                ("const", value) => join_one(&mut whole, "enum", json!([value]))?,
                (keyword, value) => join_one(&mut whole, keyword, value.clone())?,
            }
        }
        Ok(whole)
    }

    fn refer(&mut self, reference: &str, whole: &mut Map<String, Json>) -> Result<(), String> {
        if self.entered.iter().any(|entered| entered == reference) {
            return Err(format!(
                "`{reference}` refers to itself, and recursion can't be said"
            ));
        }
        let target = find(self.root, reference)
            .ok_or_else(|| format!("`{reference}` refers to nothing in this schema"))?;
        self.entered.push(reference.to_owned());
        let target = self.of(target)?;
        join(whole, target)
    }
}

/// What a reference within `root` names.
pub fn find<'s>(root: &'s Json, reference: &str) -> Option<&'s Json> {
    root.pointer(reference.strip_prefix('#')?)
}

fn join(whole: &mut Map<String, Json>, part: Map<String, Json>) -> Result<(), String> {
    part.into_iter()
        .try_for_each(|(keyword, value)| join_one(whole, &keyword, value))
}

/// A value must satisfy both what stands there and what comes.
fn join_one(whole: &mut Map<String, Json>, keyword: &str, value: Json) -> Result<(), String> {
    let Some(there) = whole.get_mut(keyword) else {
        whole.insert(keyword.to_owned(), value);
        return Ok(());
    };
    match (keyword, there, value) {
        ("properties", Json::Object(there), Json::Object(more)) => {
            for (name, schema) in more {
                match there.get_mut(&name) {
                    Some(known) if *known != schema => *known = json!({ "allOf": [known.take(), schema] }),
                    Some(_) => {}
                    None => {
                        there.insert(name, schema);
                    }
                }
            }
        }
        ("required", Json::Array(there), Json::Array(more)) => {
            let new: Vec<Json> = more.into_iter().filter(|name| !there.contains(name)).collect();
            there.extend(new);
        }
        ("enum", Json::Array(there), Json::Array(more)) => there.retain(|value| more.contains(value)),
        ("type", there, more) => *there = both(there, &more)?,
        ("items", there, more) if *there != more => *there = json!({ "allOf": [there.take(), more] }),
        ("additionalProperties", there, more) if more == Json::Bool(false) => *there = more,
        ("anyOf" | "oneOf", there, more) if *there != more => {
            return Err(format!("`{keyword}` twice for one value can't be said"));
        }
        // The first word stands; it is a bound or a description.
        _ => {}
    }
    Ok(())
}

/// The types that are in both lists.
fn both(one: &Json, other: &Json) -> Result<Json, String> {
    let list = |types: &Json| {
        let names = types.as_array().cloned();
        names.unwrap_or_else(|| vec![types.clone()])
    };
    let is_integer = |name: &Json| name == "integer";
    let others = list(other);
    let mut common: Vec<Json> = Vec::new();
    for name in list(one) {
        if others.contains(&name) || (is_integer(&name) && others.contains(&json!("number"))) {
            common.push(name);
        } else if name == "number" && others.iter().any(is_integer) {
            common.push(json!("integer"));
        }
    }
    match common.len() {
        0 => Err("no value can have both types".to_owned()),
        1 => Ok(common.remove(0)),
        _ => Ok(Json::Array(common)),
    }
}
