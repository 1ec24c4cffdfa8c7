//! Each edit, carried out. What would close a loop is refused, whichever edit would do it.

use std::collections::{HashMap, HashSet};

use serde_json::json;

use super::naming::{free_id, rename, retargeted};
use super::recorder::{Recorder, token};
use super::shape::{Shape, dependencies, id_of};
use super::{Applied, EditError, Placed, PlanEdit, Position};
use crate::model::document::DraftPlan;
use crate::model::{Json, read};

/// Carries out one edit. The plan given stays as it is; on `Err` there is nothing to undo.
pub fn apply(plan: &DraftPlan, edit: &PlanEdit) -> Result<Applied, EditError> {
    let mut recorder = Recorder::new(plan.document());
    let label = carry_out(&mut recorder, edit)?;
    let had_loop = Shape::of(plan.document()).has_loop();
    if !had_loop {
        expect_no_loop(&recorder.document)?;
    }
    let (document, patch, inverse) = recorder.finish();
    Ok(Applied { plan: DraftPlan::of(document), patch, inverse, label })
}

fn expect_no_loop(document: &Json) -> Result<(), EditError> {
    let shape = Shape::of(document);
    if !shape.has_loop() {
        return Ok(());
    }
    let done: HashSet<u32> = shape.graph.order().into_iter().collect();
    let held = shape.graph.nodes().filter(|n| !done.contains(n));
    let names: Vec<&str> = held.take(6).map(|n| shape.names[n as usize].as_str()).collect();
    Err(EditError::Refused { reason: format!("that would make a loop among {}", names.join(", ")) })
}

fn carry_out(recorder: &mut Recorder, edit: &PlanEdit) -> Result<String, EditError> {
    match edit {
        PlanEdit::AddTask { task, after, before, position } => add(recorder, task, after, before, *position),
        PlanEdit::RemoveTasks { ids } => remove(recorder, ids),
        PlanEdit::SetTask { id, field, value } => set_task(recorder, id, field, value.as_deref()),
        PlanEdit::RenameTask { id, to } => {
            rename(recorder, id, to)?;
            Ok(format!("Rename {id} to {to}"))
        }
        PlanEdit::Connect { from, to } => {
            connect(recorder, from, to)?;
            Ok(format!("Connect {from} to {to}"))
        }
        PlanEdit::Disconnect { from, to } => {
            disconnect(recorder, from, to)?;
            Ok(format!("Disconnect {from} from {to}"))
        }
        PlanEdit::Reconnect { from, to, new_from, new_to } => reconnect(recorder, from, to, new_from, new_to),
        PlanEdit::Move { positions } => move_to(recorder, positions),
        PlanEdit::Tidy => {
            recorder.remove("/layout/positions")?;
            Ok("Tidy".to_owned())
        }
        PlanEdit::SetPlan { field, value } => set_plan(recorder, field, value.as_deref()),
        PlanEdit::Paste { tasks, at } => paste(recorder, tasks, *at),
    }
}

fn parse(text: &str) -> Result<Json, EditError> {
    read::read(text, &read::PLAN).map_err(|errors| EditError::BadValue {
        message: errors.first().map_or_else(|| "it can't be read".to_owned(), ToString::to_string),
    })
}

fn find(document: &Json, id: &str) -> Result<usize, EditError> {
    Shape::of(document).find(id).ok_or_else(|| EditError::NoTask { id: id.to_owned() })
}

fn taken(document: &Json) -> HashSet<String> {
    let tasks = document.get("tasks").and_then(Json::as_array);
    tasks.into_iter().flatten().filter_map(|t| id_of(t).map(str::to_owned)).collect()
}

fn expect_tasks(recorder: &mut Recorder) -> Result<(), EditError> {
    match recorder.document.get("tasks") {
        Some(Json::Array(_)) => Ok(()),
        None | Some(Json::Null) => recorder.set("/tasks", json!([])),
        Some(_) => Err(EditError::BadValue { message: "the plan's `tasks` is not a list; mend that first".to_owned() }),
    }
}

fn add(
    recorder: &mut Recorder,
    text: &str,
    after: &[String],
    before: &[String],
    position: Option<Position>,
) -> Result<String, EditError> {
    let mut task = parse(text)?;
    if !task.is_object() {
        return Err(EditError::BadValue { message: "a task is an object".to_owned() });
    }
    expect_tasks(recorder)?;
    let id = free_id(&task, &taken(&recorder.document));
    task["id"] = Json::String(id.clone());
    recorder.push("/tasks", task)?;
    for from in after {
        connect(recorder, from, &id)?;
    }
    for to in before {
        connect(recorder, &id, to)?;
    }
    if let Some(Position { x, y }) = position {
        place(recorder, &id, x, y)?;
    }
    Ok(format!("Add {id}"))
}

