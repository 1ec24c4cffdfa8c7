//! Two plan documents side by side: tasks by id, fields by JSON Pointer, edges, and the plan's own fields. Works on
//! wrong documents, too. It must not know revisions, runs or how a difference is drawn.

mod fields;

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use super::digest;
use super::edit::names::Index;
use super::{DraftPlan, Json};

/// What became of a task or an edge from one document to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    Added,
    Removed,
    Changed,
    Kept,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PlanDiff {
    /// Every task of either document: those of the later one in its order, then those that are gone.
    pub tasks: Vec<TaskDiff>,
    /// Only what was added or removed.
    pub edges: Vec<EdgeDiff>,
    /// Fields of the plan itself, such as `/goal`, `/parameters/region` or `/grants/read`.
    pub plan: Vec<FieldDiff>,
    /// Tasks that a person has put somewhere else.
    pub moved: Vec<String>,
    /// The tasks that both have stand in another order in the document.
    pub is_reordered: bool,
    /// Something that executes differs, so that a signature of one does not cover the other.
    pub executes: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TaskDiff {
    /// The id; where the document's own is missing or repeated, `#` and the position.
    pub task: String,
    pub title: String,
    pub change: Change,
    /// Of a changed task; pointers inside the task.
    pub fields: Vec<FieldDiff>,
}

/// One value that differs, as JSON text; null where there is none.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldDiff {
    pub pointer: String,
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EdgeDiff {
    pub from: String,
    pub to: String,
    pub is_added: bool,
}

/// What differs from one document to the other. Linear in both.
pub fn diff(from: &DraftPlan, to: &DraftPlan) -> PlanDiff {
    let (old, new) = (from.document(), to.document());
    let (before, after) = (Index::new(old), Index::new(new));
    PlanDiff {
        tasks: tasks(&before, &after),
        edges: edges(&before, &after),
        plan: plan_fields(old, new),
        moved: moved(old, new, &after),
        is_reordered: is_reordered(&before, &after),
        executes: digest::of_plan(from) != digest::of_plan(to),
    }
}

fn tasks(before: &Index<'_>, after: &Index<'_>) -> Vec<TaskDiff> {
    let there = |ix: usize| {
        let (task, name) = (&after.tasks[ix], after.name(ix));
        let fields = before
            .find(&name)
            .map(|was| fields::differing(&before.tasks[was], task));
        let change = match &fields {
            None => Change::Added,
            Some(fields) if fields.is_empty() => Change::Kept,
            Some(_) => Change::Changed,
        };
        TaskDiff {
            title: title_of(task, &name),
            task: name,
            change,
            fields: fields.unwrap_or_default(),
        }
    };
    let gone = (0..before.tasks.len()).filter_map(|ix| {
        let name = before.name(ix);
        after.find(&name).is_none().then(|| TaskDiff {
            title: title_of(&before.tasks[ix], &name),
            task: name,
            change: Change::Removed,
            fields: Vec::new(),
        })
    });
    (0..after.tasks.len()).map(there).chain(gone).collect()
}

fn title_of(task: &Json, name: &str) -> String {
    let title = task.get("title").and_then(Json::as_str);
    title
        .filter(|title| !title.trim().is_empty())
        .unwrap_or(name)
        .to_owned()
}

fn edges(before: &Index<'_>, after: &Index<'_>) -> Vec<EdgeDiff> {
    let (old, new) = (named_edges(before), named_edges(after));
    let known: HashSet<&(String, String)> = old.iter().collect();
    let now: HashSet<&(String, String)> = new.iter().collect();
    let as_diff = |(from, to): &(String, String), is_added| EdgeDiff {
        from: from.clone(),
        to: to.clone(),
        is_added,
    };
    let added = new
        .iter()
        .filter(|edge| !known.contains(edge))
        .map(|e| as_diff(e, true));
    let removed = old
        .iter()
        .filter(|edge| !now.contains(edge))
        .map(|e| as_diff(e, false));
    let mut seen = HashSet::new();
    added
        .chain(removed)
        .filter(|edge| seen.insert(edge.clone()))
        .collect()
}

fn named_edges(index: &Index<'_>) -> Vec<(String, String)> {
    let name = |node| index.name(index.first(node));
    let edges = index.all_edges().into_iter();
    edges.map(|(from, to)| (name(from), name(to))).collect()
}

/// Everything beside the tasks; where cards stand is told by itself. The tasks are the bulk and are not copied.
fn plan_fields(old: &Json, new: &Json) -> Vec<FieldDiff> {
    fields::differing(&beside_tasks(old), &beside_tasks(new))
}

fn beside_tasks(document: &Json) -> Json {
    let rest = document.as_object().into_iter().flatten();
    let rest = rest
        .filter(|(key, _)| *key != "tasks")
        .filter_map(|(key, value)| {
            let value = if key == "layout" {
                beside_positions(value)?
            } else {
                value.clone()
            };
            Some((key.clone(), value))
        });
    rest.collect()
}

fn beside_positions(layout: &Json) -> Option<Json> {
    let Some(map) = layout.as_object() else {
        return Some(layout.clone());
    };
    let rest = map.iter().filter(|(key, _)| *key != "positions");
    let rest: serde_json::Map<String, Json> = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    (!rest.is_empty()).then_some(Json::Object(rest))
}

fn moved(old: &Json, new: &Json, after: &Index<'_>) -> Vec<String> {
    let place = |document: &'_ Json, name: &str| {
        let positions = document.pointer("/layout/positions");
        positions.and_then(|all| all.get(name)).map(ToString::to_string)
    };
    let names = (0..after.tasks.len()).map(|ix| after.name(ix));
    names
        .filter(|name| place(old, name) != place(new, name))
        .collect()
}

fn is_reordered(before: &Index<'_>, after: &Index<'_>) -> bool {
    let place: HashMap<String, usize> = (0..before.tasks.len()).map(|ix| (before.name(ix), ix)).collect();
    let kept = (0..after.tasks.len()).filter_map(|ix| place.get(&after.name(ix)).copied());
    let mut last = None;
    kept.into_iter().any(|ix| {
        let is_back = last.is_some_and(|last| ix < last);
        last = Some(ix);
        is_back
    })
}

#[cfg(test)]
mod tests;
