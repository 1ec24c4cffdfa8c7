//! What is in flight: attempts by task and call. It must not know what follows from their reports.

use std::collections::HashMap;

use super::attempt::Flight;
use crate::model::plan::TaskIx;

#[derive(Default)]
pub(super) struct Flights {
    all: HashMap<(TaskIx, u32), Flight>,
    /// How many of each task: slots are counted by task, however many calls an agent makes at once.
    by_task: HashMap<TaskIx, u32>,
}

impl Flights {
    pub fn insert(&mut self, ix: TaskIx, call: u32, flight: Flight) {
        if self.all.insert((ix, call), flight).is_none() {
            *self.by_task.entry(ix).or_default() += 1;
        }
    }

    pub fn remove(&mut self, ix: TaskIx, call: u32) -> Option<Flight> {
        let flight = self.all.remove(&(ix, call))?;
        if let Some(count) = self.by_task.get_mut(&ix) {
            *count -= 1;
            if *count == 0 {
                self.by_task.remove(&ix);
            }
        }
        Some(flight)
    }

    pub fn get_mut(&mut self, ix: TaskIx, call: u32) -> Option<&mut Flight> {
        self.all.get_mut(&(ix, call))
    }

    /// The one that a job carries out.
    pub fn of_job(&self, job: tokio::task::Id) -> Option<(TaskIx, u32)> {
        let found = self.all.iter().find(|(_, flight)| flight.job == Some(job));
        found.map(|(&at, _)| at)
    }

    pub fn has(&self, ix: TaskIx) -> bool {
        self.by_task.contains_key(&ix)
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Each by its task and call, in no order.
    pub fn places(&self) -> impl Iterator<Item = (TaskIx, u32)> {
        self.all.keys().copied()
    }

    /// How many tasks are in flight.
    pub fn tasks(&self) -> usize {
        self.by_task.len()
    }

    pub fn values(&self) -> impl Iterator<Item = &Flight> {
        self.all.values()
    }

    /// All of them, in the order of tasks and calls.
    pub fn drain(&mut self) -> Vec<(TaskIx, Flight)> {
        self.by_task.clear();
        let mut all: Vec<_> = self.all.drain().collect();
        all.sort_by_key(|(at, _)| *at);
        all.into_iter().map(|((ix, _), flight)| (ix, flight)).collect()
    }

    pub fn clear(&mut self) {
        self.all.clear();
        self.by_task.clear();
    }
}
