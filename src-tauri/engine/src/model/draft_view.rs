//! A draft as the editor draws it: cards, edges, waves, and what each task may touch. Works on wrong documents,
//! too. It must not know runs, revisions or the disk.

pub(in crate::model) mod needs;

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use needs::Needs;

use super::edit::Position;
use super::edit::names::{Index, dependencies_of};
use super::edit::references;
use super::grants::Place;
use super::graph::{Components, Graph};
use super::tool::Catalog;
use super::tool::{Access, Effect};
use super::{DraftPlan, Json};

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct DraftTask {
    /// The id; where the document's own is missing or repeated, `#` and the position.
    pub id: String,
    /// JSON Pointer of the task in the document.
    pub pointer: String,
    pub title: String,
    pub task_type: String,
    /// Second line of the card: tool or model, else the kind.
    pub detail: String,
    /// 1 for the tasks without dependencies; null in or behind a loop.
    pub wave: Option<u32>,
    /// Where a person put it.
    pub position: Option<Position>,
    pub needs: Vec<NeedView>,
    /// The task's own document as JSON text.
    pub document: String,
    /// A person holds its output: it will not be executed.
    pub pinned: bool,
    /// Where the run will stop at it.
    pub breakpoint: Option<BreakpointView>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum BreakpointView {
    Before,
    After,
    Both,
}

impl BreakpointView {
    /// From the two sides; nothing where neither is set.
    pub fn of(before: bool, after: bool) -> Option<Self> {
        match (before, after) {
            (true, true) => Some(Self::Both),
            (true, false) => Some(Self::Before),
            (false, true) => Some(Self::After),
            (false, false) => None,
        }
    }

    /// Whether it stops before the task, and whether after it.
    pub fn sides(at: Option<Self>) -> (bool, bool) {
        match at {
            None => (false, false),
            Some(Self::Before) => (true, false),
            Some(Self::After) => (false, true),
            Some(Self::Both) => (true, true),
        }
    }
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct DraftEdge {
    pub from: String,
    pub to: String,
    /// Inputs of `to` that read `from`.
    pub inputs: Vec<String>,
    pub is_in_loop: bool,
}

/// One thing that a plan may touch, with the tasks that need it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct NeedView {
    pub access: Access,
    /// As a person reads it: path relative to the plan where that is shorter, host, program.
    pub resource: String,
    pub method: Option<String>,
    pub effect: Effect,
    /// "New file", "Replaces the file", "GET only", "SELECT only" …
    pub note: String,
    pub tasks: Vec<String>,
}

/// The parts of a draft's picture that follow from the document alone.
#[derive(Clone, Debug)]
pub struct Parts {
    pub tasks: Vec<DraftTask>,
    pub edges: Vec<DraftEdge>,
    /// Everything that the plan may touch, with the tasks that need it, and what it grants without a need.
    pub needs: Vec<NeedView>,
}

/// The cards and edges of a draft.
pub fn parts(draft: &DraftPlan, catalog: &Catalog, place: &Place) -> Parts {
    let document = draft.document();
    let index = Index::new(document);
    let graph = index.graph();
    // A task that depends on itself has no wave, nor has what waits for it.
    let waves = Graph::new(graph.len(), &index.all_edges()).waves();
    let mut needs = Needs::new(document, catalog, place);
    let positions = document.pointer("/layout/positions");
    let card = |ix: usize| {
        let task = &index.tasks[ix];
        let id = index.name(ix);
        DraftTask {
            pointer: format!("/tasks/{ix}"),
            title: text(task, "title").unwrap_or(&id).to_owned(),
            task_type: text(task, "task_type").unwrap_or("agent").to_owned(),
            detail: detail(task),
            wave: Some(waves[index.node(ix) as usize]).filter(|wave| *wave > 0),
            position: positions.and_then(|all| all.get(&id)).and_then(position),
            needs: task
                .as_object()
                .map_or_else(Vec::new, |task| needs.of_task(task, &id)),
            document: task.to_string(),
            pinned: false,
            breakpoint: None,
            id,
        }
    };
    let tasks: Vec<DraftTask> = (0..index.tasks.len()).map(card).collect();
    let mut all: Vec<NeedView> = tasks.iter().flat_map(|task| task.needs.iter().cloned()).collect();
    all.extend(needs.beyond_known());
    Parts {
        edges: edges(&index, &graph),
        tasks,
        needs: all,
    }
}

fn text<'d>(task: &'d Json, name: &str) -> Option<&'d str> {
    task.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

/// Second line of the card.
fn detail(task: &Json) -> String {
    match text(task, "task_type").unwrap_or("agent") {
        "tool" => text(task, "tool").unwrap_or("no tool yet").to_owned(),
        "code" => "JavaScript".to_owned(),
        "human" => "you".to_owned(),
        "map" => "each item".to_owned(),
        "subplan" => text(task, "plan").unwrap_or("nested plan").to_owned(),
        _ => text(task, "model").unwrap_or("executor").to_owned(),
    }
}

fn position(value: &Json) -> Option<Position> {
    let part = |name: &str| -> Option<i32> {
        let number = value.get(name)?.as_f64().filter(|number| number.is_finite())?;
        // Rounded: a position from another program may have a fraction. Far beyond every canvas is no position.
        Some(number.round() as i32).filter(|number| number.abs() < 10_000_000)
    };
    Some(Position {
        x: part("x")?,
        y: part("y")?,
    })
}

fn edges(index: &Index<'_>, graph: &Graph) -> Vec<DraftEdge> {
    let components = Components::new(graph);
    let mut edges = Vec::new();
    for (ix, task) in index.tasks.iter().enumerate() {
        let to = index.node(ix);
        let mut read: HashMap<&str, Vec<String>> = HashMap::new();
        for (pointer, id) in references::all(task) {
            let names = read.entry(id).or_default();
            let name = references::input_of(&pointer);
            if names.last() != Some(&name) {
                names.push(name);
            }
        }
        let mut seen = HashSet::new();
        for id in dependencies_of(task).filter(|id| seen.insert(*id)) {
            let Some(from) = index.node_named(id) else {
                continue;
            };
            edges.push(DraftEdge {
                from: index.name(index.first(from)),
                to: index.name(ix),
                inputs: read.remove(id).unwrap_or_default(),
                is_in_loop: from == to
                    || (components.of(from) == components.of(to) && components.is_in_loop(to)),
            });
        }
    }
    edges
}

#[cfg(test)]
mod tests;
