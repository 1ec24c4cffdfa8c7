//! Nodes inside nodes: how maps and nested plans get their tasks, and how these are addressed.

use super::super::events::TaskExpanded;
use super::super::plan::{TaskIx, TaskKind};
use super::super::status::TaskStatus;
use super::{Illegal, Inner, RunState, TaskState};

impl RunState {
    /// The node of an address: `id`, `id[3]`, `id/inner`.
    pub fn find(&self, address: &str) -> Option<TaskIx> {
        let end = address.find(['/', '[']).unwrap_or(address.len());
        let (head, mut rest) = address.split_at(end);
        let mut ix = self.tree.find_root(head)?;
        while !rest.is_empty() {
            let inner = self.task(ix).inner.as_ref()?;
            if let Some(number) = rest.strip_prefix('[') {
                let (number, tail) = number.split_once(']')?;
                let number: u32 = number.parse().ok()?;
                let is_map = matches!(self.def(ix).kind, TaskKind::Map { .. });
                if number >= inner.count || !is_map {
                    return None;
                }
                (ix, rest) = (inner.first + number, tail);
            } else {
                let name = rest.strip_prefix('/')?;
                let end = name.find(['/', '[']).unwrap_or(name.len());
                let (name, tail) = name.split_at(end);
                let TaskKind::Subplan { plan: Some(plan), .. } = &self.def(ix).kind else {
                    return None;
                };
                (ix, rest) = (inner.first + plan.find(name)?, tail);
            }
        }
        Some(ix)
    }

    /// All nodes that belong to the run now, in the order in which they were added.
    pub fn nodes(&self) -> impl Iterator<Item = TaskIx> + '_ {
        (0..self.tasks.len() as TaskIx).filter(|&ix| !self.task(ix).is_gone)
    }

    pub(super) fn expand(&mut self, ix: TaskIx, expanded: &TaskExpanded) -> Result<(), Illegal> {
        // Where it starts again as a whole, what it had inside before is no part of the run any more.
        self.drop_inner(ix);
        let def = self.def(ix).clone();
        let (first, fresh): (TaskIx, Vec<TaskState>) = match &def.kind {
            // A list has no more items than its text has bytes; a log from elsewhere may say otherwise.
            TaskKind::Map { .. } if u64::from(expanded.count) <= expanded.value.bytes() => {
                let items = (0..expanded.count).map(|_| TaskState::new(0)).collect();
                (self.tree.add_items(ix, expanded.count), items)
            }
            TaskKind::Subplan { plan: Some(plan), .. } if plan.tasks.len() as u32 == expanded.count => {
                let new = |task| TaskState::new(plan.dependencies(task).len() as u32);
                let tasks = (0..plan.tasks.len() as TaskIx).map(new).collect();
                (self.tree.add_scope(ix, plan.clone()), tasks)
            }
            TaskKind::Map { .. }
            | TaskKind::Subplan { .. }
            | TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. } => {
                return Err(Illegal::Nested(self.tree.address(ix)));
            }
        };
        self.counts[TaskStatus::Pending.index()] += expanded.count;
        for (node, task) in (first..).zip(&fresh) {
            if task.open == 0 {
                self.unlocked.push(node);
            }
        }
        self.tasks.extend(fresh);
        self.tasks[ix as usize].inner = Some(Box::new(Inner {
            first,
            count: expanded.count,
            open: expanded.count,
            value: expanded.value.clone(),
            labels: expanded.labels,
        }));
        if expanded.count == 0 {
            self.joined.push(ix);
        }
        Ok(())
    }

    pub(super) fn settle_in_owner(&mut self, ix: TaskIx) {
        let Some(owner) = self.tree.owner(ix) else { return };
        if let Some(inner) = &mut self.tasks[owner as usize].inner {
            inner.open = inner.open.saturating_sub(1);
            if inner.open == 0 && self.tasks[owner as usize].status == TaskStatus::Running {
                self.joined.push(owner);
            }
        }
    }

    /// The nodes of a map or a nested plan, and theirs, are no part of the run any more.
    pub(super) fn drop_inner(&mut self, ix: TaskIx) {
        if self.task(ix).inner.is_some() {
            self.past.take_back_inside(&self.tree.address(ix));
        }
        let mut open = vec![ix];
        while let Some(owner) = open.pop() {
            let Some(inner) = self.tasks[owner as usize].inner.take() else {
                continue;
            };
            for node in inner.first..inner.first + inner.count {
                let task = &mut self.tasks[node as usize];
                self.counts[task.status.index()] -= 1;
                task.is_gone = true;
                task.decision = None;
                open.push(node);
            }
        }
        let tasks = &self.tasks;
        let is_gone = |task: Option<TaskIx>| task.is_some_and(|t| tasks[t as usize].is_gone);
        for decision in &mut self.decisions {
            if decision.is_open() && is_gone(decision.task) {
                decision.is_closed = true;
                self.open_count -= 1;
            }
        }
    }
}
