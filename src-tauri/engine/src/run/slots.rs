//! Who waits for a place at a capped tool or provider (rule 2): one queue per slot, so that a start looks at no others.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::Arc;

use super::driver::{Driver, Priority};
use crate::model::caps::{Caps, Slot};
use crate::model::plan::TaskIx;
use crate::model::status::TaskStatus;

pub(super) struct Slots {
    caps: Arc<Caps>,
    lines: HashMap<Slot, Line>,
    /// Tasks that have left their queue and are about to start.
    woken: HashMap<TaskIx, Slot>,
    /// Slots that may have room for one more than has been woken.
    stirred: Vec<Slot>,
    /// How many places have been given back so far.
    pub freed: u64,
}

#[derive(Default)]
struct Line {
    used: u32,
    woken: u32,
    waiting: BinaryHeap<Priority>,
}

impl Slots {
    pub fn new(caps: Arc<Caps>) -> Self {
        Self {
            caps,
            lines: HashMap::new(),
            woken: HashMap::new(),
            stirred: Vec::new(),
            freed: 0,
        }
    }

    /// The slot that calls of the tool need, if it has a cap.
    pub fn of_tool(&self, name: &str) -> Option<Slot> {
        let is_capped = self.caps.tools.contains_key(name);
        is_capped.then(|| Slot::Tool(name.into()))
    }

    pub fn of_provider(name: &str) -> Slot {
        Slot::Provider(name.into())
    }

    pub fn has_room(&self, slot: &Slot) -> bool {
        let used = self.lines.get(slot).map_or(0, |line| line.used);
        self.caps.most(slot).is_none_or(|most| used < most)
    }

    fn queue(&mut self, slot: Slot, priority: Priority) {
        self.lines.entry(slot).or_default().waiting.push(priority);
    }

    pub fn take(&mut self, slot: &Slot) {
        self.lines.entry(slot.clone()).or_default().used += 1;
    }

    pub fn free(&mut self, slot: Slot) {
        self.freed += 1;
        if let Some(line) = self.lines.get_mut(&slot) {
            line.used = line.used.saturating_sub(1);
            self.stirred.push(slot);
        }
    }

    /// The task is up to start: whether it takes its place or not, it is not on its way any more.
    pub fn came_up(&mut self, ix: TaskIx) {
        let Some(slot) = self.woken.remove(&ix) else {
            return;
        };
        if let Some(line) = self.lines.get_mut(&slot) {
            line.woken = line.woken.saturating_sub(1);
            self.stirred.push(slot);
        }
    }

    /// Those for whom there is room now.
    pub fn wake(&mut self) -> Vec<TaskIx> {
        let mut up = Vec::new();
        for slot in std::mem::take(&mut self.stirred) {
            let most = self.caps.most(&slot).unwrap_or(u32::MAX);
            let Some(line) = self.lines.get_mut(&slot) else {
                continue;
            };
            while line.used + line.woken < most {
                let Some((_, Reverse(ix))) = line.waiting.pop() else {
                    break;
                };
                line.woken += 1;
                self.woken.insert(ix, slot.clone());
                up.push(ix);
            }
        }
        up
    }
}

impl Driver {
    /// True: the slot is full, and the task waits in its queue.
    pub(super) fn queues_for(&mut self, ix: TaskIx, slot: Option<&Slot>) -> bool {
        match slot {
            Some(slot) if !self.slots.has_room(slot) => {
                self.slots.queue(slot.clone(), self.priority(ix));
                true
            }
            Some(_) | None => false,
        }
    }

    /// A call is about to go out: it takes its place, and the endpoint's probe if it is that.
    pub(super) fn take_place(&mut self, endpoint: Option<&str>, is_probe: bool, slot: Option<&Slot>) {
        if let (true, Some(endpoint)) = (is_probe, endpoint) {
            self.breakers.begin_probe(endpoint);
        }
        if let Some(slot) = slot {
            self.slots.take(slot);
        }
    }

    /// The same before anything about the task has been worked out.
    pub(super) fn waits_for_slot(&mut self, ix: TaskIx) -> bool {
        let tool = self.state.tool_of(ix);
        let slot = tool.and_then(|tool| self.slots.of_tool(tool));
        self.queues_for(ix, slot.as_ref())
    }

    /// Lets those come up whose slot has room, or whose endpoint may be called again.
    pub(super) fn wake_waiting(&mut self) {
        let now = self.clock.now_ms();
        let mut up = self.slots.wake();
        up.extend(self.breakers.wake(now));
        up.extend(self.wake_short());
        self.come_up(up);
    }

    pub(super) fn come_up(&mut self, up: Vec<TaskIx>) {
        for ix in up {
            // An agent that waits in the midst of its attempt takes its next step.
            if self.state.task(ix).status == TaskStatus::Running {
                self.came_up(ix);
                self.stirred.insert(ix);
            } else {
                self.push_ready(ix);
            }
        }
    }

    pub(super) fn came_up(&mut self, ix: TaskIx) {
        self.slots.came_up(ix);
        self.breakers.came_up(ix);
    }
}
