//! Edits of whole tasks: adding, pasting, removing, renaming.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Map;

use super::apply::{EditError, Edited, Editor, parsed};
use super::names::{dependencies_of, free_id, id_of, pointer};
use super::{Position, references};
use crate::model::graph::{Components, Graph, Node};
use crate::model::json::At;
use crate::model::{Json, check};

/// How far pasted cards stand apart, so that none hides another.
const CASCADE: i32 = 32;

pub(super) fn add(
    editor: &mut Editor<'_>,
    task: &str,
    (after, before): (&[String], &[String]),
    position: Option<Position>,
) -> Edited {
    let Json::Object(mut task) = parsed(task)? else {
        return Err(EditError::BadValue("a task is an object".to_owned()));
    };
    let id = free_id(&task, &editor.index.ids());
    let after = named(editor, after)?;
    let before_at = before
        .iter()
        .map(|name| editor.find(name))
        .collect::<Result<Vec<usize>, _>>()?;
    check_between(editor, &task, &after, &before_at)?;
    let mut dependencies: Vec<Json> = task
        .get("dependencies")
        .and_then(Json::as_array)
        .cloned()
        .unwrap_or_default();
    for name in &after {
        if !dependencies.contains(&Json::from(name.as_str())) {
            dependencies.push(Json::from(name.as_str()));
        }
    }
    let title = shown(&task, &id);
    task.insert("id".to_owned(), Json::from(id.as_str()));
    if !dependencies.is_empty() || !task.contains_key("dependencies") {
        task.insert("dependencies".to_owned(), Json::Array(dependencies));
    }
    push(editor, Json::Object(task))?;
    for ix in before_at {
        put_behind(editor, ix, &id, &after)?;
    }
    if let Some(position) = position {
        editor.set_position(&id, position)?;
    }
    Ok(format!("Add {title}"))
}

/// The task waits for the new one. An edge that the new task now stands in is redundant and goes; what the task reads
/// over it stays, since it still comes after.
fn put_behind(editor: &mut Editor<'_>, ix: usize, id: &str, after: &[String]) -> Result<(), EditError> {
    let list = editor.dependency_list(ix)?;
    let mut entries = editor
        .work
        .get(&list)
        .and_then(Json::as_array)
        .cloned()
        .unwrap_or_default();
    let len = entries.len();
    entries.retain(|entry| !entry.as_str().is_some_and(|from| after.iter().any(|a| a == from)));
    if entries.len() == len {
        editor.work.add(&format!("{list}/{len}"), Json::from(id))?;
    } else {
        entries.push(Json::from(id));
        editor.work.set(&list, Json::Array(entries))?;
    }
    Ok(())
}

/// The ids that the editor's names stand for, each once.
fn named(editor: &Editor<'_>, names: &[String]) -> Result<Vec<String>, EditError> {
    let mut ids: Vec<String> = Vec::new();
    for name in names {
        let ix = editor.find(name)?;
        let id = id_of(&editor.index.tasks[ix]);
        let id = id.ok_or_else(|| EditError::Refused(format!("`{name}` has no id that could be named")))?;
        if !ids.iter().any(|known| known == id) {
            ids.push(id.to_owned());
        }
    }
    Ok(ids)
}

/// A task between others closes a loop if one that shall come after it leads to one that shall come before it.
fn check_between(
    editor: &Editor<'_>,
    task: &Map<String, Json>,
    after: &[String],
    before: &[usize],
) -> Result<(), EditError> {
    if before.is_empty() {
        return Ok(());
    }
    let own = task
        .get("dependencies")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str);
    let sources: HashSet<Node> = own
        .chain(after.iter().map(String::as_str))
        .filter_map(|name| editor.index.node_named(name))
        .collect();
    let graph = editor.index.graph();
    let mut is_seen = vec![false; graph.len()];
    let mut queue: Vec<Node> = before.iter().map(|ix| editor.index.node(*ix)).collect();
    while let Some(node) = queue.pop() {
        if std::mem::replace(&mut is_seen[node as usize], true) {
            continue;
        }
        if sources.contains(&node) {
            let name = editor.index.name(editor.index.first(node));
            return Err(EditError::Refused(format!(
                "{name} would have to run before and after the new task"
            )));
        }
        queue.extend(graph.children(node));
    }
    Ok(())
}

