//! Which places are taken in a run: what a ready task waits for. It must not know who drives the run.

use std::collections::HashMap;

use crate::model::caps::{Caps, Slot};
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::state::RunState;
use crate::model::status::TaskStatus;

/// Tasks under way, counted once for all the tasks that are told of.
#[derive(Default)]
pub struct Crowd {
    tools: HashMap<String, (u32, u32)>,
    items: HashMap<TaskIx, u32>,
}

impl Crowd {
    /// Looks at each task once, and at none if nobody is ready.
    pub fn of(state: &RunState, caps: &Caps) -> Self {
        let mut crowd = Self::default();
        if state.count(TaskStatus::Ready) == 0 {
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
            let slot = Slot::Tool(call.tool.as_str().into());
            if let Some(most) = caps.most(&slot) {
                self.tools.entry(call.tool.clone()).or_insert((0, most)).0 += 1;
            }
        }
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
