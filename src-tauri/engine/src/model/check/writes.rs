//! Two tasks that write the same path and may run at the same time: which one wins would be luck.
//! Work is near linear: paths are sorted once, and along each path only neighbours in running order are compared.

use super::Check;
use super::sketch::Outline;
use crate::model::TaskId;
use crate::model::grants::{self, Place};
use crate::model::graph::{Components, Graph, Node, reaches};
use crate::model::problem::{Code, Severity};

/// A task's claim to a path.
pub(super) struct Claim {
    /// Normal form: absolute, or `run:/name`.
    pub path: String,
    pub node: Node,
    pub pointer: String,
}

/// The normal form of a path in `writes`.
pub(super) fn normal(path: &str, place: &Place) -> String {
    if path.starts_with("run:") {
        path.to_owned()
    } else {
        grants::absolute(path, place).display().to_string()
    }
}

/// Claimed folders around a path that are looked at, from the nearest outwards.
const FOLDERS: usize = 16;
/// Conflicts told of one path; the warning names that many pairs.
const PAIRS_PER_PATH: usize = 8;

pub(super) fn tell(
    check: &mut Check<'_>,
    outline: &Outline<'_>,
    (graph, components): (&Graph, &Components),
    mut claims: Vec<Claim>,
) {
    if claims.len() < 2 {
        return;
    }
    let mut position = vec![0u32; graph.len()];
    for (at, node) in (0u32..).zip(graph.order()) {
        position[node as usize] = at + 1;
    }
    // `/` sorts before every other character of a path, so that a folder stands right before what is in it.
    claims.sort_by(|a, b| {
        let key = |claim: &Claim| position[claim.node as usize];
        a.path
            .split('/')
            .cmp(b.path.split('/'))
            .then_with(|| key(a).cmp(&key(b)))
            .then(a.node.cmp(&b.node))
    });
    claims.dedup_by(|a, b| a.path == b.path && a.node == b.node);
    let suspects = suspects(&claims, &position);
    let both_ways: Vec<(Node, Node)> = suspects
        .iter()
        .flat_map(|(a, b)| {
            let (a, b) = (claims[*a].node, claims[*b].node);
            [(a, b), (b, a)]
        })
        .collect();
    let ordered = reaches(graph, components, &both_ways);
    let conflicts = suspects
        .into_iter()
        .zip(ordered.chunks_exact(2))
        .filter(|(_, ordered)| *ordered == [false, false]);
    tell_pairs(check, outline, &claims, conflicts.map(|(pair, _)| pair).collect());
}

/// Pairs of claims that overlap and are neighbours in running order; if all of these are ordered, all pairs are.
fn suspects(claims: &[Claim], position: &[u32]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    // Groups of equal paths that are folders around the current one.
    let mut around: Vec<std::ops::Range<usize>> = Vec::new();
    let mut start = 0;
    while start < claims.len() {
        let path = &claims[start].path;
        let end = start
            + claims[start..]
                .iter()
                .take_while(|claim| claim.path == *path)
                .count();
        around.retain(|folder| is_inside(path, &claims[folder.start].path));
        around.drain(..around.len().saturating_sub(FOLDERS));
        pairs.extend((start + 1..end).map(|ix| (ix - 1, ix)));
        for folder in &around {
            for ix in start..end {
                pairs.extend(neighbours(claims, position, folder.clone(), ix));
            }
        }
        around.push(start..end);
        start = end;
    }
    pairs.retain(|(a, b)| claims[*a].node != claims[*b].node);
    pairs
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder.trim_end_matches('/'))
        .is_some_and(|rest| rest.starts_with('/'))
}

/// The claims to the folder that come right before and right after this one in running order.
fn neighbours(
    claims: &[Claim],
    position: &[u32],
    folder: std::ops::Range<usize>,
    ix: usize,
) -> impl Iterator<Item = (usize, usize)> + use<> {
    let own = position[claims[ix].node as usize];
    let group = &claims[folder.clone()];
    let after = folder.start + group.partition_point(|claim| position[claim.node as usize] < own);
    let before = after.checked_sub(1).filter(|before| folder.contains(before));
    let after = Some(after).filter(|after| folder.contains(after));
    before.into_iter().chain(after).map(move |other| (other, ix))
}

fn tell_pairs(check: &mut Check<'_>, outline: &Outline<'_>, claims: &[Claim], pairs: Vec<(usize, usize)>) {
    let id = |ix: usize| outline.first(claims[ix].node).who.task.clone();
    let mut told_of_path = 0;
    let mut last: Option<&str> = None;
    for (a, b) in pairs {
        let path = claims[b].path.as_str();
        told_of_path = if last == Some(path) { told_of_path + 1 } else { 0 };
        last = Some(path);
        if told_of_path >= PAIRS_PER_PATH {
            continue;
        }
        let tasks: Vec<TaskId> = [id(a), id(b)].into_iter().flatten().collect();
        let message = format!(
            "{} may write {} at the same time, and which of them comes last would be luck. Let one depend on the other.",
            super::listed("Task", "Tasks", &tasks),
            if claims[a].path == path {
                format!("`{path}`")
            } else {
                format!("`{}` and `{path}` in it", claims[a].path)
            },
        );
        check.say(
            Severity::Warning,
            Code::WriteConflict,
            claims[b].pointer.clone(),
            tasks,
            message,
        );
    }
}
