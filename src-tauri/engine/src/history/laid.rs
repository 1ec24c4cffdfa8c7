//! What a person has laid on the tasks of a draft: outputs that are held, and breakpoints, by address. Nothing of it is
//! taken back by a rewind. It must not know whether there are such tasks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::model::events::{BreakpointSet, Event, EventBody, OutputPinned, Turn};
use crate::model::value::ValueRef;
use crate::model::{Digest, TaskId};
use crate::views::BreakpointView;

/// What lies on one task, of one kind.
#[derive(Clone, Debug)]
pub enum Hold {
    Pin(Option<OutputPinned>),
    Point(Option<BreakpointView>),
}

/// Something laid on a task by a person: what lay there before, and what lies there since.
#[derive(Clone, Debug)]
pub struct LaidStep {
    pub task: TaskId,
    pub before: Hold,
    pub after: Hold,
}

impl LaidStep {
    pub fn label(&self) -> String {
        match &self.after {
            Hold::Pin(Some(_)) => format!("Pin the output of {}", self.task),
            Hold::Pin(None) => format!("Remove the pin of {}", self.task),
            Hold::Point(Some(_)) => format!("Set the breakpoint of {}", self.task),
            Hold::Point(None) => format!("Remove the breakpoint of {}", self.task),
        }
    }
}

#[derive(Clone, Debug, Default)]
pub struct Laid {
    pub pins: BTreeMap<TaskId, OutputPinned>,
    pub points: BTreeMap<TaskId, BreakpointView>,
}

impl Laid {
    pub fn of(events: &[Event]) -> Self {
        let mut laid = Self::default();
        for event in events {
            laid.take(event.task.as_ref(), &event.body);
        }
        laid
    }

    /// Takes in one more event of the log; most say nothing of this.
    pub fn take(&mut self, task: Option<&TaskId>, body: &EventBody) {
        let Some(task) = task else { return };
        if let EventBody::OutputPinned(pinned) = body {
            self.pins.insert(task.clone(), pinned.clone());
        }
        if let EventBody::OutputUnpinned(_) = body {
            self.pins.remove(task);
        }
        if let EventBody::BreakpointSet(BreakpointSet { before, after, .. }) = body {
            match BreakpointView::of(*before, *after) {
                Some(point) => self.points.insert(task.clone(), point),
                None => self.points.remove(task),
            };
        }
    }

    /// Takes in one more event, and answers what it did where it is a person's step, with the turn that this was.
    #[expect(clippy::wildcard_enum_match_arm, reason = "nothing else is laid on tasks")]
    pub fn step(&mut self, task: Option<&TaskId>, body: &EventBody) -> Option<(Turn, LaidStep)> {
        let turn = match body {
            EventBody::OutputPinned(pinned) => pinned.turn,
            EventBody::OutputUnpinned(unpinned) => unpinned.turn,
            EventBody::BreakpointSet(set) => set.turn,
            _ => return None,
        };
        let task = task?;
        let is_pin = !matches!(body, EventBody::BreakpointSet(_));
        let before = self.hold_of(task, is_pin);
        self.take(Some(task), body);
        let (task, after) = (task.clone(), self.hold_of(task, is_pin));
        Some((turn?, LaidStep { task, before, after }))
    }

    fn hold_of(&self, task: &TaskId, is_pin: bool) -> Hold {
        match is_pin {
            true => Hold::Pin(self.pins.get(task).cloned()),
            false => Hold::Point(self.points.get(task).copied()),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.pins.is_empty() && self.points.is_empty()
    }

    /// What a person is shown to sign: the plan's digest, bound to what is laid on its tasks. The plan's own where nothing is.
    pub fn bind(&self, plan: Digest) -> Digest {
        if self.is_empty() {
            return plan;
        }
        let mut text = plan.to_string();
        for (task, pin) in &self.pins {
            let output = match &pin.output {
                ValueRef::Inline(raw) => Digest::of(raw.get().as_bytes()),
                ValueRef::Payload { hash, .. } => *hash,
            };
            let _ = write!(text, "\npin {task} {output} {:?}", pin.labels);
        }
        for (task, point) in &self.points {
            let _ = write!(text, "\nstop {task} {point:?}");
        }
        Digest::of(text.as_bytes())
    }

    pub fn output_of(&self, task: &str) -> Option<&ValueRef> {
        self.pins.get(task).map(|pin| &pin.output)
    }
}
