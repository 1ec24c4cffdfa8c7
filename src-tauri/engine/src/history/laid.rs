//! What a person has laid on the tasks of a draft: outputs that are held, and breakpoints, by address. Nothing of it is
//! taken back by a rewind. It must not know whether there are such tasks.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::model::events::{BreakpointSet, Event, EventBody, OutputPinned};
use crate::model::value::ValueRef;
use crate::model::{Digest, TaskId};
use crate::views::BreakpointView;

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
