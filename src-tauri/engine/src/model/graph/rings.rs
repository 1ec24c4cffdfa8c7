//! Loops in a graph: which nodes are in one, and one concrete ring after the other. It must not know what
//! the nodes stand for.

use super::{Graph, Node};

/// Rings shown of one knot of loops that run into each other; the rest is only counted.
const RINGS_PER_KNOT: usize = 16;

/// The strongly connected components. Numbers rise along the edges: a component leads only to higher ones.
#[derive(Clone, Debug)]
pub struct Components {
    of: Vec<u32>,
    sizes: Vec<u32>,
}

impl Components {
    /// Tarjan's algorithm (1972) with the call stack as a list.
    pub fn new(graph: &Graph) -> Self {
        let mut walk = Walk::new(graph.len());
        for node in graph.nodes() {
            if walk.index[node as usize] == UNSEEN {
                walk.from(graph, node);
            }
        }
        let count = walk.sizes.len() as u32;
        walk.sizes.reverse();
        Self {
            of: walk.component.into_iter().map(|c| count - 1 - c).collect(),
            sizes: walk.sizes,
        }
    }

    pub fn len(&self) -> usize {
        self.sizes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.sizes.is_empty()
    }

    pub fn of(&self, node: Node) -> u32 {
        self.of[node as usize]
    }

    /// Whether the node is in a loop of at least two nodes.
    pub fn is_in_loop(&self, node: Node) -> bool {
        self.sizes[self.of(node) as usize] > 1
    }
}

const UNSEEN: u32 = u32::MAX;

struct Walk {
    index: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    open: Vec<Node>,
    frames: Vec<(Node, u32)>,
    sizes: Vec<u32>,
    seen: u32,
}

impl Walk {
    fn new(nodes: usize) -> Self {
        Self {
            index: vec![UNSEEN; nodes],
            low: vec![0; nodes],
            component: vec![UNSEEN; nodes],
            open: Vec::new(),
            frames: Vec::new(),
            sizes: Vec::new(),
            seen: 0,
        }
    }

    fn from(&mut self, graph: &Graph, root: Node) {
        self.enter(root);
        while let Some((node, next)) = self.frames.last_mut() {
            let (node, at) = (*node, *next as usize);
            *next += 1;
            match graph.children(node).get(at) {
                Some(&child) => self.look_at(node, child),
                None => self.leave(node),
            }
        }
    }

    fn enter(&mut self, node: Node) {
        self.index[node as usize] = self.seen;
        self.low[node as usize] = self.seen;
        self.seen += 1;
        self.open.push(node);
        self.frames.push((node, 0));
    }

    fn look_at(&mut self, node: Node, child: Node) {
        let seen = self.index[child as usize];
        if seen == UNSEEN {
            self.enter(child);
        } else if self.component[child as usize] == UNSEEN {
            self.low[node as usize] = self.low[node as usize].min(seen);
        }
    }

    fn leave(&mut self, node: Node) {
        self.frames.pop();
        let low = self.low[node as usize];
        if let Some((parent, _)) = self.frames.last() {
            let above = &mut self.low[*parent as usize];
            *above = (*above).min(low);
        }
        if low == self.index[node as usize] {
            self.close(node);
        }
    }

    fn close(&mut self, node: Node) {
        let number = self.sizes.len() as u32;
        let mut size = 0;
        while let Some(member) = self.open.pop() {
            self.component[member as usize] = number;
            size += 1;
            if member == node {
                break;
            }
        }
        self.sizes.push(size);
    }
}

/// One loop, in the order of its edges, from its earliest node on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ring {
    pub members: Vec<Node>,
    /// Nodes that can't start because of this knot, but are in no loop themselves. Told once per knot.
    pub behind: Vec<Node>,
    /// Nodes of the same knot that are in further loops, not shown. Told once per knot.
    pub more: usize,
}

