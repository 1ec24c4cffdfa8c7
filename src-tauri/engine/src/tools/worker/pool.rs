//! The few processes that share the work, each with one piece at a time, so that a fault has one author. The first starts
//! with the first work; a process that broke is replaced by the next work.

use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_util::sync::CancellationToken;

use super::frames;
use super::job::{HUNG, Job};
use super::outcome::Outcome;
use super::process::{Ask, Came, Process};
use crate::model::Json;
use crate::tools::ToolError;

const MOST: usize = 4;
/// A process is replaced after so many pieces of work, whatever it may have gathered.
const ENOUGH: u32 = 10_000;
/// How often work that changes nothing is tried.
const TRIES: u32 = 2;

pub(super) struct Pool {
    program: PathBuf,
    most: usize,
    places: Semaphore,
    idle: Mutex<Vec<Process>>,
}

impl Pool {
    pub(super) fn new(program: PathBuf) -> Self {
        let most = std::thread::available_parallelism().map_or(1, |n| n.get().min(MOST));
        Self {
            program,
            most,
            places: Semaphore::new(most),
            idle: Mutex::default(),
        }
    }

    pub(super) async fn reading(
        &self,
        job: &Job,
        bytes: &[u8],
        cancel: &CancellationToken,
    ) -> Result<Json, ToolError> {
        let frame = framed(job, bytes)?;
        let _place = self.place(cancel).await?;
        let mut how = String::new();
        for _ in 0..TRIES {
            let mut process = self.process()?;
            match process.read(&frame, job.patience(), cancel).await {
                Came::Outcome(outcome) => {
                    self.keep(process, &outcome);
                    return outcome.into_result();
                }
                Came::GivenUp => return Err(ToolError::Cancelled),
                Came::Hung => return Err(job.overdue()),
                Came::Died(status) => how = status,
            }
        }
        let message = format!(
            "the worker process ended ({how}) while {}, twice; it was replaced, and nothing was changed{}",
            job.words(),
            job.guess()
        );
        Err(ToolError::permanent("worker_died", message))
    }

    pub(super) async fn changing(&self, job: &Job, cancel: &CancellationToken) -> Result<Json, ToolError> {
        let frame = framed(job, &[])?;
        let _place = self.place(cancel).await?;
        let mut process = self.process()?;
        let unknown = |code, message| {
            Err(ToolError::Unknown {
                code,
                message,
                retry_after: None,
            })
        };
        match process.change(&frame, job.patience(), cancel).await {
            Came::Outcome(outcome) => {
                self.keep(process, &outcome);
                outcome.into_result()
            }
            Came::GivenUp => Err(ToolError::Cancelled),
            Came::Hung => unknown(HUNG, job.hung()),
            Came::Died(status) => {
                let message = format!(
                    "the worker process ended ({status}) while {}; whether it was done is not known",
                    job.words()
                );
                unknown("worker_died", message)
            }
        }
    }

    async fn place(&self, cancel: &CancellationToken) -> Result<SemaphorePermit<'_>, ToolError> {
        let place = tokio::select! {
            place = self.places.acquire() => place,
            () = cancel.cancelled() => return Err(ToolError::Cancelled),
        };
        if cancel.is_cancelled() {
            return Err(ToolError::Cancelled);
        }
        place.map_err(|_| ToolError::Cancelled)
    }

    fn process(&self) -> Result<Process, ToolError> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        match idle {
            Some(process) => Ok(process),
            None => Process::start(&self.program).map_err(|error| ToolError::Transient {
                code: "worker_start",
                message: format!("no worker process could be started: {error}"),
                retry_after: None,
            }),
        }
    }

    /// Back among the idle ones, unless it broke. When nobody else works, one is enough.
    fn keep(&self, process: Process, outcome: &Outcome) {
        if process.jobs >= ENOUGH || outcome.is_broken() {
            return;
        }
        let is_alone = self.places.available_permits() + 1 == self.most;
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if is_alone {
            idle.clear();
        }
        idle.push(process);
    }
}

fn framed(job: &Job, bytes: &[u8]) -> Result<Vec<u8>, ToolError> {
    frames::framed(&Ask::Job(job), bytes)
        .map_err(|error| ToolError::permanent("too_large", format!("what is to be read: {error}")))
}
