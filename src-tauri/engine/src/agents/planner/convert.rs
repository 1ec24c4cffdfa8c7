//! From an answer in the planner's dialect to a plan document, without loss: lists of named values become objects,
//! JSON text becomes JSON, what is `null` or empty is left out. Whatever stands in an answer that has the shape of a
//! plan document already is kept. This file must not know whether the plan is right.

use serde_json::{Map, json};

use super::Brief;
use crate::llm::json_of;
use crate::model::Json;

/// The document that the answer stands for. The goal, the parameters and the budget are the person's, never the
/// planner's; grants are both's.
pub(super) fn document(brief: &Brief<'_>, answer: &Json) -> Json {
    let mut plan = Map::new();
    plan.insert("version".to_owned(), json!(1));
    plan.insert("goal".to_owned(), json!(brief.goal));
    if !is_nothing(brief.parameters) {
        plan.insert("parameters".to_owned(), brief.parameters.clone());
    }
    let none = Map::new();
    let given = answer.as_object().unwrap_or(&none);
    let tasks = given.get("tasks").unwrap_or(answer);
    plan.insert("tasks".to_owned(), tasks_of(tasks));
    let grants = united(given.get("grants"), brief.grants);
    if !grants.is_empty() {
        plan.insert("grants".to_owned(), Json::Object(grants));
    }
    if !is_nothing(brief.budget) {
        plan.insert("budget".to_owned(), brief.budget.clone());
    }
    if let Some(instruction) = text_in(given, "answer") {
        let synthesis = json!({ "model": "synthesizer", "instruction": instruction });
        plan.insert("synthesis".to_owned(), synthesis);
    } else if let Some(synthesis) = given.get("synthesis").filter(|s| !s.is_null()) {
        plan.insert("synthesis".to_owned(), synthesis.clone());
    }
    Json::Object(plan)
}

/// A plan without tasks, for a person to draw.
pub(super) fn without_tasks(brief: &Brief<'_>) -> Json {
    document(brief, &json!({ "tasks": [] }))
}

fn tasks_of(tasks: &Json) -> Json {
    match tasks {
        Json::Array(tasks) => tasks.iter().map(task_of).collect(),
        Json::Null => json!([]),
        // Another shape is told by the validator.
        other @ (Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_)) => other.clone(),
    }
}

fn task_of(given: &Json) -> Json {
    let Json::Object(given) = given else {
        return given.clone();
    };
    let tools = names_in(given.get("tools"));
    let task_type = type_of(given, &tools);
    let mut task = Map::new();
    for name in ["id", "title"] {
        if let Some(value) = given.get(name).filter(|value| !is_blank(value)) {
            task.insert(name.to_owned(), value.clone());
        }
    }
    task.insert("task_type".to_owned(), task_type.clone());
    copy_common(given, &mut task);
    let inputs = inputs_of(given);
    if !is_nothing(&inputs) {
        task.insert("inputs".to_owned(), inputs);
    }
    copy_own(given, &task_type, &tools, &mut task);
    match text_in(given, "for_each") {
        Some(over) => Json::Object(as_map(task, over)),
        None => Json::Object(task),
    }
}

/// What it says; where it says nothing, a task with tools is an agent's and one without a model's.
fn type_of(given: &Map<String, Json>, tools: &[String]) -> Json {
    match given.get("task_type").filter(|value| !is_blank(value)) {
        Some(task_type) => task_type.clone(),
        None if tools.is_empty() && !given.contains_key("tool") => json!("model"),
        None if given.contains_key("tool") => json!("tool"),
        None => json!("agent"),
    }
}

/// Keys of the dialect that are read apart; all others are the document's own.
const READ_APART: [&str; 10] = [
    "id",
    "title",
    "task_type",
    "tools",
    "inputs",
    "for_each",
    "output_schema",
    "form",
    "tier",
    "source",
];

