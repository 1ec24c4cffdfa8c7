//! From a task's declared inputs to their values: scoped context (rule 1). Pure; outputs come in from outside.

use super::Json;
use super::expr;
use super::plan::{Input, Task, TaskIx, Word};

/// What inputs may read. A task that was skipped, or failed though optional, reads as `null`.
pub trait Sources {
    /// The output of a settled task, by its index in the plan around the reader.
    fn output(&self, task: TaskIx) -> Result<Json, String>;
    /// What people call that task.
    fn name(&self, task: TaskIx) -> String;
    /// The item of the map that the reader belongs to.
    fn item(&self) -> Option<Json>;
    fn index(&self) -> Option<u32>;
    fn parameter(&self, name: &str) -> Option<Json>;
    /// The secret itself, for the call; a stand-in wherever the value is shown or hashed.
    fn secret(&self, name: &str) -> Result<Json, String>;
}

/// An input that has no value. The message names the input and what it wanted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("input \"{input}\": {message}")]
pub struct ResolveError {
    pub input: String,
    pub message: String,
}

/// The task's inputs by name, in the document's order.
pub fn resolve(task: &Task, sources: &dyn Sources) -> Result<Vec<(String, Json)>, ResolveError> {
    let inputs = &task.inputs;
    let mut values: Vec<(String, Option<Json>)> = Vec::with_capacity(inputs.len());
    for (name, input) in &**inputs {
        let is_last = matches!(input, Input::Template { with: None, .. });
        let value = if is_last {
            None
        } else {
            Some(value_of(input, sources).map_err(named(name))?)
        };
        values.push((name.to_string(), value));
    }
    // A template without `with` sees the task's other inputs, so it comes second.
    let known: Vec<(String, Json)> = values
        .iter()
        .filter_map(|(name, value)| Some((name.clone(), value.clone()?)))
        .collect();
    let mut out = Vec::with_capacity(values.len());
    for ((name, value), (_, input)) in values.into_iter().zip(&**inputs) {
        let value = match (value, input) {
            (Some(value), _) => value,
            (None, Input::Template { source, .. }) => {
                Json::String(expr::render(source, pairs(&known)).map_err(|e| named(&name)(e.to_string()))?)
            }
            (None, _) => Json::Null,
        };
        out.push((name, value));
    }
    Ok(out)
}

fn pairs(values: &[(String, Json)]) -> impl Iterator<Item = (&str, &Json)> {
    values.iter().map(|(name, value)| (name.as_str(), value))
}

fn named(input: &str) -> impl FnOnce(String) -> ResolveError + '_ {
    move |message| ResolveError {
        input: input.to_owned(),
        message,
    }
}

/// One input's value.
pub fn value_of(input: &Input, sources: &dyn Sources) -> Result<Json, String> {
    match input {
        Input::Literal(value) => Ok(Json::clone(value)),
        Input::From { task, path } => from_output(*task, path, sources),
        Input::Param(name) => sources
            .parameter(name)
            .ok_or_else(|| format!("the parameter \"{name}\" has no value")),
        Input::Secret(name) => sources.secret(name),
        Input::Template { source, with } => {
            let with = fields(with.as_deref().unwrap_or_default(), sources)?;
            let with: Vec<(String, Json)> = with.into_iter().collect();
            expr::render(source, pairs(&with))
                .map(Json::String)
                .map_err(|e| e.to_string())
        }
        Input::Item { path } => {
            let item = sources.item().ok_or(NO_ITEM)?;
            at_path(&item, path, || "the item".to_owned())
        }
        Input::Index => Ok(sources.index().ok_or(NO_ITEM)?.into()),
        Input::Object(entries) => Ok(Json::Object(fields(entries, sources)?)),
        Input::Array(items) => items
            .iter()
            .map(|item| value_of(item, sources))
            .collect::<Result<_, _>>()
            .map(Json::Array),
    }
}

const NO_ITEM: &str = "only the items of a map have an item and an index";

fn fields(entries: &[(Word, Input)], sources: &dyn Sources) -> Result<serde_json::Map<String, Json>, String> {
    entries
        .iter()
        .map(|(name, input)| Ok((name.to_string(), value_of(input, sources)?)))
        .collect()
}

fn from_output(task: TaskIx, path: &str, sources: &dyn Sources) -> Result<Json, String> {
    let output = sources.output(task)?;
    if output.is_null() {
        return Ok(output);
    }
    at_path(&output, path, || format!("the output of {}", sources.name(task)))
}

fn at_path(value: &Json, path: &str, what: impl Fn() -> String) -> Result<Json, String> {
    match value.pointer(path) {
        Some(value) => Ok(value.clone()),
        None => Err(format!(
            "{} has nothing at {path}; it has {}",
            what(),
            shape(value)
        )),
    }
}

/// What a value looks like, in a few words, for an error message.
fn shape(value: &Json) -> String {
    match value {
        Json::Object(map) if map.is_empty() => "no fields".to_owned(),
        Json::Object(map) => {
            let keys: Vec<String> = map.keys().take(8).map(|k| format!("/{k}")).collect();
            format!("{}{}", keys.join(", "), if map.len() > 8 { ", …" } else { "" })
        }
        Json::Array(items) => format!("an array of {}", items.len()),
        Json::String(_) => "text".to_owned(),
        Json::Number(_) => "a number".to_owned(),
        Json::Bool(_) => "true or false".to_owned(),
        Json::Null => "null".to_owned(),
    }
}
