//! Starts children, each from a thread of its own that waits for it. It must not know what their output is for.
//!
//! One thread for each child, because the system ties `--die-with-parent` to the thread that started it, because a second
//! wall that the thread puts around itself is inherited, and because so nothing that has ended is left unwaited for,
//! whatever becomes of the runtime.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::leash::{Hold, Leash};
use super::masks::Mask;
use super::{Confined, Confinement, Gone, Limits, SandboxError, bubblewrap, confinement, system};
use crate::tools::hands::ANYWHERE;

/// A running process with all that it starts. Dropping it ends them all.
pub struct Child {
    pub stdin: Option<ChildStdin>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    leash: Arc<Leash>,
    gone: watch::Receiver<Option<Gone>>,
    /// What is out of its sight in the folders that it was given.
    pub(super) hidden: Vec<Mask>,
}

impl std::fmt::Debug for Child {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Child").field("pid", &self.leash.pid()).finish()
    }
}

impl Child {
    /// Of the outermost process.
    pub fn id(&self) -> u32 {
        self.leash.pid()
    }

    /// Until it has ended and been waited for. Its pipes may still hold something.
    pub async fn wait(&mut self) -> Gone {
        let lost = Gone {
            code: -1,
            excess: None,
        };
        match self.gone.wait_for(Option::is_some).await {
            Ok(gone) => gone.unwrap_or(lost),
            Err(_) => lost,
        }
    }

    /// Asks all its processes to end, and ends them when that takes longer than `grace`.
    pub async fn end(&mut self, grace: Duration) -> Gone {
        let leash = self.leash.clone();
        let _ = tokio::task::spawn_blocking(move || leash.terminate()).await;
        if let Ok(gone) = tokio::time::timeout(grace, self.wait()).await {
            return gone;
        }
        self.kill();
        self.wait().await
    }

    /// Ends all its processes now, without waiting.
    pub fn kill(&self) {
        self.leash.kill();
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if self.gone.borrow().is_none() {
            self.leash.kill();
        }
    }
}

/// Starts it behind the walls, with pipes for its three streams. Needs a runtime around it; takes some milliseconds, and
/// for the very first one the time of [`confinement`].
pub fn spawn(confined: &Confined) -> Result<Child, SandboxError> {
    let walls = match confinement() {
        Confinement::Bubblewrap(walls) => walls,
        Confinement::None { why } => return Err(SandboxError::Off(why.clone())),
    };
    let (command, hidden) = bubblewrap::command(walls, confined)?;
    note(confined, confined.write.iter().map(|shown| shown.from.as_path()))?;
    let mut child = started(command, confined.limits, Hold::Namespace, walls.has_second_wall)?;
    child.hidden = hidden;
    Ok(child)
}

/// Starts it with the person's own rights, for those who said so: with the same bare environment, and ended with all that
/// stays in its process group, but free to read, write and send.
pub fn spawn_unconfined(confined: &Confined) -> Result<Child, SandboxError> {
    note(confined, [Path::new(ANYWHERE)])?;
    let mut command = Command::new(&confined.program);
    command.args(&confined.args).env_clear();
    let own = system::ENVIRONMENT.iter().filter(|(name, _)| !is_inherited(name));
    command.envs(own.copied());
    for (name, value) in std::env::vars_os() {
        if name.to_str().is_some_and(is_inherited) {
            command.env(name, value);
        }
    }
    command.envs(confined.env.iter().map(|(name, value)| (name, value)));
    if let Some(cwd) = &confined.cwd {
        command.current_dir(cwd);
    }
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    started(command, confined.limits, Hold::Group, false)
}

/// Later runs must know what it could write, whatever becomes of it and of this process.
fn note<'p>(confined: &Confined, places: impl IntoIterator<Item = &'p Path>) -> Result<(), SandboxError> {
    let noted = confined.hands.may_write(places);
    noted.map_err(|error| SandboxError::SetUp(format!("what it may write could not be noted ({error})")))
}