fn remove(recorder: &mut Recorder, ids: &[String]) -> Result<String, EditError> {
    let shape = Shape::of(&recorder.document);
    let mut places = Vec::new();
    for id in ids {
        places.push(shape.find(id).ok_or_else(|| EditError::NoTask { id: id.clone() })?);
    }
    let gone: HashSet<&str> = ids.iter().map(String::as_str).collect();
    let mut trimmed = Vec::new();
    for (ix, task) in shape.tasks.iter().enumerate() {
        if dependencies(task).any(|d| gone.contains(d)) {
            let list = task.get("dependencies").and_then(Json::as_array).cloned().unwrap_or_default();
            let left = list.into_iter().filter(|d| !d.as_str().is_some_and(|id| gone.contains(id))).collect();
            trimmed.push((ix, Json::Array(left)));
        }
    }
    for (ix, left) in trimmed {
        recorder.set(&format!("/tasks/{ix}/dependencies"), left)?;
    }
    // From the back, so that the positions in front stay true.
    places.sort_unstable();
    places.dedup();
    for ix in places.into_iter().rev() {
        recorder.remove(&format!("/tasks/{ix}"))?;
    }
    for id in ids {
        recorder.remove(&format!("/layout/positions/{}", token(id)))?;
    }
    Ok(if let [one] = ids { format!("Delete {one}") } else { format!("Delete {} tasks", ids.len()) })
}

fn set_task(recorder: &mut Recorder, id: &str, field: &str, value: Option<&str>) -> Result<String, EditError> {
    let at = find(&recorder.document, id)?;
    let value = value.map(parse).transpose()?;
    if field == "/id" {
        let to = value.as_ref().and_then(Json::as_str).unwrap_or_default();
        rename(recorder, id, to)?;
        return Ok(format!("Rename {id} to {to}"));
    }
    let pointer = format!("/tasks/{at}{field}");
    match value {
        Some(value) => recorder.set(&pointer, value)?,
        None => recorder.remove(&pointer)?,
    }
    let name = field.trim_start_matches('/').split('/').next().unwrap_or_default().replace('_', " ");
    Ok(if name.is_empty() { format!("Edit {id}") } else { format!("Edit {name} of {id}") })
}

fn set_plan(recorder: &mut Recorder, field: &str, value: Option<&str>) -> Result<String, EditError> {
    match value {
        Some(text) => recorder.set(field, parse(text)?)?,
        None => recorder.remove(field)?,
    }
    let name = field.trim_start_matches('/').split('/').next().unwrap_or_default().replace('_', " ");
    Ok(format!("Edit {}", if name.is_empty() { "the plan" } else { &name }))
}

fn connect(recorder: &mut Recorder, from: &str, to: &str) -> Result<(), EditError> {
    let shape = Shape::of(&recorder.document);
    let no_task = |id: &str| EditError::NoTask { id: id.to_owned() };
    let source = shape.find(from).ok_or_else(|| no_task(from))?;
    let target = shape.find(to).ok_or_else(|| no_task(to))?;
    if let Some(reason) = shape.refusal(source, target) {
        return Err(EditError::Refused { reason });
    }
    if id_of(shape.tasks[source]) != Some(from) {
        return Err(EditError::Refused { reason: format!("{from} has no id of its own to be named by") });
    }
    let pointer = format!("/tasks/{target}/dependencies");
    match shape.tasks[target].get("dependencies") {
        Some(Json::Array(_)) => recorder.push(&pointer, Json::String(from.to_owned())),
        None | Some(Json::Null) => recorder.set(&pointer, json!([from])),
        Some(_) => Err(EditError::Refused { reason: format!("the dependencies of {to} are not a list; mend that first") }),
    }
}

/// Removes the edge, with the inputs that only read over it.
fn disconnect(recorder: &mut Recorder, from: &str, to: &str) -> Result<(), EditError> {
    let at = find(&recorder.document, to)?;
    drop_edge(recorder, at, from)?;
    let inputs = recorder.document["tasks"][at].get("inputs").and_then(Json::as_object);
    let reads = |value: &Json| value.get("$from").and_then(Json::as_str) == Some(from);
    let cleared: Vec<String> =
        inputs.into_iter().flatten().filter(|(_, v)| reads(v)).map(|(name, _)| name.clone()).collect();
    for name in cleared {
        recorder.remove(&format!("/tasks/{at}/inputs/{}", token(&name)))?;
    }
    Ok(())
}

