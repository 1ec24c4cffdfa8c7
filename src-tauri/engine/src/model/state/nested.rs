//! Nodes inside nodes, and going again: maps and nested plans get their tasks, tasks are set back, forks begin.

use std::sync::Arc;

use super::super::DecisionId;
use super::super::events::{EventBody, TaskExpanded, TaskReset};
use super::super::plan::{TaskIx, TaskKind};
use super::super::status::{DecisionKind, RunStatus, TaskStatus};
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
        let def = self.def(ix).clone();
        let (first, fresh): (TaskIx, Vec<TaskState>) = match &def.kind {
            TaskKind::Map { .. } => {
                let items = (0..expanded.count).map(|_| TaskState::new(0)).collect();
                (self.tree.add_items(ix, expanded.count), items)
            }
            TaskKind::Subplan { plan: Some(plan), .. } if plan.tasks.len() as u32 == expanded.count => {
                let new = |t: &Arc<_>| TaskState::new(dependencies(t));
                let tasks = plan.tasks.iter().map(new).collect();
                (self.tree.add_scope(ix, plan.clone()), tasks)
            }
            TaskKind::Subplan { .. }
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
    fn drop_inner(&mut self, ix: TaskIx) {
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

    /// The task is as it was before it ever ran; whatever waited for it waits again.
    pub(super) fn reset(&mut self, ix: TaskIx, reset: &TaskReset) -> Result<(), Illegal> {
        let from = self.task(ix).status;
        let is_inner = self.tree.owner(ix).is_some();
        if self.status == RunStatus::Running || from == TaskStatus::Pruned || is_inner {
            let task = self.tree.address(ix);
            let to = TaskStatus::Pending;
            return Err(Illegal::Task { task, from, to });
        }
        let was_settled = self.is_settled(ix);
        let was_skipped = from == TaskStatus::Skipped;
        self.drop_inner(ix);
        self.close_decision_of(ix);
        self.counts[from.index()] -= 1;
        self.counts[TaskStatus::Pending.index()] += 1;
        let old = &self.tasks[ix as usize];
        let fresh = TaskState {
            generation: old.generation + u32::from(reset.again),
            open: old.open,
            skipped: old.skipped,
            ..TaskState::new(0)
        };
        self.tasks[ix as usize] = fresh;
        if was_settled {
            for child in self.tree.children(ix) {
                let state = &mut self.tasks[child as usize];
                state.open += 1;
                state.skipped -= u32::from(was_skipped);
            }
        }
        Ok(())
    }

    fn close_decision_of(&mut self, ix: TaskIx) {
        for decision in self.decisions.iter_mut().filter(|d| d.task == Some(ix)) {
            if decision.is_open() {
                decision.is_closed = true;
                self.open_count -= 1;
            }
        }
    }

    /// A person chose to make again the effect that is in doubt: its intent no longer stands in the way.
    pub(super) fn forget_intent(&mut self, decision: Option<&DecisionId>) {
        let key = decision
            .and_then(|id| self.decision(id))
            .filter(|d| d.kind == DecisionKind::InDoubt)
            .and_then(|d| d.binds);
        if let Some(key) = key {
            self.made.remove(&key);
        }
    }

    /// Nobody drives what has just been rewound; it goes on when a person says so.
    pub(super) fn come_to_rest(&mut self, at: i64, body: &EventBody) -> Result<(), Illegal> {
        self.pause_requested = false;
        self.cancel_requested = false;
        match self.status {
            RunStatus::AwaitingApproval | RunStatus::Paused => Ok(()),
            RunStatus::Running
            | RunStatus::Waiting
            | RunStatus::Blocked
            | RunStatus::Succeeded
            | RunStatus::Failed
            | RunStatus::Cancelled => self.go(RunStatus::Paused, at, body),
        }
    }

    /// A fork is a new run: nobody has approved it, nobody drives it, and no effect of it has been made.
    pub(super) fn begin_fork(&mut self, at: i64) -> Result<(), Illegal> {
        self.ran_ms = 0;
        self.going_since_ms = None;
        self.opened_ms = at;
        self.status = RunStatus::AwaitingApproval;
        self.approved = None;
        self.epoch = 0;
        self.owner = None;
        self.pause_requested = false;
        self.cancel_requested = false;
        (self.output, self.error) = (None, None);
        self.allowed.clear();
        self.made.clear();
        Ok(())
    }
}

fn dependencies(task: &Arc<super::Task>) -> u32 {
    task.dependencies.len() as u32
}
