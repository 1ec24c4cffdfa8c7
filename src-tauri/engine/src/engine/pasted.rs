//! Secrets that stand in a plan's text by their value: found, and never shown. It must not know where a plan came from.

use crate::model::document::DraftPlan;
use crate::model::json::push_step;
use crate::model::redactor::{Redactor, key_in};
use crate::model::{Code, Json, Problem, Severity, TaskId};
use crate::run::SHORTEST;

/// More places would not be read.
const MOST: usize = 20;

/// A warning for each text of the document that holds a known secret in any form.
pub(super) fn warnings(draft: &DraftPlan, redactor: &Redactor) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), draft.document())];
    while let Some((pointer, value)) = open.pop() {
        match value {
            Json::String(text) if redactor.finds_in(text.as_bytes()) => found.push((pointer, None)),
            Json::String(text) => found.extend(key_in(text).map(|(what, _)| (pointer, Some(what)))),
            Json::Array(items) => {
                let below = |(ix, item)| (format!("{pointer}/{ix}"), item);
                open.extend(items.iter().enumerate().map(below));
            }
            Json::Object(map) => open.extend(map.iter().map(|(name, value)| {
                let mut below = pointer.clone();
                push_step(&mut below, name);
                (below, value)
            })),
            Json::Null | Json::Bool(_) | Json::Number(_) => {}
        }
    }
    found.sort();
    found.truncate(MOST);
    let warning = |(pointer, look): (String, Option<&str>)| warning(draft, pointer, look);
    found.into_iter().map(warning).collect()
}

/// A warning for each secret of the plan that is too short to be hidden.
pub(super) fn too_short(document: &Json, get: impl Fn(&str) -> Option<String>) -> Vec<Problem> {
    let is_short = |name: &String| get(name).is_some_and(|value| value.chars().count() < SHORTEST);
    let warning = |name: String| Problem {
        code: Code::SecretInPlan,
        severity: Severity::Warning,
        message: format!(
            "The secret {name} has less than {SHORTEST} characters, and can't be taken out of what comes back: any text holds such."
        ),
        pointer: String::new(),
        tasks: Vec::new(),
        fix: None,
    };
    named_secrets(document)
        .into_iter()
        .filter(is_short)
        .map(warning)
        .collect()
}

/// A warning for each place that names a secret which is neither kept nor set, so that its call could only fail.
pub(super) fn unknown(draft: &DraftPlan, is_known: impl Fn(&str) -> bool) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), draft.document())];
    while let Some((pointer, value)) = open.pop() {
        let mut below = |step: &str, value| {
            let mut place = pointer.clone();
            push_step(&mut place, step);
            open.push((place, value));
        };
        match value {
            Json::Array(items) => (0..)
                .zip(items)
                .for_each(|(ix, item): (usize, _)| below(&ix.to_string(), item)),
            // What is literal names nothing.
            Json::Object(map) if map.contains_key("$literal") => {}
            Json::Object(map) => {
                map.iter().for_each(|(name, value)| below(name, value));
                let name = map.get("$secret").and_then(Json::as_str);
                found.extend(name.map(|name| (pointer, name)));
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
        }
    }
    found.sort();
    let mut known = std::collections::HashMap::new();
    found.retain(|(_, name)| !*known.entry(*name).or_insert_with(|| is_known(name)));
    found.truncate(MOST);
    let warning = |(pointer, name): (String, &str)| {
        let shown: String = name.chars().take(100).collect();
        Problem {
            code: Code::UnknownInput,
            severity: Severity::Warning,
            message: format!(
                "The secret {shown} is neither kept nor set as an environment variable here. Keep it with `planloom secret \
                 set {shown}` before the plan runs."
            ),
            tasks: task_at(draft, &pointer),
            pointer,
            fix: None,
        }
    };
    found.into_iter().map(warning).collect()
}

fn task_at(draft: &DraftPlan, pointer: &str) -> Vec<TaskId> {
    let id = pointer.strip_prefix("/tasks/").and_then(|rest| {
        let ix: usize = rest.split('/').next()?.parse().ok()?;
        draft.document().get("tasks")?.get(ix)?.get("id")?.as_str()
    });
    id.map(TaskId::from).into_iter().collect()
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

fn warning(draft: &DraftPlan, pointer: String, look: Option<&str>) -> Problem {
    let what = match look {
        None => "The value of a secret stands".to_owned(),
        Some(look) => format!("What looks like {look} stands"),
    };
    let message = format!(
        "{what} in the plan, where it is shown, stored and exported. Take it out, keep it with `planloom secret set NAME`, \
         give it to the tool as `{{\"$secret\": \"NAME\"}}`, and change the secret if others have seen the plan."
    );
    Problem {
        code: Code::SecretInPlan,
        severity: Severity::Warning,
        message,
        tasks: task_at(draft, &pointer),
        pointer,
        fix: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_nobody_keeps_are_told_with_their_place() {
        let draft = DraftPlan::parse(
            r#"{"tasks": [{"id": "a", "inputs": {"k": {"$secret": "HAVE"}}}, {"id": "b", "inputs": {"h": [{"$secret": "NOPE"}],
               "l": {"$literal": {"$secret": "DATA"}}}}]}"#,
        )
        .unwrap();
        let told = unknown(&draft, |name| name == "HAVE");
        assert!(
            matches!(&told[..], [one] if one.pointer == "/tasks/1/inputs/h/0" && one.severity == Severity::Warning
            && one.tasks == [TaskId::from("b")] && one.message.starts_with("The secret NOPE is neither")),
            "{told:?}"
        );
    }
}
