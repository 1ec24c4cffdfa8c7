//! The wait before a question: why and until when stands in the log, so that it outlives the process and is seen. It
//! must not know what is asked.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::asides::failure;
use super::{Driver, PlanningError};
use crate::model::backoff;
use crate::model::events::{CallOutcome, Failure, FailureClass, PlanningWaiting};
use crate::model::plan::RetryPolicy;

/// How often what others have appended is looked for.
pub(super) const LOOK: Duration = Duration::from_millis(250);

impl Driver {
    /// After so many failures in a row it waits the longer, and never shorter than the provider asked. False: something
    /// has happened meanwhile, such as a person who leaves.
    pub(super) async fn wait_out(&mut self, fails: u32) -> Result<bool, PlanningError> {
        let Some(error) = self.last_failure().filter(|_| fails > 0) else {
            return Ok(true);
        };
        let is_told = self.planning().is_some_and(|p| p.not_before_ms.is_some());
        if !is_told {
            let seed = format!("{}/planning", self.launch.run);
            let wait = backoff::delay(&RetryPolicy::default(), fails + 1, self.asked.take(), &seed);
            let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX);
            let until_ms = self.launch.clock.now_ms().saturating_add(wait_ms);
            let waiting = PlanningWaiting { error, until_ms };
            if !self.append(vec![waiting.into()], Vec::new()).await? {
                return Ok(false);
            }
        }
        self.wait().await
    }

    /// All that could be asked are left alone for a while, which is told like any other wait.
    pub(super) async fn wait_at_door(&mut self, provider: &str, until_ms: i64) -> Result<(), PlanningError> {
        let is_told = self.planning().is_some_and(|p| p.not_before_ms.is_some());
        if !is_told {
            let message = format!("{provider} keeps failing and is left alone for a while");
            let error = failure(FailureClass::Transient, "breaker_open", &message);
            let until_ms = until_ms.max(self.launch.clock.now_ms().saturating_add(1000));
            let waiting = PlanningWaiting { error, until_ms };
            if !self.append(vec![waiting.into()], Vec::new()).await? {
                return Ok(());
            }
        }
        self.wait().await.map(drop)
    }

    /// A place for one question at the provider; `None`: something has happened meanwhile, such as a person who leaves.
    pub(super) async fn place_at(
        &mut self,
        provider: &str,
    ) -> Result<Option<OwnedSemaphorePermit>, PlanningError> {
        loop {
            if let Some(place) = self.launch.doors.place(provider) {
                return Ok(Some(place));
            }
            let shutdown = self.launch.shutdown.clone();
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(None),
                () = tokio::time::sleep(LOOK) => {}
            }
            self.take_in().await?;
            let is_mine = self.planning().is_some_and(|p| p.epoch == self.epoch);
            if !is_mine || self.launch.state.cancel_requested {
                return Ok(None);
            }
        }
    }

    /// By the wall clock, but no longer than it says now: it may be set back.
    async fn wait(&mut self) -> Result<bool, PlanningError> {
        let until_ms = self.planning().and_then(|p| p.not_before_ms);
        let left = |driver: &Self| {
            let left = until_ms.map_or(0, |until| until.saturating_sub(driver.launch.clock.now_ms()));
            Duration::from_millis(u64::try_from(left).unwrap_or(0))
        };
        let (since, most) = (Instant::now(), left(self));
        loop {
            let left = left(self).min(most.saturating_sub(since.elapsed()));
            if left.is_zero() {
                return Ok(true);
            }
            let shutdown = self.launch.shutdown.clone();
            tokio::select! {
                biased;
                () = shutdown.cancelled() => return Ok(false),
                () = tokio::time::sleep(left.min(LOOK)) => {}
            }
            self.take_in().await?;
            let is_mine = self.planning().is_some_and(|p| p.epoch == self.epoch);
            if !is_mine || self.launch.state.cancel_requested {
                return Ok(false);
            }
        }
    }

    fn last_failure(&self) -> Option<Failure> {
        let calls = self.planning().map_or(&[][..], |p| &p.calls[p.forgotten..]);
        calls.iter().rev().find_map(|call| match &call.outcome {
            Some(CallOutcome::Error(error)) => Some(error.clone()),
            Some(CallOutcome::Result(_)) | None => None,
        })
    }
}
