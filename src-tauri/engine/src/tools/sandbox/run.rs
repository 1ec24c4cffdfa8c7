//! One program from start to end: fed, drained while it runs, held to its time, and ended with all that it started. It must
//! not know who asks.

use std::path::{Path, PathBuf};
use std::pin::pin;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWriteExt};
use tokio::process::ChildStdin;
use tokio::time::{Instant, sleep_until, timeout};
use tokio_util::sync::CancellationToken;

use super::beside::Turn;
use super::drain::{Caught, drain};
use super::{Child, Confined, Excess, Gone, SandboxError, masks, spawn};

/// What came of it.
#[derive(Clone, Debug)]
pub struct Ended {
    pub end: End,
    pub stdout: Caught,
    pub stderr: Caught,
    /// What it put into written folders where no grant opens, such as a git hook: each was given the name that is here.
    pub moved_aside: Vec<PathBuf>,
    /// Others could write there at the same time: they may have put it there.
    pub is_shared: bool,
    /// A written folder that has become too large to be looked through for such.
    pub too_large: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// By itself; 128 + n when signal n ended it.
    Exited(i32),
    TimedOut,
    /// It wrote far more than is kept.
    Flood,
    Excess(Excess),
}

/// After the program itself has ended, what it started may still hold its output open.
const PIPES: Duration = Duration::from_millis(500);
/// Between asking processes to end and ending them.
const GRACE: Duration = Duration::from_millis(300);
/// A program that has written so many times what is kept is ended.
const FLOOD: u64 = 64;

/// Runs it to its end. Cancelling ends all its processes within a second; so does dropping the future.
pub async fn run(
    confined: &Confined,
    stdin: Option<Vec<u8>>,
    cancel: &CancellationToken,
) -> Result<Ended, SandboxError> {
    let deadline = Instant::now() + confined.limits.wall;
    let turn = confined.beside.begin(&confined.write);
    let mut child = begin(confined).await?;
    let most = confined.limits.output_bytes;
    let mut caught = [Caught::keeping(most), Caught::keeping(most)];
    let why = {
        let input = child.stdin.take().zip(Some(stdin.unwrap_or_default()));
        let output = (child.stdout.take(), child.stderr.take());
        let mut talk = pin!(talk(
            input,
            output,
            &mut caught,
            (most as u64).saturating_mul(FLOOD)
        ));
        let mut is_drained = false;
        let why = loop {
            tokio::select! {
                biased;
                () = cancel.cancelled() => break Why::Cancelled,
                is_whole = &mut talk, if !is_drained => {
                    is_drained = true;
                    if !is_whole {
                        break Why::Flood;
                    }
                }
                gone = child.wait() => break Why::Gone(gone),
                () = sleep_until(deadline) => break Why::Late,
            }
        };
        let last_words = async {
            if !matches!(why, Why::Gone(_)) {
                child.end(GRACE).await;
            }
        };
        if is_drained {
            last_words.await;
        } else {
            // What it still says while it ends is heard too.
            let mut last_words = pin!(last_words);
            tokio::select! {
                _ = &mut talk => { is_drained = true; last_words.await; }
                () = &mut last_words => {}
            }
        }
        if !is_drained {
            let _ = timeout(PIPES, talk).await;
        }
        why
    };
    finish(confined, &child, turn, why, caught).await
}

/// What ended the waiting.
#[derive(Clone, Copy, Debug)]
enum Why {
    Gone(Gone),
    Late,
    Flood,
    Cancelled,
}

async fn begin(confined: &Confined) -> Result<Child, SandboxError> {
    let confined = confined.clone();
    // Folders are looked through before it starts.
    let starting = tokio::task::spawn_blocking(move || spawn(&confined));
    let lost = |_| Err(SandboxError::SetUp("it broke down on the way".to_owned()));
    starting.await.unwrap_or_else(lost)
}

/// Feeds and listens until both outputs have ended; `false` as soon as one of them floods.
async fn talk<O: AsyncRead + Unpin, E: AsyncRead + Unpin>(
    input: Option<(ChildStdin, Vec<u8>)>,
    (mut stdout, mut stderr): (Option<O>, Option<E>),
    [out, err]: &mut [Caught; 2],
    flood: u64,
) -> bool {
    let feed = async {
        if let Some((mut pipe, bytes)) = input {
            // It need not read all of it.
            let _ = pipe.write_all(&bytes).await;
        }
    };
    let listen = async {
        let out = async {
            match &mut stdout {
                Some(pipe) => drain(pipe, out, flood).await,
                None => true,
            }
        };
        let err = async {
            match &mut stderr {
                Some(pipe) => drain(pipe, err, flood).await,
                None => true,
            }
        };
        let as_result = |is_whole: bool| is_whole.then_some(()).ok_or(());
        tokio::try_join!(async { as_result(out.await) }, async { as_result(err.await) }).is_ok()
    };
    let mut listen = pin!(listen);
    tokio::select! {
        is_whole = &mut listen => is_whole,
        () = feed => listen.await,
    }
}

async fn finish(
    confined: &Confined,
    child: &Child,
    turn: Turn,
    why: Why,
    [stdout, stderr]: [Caught; 2],
) -> Result<Ended, SandboxError> {
    let (moved_aside, too_large, is_shared) = move_aside(confined, child, turn).await;
    let end = match why {
        Why::Cancelled => return Err(SandboxError::Cancelled),
        Why::Late => End::TimedOut,
        Why::Flood => End::Flood,
        Why::Gone(Gone {
            excess: Some(excess), ..
        }) => End::Excess(excess),
        Why::Gone(Gone { code, excess: None }) => End::Exited(code),
    };
    Ok(Ended {
        end,
        stdout,
        stderr,
        moved_aside,
        is_shared,
        too_large,
    })
}

/// Takes the teeth out of what it planted, and loses nothing.
async fn move_aside(confined: &Confined, child: &Child, turn: Turn) -> (Vec<PathBuf>, Option<PathBuf>, bool) {
    if confined.write.is_empty() {
        return (Vec::new(), None, false);
    }
    let (confined, hidden) = (confined.clone(), child.hidden.clone());
    let moving = move || {
        turn.end(|| {
            let (planted, too_large) = masks::planted(&confined, &hidden);
            let moved = planted.iter().filter_map(|path| rename(path)).collect();
            (moved, too_large)
        })
    };
    tokio::task::spawn_blocking(moving).await.unwrap_or_default()
}

fn rename(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_string_lossy().into_owned();
    let aside = (0..100).map(|n| path.with_file_name(format!("{name}.planloom-closed-{n}")));
    let free = aside
        .into_iter()
        .find(|aside| aside.symlink_metadata().is_err())?;
    std::fs::rename(path, &free).ok().map(|()| free)
}
