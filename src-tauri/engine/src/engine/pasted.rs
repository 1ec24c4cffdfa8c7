//! Secrets that stand in a plan's text by their value: found, and never shown. It must not know where a plan came from.

use crate::model::document::DraftPlan;
use crate::model::json::push_step;
use crate::model::redactor::Redactor;
use crate::model::{Code, Json, Problem, Severity, TaskId};

/// More places would not be read.
const MOST: usize = 20;

/// A warning for each text of the document that holds a known secret in any form.
pub(super) fn warnings(draft: &DraftPlan, redactor: &Redactor) -> Vec<Problem> {
    if redactor.is_empty() {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut open = vec![(String::new(), draft.document())];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Json::String(text) if redactor.finds_in(text.as_bytes()) => found.push(pointer),
            Json::Array(items) => {
                let below = |(ix, item)| (format!("{pointer}/{ix}"), item);
                open.extend(items.iter().enumerate().map(below));
            }
            Json::Object(map) => open.extend(map.iter().map(|(name, value)| {
                let mut below = pointer.clone();
                push_step(&mut below, name);
                (below, value)
            })),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    found.sort();
    found.truncate(MOST);
    found.into_iter().map(|pointer| warning(draft, pointer)).collect()
}

/// Every name that stands in a `{"$secret": NAME}` of the document.
pub(super) fn named_secrets(document: &Json) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![document];
    while let Some(value) = open.pop() {
        match value {
            Json::Array(items) => open.extend(items),
            Json::Object(map) => {
                let name = map.get("$secret").and_then(Json::as_str);
                names.extend(name.map(str::to_owned));
                open.extend(map.values());
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    names.sort();
    names.dedup();
    names
}

fn warning(draft: &DraftPlan, pointer: String) -> Problem {
    let task = pointer.strip_prefix("/tasks/").and_then(|rest| {
        let ix: usize = rest.split('/').next()?.parse().ok()?;
        draft.document().get("tasks")?.get(ix)?.get("id")?.as_str()
    });
    let message = "The value of a secret stands in the plan, where it is shown, stored and exported. Take it out, give it \
                   to the tool as `{\"$secret\": \"NAME\"}`, and change the secret if others have seen the plan."
        .to_owned();
    Problem {
        code: Code::SecretInPlan,
        severity: Severity::Warning,
        message,
        pointer,
        tasks: task.map(TaskId::from).into_iter().collect(),
        fix: None,
    }
}
