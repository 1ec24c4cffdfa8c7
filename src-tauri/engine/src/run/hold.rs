//! A full disk: the batch that could not be stored is held in memory, and nothing new begins until it is. What is in
//! flight may finish meanwhile; its reports wait their turn.

use std::time::Duration;

use tokio::time::Instant;

use super::driver::{DriveError, Driver};
use super::launch::WhenIdle;
use crate::model::TaskId;
use crate::model::counted;
use crate::store::{Append, Appended, StoreError, Turn};

/// How often it is tried again.
const AGAIN: Duration = Duration::from_secs(1);
/// How long a face that would rather leave waits for space.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long one waits that has been asked to go.
const SHORT_PATIENCE: Duration = Duration::from_secs(2);

impl Driver {
    /// Stores the batch, however long the disk is full, or gives up and says what is lost with this process.
    pub(super) async fn append_or_hold(&mut self, mut append: Append) -> Result<Appended, DriveError> {
        let (mut turn, mut since) = (Turn::First, Instant::now());
        let mut is_leaving = self.shutdown.is_cancelled();
        loop {
            let refused = match self.store.offer(append, turn).await {
                Ok(appended) => {
                    self.trouble.send_replace(None);
                    return Ok(appended);
                }
                Err(refused) => refused,
            };
            let (StoreError::Full(message), Some(held)) = (&refused.error, refused.append) else {
                return Err(refused.error.into());
            };
            if since.elapsed() >= self.patience() {
                return Err(self.given_up(message, &held));
            }
            self.trouble.send_replace(Some(told(message, &held).into()));
            (append, turn) = (*held, Turn::Again);
            tokio::select! {
                () = self.shutdown.cancelled(), if !is_leaving => (is_leaving, since) = (true, Instant::now()),
                () = tokio::time::sleep(AGAIN) => {}
            }
        }
    }

    fn patience(&self) -> Duration {
        match self.when_idle {
            _ if self.shutdown.is_cancelled() => SHORT_PATIENCE,
            WhenIdle::Leave => PATIENCE,
            WhenIdle::Stay => Duration::MAX,
        }
    }

    fn given_up(&self, message: &str, held: &Append) -> DriveError {
        let under_way = self.flights.values().filter(|f| f.job.is_some()).count();
        DriveError::Full(format!(
            "storage full: {message}. Everything up to event {} is stored; {} more could not be{}, and calls under way \
             are left ({under_way}). A call whose result is not stored is made again if that is harmless, else it is \
             in doubt and you are asked. Free some space, then go on with `planloom resume {}`.",
            self.state.seq - held.events.len() as u64,
            counted(held.events.len(), "event"),
            of_tasks(held),
            self.run
        ))
    }
}

fn told(message: &str, held: &Append) -> String {
    format!(
        "storage full: {message}. {} held in memory{}; nothing new starts. Free some space, and the run goes on by itself.",
        counted(held.events.len(), "event"),
        of_tasks(held),
    )
}

/// The first few tasks that the batch is about.
fn of_tasks(held: &Append) -> String {
    let mut tasks: Vec<&TaskId> = held.events.iter().filter_map(|e| e.task.as_ref()).collect();
    tasks.dedup();
    let names: Vec<&str> = tasks.iter().take(3).map(|t| t.as_str()).collect();
    match (names.is_empty(), tasks.len() > names.len()) {
        (true, _) => String::new(),
        (false, false) => format!(" (of {})", names.join(", ")),
        (false, true) => format!(" (of {} and others)", names.join(", ")),
    }
}
