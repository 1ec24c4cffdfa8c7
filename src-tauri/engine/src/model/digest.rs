//! What an approval freezes of a plan, as one hash. Canonical JSON: keys sorted, tasks sorted by id,
//! dependencies and grants as sets, defaults left out. It must not know whether the plan is right.
//!
//! In it is all that decides what happens: of a task everything but its `title`. A title is free text for
//! people; nothing executes it, so mending a word in it must not ask for a new signature. The `goal` is in, as
//! the final answer is made from it. `layout`, notes, states and other unknown fields are out, and so are
//! fields of another type of task than the task's own.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Map;

use super::entries::Entries;
use super::json::{HashedText, canonical, canonical_digest, push_string};
use super::{Digest, DraftPlan, Json, fields};

/// The hash of what executes.
pub fn of_plan(draft: &DraftPlan) -> Digest {
    of_plan_with(draft.document(), None)
}

/// The same of a document whose tasks may lie elsewhere.
pub(super) fn of_plan_with(document: &Json, tasks: Option<Entries<'_>>) -> Digest {
    let mut hashed = HashedText::default();
    let write = &mut |piece: &dyn Fn(&mut String)| hashed.write(piece);
    write_plan(document, tasks.or_else(|| Entries::of(document)), write);
    hashed.digest()
}

/// The hash of the whole document, layout and unknown fields included: the id of a revision.
pub fn of_document(draft: &DraftPlan) -> Digest {
    canonical_digest(draft.document())
}

/// The same of a document whose tasks lie elsewhere: the canonical text of the object with them in it.
pub(super) fn of_document_with(document: &Map<String, Json>, tasks: Entries<'_>) -> Digest {
    let mut hashed = HashedText::default();
    let mut keys: Vec<&String> = document.keys().collect();
    keys.sort_unstable();
    for (ix, key) in keys.into_iter().enumerate() {
        hashed.write(|out| {
            out.push(if ix == 0 { '{' } else { ',' });
            push_string(key, out);
            out.push(':');
        });
        if key != "tasks" {
            hashed.write_canonical(&document[key]);
            continue;
        }
        hashed.write(|out| out.push('['));
        for ix in 0..tasks.len() {
            if ix > 0 {
                hashed.write(|out| out.push(','));
            }
            hashed.write_canonical(&tasks.get(ix));
        }
        hashed.write(|out| out.push(']'));
    }
    hashed.write(|out| out.push('}'));
    hashed.digest()
}

/// One thing that executes and differs between two documents.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Difference {
    /// The task, by id; `None` for a field of the plan itself.
    pub task: Option<String>,
    /// The field; `None` where the whole task is new or gone.
    pub field: Option<String>,
}

/// What differs between two documents of what executes; empty exactly if their digests agree.
pub fn differences(old: &DraftPlan, new: &DraftPlan) -> Vec<Difference> {
    let mut out = Vec::new();
    let (old, new) = (old.document(), new.document());
    for field in differing(&plan_fields(old), &plan_fields(new)) {
        out.push(Difference {
            task: None,
            field: Some(field),
        });
    }
    let (old, new) = (tasks_by_id(old), tasks_by_id(new));
    let ids: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    for id in ids {
        match (old.get(id), new.get(id)) {
            (Some(old), Some(new)) => {
                for field in differing(old, new) {
                    out.push(Difference {
                        task: Some(id.clone()),
                        field: Some(field),
                    });
                }
            }
            _ => out.push(Difference {
                task: Some(id.clone()),
                field: None,
            }),
        }
    }
    out
}

/// The fields of one task that execute and differ, sorted.
pub(super) fn task_differences(old: &Map<String, Json>, new: &Map<String, Json>) -> Vec<String> {
    differing(&task_fields(old), &task_fields(new))
}

/// The fields of the plan itself that execute and differ, sorted.
pub(super) fn plan_differences(old: &Json, new: &Json) -> Vec<String> {
    differing(&plan_fields(old), &plan_fields(new))
}

/// Field → canonical text, sorted by name.
type Frozen = BTreeMap<String, String>;

fn differing(old: &Frozen, new: &Frozen) -> Vec<String> {
    let names: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
    names
        .into_iter()
        .filter(|name| old.get(*name) != new.get(*name))
        .cloned()
        .collect()
}

fn tasks_by_id(document: &Json) -> BTreeMap<String, Frozen> {
    let tasks = document.get("tasks").and_then(Json::as_array);
    let entry = |(ix, task): (usize, &Json)| {
        let id = task
            .get("id")
            .and_then(Json::as_str)
            .map_or_else(|| format!("#{}", ix + 1), str::to_owned);
        (id, task.as_object().map(task_fields).unwrap_or_default())
    };
    tasks.into_iter().flatten().enumerate().map(entry).collect()
}

/// Takes one piece of a text after the other, each as what writes it.
type Pieces<'w> = dyn FnMut(&dyn Fn(&mut String)) + 'w;

