//! Child processes behind walls: only what is granted is there, and the whole tree ends with the call.
//! It must not know tools, plans or grants; it is told paths.
//!
//! The walls are bubblewrap's: namespaces of their own for files, processes, users and network, no capabilities, a few
//! read-only folders of the system. Landlock is a second one for signals and abstract sockets, and a
//! filter of system calls a third. Landlock's rules for files can't be added: a process under them may not mount, which is
//! what bubblewrap does first. Where there is no
//! bubblewrap nothing starts, except by [`spawn_unconfined`], which needs a person's word.
//!
//! What is not held: a granted folder is looked up when the call starts; another command of the same run that may write
//! the folder *around* it could put a link there in the same instant.

mod beside;
mod bubblewrap;
mod drain;
mod exit;
mod leash;
mod masks;
mod probe;
mod run;
mod start;
mod system;
#[cfg(test)]
#[cfg(unix)]
mod tests;
mod tree;
mod words;

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use super::Hands;

pub use beside::Beside;
pub use bubblewrap::Walls;
pub use drain::Caught;
pub use leash::{Excess, Gone};
pub(crate) use masks::is_of_the_system;
pub use probe::{Confinement, confinement};
pub use run::{End, Ended, run};
pub use start::{Child, spawn, spawn_unconfined};

/// One program, what it gets and what it may touch. Everything else is not there for it.
#[derive(Clone, Debug)]
pub struct Confined {
    /// An absolute path. Where it lies in none of the system's folders, this one file is shown too.
    pub program: PathBuf,
    pub args: Vec<OsString>,
    /// Where it starts, an absolute path that is shown; `/tmp` by default, which is its own and empty.
    pub cwd: Option<PathBuf>,
    /// Beside `PATH`, `HOME`, `LANG`, `TMPDIR` and `TERM`; nothing is inherited.
    pub env: Vec<(String, String)>,
    pub read: Vec<Shown>,
    /// May be read too.
    pub write: Vec<Shown>,
    /// Folders that nobody else uses: written too, and nothing in them is hidden.
    pub own: Vec<PathBuf>,
    /// Folders and files that stay out of sight although they lie below shown ones.
    pub closed: Vec<PathBuf>,
    /// All of the machine's network: it can't be held to single hosts.
    pub network: bool,
    pub limits: Limits,
    /// Where it is noted, before it begins, what it may write.
    pub hands: Hands,
    /// Who else may write there meanwhile.
    pub beside: Beside,
}

impl Confined {
    /// Nothing granted, limits as for a command.
    pub fn new(program: PathBuf, args: Vec<OsString>) -> Self {
        Self {
            program,
            args,
            cwd: None,
            env: Vec::new(),
            read: Vec::new(),
            write: Vec::new(),
            own: Vec::new(),
            closed: Vec::new(),
            network: false,
            limits: Limits::default(),
            hands: Hands::default(),
            beside: Beside::default(),
        }
    }
}

/// A file or folder, and where it is seen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Its real path, without links.
    pub from: PathBuf,
    pub at: PathBuf,
}

impl From<PathBuf> for Shown {
    fn from(path: PathBuf) -> Self {
        let from = std::fs::canonicalize(&path).unwrap_or_else(|_| path.clone());
        Self { from, at: path }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For [`run`]; what [`spawn`] starts lives until it is ended.
    pub wall: Duration,
    /// Kept of each of stdout and stderr.
    pub output_bytes: usize,
    /// Processes and threads at a time.
    pub processes: u32,
    /// Of all its processes together.
    pub memory_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(60),
            output_bytes: 4 << 20,
            processes: 256,
            memory_bytes: 2 << 30,
        }
    }
}

/// Why nothing was started, or why nothing more is known of what was.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    #[error("there is no sandbox here: {0}. Nothing was started")]
    Off(String),
    #[error("`{0}` is not an absolute path. Nothing was started")]
    NotAbsolute(PathBuf),
    #[error("`{0}` can't be shown to a command: {1}. Nothing was started")]
    Closed(PathBuf, String),
    #[error("the sandbox could not be set up: {0}. The program was not started")]
    SetUp(String),
    #[error("the program could not be started: {0}")]
    Start(std::io::Error),
    #[error("cancelled; all its processes have been ended")]
    Cancelled,
}
