//! Which edges may be drawn from a task: the validator's rule, for all targets at once, linear in tasks and edges.

use super::shape::Shape;
use crate::model::document::DraftPlan;
use crate::model::graph::Node;
use crate::views::ConnectVerdict;

/// For every task, whether an edge from `from` to it may be drawn, and if not, why.
pub fn connect_verdicts(plan: &DraftPlan, from: &str) -> Vec<ConnectVerdict> {
    let shape = Shape::of(plan.document());
    let Some(start) = shape.find(from) else {
        let refusal = Some(format!("there is no task {from}"));
        let all = shape.names.iter();
        return all.map(|to| ConnectVerdict { to: to.clone(), refusal: refusal.clone() }).collect();
    };
    let next = ways_to(&shape, start);
    let children: std::collections::HashSet<Node> =
        shape.graph.children(start as Node).iter().copied().collect();
    (0..shape.names.len())
        .map(|to| {
            let refusal = if to == start {
                Some("a task can't wait for itself".to_owned())
            } else if children.contains(&(to as Node)) {
                Some(format!("{} already waits for {from}", shape.names[to]))
            } else {
                next[to].map(|_| way(&shape, &next, to, start))
            };
            ConnectVerdict { to: shape.names[to].clone(), refusal }
        })
        .collect()
}

/// For each task that leads to `start`, the next task on a shortest way there.
fn ways_to(shape: &Shape<'_>, start: usize) -> Vec<Option<Node>> {
    let mut next: Vec<Option<Node>> = vec![None; shape.names.len()];
    let mut queue = vec![start as Node];
    let mut at = 0;
    while let Some(&node) = queue.get(at) {
        at += 1;
        for &parent in shape.graph.parents(node) {
            if next[parent as usize].is_none() && parent as usize != start {
                next[parent as usize] = Some(node);
                queue.push(parent);
            }
        }
    }
    next
}

/// The beginning of the way, so that a long chain costs no more than a short one.
fn way(shape: &Shape<'_>, next: &[Option<Node>], to: usize, start: usize) -> String {
    const NAMED: usize = 5;
    let mut names = vec![shape.names[to].as_str()];
    let mut at = to;
    while let Some(node) = next[at] {
        at = node as usize;
        if at == start || names.len() == NAMED {
            break;
        }
        names.push(&shape.names[at]);
    }
    let gap = if at == start { "" } else { "… > " };
    let goal = shape.names[start].as_str();
    format!("{} already leads to {goal}: {} > {gap}{goal}", shape.names[to], names.join(" > "))
}
