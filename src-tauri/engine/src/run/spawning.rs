//! When the attempts that were launched begin: after the commit of their intents, or before it where nothing hangs on it.
//! It must not know what they do.

use super::attempt::Job;
use super::driver::{DriveError, Driver};
use super::fence::Fence;
use crate::model::events::{EventBody, NewEvent};

impl Driver {
    /// Nothing in the batch has to be stored before its launches begin: they only compute, and all that they depend
    /// on is committed.
    pub(super) fn only_starts(&self) -> bool {
        let is_start = |event: &NewEvent| {
            matches!(
                event.body,
                EventBody::TaskReady(_) | EventBody::TaskStarted(_) | EventBody::CallStarted(_)
            )
        };
        !self.launches.is_empty()
            && !self.is_barrier
            && self.launches.iter().all(Job::is_pure)
            && self.batch.iter().all(is_start)
    }

    /// Lets the attempts begin before their start is committed. True: some have finished within the moment.
    pub(super) async fn launch_early(&mut self) -> Result<bool, DriveError> {
        self.spawn_launches();
        tokio::task::yield_now().await;
        match self.jobs.try_join_next() {
            Some(joined) => self.take_reports(joined).await.map(|()| true),
            None => Ok(false),
        }
    }

    pub(super) fn spawn_launches(&mut self) {
        for job in std::mem::take(&mut self.launches) {
            let (ix, call) = (job.ix, job.call);
            let fence = Fence {
                store: self.store.clone(),
                run: self.key,
                epoch: self.epoch,
            };
            let id = self.jobs.spawn(fence.run(job)).id();
            if let Some(flight) = self.flights.get_mut(ix, call) {
                flight.job = Some(id);
            }
        }
    }
}