/// Adds a task at the end of the list, which is made where there is none.
fn push(editor: &mut Editor<'_>, task: Json) -> Result<(), EditError> {
    match editor.work.get("/tasks") {
        Some(Json::Array(_)) => {}
        None | Some(Json::Null) => editor.work.set("/tasks", Json::Array(Vec::new()))?,
        Some(_) => {
            return Err(EditError::Broken(
                "`tasks` of the plan is no list; mend it first".to_owned(),
            ));
        }
    }
    let len = editor
        .work
        .get("/tasks")
        .and_then(Json::as_array)
        .map_or(0, Vec::len);
    Ok(editor.work.add(&pointer(len), task)?)
}

/// What a person calls the task.
fn shown(task: &Map<String, Json>, id: &str) -> String {
    let title: String = task
        .get("title")
        .and_then(Json::as_str)
        .unwrap_or(id)
        .chars()
        .take(40)
        .collect();
    format!("“{title}”")
}

pub(super) fn remove(editor: &mut Editor<'_>, names: &[String]) -> Edited {
    let places = names
        .iter()
        .map(|name| editor.find(name))
        .collect::<Result<BTreeSet<usize>, _>>()?;
    // A name that another copy keeps is still known, and edges to it stay.
    let kept: HashSet<&str> = (0..editor.index.tasks.len())
        .filter(|ix| !places.contains(ix))
        .filter_map(|ix| id_of(&editor.index.tasks[ix]))
        .collect();
    let gone: HashSet<&str> = places
        .iter()
        .filter_map(|ix| id_of(&editor.index.tasks[*ix]))
        .filter(|id| !kept.contains(id))
        .collect();
    for ix in (0..editor.index.tasks.len()).filter(|ix| !places.contains(ix)) {
        drop_dependencies(editor, ix, &gone)?;
    }
    for ix in &places {
        let name = editor.index.name(*ix);
        let layout = At::Key(&At::Root, "layout");
        editor
            .work
            .remove(&layout.key("positions").key(&name).pointer())?;
    }
    for ix in places.iter().rev() {
        editor.work.remove(&pointer(*ix))?;
    }
    Ok(match names {
        [one] => format!("Remove {one}"),
        many => format!("Remove {} tasks", many.len()),
    })
}

fn drop_dependencies(editor: &mut Editor<'_>, ix: usize, gone: &HashSet<&str>) -> Result<(), EditError> {
    let task = &editor.index.tasks[ix];
    if !dependencies_of(task).any(|name| gone.contains(name)) {
        return Ok(());
    }
    let entries = task
        .get("dependencies")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    let kept = entries
        .filter(|entry| !entry.as_str().is_some_and(|name| gone.contains(name)))
        .cloned();
    let kept: Vec<Json> = kept.collect();
    Ok(editor
        .work
        .set(&format!("{}/dependencies", pointer(ix)), Json::Array(kept))?)
}

pub(super) fn rename(editor: &mut Editor<'_>, name: &str, to: &str) -> Edited {
    let ix = editor.find(name)?;
    let label = format!("Rename {name} to {to}");
    let old = id_of(&editor.index.tasks[ix]);
    if old == Some(to) && !editor.index.is_nameless(ix) {
        return Ok(label);
    }
    if !check::is_id(to) {
        let message =
            format!("`{to}` can't be an id: 1 to 64 of the letters A to Z and a to z, digits, `_` and `-`");
        return Err(EditError::BadValue(message));
    }
    if editor.index.node_named(to).is_some() {
        return Err(EditError::Refused(format!("another task has the id `{to}`")));
    }
    // Of a repeated id nobody can say which copy the others mean; they stay with the copy that keeps it.
    if let Some(old) = old.filter(|old| !editor.index.is_repeated(old)) {
        for other in 0..editor.index.tasks.len() {
            follow(editor, other, old, to)?;
        }
    }
    let layout = At::Key(&At::Root, "layout");
    let positions = layout.key("positions");
    if let Some(position) = editor.work.get(&positions.key(name).pointer()).cloned() {
        editor.work.remove(&positions.key(name).pointer())?;
        editor.work.set(&positions.key(to).pointer(), position)?;
    }
    editor.work.set(&format!("{}/id", pointer(ix)), Json::from(to))?;
    Ok(label)
}

