//! Reading the run's own folder, which is empty when the run begins: what no task before may have written there is missed.
//! Only what stands in the plan counts; whoever writes places that only the run will know may have written any of them.
//! It must not know tools.

use std::collections::HashSet;

use super::{Check, Who};
use crate::model::graph::{Components, Graph, Node, reaches};
use crate::model::problem::{Code, Severity};

const OWN: &str = "run:/";
/// Writers of one file that are looked at; with more of them nothing is told.
const WRITERS: usize = 64;

/// What the tasks of one plan do in the folder.
#[derive(Default)]
pub(super) struct OwnFiles {
    reads: Vec<Read>,
    /// The path and the task.
    writes: Vec<(String, Node)>,
    /// Tasks that may write anything.
    any: Vec<Node>,
}

struct Read {
    path: String,
    node: Node,
    pointer: String,
    who: Who,
}

impl OwnFiles {
    pub fn read(&mut self, path: &str, node: Node, pointer: String, who: &Who) {
        // The folder itself is always there.
        if path.len() > OWN.len() && path.starts_with(OWN) {
            self.reads.push(Read {
                path: path.to_owned(),
                node,
                pointer,
                who: who.clone(),
            });
        }
    }

    pub fn writes(&mut self, path: &str, node: Node) {
        if path.starts_with(OWN) {
            self.writes.push((path.trim_end_matches('/').to_owned(), node));
        }
    }

    pub fn writes_anything(&mut self, node: Node) {
        self.any.push(node);
    }

    /// Takes over what the plan inside a task does, as what the task does.
    pub fn take_in(&mut self, inner: Self, node: Node) {
        self.reads
            .extend(inner.reads.into_iter().map(|read| Read { node, ..read }));
        self.writes
            .extend(inner.writes.into_iter().map(|(path, _)| (path, node)));
        if !inner.any.is_empty() {
            self.any.push(node);
        }
    }

    /// Forgets what tasks before it in this plan may have written.
    pub fn settle(&mut self, (graph, components): (&Graph, &Components)) {
        if self.reads.is_empty() {
            return;
        }
        self.writes.sort();
        self.writes.dedup();
        let is_open = behind(graph, &self.any);
        self.reads.retain(|read| !is_open[read.node as usize]);
        let mut pairs = Vec::new();
        let mut ends = Vec::with_capacity(self.reads.len());
        for read in &self.reads {
            pairs.extend(self.writers(&read.path).map(|writer| (writer, read.node)));
            ends.push(pairs.len());
        }
        let is_before = reaches(graph, components, &pairs);
        let mut start = 0;
        let mut ends = ends.into_iter();
        self.reads.retain(|_| {
            let end = ends.next().unwrap_or(start);
            let found = &is_before[start..end];
            start = end;
            found.len() < WRITERS && !found.contains(&true)
        });
    }

    /// Those that write the path itself, a folder around it or something in it.
    fn writers<'s>(&'s self, path: &'s str) -> impl Iterator<Item = Node> + 's {
        let at = |path: &str| {
            self.writes
                .partition_point(|(written, _)| written.as_str() < path)
        };
        let steps = path.match_indices('/').skip(1).map(|(end, _)| &path[..end]);
        let exact = steps.chain([path]).flat_map(move |path| {
            let from = at(path);
            self.writes[from..]
                .iter()
                .take_while(move |(written, _)| written == path)
        });
        let below = format!("{path}/");
        let from = at(&below);
        let inside = self.writes[from..]
            .iter()
            .take_while(move |(written, _)| written.starts_with(&below));
        exact.chain(inside).map(|(_, node)| *node).take(WRITERS)
    }
}

/// Whether each task comes after one of these. What is in a loop has no order, and counts as after all.
fn behind(graph: &Graph, first: &[Node]) -> Vec<bool> {
    let mut is_behind = vec![true; graph.len()];
    let order = graph.order();
    for node in &order {
        is_behind[*node as usize] = false;
    }
    let mut is_first = vec![false; graph.len()];
    for node in first {
        is_first[*node as usize] = true;
    }
    for node in order {
        if is_first[node as usize] || is_behind[node as usize] {
            for child in graph.children(node) {
                is_behind[*child as usize] = true;
            }
        }
    }
    is_behind
}

/// Tells what is left once the outermost plan is read.
pub(super) fn tell(check: &mut Check<'_>) {
    let own = std::mem::take(&mut check.own);
    if !check.foresees() {
        return;
    }
    let written: HashSet<&str> = own.writes.iter().map(|(path, _)| path.as_str()).collect();
    // A stand-in is given the same.
    let mut told = HashSet::new();
    for Read {
        path, pointer, who, ..
    } in &own.reads
    {
        if !told.insert(pointer) {
            continue;
        }
        let why = if written.contains(path.as_str()) {
            "and the task that writes it need not be over by then: let the one depend on the other"
        } else {
            "which no task before it writes; the run's own folder is empty when the run begins"
        };
        let message = format!("{who} reads `{path}`, {why}.");
        check.say(
            Severity::Warning,
            Code::BadArguments,
            pointer.clone(),
            who.tasks(),
            message,
        );
    }
}
