//! A draft as the editor draws it: cards, edges, waves and needs, from the document as it is, right or wrong.
//! Pure; it must not know revisions or undo.

use std::collections::HashSet;

use super::document::DraftPlan;
use super::edit::shape::{Shape, id_of};
use super::edit::Position;
use super::grants::{self, Grants, Need, Place};
use super::graph::{Components, Node};
use super::tool::{Access, Catalog, Effect, ToolSpec};
use super::Json;
use crate::views::{DraftEdge, DraftTask, NeedView};

/// Ancestors listed with one task, at most, and with all tasks together.
const READABLE: usize = 200;
const READABLE_IN_ALL: usize = 200_000;

/// The parts of a draft's picture that follow from the document alone.
pub struct Parts {
    pub tasks: Vec<DraftTask>,
    pub edges: Vec<DraftEdge>,
    /// Everything that the plan may touch, with the tasks that need it.
    pub needs: Vec<NeedView>,
}

pub fn parts(plan: &DraftPlan, catalog: &Catalog, place: &Place) -> Parts {
    let document = plan.document();
    let shape = Shape::of(document);
    let grants = grants_of(document);
    let waves = shape.graph.waves();
    let most = READABLE.min(READABLE_IN_ALL / shape.tasks.len().max(1));
    let mut granted = HashSet::new();
    let tasks: Vec<DraftTask> = (0..shape.tasks.len())
        .map(|ix| {
            let task = shape.tasks[ix];
            let name = &shape.names[ix];
            let wave = (waves[ix] > 0).then_some(waves[ix]);
            DraftTask {
                id: name.clone(),
                pointer: format!("/tasks/{ix}"),
                title: text(task, "title").unwrap_or(name).to_owned(),
                task_type: text(task, "task_type").unwrap_or("agent").to_owned(),
                detail: detail(task),
                wave,
                position: position(document, task),
                needs: needs(task, name, catalog, place, &grants, &mut granted),
                document: task.to_string(),
                readable: ancestors(&shape, ix, most),
            }
        })
        .collect();
    let mut all: Vec<NeedView> = tasks.iter().flat_map(|t| t.needs.iter().cloned()).collect();
    all.extend(unused(&grants, &granted));
    Parts { edges: edges(&shape), tasks, needs: all }
}

fn text<'d>(task: &'d Json, field: &str) -> Option<&'d str> {
    task.get(field).and_then(Json::as_str).filter(|t| !t.trim().is_empty())
}

/// Second line of the card.
fn detail(task: &Json) -> String {
    match text(task, "task_type").unwrap_or("agent") {
        "tool" => text(task, "tool").unwrap_or("no tool yet").to_owned(),
        "code" => "JavaScript".to_owned(),
        "human" => "you".to_owned(),
        "map" => "each item".to_owned(),
        "subplan" => "nested plan".to_owned(),
        _ => text(task, "model").unwrap_or("executor").to_owned(),
    }
}

fn position(document: &Json, task: &Json) -> Option<Position> {
    let placed = document.get("layout")?.get("positions")?.get(id_of(task)?)?;
    let whole = |axis: &str| {
        let number = placed.get(axis)?.as_f64()?;
        (number.abs() < 1e7).then_some(number.round() as i32)
    };
    Some(Position { x: whole("x")?, y: whole("y")? })
}

fn edges(shape: &Shape<'_>) -> Vec<DraftEdge> {
    let components = Components::new(&shape.graph);
    let mut edges = Vec::new();
    for child in shape.graph.nodes() {
        for &parent in shape.graph.parents(child) {
            let from = shape.names[parent as usize].clone();
            edges.push(DraftEdge {
                inputs: inputs_from(shape.tasks[child as usize], &from),
                is_in_loop: parent == child || components.of(parent) == components.of(child),
                to: shape.names[child as usize].clone(),
                from,
            });
        }
    }
    edges
}

/// The inputs of a task that read `from`, at any depth.
fn inputs_from(task: &Json, from: &str) -> Vec<String> {
    let inputs = task.get("inputs").and_then(Json::as_object);
    inputs.into_iter().flatten().filter(|(_, v)| reads(v, from)).map(|(name, _)| name.clone()).collect()
}

fn reads(value: &Json, from: &str) -> bool {
    match value {
        Json::Object(map) if map.contains_key("$literal") => false,
        Json::Object(map) => {
            map.get("$from").and_then(Json::as_str) == Some(from) || map.values().any(|v| reads(v, from))
        }
        Json::Array(items) => items.iter().any(|v| reads(v, from)),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => false,
    }
}

/// Tasks whose outputs may be read: ancestors, nearest first.
fn ancestors(shape: &Shape<'_>, ix: usize, most: usize) -> Vec<String> {
    let mut seen = HashSet::from([ix as Node]);
    let mut found: Vec<Node> = Vec::new();
    let mut queue = std::collections::VecDeque::from([ix as Node]);
    while let Some(node) = queue.pop_front() {
        for &parent in shape.graph.parents(node) {
            if found.len() < most && seen.insert(parent) {
                found.push(parent);
                queue.push_back(parent);
            }
        }
        if found.len() >= most {
            break;
        }
    }
    found.into_iter().map(|n| shape.names[n as usize].clone()).collect()
}