fn drop_edge(recorder: &mut Recorder, at: usize, from: &str) -> Result<(), EditError> {
    let list = recorder.document["tasks"][at].get("dependencies").and_then(Json::as_array);
    let left: Vec<Json> =
        list.into_iter().flatten().filter(|d| d.as_str() != Some(from)).cloned().collect();
    recorder.set(&format!("/tasks/{at}/dependencies"), Json::Array(left))
}

/// The graph is judged without the edge that goes. A name that meant nothing takes its references along.
fn reconnect(
    recorder: &mut Recorder,
    from: &str,
    to: &str,
    new_from: &str,
    new_to: &str,
) -> Result<String, EditError> {
    let is_typo = to == new_to && Shape::of(&recorder.document).find(from).is_none();
    if is_typo {
        let at = find(&recorder.document, to)?;
        drop_edge(recorder, at, from)?;
        let names = HashMap::from([(from.to_owned(), new_from.to_owned())]);
        for (field, value) in retargeted(&recorder.document["tasks"][at], &names) {
            recorder.set(&format!("/tasks/{at}/{field}"), value)?;
        }
        let is_there = dependencies(&recorder.document["tasks"][at]).any(|d| d == new_from);
        if !is_there {
            connect(recorder, new_from, new_to)?;
        }
    } else {
        disconnect(recorder, from, to)?;
        connect(recorder, new_from, new_to)?;
    }
    Ok(format!("Connect {new_from} to {new_to} instead of {from} to {to}"))
}

fn place(recorder: &mut Recorder, id: &str, x: i32, y: i32) -> Result<(), EditError> {
    let is_object = |pointer: &str, document: &Json| document.pointer(pointer).is_none_or(Json::is_object);
    for pointer in ["/layout", "/layout/positions"] {
        if !is_object(pointer, &recorder.document) {
            recorder.set(pointer, json!({}))?;
        }
    }
    recorder.set(&format!("/layout/positions/{}", token(id)), json!({ "x": x, "y": y }))
}

fn move_to(recorder: &mut Recorder, positions: &[Placed]) -> Result<String, EditError> {
    let shape = Shape::of(&recorder.document);
    if let Some(placed) = positions.iter().find(|p| shape.find(&p.id).is_none()) {
        return Err(EditError::NoTask { id: placed.id.clone() });
    }
    for Placed { id, x, y } in positions {
        place(recorder, id, *x, *y)?;
    }
    Ok(if let [one] = positions { format!("Move {}", one.id) } else { format!("Move {} tasks", positions.len()) })
}

/// Pasted tasks get free ids; edges and references among them follow, edges to others are left behind.
fn paste(recorder: &mut Recorder, text: &str, at: Option<Position>) -> Result<String, EditError> {
    let pasted = parse(text)?;
    let list = pasted.as_array().or_else(|| pasted.get("tasks").and_then(Json::as_array));
    let list = list.filter(|l| !l.is_empty() && l.iter().all(Json::is_object));
    let list = list.ok_or_else(|| EditError::BadValue { message: "what was pasted is not a list of tasks".to_owned() })?;
    expect_tasks(recorder)?;
    let mut ids = taken(&recorder.document);
    let mut names = HashMap::new();
    let mut fresh = Vec::new();
    for task in list {
        let id = free_id(task, &ids);
        ids.insert(id.clone());
        if let Some(old) = id_of(task) {
            names.entry(old.to_owned()).or_insert_with(|| id.clone());
        }
        fresh.push(id);
    }
    for (task, id) in list.iter().zip(&fresh) {
        let mut task = task.clone();
        for (field, value) in retargeted(&task, &names) {
            task[field] = value;
        }
        let inside: Vec<Json> = dependencies(&task).filter(|d| fresh.iter().any(|f| f == d)).map(Into::into).collect();
        if task.get("dependencies").is_some() {
            task["dependencies"] = Json::Array(inside);
        }
        task["id"] = Json::String(id.clone());
        recorder.push("/tasks", task)?;
    }
    if let (Some(Position { x, y }), Some(first)) = (at, fresh.first()) {
        place(recorder, first, x, y)?;
    }
    Ok(if let [one] = fresh.as_slice() { format!("Paste {one}") } else { format!("Paste {} tasks", fresh.len()) })
}
