//! Which places are taken in a run: what a ready task waits for. It must not know who drives the run.

use std::collections::{BTreeMap, HashMap};

use crate::model::caps::{Caps, Slot};
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::state::RunState;
use crate::model::status::TaskStatus;

/// Tasks under way, counted once for all the tasks that are told of.
#[derive(Default)]
pub struct Crowd {
    tools: HashMap<String, (u32, u32)>,
    items: HashMap<TaskIx, u32>,
    providers: BTreeMap<String, u32>,
    per_provider: u32,
}

impl Crowd {
    /// Looks at each task once, and at none if nobody can be waiting.
    pub fn of(state: &RunState, caps: &Caps) -> Self {
        let slot = Slot::Provider("".into());
        let mut crowd = Self {
            per_provider: caps.most(&slot).unwrap_or(u32::MAX),
            ..Self::default()
        };
        if state.count(TaskStatus::Ready) == 0 && state.count(TaskStatus::Running) <= crowd.per_provider {
            return crowd;
        }
        for ix in state.nodes() {
            if state.task(ix).status == TaskStatus::Running {
                crowd.add(state, ix, caps);
            }
        }
        crowd
    }

    fn add(&mut self, state: &RunState, ix: TaskIx, caps: &Caps) {
        if let Some((map, _)) = state.tree.item(ix) {
            *self.items.entry(map).or_default() += 1;
        }
        for call in state.task(ix).open_calls() {
            if call.model {
                let provider = provider_of(&call.tool);
                *self.providers.entry(provider.to_owned()).or_default() += 1;
                continue;
            }
            let slot = Slot::Tool(call.tool.as_str().into());
            if let Some(most) = caps.most(&slot) {
                self.tools.entry(call.tool.clone()).or_insert((0, most)).0 += 1;
            }
        }
    }

    /// Why the task under way asks nobody: it has no call open, and its provider has no place left.
    pub fn unasked(&self, state: &RunState, ix: TaskIx) -> Option<String> {
        let task = state.task(ix);
        if !state.def(ix).kind.asks_model() || task.open_calls().next().is_some() {
            return None;
        }
        let newest = task.calls.iter().rev().find(|call| call.started.model);
        let known = newest.map(|call| provider_of(&call.started.tool));
        let is_full = |name: &str| {
            self.providers
                .get(name)
                .is_some_and(|&taken| taken >= self.per_provider)
        };
        let full = match known {
            Some(name) if is_full(name) => name,
            Some(_) | None => self
                .providers
                .keys()
                .map(String::as_str)
                .find(|name| is_full(name))?,
        };
        Some(format!(
            "Waits for a free slot of {full} ({} at once)",
            self.per_provider
        ))
    }

    /// Why the ready task does not start.
    pub fn reason(&self, state: &RunState, ix: TaskIx) -> String {
        if let Some((map, _)) = state.tree.item(ix)
            && let TaskKind::Map {
                max_parallel: Some(most),
                ..
            } = &state.def(map).kind
            && self.items.get(&map).is_some_and(|taken| taken >= most)
        {
            return format!("Waits for a place in {} ({most} at once)", state.name(map));
        }
        let tool = state.tool_of(ix);
        match tool.and_then(|tool| Some((tool, self.tools.get(tool)?))) {
            Some((tool, (taken, most))) if taken >= most => {
                format!("Waits for a free slot of {tool} ({most} at once)")
            }
            Some(_) | None => "Waits for a free slot of the run".to_owned(),
        }
    }
}

/// The part of a model's name that has a cap of its own.
fn provider_of(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}
