//! May this edge be drawn? The same rule as the validator's: an edge may not close a loop, start or end at
//! nothing, or stand twice.

use serde::Serialize;

use super::names::{Index, dependencies_of, id_of};
use crate::model::DraftPlan;
use crate::model::graph::{Graph, Node};

/// May this edge be drawn? The same rule as the validator's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ConnectVerdict {
    pub to: String,
    /// Null: allowed. Else why not, such as "Write report already leads to it: write → check → write".
    pub refusal: Option<String>,
}

/// Hops shown of a path that is in the way.
const SHOWN: usize = 6;

/// For every task, whether an edge from `from` to it may be drawn. One walk over the graph.
pub fn connect_verdicts(draft: &DraftPlan, from: &str) -> Vec<ConnectVerdict> {
    let index = Index::new(draft.document());
    let start = index.find(from);
    let graph = index.graph();
    let above = start.map(|start| Above::of(&graph, index.node(start)));
    let verdict = |ix: usize| {
        let refusal = match (start, &above) {
            (Some(start), Some(above)) => refusal(&index, start, ix, above),
            _ => Some(format!("there is no task `{from}`")),
        };
        ConnectVerdict {
            to: index.name(ix),
            refusal,
        }
    };
    (0..index.tasks.len()).map(verdict).collect()
}

/// Why the edge from one task to another may not be drawn.
pub(super) fn refusal_of(
    index: &Index<'_>,
    edges: &[(Node, Node)],
    from: usize,
    to: usize,
) -> Option<String> {
    let nodes = edges
        .iter()
        .map(|(a, b)| a.max(b) + 1)
        .max()
        .unwrap_or(0)
        .max(index.node(from) + 1)
        .max(index.node(to) + 1);
    let graph = Graph::new(nodes as usize, edges);
    refusal(index, from, to, &Above::of(&graph, index.node(from)))
}

fn refusal(index: &Index<'_>, from: usize, to: usize, above: &Above) -> Option<String> {
    let (source, target) = (index.node(from), index.node(to));
    let name = |node: Node| index.name(index.first(node));
    let Some(id) = id_of(&index.tasks[from]) else {
        return Some(format!("`{}` has no id that could be named", index.name(from)));
    };
    if source == target {
        return Some(format!("`{id}` can't depend on itself"));
    }
    if dependencies_of(&index.tasks[to]).any(|name| name == id) {
        return Some(format!("{} depends on {id} already", index.name(to)));
    }
    let path = above.path(target)?;
    let shown: Vec<String> = path
        .iter()
        .map(|node| node.map_or_else(|| "…".to_owned(), &name))
        .collect();
    Some(format!(
        "{} already leads to {id}: {}",
        index.name(to),
        shown.join(" > ")
    ))
}

/// Everything above one task, each with its next hop on a shortest way down to it.
struct Above {
    of: Node,
    next: Vec<Option<Node>>,
}

impl Above {
    fn of(graph: &Graph, of: Node) -> Self {
        let mut next: Vec<Option<Node>> = vec![None; graph.len()];
        let mut queue = vec![of];
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            for &parent in graph.parents(node) {
                if parent != of && next[parent as usize].is_none() {
                    next[parent as usize] = Some(node);
                    queue.push(parent);
                }
            }
        }
        Self { of, next }
    }

    /// The way down from a task, both ends included; `None` inside stands for hops left out.
    fn path(&self, from: Node) -> Option<Vec<Option<Node>>> {
        self.next.get(from as usize).copied().flatten()?;
        let mut path = vec![Some(from)];
        let mut at = from;
        while let Some(next) = self.next[at as usize] {
            at = next;
            if path.len() >= SHOWN && at != self.of {
                path.push(None);
                path.push(Some(self.of));
                break;
            }
            path.push(Some(at));
        }
        Some(path)
    }
}
