//! One worker process from this program's side: started, given one piece of work at a time, ended. Knows no queue.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::io::{AsyncWriteExt as _, BufReader};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio_util::sync::CancellationToken;

use super::job::Job;
use super::outcome::Outcome;
use super::{WORD, frames};

/// How long a worker that was told to stop may take to say what became of its work.
const LAST_WORD: Duration = Duration::from_secs(70);
/// How long the system may take to tell how a process ended.
const BURIAL: Duration = Duration::from_secs(2);

#[derive(Serialize)]
pub(super) enum Ask<'a> {
    Job(&'a Job),
    Stop,
}

/// The same from the worker's side.
#[derive(Deserialize)]
pub(super) enum Asked {
    Job(Job),
    Stop,
}

pub(super) struct Process {
    child: Child,
    stdin: ChildStdin,
    stdout: BufReader<ChildStdout>,
    pub(super) jobs: u32,
}

/// How one exchange with a process ended. After all but the first it is of no use any more.
pub(super) enum Came {
    Outcome(Outcome),
    GivenUp,
    Hung,
    Died(String),
}

impl Process {
    pub(super) fn start(program: &Path) -> std::io::Result<Self> {
        let mut command = Command::new(program);
        // What a terminal tells the program, such as Ctrl-C, is not for it: what is in flight is let finish.
        #[cfg(unix)]
        command.process_group(0);
        let mut child = command
            .arg(WORD)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::Error::other("the worker has no pipes"));
        };
        Ok(Self {
            child,
            stdin,
            stdout: BufReader::new(stdout),
            jobs: 0,
        })
    }

    /// Work that may be given up at any moment.
    pub(super) async fn read(
        &mut self,
        frame: &[u8],
        patience: Duration,
        cancel: &CancellationToken,
    ) -> Came {
        self.jobs += 1;
        let exchange = async {
            self.stdin.write_all(frame).await?;
            self.stdin.flush().await?;
            frames::answer::<Outcome>(&mut self.stdout).await
        };
        let told = tokio::select! {
            told = exchange => told,
            () = cancel.cancelled() => return Came::GivenUp,
            () = tokio::time::sleep(patience) => return Came::Hung,
        };
        self.came(told).await
    }

    /// Work whose outcome counts: a worker that is told to stop still says it.
    pub(super) async fn change(
        &mut self,
        frame: &[u8],
        patience: Duration,
        cancel: &CancellationToken,
    ) -> Came {
        self.jobs += 1;
        let sent = async {
            self.stdin.write_all(frame).await?;
            self.stdin.flush().await
        };
        if let Err(error) = sent.await {
            return self.came(Err(error)).await;
        }
        match self.last_word(patience, cancel).await {
            Some(told) => self.came(told).await,
            None => Came::Hung,
        }
    }

    /// What the worker says, also after it was told to stop; none where it says nothing any more.
    async fn last_word(
        &mut self,
        patience: Duration,
        cancel: &CancellationToken,
    ) -> Option<std::io::Result<Outcome>> {
        let answer = frames::answer::<Outcome>(&mut self.stdout);
        tokio::pin!(answer);
        tokio::select! {
            told = &mut answer => return Some(told),
            () = tokio::time::sleep(patience) => return None,
            () = cancel.cancelled() => {}
        }
        let stop = frames::framed(&Ask::Stop, &[]).unwrap_or_default();
        if let Err(error) = self.stdin.write_all(&stop).await {
            return Some(Err(error));
        }
        tokio::time::timeout(LAST_WORD, &mut answer).await.ok()
    }

    async fn came(&mut self, told: std::io::Result<Outcome>) -> Came {
        match told {
            Ok(outcome) => Came::Outcome(outcome),
            Err(error) => {
                let ended = tokio::time::timeout(BURIAL, self.child.wait()).await;
                Came::Died(match ended {
                    Ok(Ok(status)) => status.to_string(),
                    Ok(Err(_)) | Err(_) => error.to_string(),
                })
            }
        }
    }
}
