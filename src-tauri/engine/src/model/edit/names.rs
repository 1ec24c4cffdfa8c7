//! The tasks of a document by the names that the editor uses, and ids that are still free. The document may be
//! wrong in any way.

use std::collections::{HashMap, HashSet};

use serde_json::Map;

use crate::model::Json;
use crate::model::check::is_id;
use crate::model::graph::{Graph, Node};

/// Longest beginning of an id that a number is put behind.
const STEM: usize = 50;

/// The tasks of a document. Copies of one id are one node, as for the validator.
pub(in crate::model) struct Index<'d> {
    pub tasks: &'d [Json],
    node_of: HashMap<&'d str, Node>,
    /// The first task of each node, and the node of each task.
    first_of: Vec<usize>,
    node_at: Vec<Node>,
}

impl<'d> Index<'d> {
    pub fn new(document: &'d Json) -> Self {
        let tasks = document
            .get("tasks")
            .and_then(Json::as_array)
            .map_or(&[][..], Vec::as_slice);
        let mut index = Self {
            tasks,
            node_of: HashMap::with_capacity(tasks.len()),
            first_of: Vec::with_capacity(tasks.len()),
            node_at: Vec::with_capacity(tasks.len()),
        };
        for (ix, task) in tasks.iter().enumerate() {
            let free = index.first_of.len() as Node;
            let node = id_of(task).map_or(free, |id| *index.node_of.entry(id).or_insert(free));
            if node == free {
                index.first_of.push(ix);
            }
            index.node_at.push(node);
        }
        index
    }

    /// The position of a task: by its id, or by `#` and its number where it has none of its own.
    pub fn find(&self, name: &str) -> Option<usize> {
        let numbered = name
            .strip_prefix('#')
            .and_then(|n| n.parse::<usize>().ok())
            .and_then(|n| n.checked_sub(1));
        match numbered.filter(|ix| *ix < self.tasks.len() && self.is_nameless(*ix)) {
            Some(ix) => Some(ix),
            None => self.node_of.get(name).map(|node| self.first_of[*node as usize]),
        }
    }

    /// Whether the task has no id, or one that an earlier task has.
    pub fn is_nameless(&self, ix: usize) -> bool {
        id_of(&self.tasks[ix]).is_none() || self.first_of[self.node_at[ix] as usize] != ix
    }

    /// How the editor names the task.
    pub fn name(&self, ix: usize) -> String {
        match id_of(&self.tasks[ix]) {
            Some(id) if !self.is_nameless(ix) => id.to_owned(),
            Some(_) | None => format!("#{}", ix + 1),
        }
    }

    /// Whether several tasks have this id.
    pub fn is_repeated(&self, id: &str) -> bool {
        self.tasks
            .iter()
            .filter(|task| id_of(task) == Some(id))
            .nth(1)
            .is_some()
    }

    pub fn node(&self, ix: usize) -> Node {
        self.node_at[ix]
    }

    pub fn node_named(&self, id: &str) -> Option<Node> {
        self.node_of.get(id).copied()
    }

    pub fn first(&self, node: Node) -> usize {
        self.first_of[node as usize]
    }

    /// All edges between known tasks, self-loops left out.
    pub fn graph(&self) -> Graph {
        Graph::new(self.first_of.len(), &self.edges())
    }

    pub fn edges(&self) -> Vec<(Node, Node)> {
        let mut edges = self.all_edges();
        edges.retain(|(from, to)| from != to);
        edges
    }

    /// The edges with those from a task to itself.
    pub fn all_edges(&self) -> Vec<(Node, Node)> {
        let mut edges = Vec::new();
        for (to, task) in self.node_at.iter().zip(self.tasks) {
            let known = dependencies_of(task).filter_map(|name| self.node_of.get(name));
            edges.extend(known.map(|from| (*from, *to)));
        }
        edges
    }

    pub fn ids(&self) -> HashSet<String> {
        self.node_of.keys().map(|id| (*id).to_owned()).collect()
    }
}

pub(in crate::model) fn id_of(task: &Json) -> Option<&str> {
    task.get("id")?.as_str()
}

/// The dependencies that are text.
pub(in crate::model) fn dependencies_of(task: &Json) -> impl Iterator<Item = &str> {
    task.get("dependencies")
        .and_then(Json::as_array)
        .into_iter()
        .flatten()
        .filter_map(Json::as_str)
}

/// Where a task with this name would be, as JSON Pointer.
pub(in crate::model) fn pointer(ix: usize) -> String {
    format!("/tasks/{ix}")
}

/// An id that no task has: the wanted one, else one made of the title, the tool or the type, with a number if
/// need be. A copy of `fetch_2` is `fetch_3`, not `fetch_2_2`.
pub(in crate::model) fn free_id(task: &Map<String, Json>, taken: &HashSet<String>) -> String {
    let text = |name: &str| task.get(name).and_then(Json::as_str);
    let wanted = text("id").filter(|id| is_id(id)).map(str::to_owned);
    let named = |name: &str| text(name).map(slug).filter(|slug| !slug.is_empty());
    let base = wanted
        .or_else(|| named("title"))
        .or_else(|| named("tool"))
        .or_else(|| named("task_type"))
        .unwrap_or_else(|| "task".to_owned());
    if !taken.contains(&base) {
        return base;
    }
    let stem = base
        .trim_end_matches(|c: char| c.is_ascii_digit())
        .trim_end_matches('_');
    let stem = if stem.is_empty() { "task" } else { stem };
    let stem = stem.get(..STEM).unwrap_or(stem);
    let numbered = |n: usize| format!("{stem}_{n}");
    // One number more than there are ids: one of them is free.
    (2..=taken.len() + 2)
        .map(numbered)
        .find(|id| !taken.contains(id))
        .unwrap_or_else(|| numbered(1))
}

/// Lower-case ASCII letters and digits, anything else as one `_` between them.
fn slug(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        if c.is_ascii_alphanumeric() {
            out.push(c.to_ascii_lowercase());
        } else if !out.is_empty() && !out.ends_with('_') {
            out.push('_');
        }
        if out.len() >= 40 {
            break;
        }
    }
    out.trim_end_matches('_').to_owned()
}

/// Old id → new id of the tasks that a patch renames where they stand.
pub fn renames(document: &Json, patch: &Json) -> Vec<(String, String)> {
    let operations = patch.as_array().map_or(&[][..], Vec::as_slice);
    let path = |operation: &Json| operation.get("path").and_then(Json::as_str).map(str::to_owned);
    // Where tasks come or go, or the list is another one, numbers do not name the same tasks before and after.
    let is_steady = operations.iter().all(|operation| {
        let path = path(operation).unwrap_or_default();
        !path.is_empty() && path != "/tasks" && !is_task(&path)
    });
    if !is_steady {
        return Vec::new();
    }
    let renamed = operations.iter().filter_map(|operation| {
        let path = path(operation)?;
        is_task(path.strip_suffix("/id")?).then_some(())?;
        let (old, new) = (
            document.pointer(&path)?.as_str()?,
            operation.get("value")?.as_str()?,
        );
        (old != new).then(|| (old.to_owned(), new.to_owned()))
    });
    renamed.collect()
}

fn is_task(pointer: &str) -> bool {
    let number = pointer.strip_prefix("/tasks/");
    number.is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
}
