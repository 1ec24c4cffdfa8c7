//! A server's process: it ends with all that it has started, and what it says on stderr is always read. It must not
//! know the protocol.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::watch;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::clean;
use crate::model::redactor::Redactor;
use crate::tools::sandbox::{self, Confined, Excess, Gone, SandboxError};

/// Bytes of stderr that are kept: its end.
pub const KEPT_STDERR: usize = 64 << 10;
/// A process that is asked to end has so long to do so by itself.
const GRACE: Duration = Duration::from_millis(500);
/// What is left on stderr of a process that has ended is read for so long.
const LAST_WORDS: Duration = Duration::from_millis(500);

pub(super) struct Child {
    pub stdin: ChildStdin,
    pub stdout: ChildStdout,
    pub stderr: Arc<Tail>,
    pub life: Life,
}

/// Ends the process when it is dropped.
pub(super) struct Life {
    end: CancellationToken,
    ended: watch::Receiver<Option<String>>,
}

/// The end of what was written, however much that was.
#[derive(Default)]
pub(super) struct Tail(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    bytes: VecDeque<u8>,
    total: u64,
    last: Option<Instant>,
}

/// Starts it with pipes of its own: in the sandbox, or as the person has said without one.
pub(super) fn spawn(confined: &Confined, is_unconfined: bool) -> Result<Child, SandboxError> {
    let mut child = if is_unconfined {
        sandbox::spawn_unconfined(confined)?
    } else {
        sandbox::spawn(confined)?
    };
    let missing = || SandboxError::Start(std::io::Error::other("the process has no pipes"));
    let stdin = child.stdin.take().ok_or_else(missing)?;
    let stdout = child.stdout.take().ok_or_else(missing)?;
    let errors = child.stderr.take().ok_or_else(missing)?;
    let stderr = Arc::new(Tail::default());
    let draining = tokio::spawn(drain(errors, stderr.clone()));
    let end = CancellationToken::new();
    let (tell, ended) = watch::channel(None);
    let asked = end.clone();
    tokio::spawn(async move {
        let gone = until_ended(&mut child, &asked).await;
        let _ = tokio::time::timeout(LAST_WORDS, draining).await;
        let _ = tell.send(Some(words(gone)));
    });
    Ok(Child {
        stdin,
        stdout,
        stderr,
        life: Life { end, ended },
    })
}

async fn until_ended(child: &mut sandbox::Child, asked: &CancellationToken) -> Gone {
    tokio::select! {
        gone = child.wait() => return gone,
        () = asked.cancelled() => {}
    }
    child.end(GRACE).await
}

fn words(gone: Gone) -> String {
    match (gone.excess, gone.code) {
        (Some(Excess::Memory), _) => "it used too much memory".to_owned(),
        (Some(Excess::Processes), _) => "it started too many processes".to_owned(),
        (None, code @ 129..=192) => format!("signal: {}", code - 128),
        (None, code) => format!("exit status: {code}"),
    }
}

/// Nobody may ever wait because nobody reads.
async fn drain(mut stderr: impl AsyncRead + Unpin, tail: Arc<Tail>) {
    let mut buffer = vec![0; 16 << 10];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.push(&buffer[..count]);
    }
}

impl Life {
    /// How the process ended; waits until it has.
    pub async fn ended(&self) -> String {
        let mut ended = self.ended.clone();
        match ended.wait_for(Option::is_some).await {
            Ok(status) => status.clone().unwrap_or_default(),
            Err(_) => "it was let go".to_owned(),
        }
    }

    pub fn end(&self) {
        self.end.cancel();
    }
}

impl Drop for Life {
    fn drop(&mut self) {
        self.end();
    }
}

impl Tail {
    pub fn push(&self, bytes: &[u8]) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.total += bytes.len() as u64;
        kept.last = Some(Instant::now());
        kept.bytes
            .extend(&bytes[bytes.len().saturating_sub(KEPT_STDERR)..]);
        let over = kept.bytes.len().saturating_sub(KEPT_STDERR);
        kept.bytes.drain(..over);
    }

    /// Readable text, whatever bytes it was.
    pub fn text(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (one, two) = kept.bytes.as_slices();
        let text = String::from_utf8_lossy(&[one, two].concat()).replace('\r', "\n");
        drop(kept);
        clean::text(&text, KEPT_STDERR)
    }

    /// The last lines that say something, at most so many characters.
    pub fn last_words(&self, most: usize, veil: &Redactor) -> String {
        // Taken out first: of half a secret nobody could tell what it is.
        let text = veil.text(&self.text());
        let from = text
            .char_indices()
            .rev()
            .nth(most.saturating_sub(1))
            .map_or(0, |(at, _)| at);
        let end = &text[from..];
        let whole = if from == 0 {
            end
        } else {
            end.split_once('\n').map_or(end, |(_, rest)| rest)
        };
        whole.trim().to_owned()
    }

    pub fn total(&self) -> u64 {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).total
    }

    /// When something was last written.
    pub fn last(&self) -> Option<Instant> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_no_more() {
        let tail = Tail::default();
        for _ in 0..10 {
            tail.push(&[0xff, b'\r', b'a'].repeat(50_000));
        }
        tail.push(b"\nError: API_TOKEN is not set\n");
        assert_eq!(tail.total(), 1_500_029);
        assert!(tail.0.lock().unwrap().bytes.len() == KEPT_STDERR);
        assert_eq!(
            tail.last_words(29, &Redactor::default()),
            "Error: API_TOKEN is not set"
        );
        assert!(tail.text().ends_with("API_TOKEN is not set"));
    }
}
