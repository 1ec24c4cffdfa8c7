//! A plan of one task alone, to try it: what it reads stands before it as tasks whose outputs are given. It must not know
//! runs, nor where the given outputs come from.

use std::collections::BTreeSet;

use serde_json::{Map, json};

use super::edit::names::{Index, id_of};
use super::edit::references;
use super::{DraftPlan, Json};

#[derive(Clone, Debug)]
pub struct Trial {
    pub plan: DraftPlan,
    /// Tasks whose outputs it reads, in the order in which it names them.
    pub reads: Vec<String>,
}

/// The ids of the tasks whose outputs a task reads, each once.
pub fn reads(task: &Json) -> Vec<String> {
    let mut seen = BTreeSet::new();
    let found = references::all(task).into_iter();
    found
        .filter(|(_, id)| seen.insert(*id))
        .map(|(_, id)| id.to_owned())
        .collect()
}

/// The plan in which only this task does something. Everything that it may touch and spend is as in the whole plan.
pub fn trial(plan: &DraftPlan, id: &str) -> Option<Trial> {
    let document = plan.document();
    let index = Index::new(document);
    let task = &index.tasks[index.find(id)?];
    let mut alone = task.as_object()?.clone();
    let reads = reads(task);
    alone.insert("dependencies".to_owned(), json!(reads));
    let given = reads.iter().map(|id| given(&index, id));
    let tasks: Vec<Json> = given.chain([Json::Object(alone.clone())]).collect();
    let title = text(task, "title").or_else(|| id_of(task)).unwrap_or(id);
    let mut made = Map::new();
    made.insert("version".to_owned(), json!(1));
    made.insert("goal".to_owned(), json!(format!("Try one task: {title}")));
    let parameters = parameters(document, task);
    if !parameters.is_empty() {
        made.insert("parameters".to_owned(), Json::Object(parameters));
    }
    made.insert("tasks".to_owned(), Json::Array(tasks));
    for field in ["grants", "budget"] {
        if let Some(value) = document.get(field) {
            made.insert(field.to_owned(), value.clone());
        }
    }
    Some(Trial {
        plan: DraftPlan::of(Json::Object(made)),
        reads,
    })
}

/// Stands in for a task whose output is given: it touches nothing, and comes to nothing if the output is let go of.
fn given(index: &Index<'_>, id: &str) -> Json {
    let task = index.find(id).map(|ix| &index.tasks[ix]);
    let title = task.and_then(|task| text(task, "title")).unwrap_or(id);
    json!({
        "id": id,
        "title": title,
        "task_type": "code",
        "instruction": "Give what was given for the try.",
        "source": "return null;",
    })
}

fn text<'d>(task: &'d Json, name: &str) -> Option<&'d str> {
    task.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

/// The plan's parameters that the task names anywhere.
fn parameters(document: &Json, task: &Json) -> Map<String, Json> {
    let mut named = BTreeSet::new();
    collect(task, &mut named);
    let all = document.get("parameters").and_then(Json::as_object);
    let used = all
        .into_iter()
        .flatten()
        .filter(|(name, _)| named.contains(name.as_str()));
    used.map(|(name, schema)| (name.clone(), schema.clone()))
        .collect()
}

/// Recursion is bounded by the depth of the document.
fn collect<'d>(value: &'d Json, named: &mut BTreeSet<&'d str>) {
    match value {
        Json::Object(map) => {
            named.extend(map.get("$param").and_then(Json::as_str));
            map.values().for_each(|inner| collect(inner, named));
        }
        Json::Array(items) => items.iter().for_each(|inner| collect(inner, named)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_task_is_left_with_what_it_reads_and_names() {
        let plan = DraftPlan::of(json!({
        "goal": "all of it", "synthesis": {"template": "x"}, "grants": {"read": ["a"]}, "budget": {"usd": 1},
        "parameters": {"floor": {"type": "number"}, "other": {"type": "string"}},
        "tasks": [
            {"id": "rows", "title": "Read rows", "task_type": "tool", "tool": "csv.read", "inputs": {"path": "a"}},
            {"id": "order", "instruction": "i"},
            {"id": "m", "title": "Margins", "task_type": "code", "instruction": "i", "source": "return 1",
             "dependencies": ["order", "rows"],
             "inputs": {"rows": {"$from": "rows", "path": "/rows"}, "again": [{"$from": "rows"}],
                        "floor": {"$param": "floor"}, "data": {"$literal": {"$from": "order"}}}},
        ]}));
        let trial = trial(&plan, "m").unwrap();
        let made = trial.plan.document();
        assert_eq!(trial.reads, ["rows"]);
        let ids: Vec<&str> = made["tasks"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(id_of)
            .collect();
        assert_eq!(ids, ["rows", "m"]);
        assert_eq!(made["tasks"][0]["title"], "Read rows");
        assert_eq!(made["tasks"][1]["dependencies"], json!(["rows"]));
        assert_eq!(made["parameters"], json!({"floor": {"type": "number"}}));
        assert_eq!(
            (&made["grants"], &made["budget"]),
            (&plan.document()["grants"], &plan.document()["budget"])
        );
        assert_eq!(made.get("synthesis"), None);
        assert_eq!(made["goal"], "Try one task: Margins");
        assert!(super::trial(&plan, "nobody").is_none());
    }
}
