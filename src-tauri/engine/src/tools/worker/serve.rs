//! The worker's own side: a program that reads work from its input, does it in threads that can open almost nothing, and
//! says what came of it. It ends with its input. It must not know settings, databases of runs or keys.

use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::Builder;

use tokio_util::sync::CancellationToken;

use super::job::{self, Job};
use super::outcome::Outcome;
use super::process::Asked;
use super::{confine, frames};

/// Enough for what documents nest, besides what the tools refuse.
const STACK: usize = 64 << 20;
/// Work is given one piece at a time.
const WAITING: usize = 1;

/// Works until its input ends. To be called first thing by a program that was started with [`super::WORD`].
pub fn serve() -> ExitCode {
    confine::process();
    let worked = Hands::ready().and_then(|hands| {
        // The hands have what they need: who only listens opens nothing.
        confine::thread(None);
        hands.work_off(&mut io::stdin().lock())
    });
    match worked {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

struct Work {
    job: Job,
    bytes: Vec<u8>,
    cancel: CancellationToken,
}

/// Who does the work. A thread never gets back what it gave up, so that one for all serves only those who open nothing.
struct Hands {
    /// One thread, which can open no file at all. Nothing of one piece of work is left for the next.
    closed: SyncSender<Work>,
    /// Starts a thread for each piece of work, which can open files of its folder alone.
    opening: SyncSender<Work>,
}

impl Hands {
    fn ready() -> io::Result<Self> {
        let (closed, given) = sync_channel(WAITING);
        let work = move || {
            confine::thread(None);
            given.iter().for_each(Work::perform);
        };
        Builder::new()
            .name("closed".to_owned())
            .stack_size(STACK)
            .spawn(work)?;
        let (opening, given) = sync_channel(WAITING);
        Builder::new()
            .name("opening".to_owned())
            .spawn(move || open(&given))?;
        Ok(Self { closed, opening })
    }

    fn work_off(&self, input: &mut impl Read) -> io::Result<()> {
        let mut current = CancellationToken::new();
        while let Some((asked, bytes)) = frames::read::<Asked>(input)? {
            match asked {
                Asked::Stop => current.cancel(),
                Asked::Job(job) => {
                    current = CancellationToken::new();
                    let cancel = current.clone();
                    let hand = match job.folder() {
                        Some(_) => &self.opening,
                        None => &self.closed,
                    };
                    hand.send(Work { job, bytes, cancel })
                        .map_err(|_| io::Error::other("a thread has ended"))?;
                }
            }
        }
        Ok(())
    }
}

fn open(given: &Receiver<Work>) {
    for work in given {
        let perform = move || {
            confine::thread(work.job.folder());
            work.perform();
        };
        let thread = Builder::new().name("open".to_owned()).stack_size(STACK);
        if thread.spawn(perform).is_err() {
            std::process::exit(1);
        }
    }
}

impl Work {
    fn perform(self) {
        let Self { job, bytes, cancel } = self;
        let result = catch_unwind(AssertUnwindSafe(|| job::perform(job, bytes, &cancel)));
        let outcome = match result {
            Ok(result) => Outcome::of(result),
            Err(_) => Outcome::broken(),
        };
        if frames::write(&mut io::stdout().lock(), &outcome).is_err() {
            // Nobody listens any more, or the answer is too large to be said.
            std::process::exit(1);
        }
    }
}