fn grants_of(document: &Json) -> Grants {
    let of = |kind: &str| -> Vec<String> {
        let list = document.get("grants").and_then(|g| g.get(kind)).and_then(Json::as_array);
        list.into_iter().flatten().filter_map(|e| e.as_str().map(str::to_owned)).collect()
    };
    Grants {
        read: of("read"),
        write: of("write"),
        hosts: of("hosts"),
        databases: of("databases"),
        commands: of("commands"),
        mcp: of("mcp"),
    }
}

fn entries(grants: &Grants, access: Access) -> &[String] {
    match access {
        Access::Read => &grants.read,
        Access::Write => &grants.write,
        Access::Host => &grants.hosts,
        Access::Database => &grants.databases,
        Access::Command => &grants.commands,
        Access::Mcp => &grants.mcp,
    }
}

/// What one task touches: what its literals say, and for the rest every entry that the plan grants of that kind.
fn needs(
    task: &Json,
    name: &str,
    catalog: &Catalog,
    place: &Place,
    grants: &Grants,
    granted: &mut HashSet<(Access, String)>,
) -> Vec<NeedView> {
    let tools: Vec<&str> = match text(task, "task_type").unwrap_or("agent") {
        "tool" => text(task, "tool").into_iter().collect(),
        "agent" => {
            task.get("tools").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str).collect()
        }
        _ => Vec::new(),
    };
    let mut views = Vec::new();
    for spec in tools.iter().filter_map(|tool| catalog.get(tool)) {
        let inputs = task.get("inputs").and_then(Json::as_object);
        let literals: Json =
            inputs.into_iter().flatten().filter(|(_, v)| is_literal(v)).map(|(n, v)| (n.clone(), plain(v))).collect();
        let effect = spec.effect_of(&literals);
        for need in grants::needs_of(spec, &literals, place).unwrap_or_default() {
            views.push(view(&need, effect, place, name));
        }
        for touch in &spec.touches {
            let given = inputs.and_then(|i| i.get(touch.argument));
            let is_open = given.is_some_and(|v| !is_literal(v)) || text(task, "task_type").is_none_or(|t| t == "agent");
            if is_open {
                for entry in entries(grants, touch.access) {
                    granted.insert((touch.access, entry.clone()));
                    views.push(entry_view(touch.access, entry, spec, effect, name));
                }
            }
        }
    }
    views
}

/// No reference anywhere in it.
fn is_literal(value: &Json) -> bool {
    match value {
        Json::Object(map) if map.contains_key("$literal") => true,
        Json::Object(map) => map.iter().all(|(k, v)| !k.starts_with('$') && is_literal(v)),
        Json::Array(items) => items.iter().all(is_literal),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}

fn plain(value: &Json) -> Json {
    value.get("$literal").unwrap_or(value).clone()
}

fn view(need: &Need, effect: Effect, place: &Place, task: &str) -> NeedView {
    NeedView {
        access: need.access,
        resource: shown(need, place),
        method: need.method.clone(),
        effect,
        note: note(need.access, &need.resource, need.method.as_deref(), effect),
        tasks: vec![task.to_owned()],
    }
}

/// Relative to the plan's folder where that is shorter.
fn shown(need: &Need, place: &Place) -> String {
    let folder = place.folder.as_ref().and_then(|f| f.to_str());
    let below = folder.and_then(|f| need.resource.strip_prefix(f)).and_then(|r| r.strip_prefix('/'));
    match need.access {
        Access::Read | Access::Write | Access::Database => below.unwrap_or(&need.resource).to_owned(),
        Access::Host | Access::Command | Access::Mcp => need.resource.clone(),
    }
}

fn note(access: Access, resource: &str, method: Option<&str>, effect: Effect) -> String {
    match access {
        Access::Read => "Reads it".to_owned(),
        Access::Write if resource.starts_with("run:") => "In the run's own folder".to_owned(),
        Access::Write => "Writes it; what was there is replaced".to_owned(),
        Access::Host => match method {
            None | Some("GET") => "GET only".to_owned(),
            Some(method) => format!("Sends {method}"),
        },
        Access::Database if effect.is_effect() => "Changes it".to_owned(),
        Access::Database => "SELECT only".to_owned(),
        Access::Command => "Runs it".to_owned(),
        Access::Mcp => "Calls it".to_owned(),
    }
}

fn entry_view(access: Access, entry: &str, spec: &ToolSpec, effect: Effect, task: &str) -> NeedView {
    let method = spec.method_argument.map(|_| "any".to_owned());
    NeedView {
        access,
        resource: entry.to_owned(),
        method: None,
        effect,
        note: format!("{}; which one is decided during the run", note(access, entry, method.as_deref(), effect)),
        tasks: vec![task.to_owned()],
    }
}

/// Entries that no task seems to need: they are part of what is signed all the same.
fn unused(grants: &Grants, granted: &HashSet<(Access, String)>) -> Vec<NeedView> {
    let kinds = [
        (Access::Read, Effect::Read),
        (Access::Write, Effect::Write),
        (Access::Host, Effect::ReadExternal),
        (Access::Database, Effect::Read),
        (Access::Command, Effect::Exec),
        (Access::Mcp, Effect::WriteExternal),
    ];
    let mut views = Vec::new();
    for (access, effect) in kinds {
        for entry in entries(grants, access) {
            if !granted.contains(&(access, entry.clone())) {
                views.push(NeedView {
                    access,
                    resource: entry.clone(),
                    method: None,
                    effect,
                    note: "Granted; no task is known to need it".to_owned(),
                    tasks: Vec::new(),
                });
            }
        }
    }
    views
}