/// Writes what executes, task by task.
fn write_plan(document: &Json, tasks: Option<Entries<'_>>, write: &mut Pieces<'_>) {
    let Some(tasks) = tasks else {
        return write(&|out| out.push_str(&canonical(document)));
    };
    write(&|out| push_fields(&plan_fields(document), out));
    let mut sorted: Vec<(Cow<'_, str>, usize)> = (0..tasks.len())
        .map(|ix| (tasks.id(ix).unwrap_or_default(), ix))
        .collect();
    sorted.sort_unstable();
    for (_, ix) in sorted {
        let task = tasks.get(ix);
        write(&|out| {
            out.push('\n');
            match &*task {
                Json::Object(task) => push_fields(&task_fields(task), out),
                other @ (Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_)) => {
                    out.push_str(&canonical(other));
                }
            }
        });
    }
}

fn push_fields(fields: &Frozen, out: &mut String) {
    out.push('{');
    for (ix, (name, text)) in fields.iter().enumerate() {
        if ix > 0 {
            out.push(',');
        }
        push_string(name, out);
        out.push(':');
        out.push_str(text);
    }
    out.push('}');
}

/// What executes of the plan itself, its tasks left out.
fn plan_fields(document: &Json) -> Frozen {
    let mut frozen = Frozen::new();
    for name in ["goal", "parameters", "grants", "budget", "synthesis", "file"] {
        let Some(value) = document.get(name).filter(|value| !value.is_null()) else {
            continue;
        };
        let text = match (name, value) {
            ("grants", Json::Object(map)) => only(map, &fields::GRANTS, as_set),
            ("budget", Json::Object(map)) => only(map, &fields::BUDGET, canonical),
            ("synthesis", Json::Object(map)) => only(map, &fields::SYNTHESIS, canonical),
            _ => canonical(value),
        };
        if !is_empty(&text) {
            frozen.insert(name.to_owned(), text);
        }
    }
    frozen
}

/// What executes of a task.
fn task_fields(task: &Map<String, Json>) -> Frozen {
    let task_type = task.get("task_type").and_then(Json::as_str).unwrap_or("agent");
    let executes = |name: &str| match fields::type_of(name) {
        Some(owner) => owner == task_type,
        None => fields::TASK.contains(&name) && name != "title",
    };
    let mut frozen = Frozen::new();
    for (name, value) in task
        .iter()
        .filter(|(name, value)| executes(name) && !value.is_null())
    {
        let text = match (name.as_str(), value) {
            ("dependencies" | "accepts_untrusted", value) => as_set(value),
            ("retry", Json::Object(map)) => without_defaults(map),
            ("task", Json::Object(inner)) => text_of(&task_fields(inner)),
            ("plan", plan @ Json::Object(_)) => {
                let mut out = String::new();
                write_plan(plan, Entries::of(plan), &mut |write| write(&mut out));
                out
            }
            (_, value) => canonical(value),
        };
        if !is_default(name, &text) {
            frozen.insert(name.clone(), text);
        }
    }
    frozen
}

fn text_of(fields: &Frozen) -> String {
    let mut out = String::new();
    push_fields(fields, &mut out);
    out
}

fn only(map: &Map<String, Json>, known: &[&str], text: fn(&Json) -> String) -> String {
    let entries = map
        .iter()
        .filter(|(name, value)| known.contains(&name.as_str()) && !value.is_null());
    text_of(
        &entries
            .map(|(name, value)| (name.clone(), text(value)))
            .filter(|(_, text)| !is_empty(text))
            .collect(),
    )
}

fn as_set(value: &Json) -> String {
    match value.as_array() {
        Some(items) => {
            let items: BTreeSet<String> = items.iter().map(canonical).collect();
            format!("[{}]", items.into_iter().collect::<Vec<_>>().join(","))
        }
        None => canonical(value),
    }
}

fn without_defaults(retry: &Map<String, Json>) -> String {
    let is_default = |name: &str, value: &Json| {
        let text = value.to_string();
        matches!(
            (name, text.as_str()),
            ("max_attempts", "4") | ("initial_ms", "1000") | ("multiplier", "2" | "2.0") | ("max_ms", "8000")
        )
    };
    let entries = retry.iter().filter(|(name, value)| {
        fields::RETRY.contains(&name.as_str()) && !value.is_null() && !is_default(name, value)
    });
    text_of(
        &entries
            .map(|(name, value)| (name.clone(), canonical(value)))
            .collect(),
    )
}

fn is_empty(text: &str) -> bool {
    matches!(text, "{}" | "[]")
}

/// Whether leaving the field out would mean the same. An empty schema or form is not nothing.
fn is_default(name: &str, text: &str) -> bool {
    match name {
        "dependencies" | "inputs" | "retry" | "writes" | "tools" | "accepts_untrusted" => is_empty(text),
        "task_type" => text == "\"agent\"",
        "approval" => text == "\"none\"",
        "optional" | "idempotent" => text == "false",
        "max_steps" => text == "12",
        _ => false,
    }
}
