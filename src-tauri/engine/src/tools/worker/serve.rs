//! The worker's own side: a program that reads work from its input, does it in a thread that can open almost nothing, and
//! says what came of it. It ends with its input. It must not know settings, databases of runs or keys.

use std::io::{self, Read};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

use super::job::{self, Job};
use super::outcome::Outcome;
use super::process::Asked;
use super::{confine, frames};
use crate::tools::ToolError;

/// Enough for what documents nest, besides what the tools refuse.
const STACK: usize = 64 << 20;

/// Works until its input ends. To be called first thing by a program that was started with [`super::WORD`].
pub fn serve() -> ExitCode {
    confine::process();
    match work_off(&mut io::stdin().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn work_off(input: &mut impl Read) -> io::Result<()> {
    let current: Arc<Mutex<CancellationToken>> = Arc::default();
    while let Some((asked, bytes)) = frames::read::<Asked>(input)? {
        let mut now = current.lock().unwrap_or_else(PoisonError::into_inner);
        match asked {
            Asked::Stop => now.cancel(),
            Asked::Job(job) => {
                *now = CancellationToken::new();
                begin(job, bytes, now.clone())?;
            }
        }
    }
    Ok(())
}

/// One thread for one piece of work: what it gives up, it gives up for itself alone.
fn begin(job: Job, bytes: Vec<u8>, cancel: CancellationToken) -> io::Result<()> {
    let work = move || {
        confine::thread(job.folder());
        let result =
            std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| job::perform(job, bytes, &cancel)));
        let outcome = Outcome::of(result.unwrap_or_else(|_| {
            Err(ToolError::permanent(
                "broken",
                "the reader of such documents broke down on this one",
            ))
        }));
        if frames::write(&mut io::stdout().lock(), &outcome).is_err() {
            // Nobody listens any more, or the answer is too large to be said.
            std::process::exit(1);
        }
    };
    std::thread::Builder::new()
        .name("work".to_owned())
        .stack_size(STACK)
        .spawn(work)
        .map(drop)
}
