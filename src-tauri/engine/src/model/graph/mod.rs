//! Directed graphs of numbered nodes: order, loops, reachability. Everything is iterative and linear in
//! nodes + edges. This room must not know tasks, plans or JSON.

mod reach;
mod rings;

pub use reach::reaches;
pub use rings::{Components, Ring, rings};

/// A node's number, from 0.
pub type Node = u32;

/// Edges lead from what runs earlier (a parent) to what waits for it (a child).
#[derive(Clone, Debug)]
pub struct Graph {
    parents: Adjacency,
    children: Adjacency,
}

impl Graph {
    /// A graph of `nodes` nodes. Each edge is (parent, child); their order is kept in the neighbour lists.
    pub fn new(nodes: usize, edges: &[(Node, Node)]) -> Self {
        Self {
            parents: Adjacency::new(nodes, edges.iter().map(|&(from, to)| (to, from))),
            children: Adjacency::new(nodes, edges.iter().copied()),
        }
    }

    pub fn len(&self) -> usize {
        self.children.starts.len() - 1
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn nodes(&self) -> impl Iterator<Item = Node> + use<> {
        (0..self.len()).map(|node| node as Node)
    }

    pub fn parents(&self, node: Node) -> &[Node] {
        self.parents.of(node)
    }

    pub fn children(&self, node: Node) -> &[Node] {
        self.children.of(node)
    }

    /// Kahn's algorithm, first come first served. Nodes in a loop, or behind one, are left out.
    pub fn order(&self) -> Vec<Node> {
        let mut waiting: Vec<u32> = self.nodes().map(|node| self.parents(node).len() as u32).collect();
        let mut order: Vec<Node> = self.nodes().filter(|node| waiting[*node as usize] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &child in self.children(node) {
                let left = &mut waiting[child as usize];
                *left -= 1;
                if *left == 0 {
                    order.push(child);
                }
            }
        }
        order
    }

    /// For each node the number of nodes on the longest path that ends in it; 0 in or behind a loop.
    pub fn waves(&self) -> Vec<u32> {
        let mut waves = vec![0; self.len()];
        for node in self.order() {
            let above = self
                .parents(node)
                .iter()
                .map(|parent| waves[*parent as usize])
                .max();
            waves[node as usize] = above.unwrap_or(0) + 1;
        }
        waves
    }

    /// For each node the hops to the farthest leaf below it, along the given topological order.
    pub fn remaining(&self, order: &[Node]) -> Vec<u32> {
        let mut remaining = vec![0; self.len()];
        for &node in order.iter().rev() {
            let below = self
                .children(node)
                .iter()
                .map(|child| remaining[*child as usize] + 1)
                .max();
            remaining[node as usize] = below.unwrap_or(0);
        }
        remaining
    }

    /// A shortest path over at least one edge, both ends included; `None` where there is none.
    pub fn path(&self, from: Node, to: Node) -> Option<Vec<Node>> {
        self.path_where(from, to, |_| true)
    }

    /// The same through nodes that `may` allows.
    pub fn path_where(&self, from: Node, to: Node, may: impl Fn(Node) -> bool) -> Option<Vec<Node>> {
        let mut came_from: Vec<Option<Node>> = vec![None; self.len()];
        let mut queue = vec![from];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            for &child in self.children(node) {
                if child == to {
                    return Some(trace(&came_from, from, node, to));
                }
                if child != from && came_from[child as usize].is_none() && may(child) {
                    came_from[child as usize] = Some(node);
                    queue.push(child);
                }
            }
        }
        None
    }
}

fn trace(came_from: &[Option<Node>], from: Node, last: Node, to: Node) -> Vec<Node> {
    let mut path = vec![to, last];
    let mut node = last;
    while node != from {
        let Some(before) = came_from[node as usize] else {
            break;
        };
        path.push(before);
        node = before;
    }
    path.reverse();
    path
}

/// Neighbour lists in two flat arrays: 8 bytes per node and 4 per edge.
#[derive(Clone, Debug)]
struct Adjacency {
    starts: Vec<u32>,
    targets: Vec<Node>,
}

impl Adjacency {
    fn new(nodes: usize, edges: impl Iterator<Item = (Node, Node)> + Clone) -> Self {
        let mut starts = vec![0u32; nodes + 1];
        for (from, _) in edges.clone() {
            starts[from as usize + 1] += 1;
        }
        for ix in 0..nodes {
            starts[ix + 1] += starts[ix];
        }
        let mut free = starts.clone();
        let mut targets = vec![0; starts[nodes] as usize];
        for (from, to) in edges {
            let slot = &mut free[from as usize];
            targets[*slot as usize] = to;
            *slot += 1;
        }
        Self { starts, targets }
    }

    fn of(&self, node: Node) -> &[Node] {
        let (from, to) = (self.starts[node as usize], self.starts[node as usize + 1]);
        &self.targets[from as usize..to as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_waves_and_remaining_of_a_diamond() {
        let graph = Graph::new(5, &[(0, 1), (0, 2), (1, 3), (2, 3), (0, 3)]);
        assert_eq!(graph.order(), [0, 4, 1, 2, 3]);
        assert_eq!(graph.waves(), [1, 2, 2, 3, 1]);
        assert_eq!(graph.remaining(&graph.order()), [2, 1, 1, 0, 0]);
        assert_eq!(graph.path(0, 3), Some(vec![0, 3]));
        assert_eq!(graph.path(3, 0), None);
        assert_eq!(graph.path(0, 0), None);
    }

    #[test]
    fn what_is_in_or_behind_a_loop_has_no_order() {
        let graph = Graph::new(4, &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(graph.order(), [3]);
        assert_eq!(graph.waves(), [0, 0, 0, 1]);
        assert_eq!(graph.path(0, 0), Some(vec![0, 1, 0]));
    }
}
