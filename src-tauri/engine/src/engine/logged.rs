//! A run's log as it is read by people and programs, page by page, with what each call came to. It changes nothing and
//! judges nothing.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Engine, Error};
use crate::history::{load, sentences};
use crate::model::events::{Event, EventBody};
use crate::model::ledger::{Reserve, Usage};
use crate::model::plan::Plan;
use crate::model::state::RunState;
use crate::model::{RunId, Seq, TaskId};
use crate::run::END;
use crate::store::StoreError;
use crate::views::EventView;

/// Events that are read at once.
const PAGE: usize = 1_000;

/// An event, and what it says about the cost of calls.
#[derive(Debug)]
pub struct Logged {
    pub event: EventView,
    /// Of a call that ended: what it came to, and whose word that is.
    pub usage: Option<Usage>,
    /// Of a call that began: the most that it may come to.
    pub most: Option<Reserve>,
    /// Calls that had begun and that nobody can answer any more from this event on.
    pub lost: Vec<Lost>,
}

/// A question to a model whose answer never came.
#[derive(Clone, Debug)]
pub struct Lost {
    /// Where it began.
    pub seq: Seq,
    pub task: Option<TaskId>,
    pub most: Reserve,
}

/// A log on its way out. What it holds does not grow with the log.
pub struct Log {
    engine: Engine,
    run: RunId,
    /// Gives the tasks their names.
    state: RunState,
    at: Seq,
    upto: Seq,
    open: OpenCalls,
    /// What ends it after the page that could still be read.
    broken: Option<StoreError>,
}

impl Engine {
    /// The run's events from `from` up to and with `to`.
    pub async fn log(&self, run: &RunId, from: Seq, to: Seq) -> Result<Log, Error> {
        let head = self.inner.store.run(run).await?.head;
        if from == 0 || from > head || to < from {
            return Err(Error::no_event(run, head));
        }
        // A log that can't be read to its end is told as far as it can be, by the ids of its tasks.
        let seen = load::see(&self.inner.store, &self.inner.around, run, END).await;
        let state = seen.map_or_else(|_| RunState::new(Arc::new(Plan::empty())), |seen| seen.state);
        Ok(Log {
            engine: self.clone(),
            run: run.clone(),
            state,
            at: from - 1,
            upto: to.min(head),
            open: OpenCalls::default(),
            broken: None,
        })
    }
}

impl Log {
    /// The next events; none when all have been told.
    pub async fn next(&mut self) -> Result<Vec<Logged>, Error> {
        if let Some(broken) = self.broken.take() {
            self.at = self.upto;
            return Err(broken.into());
        }
        if self.at >= self.upto {
            return Ok(Vec::new());
        }
        let events = self.page().await?;
        self.at = events.last().map_or(self.upto, |event| event.seq);
        Ok(events.iter().map(|event| self.tell(event)).collect())
    }

    /// Calls that were under way at the end of the log, where nobody is left who could hear what came of them.
    pub fn left_open(&mut self) -> Vec<Lost> {
        if self.engine.inner.store.holder(&self.run).is_some() {
            return Vec::new();
        }
        self.open.lose_all()
    }

    async fn page(&mut self) -> Result<Vec<Event>, StoreError> {
        let store = &self.engine.inner.store;
        let error = match store.events(&self.run, self.at, self.upto, PAGE).await {
            Ok(events) => return Ok(events),
            Err(error) => error,
        };
        let Some(last) = last_whole(&error).filter(|&last| last > self.at) else {
            return Err(error);
        };
        let events = store.events(&self.run, self.at, last, PAGE).await?;
        self.broken = Some(error);
        Ok(events)
    }

    fn tell(&mut self, event: &Event) -> Logged {
        let (usage, most) = of_call(&event.body);
        Logged {
            event: sentences::view(event, &self.state),
            usage,
            most,
            lost: self.open.take(event),
        }
    }
}

/// The last event before the place that can't be read.
pub(super) fn last_whole(error: &StoreError) -> Option<Seq> {
    if let StoreError::Cut { after, .. } | StoreError::Gap { after } = error {
        return Some(*after);
    }
    if let StoreError::Event { seq, .. } = error {
        return Some(seq.saturating_sub(1));
    }
    None
}

fn of_call(body: &EventBody) -> (Option<Usage>, Option<Reserve>) {
    if let EventBody::CallFinished(finished) = body {
        return (finished.usage, None);
    }
    if let EventBody::CallStarted(started) = body {
        return (None, started.reserve);
    }
    (None, None)
}

/// Calls that have begun, by task; those of planners and the like belong to none.
#[derive(Default)]
struct OpenCalls(HashMap<Option<TaskId>, Vec<Asked>>);

struct Asked {
    seq: Seq,
    most: Reserve,
    /// A question to a model that is not answered yet.
    is_open: bool,
}

impl OpenCalls {
    fn take(&mut self, event: &Event) -> Vec<Lost> {
        if let EventBody::CallStarted(started) = &event.body {
            let asked = Asked {
                seq: event.seq,
                most: started.reserve.unwrap_or_default(),
                is_open: started.model,
            };
            self.0.entry(event.task.clone()).or_default().push(asked);
            return Vec::new();
        }
        if let EventBody::CallFinished(finished) = &event.body {
            let calls = self.0.entry(event.task.clone()).or_default();
            let which = finished.call.map_or(calls.len().wrapping_sub(1), |n| n as usize);
            if let Some(call) = calls.get_mut(which) {
                call.is_open = false;
            }
            return Vec::new();
        }
        // Whoever asked is gone.
        if matches!(
            event.body,
            EventBody::RunClaimed(_) | EventBody::PlanningResumed(_)
        ) {
            return self.lose_all();
        }
        if is_new_attempt_or_end(&event.body)
            && let Some(mut calls) = self.0.remove(&event.task)
        {
            return lost_of(&event.task, &mut calls);
        }
        Vec::new()
    }

    fn lose_all(&mut self) -> Vec<Lost> {
        let each = self.0.iter_mut();
        let mut lost: Vec<Lost> = each.flat_map(|(task, calls)| lost_of(task, calls)).collect();
        lost.sort_by_key(|call| call.seq);
        lost
    }
}

fn lost_of(task: &Option<TaskId>, calls: &mut [Asked]) -> Vec<Lost> {
    let open = calls.iter_mut().filter(|call| call.is_open);
    open.map(|call| {
        call.is_open = false;
        Lost {
            seq: call.seq,
            task: task.clone(),
            most: call.most,
        }
    })
    .collect()
}

fn is_new_attempt_or_end(body: &EventBody) -> bool {
    if let EventBody::TaskStarted(started) = body {
        return !started.goes_on;
    }
    matches!(
        body,
        EventBody::TaskCompleted(_)
            | EventBody::TaskFailed(_)
            | EventBody::TaskCancelled(_)
            | EventBody::TaskReset(_)
            | EventBody::TaskPruned(_)
    )
}
