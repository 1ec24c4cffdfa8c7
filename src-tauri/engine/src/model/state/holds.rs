//! Pins and breakpoints: what a person has laid on tasks, by address, and when it holds. Nothing of it is ever taken
//! back by a rewind. It must not know how a run is driven.

use super::super::TaskId;
use super::super::events::{EventBody, Side, Stop};
use super::super::grants::Labels;
use super::super::plan::TaskIx;
use super::super::status::TaskStatus;
use super::super::value::ValueRef;
use super::RunState;

/// An output that a person holds.
#[derive(Clone, Debug)]
pub struct Pin {
    pub output: ValueRef,
    pub labels: Labels,
}

/// Where the run stops at a task, and whether it has gone past already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Breakpoint {
    pub before: bool,
    pub after: bool,
    is_before_passed: bool,
    is_after_passed: bool,
}

impl RunState {
    /// Takes what a person has laid on a task, or what was undone outside, wherever in the log that stands.
    pub(super) fn hold(&mut self, task: Option<&TaskId>, body: &EventBody) {
        match (body, task) {
            (EventBody::OutputPinned(pinned), Some(task)) => {
                let (output, labels) = (pinned.output.clone(), pinned.labels);
                self.pins.insert(task.clone(), Pin { output, labels });
            }
            (EventBody::OutputUnpinned(_), Some(task)) => {
                self.pins.remove(task);
            }
            (EventBody::BreakpointSet(set), Some(task)) if set.before || set.after => {
                let fresh = Breakpoint {
                    before: set.before,
                    after: set.after,
                    ..Breakpoint::default()
                };
                self.breakpoints.insert(task.clone(), fresh);
            }
            (EventBody::BreakpointSet(_), Some(task)) => {
                self.breakpoints.remove(task);
            }
            (EventBody::FilesRestored(restored), _) => {
                for key in &restored.undone {
                    self.undo(*key);
                }
                for key in &restored.redone {
                    self.redo(*key);
                }
            }
            _ => {}
        }
    }

    /// The run is paused here; the next resume goes past.
    pub(super) fn stop_at(&mut self, stop: Option<Stop>) {
        if let Some(stop) = &stop
            && let Some(point) = self.breakpoints.get_mut(&stop.task)
        {
            match stop.side {
                Side::Before => point.is_before_passed = true,
                Side::After => point.is_after_passed = true,
            }
        }
        self.paused_at = stop;
    }

    /// The task is to run again, so its breakpoints hold again.
    pub(super) fn stop_again_at(&mut self, ix: TaskIx) {
        if self.breakpoints.is_empty() {
            return;
        }
        let address = self.tree.address(ix);
        // What is inside of it comes anew with it.
        for (task, point) in &mut self.breakpoints {
            if is_at_or_inside(task, &address) {
                (point.is_before_passed, point.is_after_passed) = (false, false);
            }
        }
    }

    pub fn pin_of(&self, ix: TaskIx) -> Option<&Pin> {
        if self.pins.is_empty() {
            return None;
        }
        self.pins.get(&self.tree.address(ix))
    }

    /// The task has the very output that is held: there is nothing to run again.
    pub fn is_held(&self, ix: TaskIx) -> bool {
        let task = self.task(ix);
        let is_same = |pin: &Pin| task.output.as_ref().is_some_and(|o| o.is_same(&pin.output));
        task.status == TaskStatus::Completed && self.pin_of(ix).is_some_and(is_same)
    }

    pub fn breakpoint_of(&self, ix: TaskIx) -> Option<&Breakpoint> {
        if self.breakpoints.is_empty() {
            return None;
        }
        self.breakpoints.get(&self.tree.address(ix))
    }

    /// The breakpoint before a task that is about to start for the first time, unless the run has gone past it.
    pub fn stop_before(&self, ix: TaskIx) -> Option<Stop> {
        let point = self.breakpoint_of(ix)?;
        let is_first = self.task(ix).attempts == 0;
        (point.before && !point.is_before_passed && is_first).then(|| Stop {
            task: self.tree.address(ix),
            side: Side::Before,
        })
    }

    /// The breakpoint after a task that is over, unless the run has gone past it. It is read off the state alone, so
    /// that neither a crash nor the order in which events arrive can lose it.
    pub fn stop_after(&self) -> Option<Stop> {
        let is_over = |task: &TaskId| {
            self.find(task.as_str())
                .is_some_and(|ix| match self.task(ix).status {
                    TaskStatus::Completed | TaskStatus::Failed | TaskStatus::Skipped => true,
                    TaskStatus::Pending
                    | TaskStatus::Ready
                    | TaskStatus::Running
                    | TaskStatus::Retrying
                    | TaskStatus::Waiting
                    | TaskStatus::InDoubt
                    | TaskStatus::Cancelled
                    | TaskStatus::Pruned => false,
                })
        };
        let mut points = self.breakpoints.iter();
        let (task, _) =
            points.find(|(task, point)| point.after && !point.is_after_passed && is_over(task))?;
        Some(Stop {
            task: task.clone(),
            side: Side::After,
        })
    }
}

fn is_at_or_inside(task: &TaskId, owner: &TaskId) -> bool {
    let rest = task.as_str().strip_prefix(owner.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
}
