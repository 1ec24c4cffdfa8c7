//! The tasks of a document as the editor addresses them, right or wrong: by id where it is one task's own, else by
//! `#` and position; and the graph that their dependencies make.

use std::collections::HashMap;

use crate::model::Json;
use crate::model::graph::{Graph, Node};

/// Where each task stands and how it is called.
pub(crate) struct Shape<'d> {
    pub tasks: Vec<&'d Json>,
    /// One name per task, each only once.
    pub names: Vec<String>,
    index: HashMap<String, usize>,
    pub graph: Graph,
}

impl<'d> Shape<'d> {
    pub fn of(document: &'d Json) -> Self {
        let tasks: Vec<&Json> =
            document.get("tasks").and_then(Json::as_array).into_iter().flatten().collect();
        let mut times: HashMap<&str, usize> = HashMap::new();
        for id in tasks.iter().filter_map(|t| id_of(t)) {
            *times.entry(id).or_default() += 1;
        }
        let is_own = |id: &&str| times.get(id) == Some(&1) && !id.is_empty();
        let names: Vec<String> = (1..)
            .zip(&tasks)
            .map(|(n, task)| id_of(task).filter(is_own).map_or_else(|| format!("#{n}"), str::to_owned))
            .collect();
        let index = (0..).zip(&names).map(|(ix, name)| (name.clone(), ix)).collect();
        let mut shape = Self { tasks, names, index, graph: Graph::new(0, &[]) };
        shape.graph = Graph::new(shape.tasks.len(), &shape.edges());
        shape
    }

    pub fn find(&self, name: &str) -> Option<usize> {
        self.index.get(name).copied()
    }

    /// Distinct edges to tasks that exist, parent first.
    fn edges(&self) -> Vec<(Node, Node)> {
        let mut edges = Vec::new();
        for (child, task) in (0..).zip(&self.tasks) {
            let mut parents: Vec<Node> =
                dependencies(task).filter_map(|d| self.find(d)).map(|ix| ix as Node).collect();
            let mut seen = std::collections::HashSet::new();
            parents.retain(|parent| seen.insert(*parent));
            edges.extend(parents.into_iter().map(|parent| (parent, child)));
        }
        edges
    }

    /// Why an edge may not be drawn, by the validator's rule; nothing if it may.
    pub fn refusal(&self, from: usize, to: usize) -> Option<String> {
        if from == to {
            return Some("a task can't wait for itself".to_owned());
        }
        if self.graph.parents(to as Node).contains(&(from as Node)) {
            return Some(format!("{} already waits for {}", self.names[to], self.names[from]));
        }
        let path = self.graph.path(to as Node, from as Node)?;
        let names: Vec<&str> = path.iter().map(|&n| self.names[n as usize].as_str()).collect();
        Some(leads(&names))
    }

    pub fn has_loop(&self) -> bool {
        self.graph.order().len() < self.graph.len()
    }
}

/// "b already leads to a: b > c > a", long ways shortened in the middle.
pub(super) fn leads(path: &[&str]) -> String {
    let (first, last) = (path.first().copied().unwrap_or(""), path.last().copied().unwrap_or(""));
    let way = match path {
        [a, b, c, .., y, z] if path.len() > 6 => format!("{a} > {b} > {c} > … > {y} > {z}"),
        short => short.join(" > "),
    };
    format!("{first} already leads to {last}: {way}")
}

pub(crate) fn id_of(task: &Json) -> Option<&str> {
    task.get("id").and_then(Json::as_str)
}

/// The dependencies that are written as they should be.
pub(crate) fn dependencies(task: &Json) -> impl Iterator<Item = &str> {
    task.get("dependencies").and_then(Json::as_array).into_iter().flatten().filter_map(Json::as_str)
}
