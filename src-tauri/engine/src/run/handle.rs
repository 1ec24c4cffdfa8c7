//! The outside's hold on a driver: pokes it, lets it go, hears how it ended. Knows nothing of what it drives.

use std::sync::Arc;

use tokio::sync::{Notify, watch};
use tokio_util::sync::CancellationToken;

use crate::model::status::RunStatus;

/// How driving ended. The run itself may be over, paused, or waiting for a person.
#[derive(Clone, Debug)]
pub struct Ended {
    pub status: RunStatus,
    /// The store or the machine failed: what happened and what was kept.
    pub trouble: Option<Arc<str>>,
}

/// The outside's hold on a driver.
#[derive(Clone)]
pub struct Handle {
    pub(super) poke: Arc<Notify>,
    pub(super) shutdown: CancellationToken,
    pub(super) trouble: watch::Receiver<Option<Arc<str>>>,
    pub(super) ended: watch::Receiver<Option<Ended>>,
}

impl Handle {
    /// Says that the log has new answers or requests.
    pub fn poke(&self) {
        self.poke.notify_one();
    }
    /// Leaves the run paused and resumable as soon as may be.
    pub fn shut_down(&self) {
        self.shutdown.cancel();
    }
    pub async fn ended(&self) -> Ended {
        let mut ended = self.ended.clone();
        let found = ended.wait_for(Option::is_some).await.ok().and_then(|e| e.clone());
        // The sender goes only with the driver's task, which a runtime that is shut down may drop.
        found.unwrap_or(Ended {
            status: RunStatus::Paused,
            trouble: None,
        })
    }
    /// What stopped it, if it stopped in trouble, or what it waits out, such as a full disk.
    pub fn trouble(&self) -> Option<String> {
        if let Some(ended) = &*self.ended.borrow() {
            return ended.trouble.as_deref().map(str::to_owned);
        }
        self.trouble.borrow().as_deref().map(str::to_owned)
    }
    pub fn is_ended(&self) -> bool {
        self.ended.borrow().is_some() || self.ended.has_changed().is_err()
    }
}