/// Lets the dependencies and references of one task follow a new name.
fn follow(editor: &mut Editor<'_>, ix: usize, old: &str, to: &str) -> Result<(), EditError> {
    let task = &editor.index.tasks[ix];
    let base = pointer(ix);
    let entries = task
        .get("dependencies")
        .and_then(Json::as_array)
        .into_iter()
        .flatten();
    for (place, _) in entries
        .enumerate()
        .filter(|(_, entry)| entry.as_str() == Some(old))
    {
        editor
            .work
            .set(&format!("{base}/dependencies/{place}"), Json::from(to))?;
    }
    for reference in references::to(task, old) {
        editor.work.set(&format!("{base}{reference}"), Json::from(to))?;
    }
    Ok(())
}

/// Adds copies of tasks under free ids. Edges and references inside the set follow the new ids; dependencies on
/// tasks that the plan has stay; others are left out.
pub(super) fn paste(editor: &mut Editor<'_>, text: &str, at: Option<Position>) -> Edited {
    // A list of tasks, a plan, or one task.
    let tasks = match parsed(text)? {
        Json::Array(items) => items,
        Json::Object(mut plan) => match plan.get_mut("tasks").map(Json::take) {
            Some(Json::Array(items)) => items,
            Some(_) => Vec::new(),
            None => vec![Json::Object(plan)],
        },
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => Vec::new(),
    };
    if tasks.is_empty() || !tasks.iter().all(Json::is_object) {
        return Err(EditError::BadValue(
            "what is pasted must be a list of tasks".to_owned(),
        ));
    }
    let mut taken = editor.index.ids();
    let mut renamed: HashMap<String, String> = HashMap::new();
    let mut ids = Vec::with_capacity(tasks.len());
    for task in tasks.iter().filter_map(Json::as_object) {
        let id = free_id(task, &taken);
        taken.insert(id.clone());
        if let Some(old) = task.get("id").and_then(Json::as_str) {
            renamed.entry(old.to_owned()).or_insert_with(|| id.clone());
        }
        ids.push(id);
    }
    check_set(&tasks, &renamed, &ids)?;
    for (task, id) in tasks.into_iter().zip(&ids) {
        let task = copied(editor, task, id, &renamed);
        push(editor, task)?;
    }
    for (ix, id) in (0i32..).zip(&ids) {
        if let Some(at) = at {
            let shift = CASCADE.saturating_mul(ix);
            let position = Position {
                x: at.x.saturating_add(shift),
                y: at.y.saturating_add(shift),
            };
            editor.set_position(id, position)?;
        }
    }
    Ok(match &ids[..] {
        [one] => format!("Paste {one}"),
        many => format!("Paste {} tasks", many.len()),
    })
}

/// Loops inside the set are refused; edges out of it can close none.
fn check_set(tasks: &[Json], renamed: &HashMap<String, String>, ids: &[String]) -> Result<(), EditError> {
    let place: HashMap<&str, Node> = (0..).zip(ids).map(|(ix, id)| (id.as_str(), ix)).collect();
    let mut edges = Vec::new();
    for (to, task) in (0..).zip(tasks) {
        let inside = dependencies_of(task).filter_map(|name| place.get(renamed.get(name)?.as_str()).copied());
        for from in inside {
            if from == to {
                return Err(EditError::Refused(format!(
                    "`{}` can't depend on itself",
                    ids[to as usize]
                )));
            }
            edges.push((from, to));
        }
    }
    let graph = Graph::new(ids.len(), &edges);
    let components = Components::new(&graph);
    match graph.nodes().find(|node| components.is_in_loop(*node)) {
        Some(node) => {
            let id = &ids[node as usize];
            Err(EditError::Refused(format!(
                "the tasks to paste depend on each other in a loop, with `{id}` in it"
            )))
        }
        None => Ok(()),
    }
}

fn copied(editor: &Editor<'_>, mut task: Json, id: &str, renamed: &HashMap<String, String>) -> Json {
    let references = references::all(&task).into_iter();
    let moved = references
        .filter_map(|(place, name)| Some((place, renamed.get(name)?.as_str())))
        .collect::<Vec<_>>();
    for (place, new) in moved {
        if let Some(place) = task.pointer_mut(&place) {
            *place = Json::from(new);
        }
    }
    if let Some(entries) = task.get_mut("dependencies").and_then(Json::as_array_mut) {
        entries.retain_mut(|entry| {
            let Some(name) = entry.as_str() else { return true };
            match renamed.get(name) {
                Some(new) => *entry = Json::from(new.as_str()),
                None => return editor.index.node_named(name).is_some(),
            }
            true
        });
    }
    task["id"] = Json::from(id);
    task
}
