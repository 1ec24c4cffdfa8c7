//! Work that waits for a disk, off the runtime's threads. Knows no tool.

use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::ToolError;

/// Asked by long work in between: whether it shall end.
#[derive(Clone)]
pub(super) struct Stop {
    cancel: CancellationToken,
    deadline: Option<Instant>,
}

impl Stop {
    pub(super) fn new(cancel: CancellationToken, deadline: Option<Instant>) -> Self {
        Self { cancel, deadline }
    }
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled()
    }
    pub(super) fn is_due(&self) -> bool {
        self.is_cancelled() || self.deadline.is_some_and(|d| Instant::now() > d)
    }
    pub(super) fn check(&self) -> Result<(), ToolError> {
        if self.is_cancelled() {
            Err(ToolError::Cancelled)
        } else {
            Ok(())
        }
    }
}

/// Reads only: a cancelled caller does not wait for a disk that hangs.
pub(super) async fn reading<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    tokio::select! {
        done = changing(cancel, work) => done,
        () = cancel.cancelled() => Err(ToolError::Cancelled),
    }
}

/// Changes something: what became of it is waited for, even when cancelled.
pub(super) async fn changing<T: Send + 'static>(
    cancel: &CancellationToken,
    work: impl FnOnce(&Stop) -> Result<T, ToolError> + Send + 'static,
) -> Result<T, ToolError> {
    let stop = Stop::new(cancel.clone(), None);
    stop.check()?;
    let broken = |_| ToolError::permanent("broken", "the tool broke down; nothing more is known");
    tokio::task::spawn_blocking(move || work(&stop))
        .await
        .map_err(broken)?
}
