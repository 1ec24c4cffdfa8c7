//! JavaScript as a pure function of its inputs: no files, no net, no clock, no randomness, bounded time and memory.
//! This file must not know plans or runs.

mod body;
#[cfg(test)]
mod escapes;
mod hardening;
mod reader;
mod realm;
#[cfg(test)]
mod tests;
mod values;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use tokio_util::sync::CancellationToken;

pub(super) use reader::reader;

use super::ToolError;
use crate::model::Json;

const GRACE: Duration = Duration::from_secs(2);

/// What one call may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    pub time: Duration,
    /// Bytes of the sandbox's heap: inputs, work and result together.
    pub memory: usize,
    /// Bytes of the sandbox's stack.
    pub stack: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(10),
            memory: 64 << 20,
            stack: 512 << 10,
        }
    }
}

/// Why code gave no result. None of these gets better by trying again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// The source threw, or could not be read. `line` counts from 1 in the source.
    #[error("{}{message}", at_line(*line))]
    Threw { message: String, line: Option<u32> },
    #[error("the code ran for more than {} s and was stopped", limit.as_secs_f64())]
    TimedOut { limit: Duration },
    #[error("the code needed more than {} MiB of memory and was stopped", limit >> 20)]
    OutOfMemory { limit: usize },
    /// An input that the sandbox can't hold.
    #[error("the input `{name}` can't be given to code: {message}")]
    BadInput { name: String, message: String },
    /// A result that is no JSON. `pointer` is the place in it, `""` for the whole.
    #[error("the result{} is {what}", at_pointer(pointer))]
    BadResult { pointer: String, what: String },
    #[error("cancelled")]
    Cancelled,
}

impl CodeError {
    /// The stable word for a failed attempt's `code`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Threw { .. } => "code_threw",
            Self::TimedOut { .. } => "code_timeout",
            Self::OutOfMemory { .. } => "code_memory",
            Self::BadInput { .. } => "code_input",
            Self::BadResult { .. } => "code_result",
            Self::Cancelled => "cancelled",
        }
    }
}

impl From<CodeError> for ToolError {
    fn from(error: CodeError) -> Self {
        if error == CodeError::Cancelled {
            return Self::Cancelled;
        }
        Self::permanent(error.code(), error.to_string())
    }
}

fn at_line(line: Option<u32>) -> String {
    line.map(|l| format!("line {l}: ")).unwrap_or_default()
}

fn at_pointer(pointer: &str) -> String {
    if pointer.is_empty() {
        String::new()
    } else {
        format!(" at `{pointer}`")
    }
}

/// Runs `source`, a function body, with the inputs as its variables, and gives what it returns.
///
/// - An input whose name is an identifier is a variable; every input is in `inputs`, as in `inputs["unit price"]`.
///   An input that is itself called `inputs` takes that name.
/// - The source is strict JavaScript without `Date`, `Math.random`, timers, `eval` and promises. `console` says nothing.
/// - Integers beyond ±(2^53 − 1) arrive as BigInt, decimals as Number. BigInts return as integers, whole Numbers as
///   integers, others in their shortest form. Anything that JSON can't hold is an error that names its place.
pub async fn run(
    source: String,
    inputs: Vec<(String, Json)>,
    limits: Limits,
    cancel: CancellationToken,
) -> Result<Json, CodeError> {
    let fuse = Fuse::new(limits, cancel.clone());
    let work = tokio::task::spawn_blocking(move || wait_for_thread(source, inputs, limits, fuse));
    tokio::select! {
        done = work => done.unwrap_or_else(|_| Err(broken())),
        () = cancel.cancelled() => Err(CodeError::Cancelled),
    }
}

/// The same, on the thread that calls, which is of a process that is ended should a native loop of the interpreter never
/// ask whether time is up.
pub(super) fn run_here(
    source: String,
    inputs: Vec<(String, Json)>,
    limits: Limits,
    cancel: CancellationToken,
) -> Result<Json, CodeError> {
    realm::evaluate(&source, &inputs, limits, &Fuse::new(limits, cancel))
}

/// The interrupt ends the code by itself. Should a native loop of the interpreter never ask, the thread is given up
/// after a grace; it is no thread of the runtime's, so that nothing else waits for it.
fn wait_for_thread(
    source: String,
    inputs: Vec<(String, Json)>,
    limits: Limits,
    fuse: Fuse,
) -> Result<Json, CodeError> {
    let (done, result) = mpsc::channel();
    let builder = std::thread::Builder::new()
        .name("code".to_owned())
        .stack_size(limits.stack + (2 << 20));
    let work = move || {
        let _ = done.send(realm::evaluate(&source, &inputs, limits, &fuse));
    };
    builder.spawn(work).map_err(|_| broken())?;
    match result.recv_timeout(limits.time + GRACE) {
        Ok(result) => result,
        Err(mpsc::RecvTimeoutError::Timeout) => Err(CodeError::TimedOut { limit: limits.time }),
        Err(mpsc::RecvTimeoutError::Disconnected) => Err(broken()),
    }
}

fn broken() -> CodeError {
    CodeError::Threw {
        message: "the sandbox broke down while running this code".to_owned(),
        line: None,
    }
}

/// Says when the code must stop, and remembers that it said so.
#[derive(Clone)]
struct Fuse {
    started: Instant,
    limits: Limits,
    cancel: CancellationToken,
    has_blown: Arc<AtomicBool>,
}

impl Fuse {
    fn new(limits: Limits, cancel: CancellationToken) -> Self {
        Self {
            started: Instant::now(),
            limits,
            cancel,
            has_blown: Arc::default(),
        }
    }

    fn must_stop(&self) -> bool {
        let is_over = self.cancel.is_cancelled() || self.started.elapsed() > self.limits.time;
        if is_over {
            self.has_blown.store(true, Ordering::Relaxed);
        }
        is_over
    }

    /// The reason to give once the fuse has blown.
    fn error(&self) -> Option<CodeError> {
        if !self.has_blown.load(Ordering::Relaxed) {
            return None;
        }
        if self.cancel.is_cancelled() {
            return Some(CodeError::Cancelled);
        }
        Some(CodeError::TimedOut {
            limit: self.limits.time,
        })
    }
}
