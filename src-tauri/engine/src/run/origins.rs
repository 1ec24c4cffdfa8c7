//! Where the data of a call came from, walked back through the run: from each part of the arguments to the calls that
//! brought it in. For a person's eyes; the gate has decided already.

use std::collections::HashSet;
use std::collections::VecDeque;

use super::driver::Driver;
use super::strands::{Strand, strands_of};
use crate::model::grants::{Concern, Labels, Need};
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::provenance::{From, Origin, Part, Provenance};
use crate::model::state::RunState;

/// Calls that are named for one part; more would not be read.
const MOST_ORIGINS: usize = 8;
const MOST_PARTS: usize = 64;
/// Tasks that are looked at on the way back.
const MOST_NODES: usize = 20_000;

impl Driver {
    pub(super) fn provenance(
        &self,
        tool: &str,
        concerns: Vec<Concern>,
        touches: &[Need],
        parts: Vec<Part>,
    ) -> Box<Provenance> {
        Box::new(Provenance {
            tool: tool.to_owned(),
            concerns,
            touches: touches.to_vec(),
            parts,
            earlier: Vec::new(),
        })
    }

    /// Of a call whose arguments are the task's own inputs.
    pub(super) fn parts_of(&self, strands: &[Strand]) -> Vec<Part> {
        let worth = strands.iter().filter(|strand| !strand.labels.is_default());
        let others = strands.iter().filter(|strand| strand.labels.is_default());
        let all = worth.chain(others).take(MOST_PARTS);
        all.map(|strand| Part {
            at: strand.at.clone(),
            from: strand.from.clone(),
            labels: strand.labels,
            origins: origins_of(&self.state, strand.node, strand.labels),
        })
        .collect()
    }

    /// Of a call that a model asked for: all of it is the model's words, made of all that it had read.
    pub(super) fn parts_of_talk(&self, ix: TaskIx, strands: &[Strand], labels: Labels) -> Vec<Part> {
        let own = Part {
            at: String::new(),
            from: From::Model,
            labels,
            origins: calls_of(&self.state, ix, labels),
        };
        let mut parts = vec![own];
        parts.extend(self.parts_of(strands));
        parts
    }
}

/// The calls that brought in what the node's output is worth, nearest first.
fn origins_of(state: &RunState, node: TaskIx, labels: Labels) -> Vec<Origin> {
    if labels.is_default() {
        return Vec::new();
    }
    let mut origins = Vec::new();
    let mut seen = HashSet::from([node]);
    let mut queue = VecDeque::from([node]);
    while let Some(at) = queue.pop_front() {
        origins.extend(calls_of(state, at, labels));
        if origins.len() >= MOST_ORIGINS || seen.len() >= MOST_NODES {
            break;
        }
        for before in behind(state, at) {
            if !shared(state.task(before).labels, labels).is_default() && seen.insert(before) {
                queue.push_back(before);
            }
        }
    }
    origins.truncate(MOST_ORIGINS);
    origins
}

/// The nodes whose outputs this one is made of.
fn behind(state: &RunState, node: TaskIx) -> Vec<TaskIx> {
    let def = state.def(node);
    let mut before: Vec<TaskIx> = strands_of(state, node, def, |_| None)
        .into_iter()
        .map(|strand| strand.node)
        .filter(|&source| source != node)
        .collect();
    if let (Some(inner), TaskKind::Map { .. } | TaskKind::Subplan { .. }) =
        (&state.task(node).inner, &def.kind)
    {
        before.extend(inner.first..inner.first + inner.count);
    }
    before
}

/// What the task's own calls have brought in of these labels.
fn calls_of(state: &RunState, node: TaskIx, labels: Labels) -> Vec<Origin> {
    let task = state.task(node);
    let own = match &task.origins {
        Some(known) => known.to_vec(),
        None => task.sources(&state.tree.address(node)),
    };
    let worth = |mut origin: Origin| {
        origin.labels = shared(origin.labels, labels);
        (!origin.labels.is_default()).then_some(origin)
    };
    own.into_iter().filter_map(worth).collect()
}

fn shared(a: Labels, b: Labels) -> Labels {
    Labels {
        untrusted: a.untrusted && b.untrusted,
        private: a.private && b.private,
    }
}
