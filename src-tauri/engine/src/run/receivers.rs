//! Who is given what the run holds: the hosts of the models that a plan asks, and whether the replanner may be told of it
//! without a person's word. It must not know what is asked.

use std::collections::{BTreeMap, BTreeSet};

use super::chain::chain_of;
use super::driver::Driver;
use crate::llm::{Entry, Models, Role};
use crate::model::plan::{Plan, Synthesis};

/// A model that a plan asks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Asked {
    /// Where what it is asked goes; none: it stays on this machine.
    pub host: Option<String>,
    /// Tasks that it does.
    pub tasks: Vec<String>,
    /// Tasks that it does where those before it can't be asked.
    pub stands_in: Vec<String>,
    /// Whether it writes a final answer.
    pub writes_answer: bool,
}

/// The models that the plan asks, by name, those of maps and nested plans among them.
pub fn asked_by(models: &Models, plan: &Plan) -> BTreeMap<String, Asked> {
    let mut found: BTreeMap<String, Asked> = BTreeMap::new();
    plan.visit(&mut |task, _| {
        let chain = if task.kind.asks_model() {
            chain_of(models, task).unwrap_or_default()
        } else {
            Vec::new()
        };
        for (place, entry) in chain.iter().enumerate() {
            let asked = found
                .entry(entry.name.to_string())
                .or_insert_with(|| with_host(entry));
            let list = if place == 0 {
                &mut asked.tasks
            } else {
                &mut asked.stands_in
            };
            list.push(task.id.to_string());
        }
    });
    let mut look = |synthesis: &Synthesis| {
        let Synthesis::Model { model, .. } = synthesis else {
            return;
        };
        for entry in models.chain(model).unwrap_or_default() {
            let asked = found
                .entry(entry.name.to_string())
                .or_insert_with(|| with_host(entry));
            asked.writes_answer = true;
        }
    };
    look(&plan.synthesis);
    plan.visit(&mut |_, around| look(&around.synthesis));
    found
}

fn with_host(entry: &Entry) -> Asked {
    Asked {
        host: entry.host.as_deref().map(str::to_owned),
        ..Asked::default()
    }
}

impl Driver {
    /// Whether the replanner may be told of the run without a person's word: nothing private is in it, it runs on this
    /// machine, or the approved plan gives its data to the same hosts anyway.
    pub(super) fn may_tell_replanner(&self) -> bool {
        let Ok(chain) = self.models.chain(Role::Replanner.word()) else {
            return true;
        };
        let hosts: BTreeSet<&str> = chain.iter().filter_map(|entry| entry.host.as_deref()).collect();
        if hosts.is_empty() || !self.holds_private() {
            return true;
        }
        let asked = asked_by(&self.models, &self.state.plan);
        let known: BTreeSet<&str> = asked.values().filter_map(|asked| asked.host.as_deref()).collect();
        hosts.is_subset(&known)
    }

    /// Where a replanner that is not on this machine gets what it is told: its name and its host.
    pub(super) fn far_replanner(&self) -> Option<(String, String)> {
        let entry = self.models.find(Role::Replanner.word()).ok()?;
        let host = entry.host.as_deref()?;
        Some((entry.name.to_string(), host.to_owned()))
    }

    fn holds_private(&self) -> bool {
        self.state.nodes().any(|ix| {
            let task = self.state.task(ix);
            task.labels.private || task.calls.iter().any(|call| call.labels.private)
        })
    }
}