fn copy_common(given: &Map<String, Json>, task: &mut Map<String, Json>) {
    for (name, value) in given {
        let is_default = *value == json!(false) && name == "optional";
        let is_theirs = !READ_APART.contains(&name.as_str()) && !A_PERSONS_WORD.contains(&name.as_str());
        if is_theirs && !is_blank(value) && !is_default {
            let is_inside = matches!(name.as_str(), "plan" | "task");
            let value = value.clone();
            task.insert(name.clone(), if is_inside { without_words(value) } else { value });
        }
    }
    if let Some(schema) = json_in(given, "output_schema") {
        task.insert("output_schema".to_owned(), schema);
    }
}

/// The fields of its own type of task.
fn copy_own(given: &Map<String, Json>, task_type: &Json, tools: &[String], task: &mut Map<String, Json>) {
    match (task_type.as_str().unwrap_or_default(), tools) {
        ("tool", [tool]) if !given.contains_key("tool") => {
            task.insert("tool".to_owned(), json!(tool));
        }
        (_, []) => {}
        _ => {
            task.insert("tools".to_owned(), json!(tools));
        }
    }
    if let Some(source) = given.get("source").filter(|value| !is_blank(value)) {
        task.insert("source".to_owned(), source.clone());
    }
    if let Some(form) = json_in(given, "form") {
        task.insert("form".to_owned(), form);
    }
    // The strong role is the planner's own; the usual one needs no word.
    if given.get("tier").and_then(Json::as_str) == Some("strong") && !task.contains_key("model") {
        let asks_model = matches!(task_type.as_str(), Some("agent" | "model"));
        if asks_model {
            task.insert("model".to_owned(), json!("planner"));
        }
    }
}

fn inputs_of(given: &Map<String, Json>) -> Json {
    match given.get("inputs") {
        Some(Json::Array(inputs)) => Json::Object(inputs.iter().filter_map(named).collect()),
        Some(other) if !other.is_null() => other.clone(),
        // The small form has none: a task reads what it depends on.
        Some(_) | None if !given.contains_key("task_type") && !given.contains_key("tool") => {
            let names = names_in(given.get("dependencies"));
            let read = |id: String| {
                let from = json!({ "$from": &id });
                (id, from)
            };
            Json::Object(names.into_iter().map(read).collect())
        }
        Some(_) | None => Json::Null,
    }
}

fn named(input: &Json) -> Option<(String, Json)> {
    let input = input.as_object()?;
    let name = input.get("name")?.as_str()?.to_owned();
    let value = input.get("value").cloned().unwrap_or_default();
    let path = input.get("path").and_then(Json::as_str).unwrap_or_default();
    let kind = input.get("kind").and_then(Json::as_str).unwrap_or("json");
    let read = match kind {
        "text" => value,
        "task" if path.is_empty() => json!({ "$from": value }),
        "task" => json!({ "$from": value, "path": path }),
        "parameter" => json!({ "$param": value }),
        "template" => json!({ "$template": value }),
        "secret" => json!({ "$secret": value }),
        "item" => json!({ "$item": path }),
        // Text that is no JSON stands as it is; the tool's schema or the task says whether it fits.
        _ => match value.as_str().map(json_of) {
            Some(Ok(read)) => read,
            Some(Err(_)) | None => value,
        },
    };
    Some((name, read))
}

/// The same done for each item of one of its inputs.
fn as_map(mut inner: Map<String, Json>, over: &str) -> Map<String, Json> {
    let mut outer = Map::new();
    for name in [
        "id",
        "title",
        "instruction",
        "dependencies",
        "when",
        "optional",
        "writes",
    ] {
        let value = if name == "instruction" {
            inner.get(name).cloned()
        } else {
            inner.remove(name)
        };
        if let Some(value) = value {
            outer.insert(name.to_owned(), value);
        }
    }
    outer.insert("task_type".to_owned(), json!("map"));
    let list = inner
        .get_mut("inputs")
        .and_then(Json::as_object_mut)
        .and_then(|inputs| inputs.remove(over));
    // Without such an input the map is over nothing, which the validator tells.
    outer.insert("over".to_owned(), list.unwrap_or_else(|| json!(over)));
    outer.insert("task".to_owned(), Json::Object(inner));
    outer
}