/// What a program needs of the person's own environment to be itself, where no walls are; on Windows nothing starts
/// without some of these.
fn is_inherited(name: &str) -> bool {
    const NAMES: &[&str] = &[
        "PATH",
        "HOME",
        "TMPDIR",
        "SYSTEMROOT",
        "PATHEXT",
        "USERPROFILE",
        "APPDATA",
        "LOCALAPPDATA",
        "TEMP",
        "TMP",
    ];
    NAMES.iter().any(|known| known.eq_ignore_ascii_case(name))
}

struct Pipes {
    stdin: Option<std::process::ChildStdin>,
    stdout: Option<std::process::ChildStdout>,
    stderr: Option<std::process::ChildStderr>,
}

fn started(
    mut command: Command,
    limits: Limits,
    hold: Hold,
    has_second_wall: bool,
) -> Result<Child, SandboxError> {
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let (told, hear) = mpsc::channel();
    let (over, gone) = watch::channel(None);
    let work = move || {
        let (leash, pipes) = match begin(&mut command, hold, has_second_wall) {
            Ok(begun) => begun,
            Err(error) => return drop(told.send(Err(error))),
        };
        if told.send(Ok((leash.clone(), pipes))).is_err() {
            leash.kill();
        }
        over.send_replace(Some(leash.watch(&limits)));
    };
    let thread = std::thread::Builder::new().name("planloom-child".to_owned());
    thread.spawn(work).map_err(SandboxError::Start)?;
    let lost = || SandboxError::SetUp("the thread that starts it broke down".to_owned());
    let (leash, pipes) = hear.recv().map_err(|_| lost())??;
    let mut child = Child {
        stdin: None,
        stdout: None,
        stderr: None,
        leash,
        gone,
        hidden: Vec::new(),
    };
    child.stdin = pipes
        .stdin
        .map(ChildStdin::from_std)
        .transpose()
        .map_err(SandboxError::Start)?;
    child.stdout = pipes
        .stdout
        .map(ChildStdout::from_std)
        .transpose()
        .map_err(SandboxError::Start)?;
    child.stderr = pipes
        .stderr
        .map(ChildStderr::from_std)
        .transpose()
        .map_err(SandboxError::Start)?;
    Ok(child)
}

fn begin(
    command: &mut Command,
    hold: Hold,
    has_second_wall: bool,
) -> Result<(Arc<Leash>, Pipes), SandboxError> {
    if has_second_wall {
        super::probe::second_wall().map_err(SandboxError::SetUp)?;
    }
    let mut child = command.spawn().map_err(SandboxError::Start)?;
    let mut pipes = Pipes {
        stdin: child.stdin.take(),
        stdout: child.stdout.take(),
        stderr: child.stderr.take(),
    };
    if hold == Hold::Namespace
        && let Err(why) = open_gate(&mut pipes)
    {
        let _ = child.kill();
        let _ = child.wait();
        return Err(SandboxError::SetUp(why));
    }
    Ok((Arc::new(Leash::new(child, hold)), pipes))
}

/// Waits until the walls stand, and lets the program begin.
fn open_gate(pipes: &mut Pipes) -> Result<(), String> {
    let (Some(stdin), Some(stdout)) = (&mut pipes.stdin, &mut pipes.stdout) else {
        return Err("it has no pipes".to_owned());
    };
    let mut said = [0];
    match is_heard_within(stdout, PATIENCE) && stdout.read(&mut said).is_ok_and(|read| read == 1) {
        true if said[0] == bubblewrap::READY => stdin.write_all(bubblewrap::WORD).map_err(|e| e.to_string()),
        // Nothing of it can still be writing: bubblewrap has ended, or is ended now.
        _ => {
            let mut why = Vec::new();
            if let Some(stderr) = &mut pipes.stderr
                && is_heard_within(stderr, Duration::ZERO)
            {
                why.resize(4096, 0);
                let length = stderr.read(&mut why).unwrap_or(0);
                why.truncate(length);
            }
            Err(super::words::plain(&String::from_utf8_lossy(&why)))
        }
    }
}

/// How long the walls may take; some milliseconds are usual.
const PATIENCE: Duration = Duration::from_secs(10);

#[cfg(unix)]
fn is_heard_within(pipe: &impl std::os::fd::AsFd, patience: Duration) -> bool {
    super::exit::is_ready_within(pipe, patience)
}

#[cfg(not(unix))]
fn is_heard_within<P>(_: &P, _: Duration) -> bool {
    true
}
