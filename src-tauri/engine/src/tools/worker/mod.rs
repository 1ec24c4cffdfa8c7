//! Where work on what others wrote is done: documents, code and SQL. In the programs it is a process of its own, which can
//! do little else and is replaced when it breaks; a library's user may have it done in the same process.
//! It must not know which tool asks.

mod confine;
mod frames;
mod job;
mod outcome;
mod pool;
mod process;
mod serve;
#[cfg(test)]
mod tests;

use std::path::PathBuf;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::{ToolError, blocking, code};
use crate::model::Json;

pub(super) use job::Job;
use pool::Pool;
pub use serve::serve;

/// The word after a program's name that makes it a worker and nothing else.
pub const WORD: &str = "--worker";

/// Those who do such work. Cloning gives another handle to the same ones.
#[derive(Clone)]
pub struct Workers {
    how: How,
}

#[derive(Clone)]
enum How {
    Here,
    Processes(Arc<Pool>),
}

impl Workers {
    /// In this very process: for libraries and tests, and where there is no program to start.
    pub fn here() -> Self {
        Self { how: How::Here }
    }

    /// In processes of a program that calls [`serve`] when it is started with [`WORD`]. The first starts with the first work.
    pub fn of_program(program: PathBuf) -> Self {
        Self {
            how: How::Processes(Arc::new(Pool::new(program))),
        }
    }

    /// In processes of the program that runs now.
    pub fn of_this_program() -> Self {
        // Stays right where an update has put another file in the program's place.
        #[cfg(target_os = "linux")]
        let program = Some(PathBuf::from("/proc/self/exe"));
        #[cfg(not(target_os = "linux"))]
        let program = std::env::current_exe().ok();
        program.map_or_else(Self::here, Self::of_program)
    }

    /// Work that changes nothing: given up at once when cancelled, and done once more where a worker broke.
    pub(super) async fn reading(
        &self,
        job: Job,
        bytes: Vec<u8>,
        cancel: &CancellationToken,
    ) -> Result<Json, ToolError> {
        match &self.how {
            How::Here => {
                let work = cancel.clone();
                blocking::reading(cancel, move |_| job::perform(job, bytes, &work)).await
            }
            How::Processes(pool) => pool.reading(&job, &bytes, cancel).await,
        }
    }

    /// Work that changes something: what became of it is waited for, even when cancelled.
    pub(super) async fn changing(&self, job: Job, cancel: &CancellationToken) -> Result<Json, ToolError> {
        match &self.how {
            How::Here => {
                let work = cancel.clone();
                blocking::changing(cancel, move |_| job::perform(job, Vec::new(), &work)).await
            }
            How::Processes(pool) => pool.changing(&job, cancel).await,
        }
    }

    /// A task's code; see [`code::run`].
    pub async fn code(
        &self,
        source: String,
        inputs: Vec<(String, Json)>,
        limits: code::Limits,
        cancel: CancellationToken,
    ) -> Result<Json, ToolError> {
        match &self.how {
            How::Here => code::run(source, inputs, limits, cancel)
                .await
                .map_err(ToolError::from),
            How::Processes(pool) => {
                let job = Job::Code {
                    source,
                    inputs,
                    limits,
                };
                pool.reading(&job, &[], &cancel).await
            }
        }
    }
}