/// A plan or task inside a task, without what no model may say. Recursion is bounded by the depth of what was read.
fn without_words(value: Json) -> Json {
    match value {
        Json::Object(map) => {
            let may_say = |(name, _): &(String, Json)| !A_PERSONS_WORD.contains(&name.as_str());
            let inside = |(name, value)| (name, without_words(value));
            Json::Object(map.into_iter().filter(may_say).map(inside).collect())
        }
        Json::Array(items) => Json::Array(items.into_iter().map(without_words).collect()),
        other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_)) => other,
    }
}

/// What no model may say: whose work a file is, who may have private data, which foreign text is fine.
const A_PERSONS_WORD: [&str; 3] = ["own_work", "private_to", "accepts_untrusted"];

/// Both lists of each kind, each entry once.
fn united(asked: Option<&Json>, given: &Json) -> Map<String, Json> {
    let mut all: Map<String, Json> = Map::new();
    for (is_model, grants) in [(true, asked), (false, Some(given))] {
        let kinds = grants.and_then(Json::as_object).into_iter().flatten();
        for (kind, entries) in kinds.filter(|(kind, _)| !is_model || !A_PERSONS_WORD.contains(&kind.as_str()))
        {
            match (all.get_mut(kind), entries) {
                (Some(Json::Array(known)), Json::Array(more)) => {
                    let new: Vec<Json> = more.iter().filter(|e| !known.contains(e)).cloned().collect();
                    known.extend(new);
                }
                (None, entries) if !is_blank(entries) => {
                    all.insert(kind.clone(), entries.clone());
                }
                (Some(_) | None, _) => {}
            }
        }
    }
    all
}

/// JSON that comes as text; text that is none stays, so that the validator tells it.
fn json_in(given: &Map<String, Json>, name: &str) -> Option<Json> {
    let value = given.get(name).filter(|value| !is_blank(value))?;
    Some(match value.as_str().map(json_of) {
        Some(Ok(read)) => read,
        Some(Err(_)) | None => value.clone(),
    })
}

fn text_in<'a>(given: &'a Map<String, Json>, name: &str) -> Option<&'a str> {
    given
        .get(name)?
        .as_str()
        .map(str::trim)
        .filter(|text| !text.is_empty())
}

fn names_in(value: Option<&Json>) -> Vec<String> {
    let items = value.and_then(Json::as_array).into_iter().flatten();
    items
        .filter_map(|item| item.as_str().map(str::to_owned))
        .collect()
}

/// `null`, an empty text, list or object: what a key holds that does not apply.
fn is_blank(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.trim().is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(map) => map.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    }
}

fn is_nothing(value: &Json) -> bool {
    value.is_null() || value.as_object().is_some_and(Map::is_empty)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a model says of trust is not heard, wherever it says it; what a person says is.
    #[test]
    fn no_model_says_what_is_trusted() {
        let asked = json!({ "read": ["in/"], "own_work": ["/"], "private_to": ["evil.example"] });
        let given = json!({ "own_work": ["mine/"] });
        let all = Json::Object(united(Some(&asked), &given));
        assert_eq!(all, json!({ "read": ["in/"], "own_work": ["mine/"] }));
        let inside =
            json!({ "grants": { "own_work": ["/"] }, "tasks": [{ "id": "a", "accepts_untrusted": ["b"] }] });
        let mut task = Map::new();
        let said = json!({ "accepts_untrusted": ["b"], "plan": inside, "writes": ["x"] });
        copy_common(said.as_object().unwrap(), &mut task);
        assert_eq!(
            Json::Object(task),
            json!({ "plan": { "grants": {}, "tasks": [{ "id": "a" }] }, "writes": ["x"] })
        );
    }
}
