//! The log of a planning: what others have appended, and what is appended here. It must not know what for.

use super::super::driver::summary_of;
use super::{Driver, PlanningError};
use crate::model::events::{EventBody, NewEvent};
use crate::model::state::RunState;
use crate::model::status::TaskStatus;
use crate::model::value::NewPayload;
use crate::model::{Seq, title};
use crate::store::{Append, Durability, Guard, StoreError, Summary};

/// How often a batch is offered anew when the log moves under it.
const TRIES: u32 = 20;

impl Driver {
    /// Takes in what others have appended: answers and requests.
    pub(super) async fn take_in(&mut self) -> Result<(), PlanningError> {
        let launch = &mut self.launch;
        let seq = launch.state.seq;
        let events = launch
            .store
            .events(&launch.run, seq, Seq::MAX, usize::MAX)
            .await?;
        for event in events {
            launch.state.apply(&event)?;
        }
        Ok(())
    }

    /// Appends to the log as it was seen, on disk before anything follows; anew where it has moved, as long as the
    /// planning is still this process's.
    pub(super) async fn append(
        &mut self,
        bodies: Vec<EventBody>,
        payloads: Vec<NewPayload>,
    ) -> Result<bool, PlanningError> {
        let mut moved = None;
        for _ in 0..TRIES {
            let is_mine = self.planning().is_some_and(|p| p.epoch == self.epoch);
            if !is_mine {
                return Ok(false);
            }
            let at_ms = self.launch.clock.now_ms();
            let event = |body: &EventBody| NewEvent {
                at_ms,
                task: None,
                body: body.clone(),
            };
            let events: Vec<NewEvent> = bodies.iter().map(event).collect();
            let mut after = self.launch.state.clone();
            for event in &events {
                after.apply(&event.clone().at(after.seq + 1))?;
            }
            let append = Append {
                run: self.launch.key,
                guard: Guard::Head(self.launch.state.seq),
                events,
                payloads: payloads.clone(),
                durability: Durability::Disk,
                summary: Some(self.summary(&after)),
            };
            match self.launch.store.append(append).await {
                Ok(_) => {
                    self.launch.state = after;
                    return Ok(true);
                }
                Err(error @ StoreError::Moved { .. }) => {
                    moved = Some(error);
                    self.take_in().await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(moved.unwrap_or(StoreError::Closed).into())
    }

    fn summary(&self, state: &RunState) -> Summary {
        let goal = self.goal();
        let title = title::of(state.path.as_deref(), goal);
        let mut summary = summary_of(state, &title, goal);
        summary.counts = vec![0; TaskStatus::ALL.len()];
        summary.counts[TaskStatus::Pending.index()] = u32::try_from(self.tasks).unwrap_or(u32::MAX);
        let planning = state
            .edit
            .as_ref()
            .map(|edit| &edit.asking)
            .filter(|_| self.base.is_some());
        let planning = planning.or(state.planning.as_deref());
        summary.cap = planning.map_or(summary.cap, |p| state.ledger.cap(&p.budget));
        summary
    }
}