/// The rings of a graph. Where loops run into each other, rings are shown until each node has been in one.
pub fn rings(graph: &Graph, components: &Components) -> Vec<Ring> {
    let mut out: Vec<Ring> = Vec::new();
    let mut first_of_knot: Vec<Option<usize>> = vec![None; components.len()];
    let mut shown_of_knot: Vec<usize> = vec![0; components.len()];
    let mut is_covered = vec![false; graph.len()];
    for node in graph.nodes().filter(|node| components.is_in_loop(*node)) {
        let knot = components.of(node) as usize;
        if is_covered[node as usize] {
            continue;
        }
        if shown_of_knot[knot] == RINGS_PER_KNOT {
            if let Some(first) = first_of_knot[knot] {
                out[first].more += 1;
            }
            continue;
        }
        let Some(members) = ring_through(graph, components, node) else {
            continue;
        };
        for member in &members {
            is_covered[*member as usize] = true;
        }
        shown_of_knot[knot] += 1;
        first_of_knot[knot].get_or_insert(out.len());
        out.push(Ring {
            members,
            behind: Vec::new(),
            more: 0,
        });
    }
    tell_behind(graph, components, &mut out);
    out
}

fn ring_through(graph: &Graph, components: &Components, node: Node) -> Option<Vec<Node>> {
    let knot = components.of(node);
    let mut members = graph.path_where(node, node, |other| components.of(other) == knot)?;
    members.pop();
    let earliest = members
        .iter()
        .enumerate()
        .min_by_key(|(_, member)| **member)
        .map_or(0, |(ix, _)| ix);
    members.rotate_left(earliest);
    Some(members)
}

/// Gives each node that is stuck behind a loop to the first ring that leads to it.
fn tell_behind(graph: &Graph, components: &Components, rings: &mut [Ring]) {
    let mut is_told = vec![false; graph.len()];
    for ring in rings {
        let mut queue: Vec<Node> = ring.members.clone();
        for member in &ring.members {
            is_told[*member as usize] = true;
        }
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &child in graph.children(node) {
                if !std::mem::replace(&mut is_told[child as usize], true) {
                    queue.push(child);
                    if !components.is_in_loop(child) {
                        ring.behind.push(child);
                    }
                }
            }
        }
        ring.behind.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(graph: &Graph) -> Vec<Vec<Node>> {
        rings(graph, &Components::new(graph))
            .into_iter()
            .map(|ring| ring.members)
            .collect()
    }

    #[test]
    fn two_rings_and_what_hangs_behind() {
        let graph = Graph::new(7, &[(1, 0), (0, 1), (2, 4), (4, 3), (3, 2), (3, 5), (6, 5)]);
        let found = rings(&graph, &Components::new(&graph));
        assert_eq!(
            found[0],
            Ring {
                members: vec![0, 1],
                behind: vec![],
                more: 0
            }
        );
        assert_eq!(
            found[1],
            Ring {
                members: vec![2, 4, 3],
                behind: vec![5],
                more: 0
            }
        );
        assert_eq!(found.len(), 2);
    }

    #[test]
    fn a_knot_shows_a_ring_for_each_member() {
        // 0 <-> 1, 0 <-> 2: one component, two rings.
        assert_eq!(
            all(&Graph::new(3, &[(0, 1), (1, 0), (0, 2), (2, 0)])),
            [[0, 1], [0, 2]]
        );
    }

    #[test]
    fn a_large_knot_is_cut_short_and_counted() {
        let edges: Vec<(Node, Node)> = (1..100).flat_map(|n| [(0, n), (n, 0)]).collect();
        let graph = Graph::new(100, &edges);
        let found = rings(&graph, &Components::new(&graph));
        assert_eq!(found.len(), RINGS_PER_KNOT);
        assert_eq!(found[0].more, 99 - RINGS_PER_KNOT);
    }

    #[test]
    fn components_are_numbered_along_the_edges() {
        let graph = Graph::new(6, &[(5, 4), (4, 3), (3, 4), (3, 0), (0, 1), (5, 1)]);
        let components = Components::new(&graph);
        for node in graph.nodes() {
            for &child in graph.children(node) {
                assert!(components.of(node) <= components.of(child));
            }
        }
        assert_eq!(components.of(3), components.of(4));
        assert_eq!(components.len(), 5);
    }

    #[test]
    fn a_ring_of_a_hundred_thousand_does_not_recurse() {
        let edges: Vec<(Node, Node)> = (0..100_000).map(|n| (n, (n + 1) % 100_000)).collect();
        assert_eq!(all(&Graph::new(100_000, &edges))[0].len(), 100_000);
    }
}
