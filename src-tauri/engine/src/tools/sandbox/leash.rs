//! One running child and how it is ended, with all that it has started. It must not know walls or output.

use std::process::Child;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Limits;
use super::exit::{Exit, code_of};
#[cfg(target_os = "linux")]
use super::tree;

/// How a child ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gone {
    /// As a shell counts: 128 + n after signal n.
    pub code: i32,
    /// It was ended for this.
    pub excess: Option<Excess>,
}

/// Which limit it passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Excess {
    Processes,
    Memory,
}

/// What holds the tree together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hold {
    /// A process namespace: its first process takes all others with it.
    Namespace,
    /// A process group, which a process may leave.
    Group,
}

pub(super) struct Leash {
    /// Ended processes stay known to the system until this is waited for, so that signals hit no other.
    child: Mutex<Child>,
    pid: u32,
    hold: Hold,
    is_killed: AtomicBool,
    /// It has been waited for: its number may be another one's by now.
    is_over: AtomicBool,
}

/// The time between two looks at what a child does: it grows with the child's age, since each look reads the list of all
/// processes, and the limits inside hold what floods meanwhile. The system holds root to no number of processes: there
/// the looks are all there is.
fn between_looks(age: Duration) -> Duration {
    let (first, late) = match is_root() {
        true => (Duration::from_millis(15), Duration::from_millis(100)),
        false => (Duration::from_millis(100), Duration::from_secs(2)),
    };
    (age / 20).clamp(first, late)
}

fn is_root() -> bool {
    #[cfg(unix)]
    return rustix::process::geteuid().is_root();
    #[cfg(not(unix))]
    false
}

/// Bubblewrap ends by itself once its namespace is gone.
const OWN_END: Duration = Duration::from_millis(500);

impl Leash {
    pub fn new(child: Child, hold: Hold) -> Self {
        let pid = child.id();
        Self {
            child: Mutex::new(child),
            pid,
            hold,
            is_killed: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
        }
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Asks all its processes to end.
    pub fn terminate(&self) {
        let mut child = self.lock();
        if !self.is_over.load(Ordering::Relaxed) {
            self.signal_all(&mut child, Kind::Ask);
        }
    }

    /// Ends all its processes.
    pub fn kill(&self) {
        let mut child = self.lock();
        self.is_killed.store(true, Ordering::Relaxed);
        if !self.is_over.load(Ordering::Relaxed) {
            self.signal_all(&mut child, Kind::Force);
        }
    }

    /// Waits for its end and looks after its limits meanwhile. Blocks its thread, which has to be the one that started
    /// the child: the system ends the child with that thread.
    pub fn watch(&self, limits: &Limits) -> Gone {
        let exit = Exit::of(self.pid);
        let mut looks = Looks::default();
        let since = Instant::now();
        let mut pause = Duration::from_millis(2);
        while !exit.comes_within(pause, || self.lock()) {
            pause = (pause * 2).min(between_looks(since.elapsed()));
            if looks.excess.is_none() && looks.look(self, limits) {
                self.kill();
            }
            if self.is_killed.load(Ordering::Relaxed) && looks.is_overdue() {
                let _ = self.lock().kill();
            }
        }
        let mut child = self.lock();
        if self.hold == Hold::Group {
            // What it left behind in its group.
            self.signal_group(Kind::Force);
        }
        let status = child.wait();
        self.is_over.store(true, Ordering::Relaxed);
        drop(child);
        looks.wait_for_the_others();
        Gone {
            code: status.map_or(-1, code_of),
            excess: looks.excess,
        }
    }

    fn lock(&self) -> MutexGuard<'_, Child> {
        self.child.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn signal_all(&self, child: &mut Child, kind: Kind) {
        #[cfg(target_os = "linux")]
        {
            let below = tree::below(self.pid.cast_signed());
            match (self.hold, kind, below.first()) {
                // Killed with the first, the others need no signal of their own, and bubblewrap sees it and ends.
                (Hold::Namespace, Kind::Force, Some(first)) => {
                    return tree::signal(first, rustix::process::Signal::KILL);
                }
                (Hold::Namespace, Kind::Ask, Some(_)) => {
                    below[1..]
                        .iter()
                        .for_each(|p| tree::signal(p, rustix::process::Signal::TERM));
                    return;
                }
                (Hold::Namespace, _, None) => {}
                (Hold::Group, kind, _) => below.iter().for_each(|p| tree::signal(p, kind.signal())),
            }
        }
        if self.hold == Hold::Group {
            self.signal_group(kind);
        }
        if kind == Kind::Force || cfg!(windows) {
            let _ = child.kill();
        }
    }

    /// Only before the child is waited for: then the group's number can't have passed to another one.
    fn signal_group(&self, kind: Kind) {
        #[cfg(unix)]
        if let Some(group) = rustix::process::Pid::from_raw(self.pid.cast_signed()) {
            let _ = rustix::process::kill_process_group(group, kind.signal());
        }
        #[cfg(not(unix))]
        let _ = kind;
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Ask,
    Force,
}

#[cfg(unix)]
impl Kind {
    fn signal(self) -> rustix::process::Signal {
        match self {
            Self::Ask => rustix::process::Signal::TERM,
            Self::Force => rustix::process::Signal::KILL,
        }
    }
}

/// What has been seen of a child's tree so far.
#[derive(Default)]
struct Looks {
    excess: Option<Excess>,
    /// Since when it should be gone.
    overdue: Option<Instant>,
    /// The first process of the child's namespace.
    #[cfg(target_os = "linux")]
    first: Option<rustix::fd::OwnedFd>,
}

impl Looks {
    /// Whether a limit is passed.
    fn look(&mut self, leash: &Leash, limits: &Limits) -> bool {
        #[cfg(target_os = "linux")]
        {
            let below = tree::below(leash.pid.cast_signed());
            if self.first.is_none() && leash.hold == Hold::Namespace {
                self.first = below.first().and_then(tree::handle);
            }
            self.excess = passed(&below, limits);
        }
        #[cfg(not(target_os = "linux"))]
        let _ = (leash, limits);
        self.excess.is_some()
    }

    fn is_overdue(&mut self) -> bool {
        self.overdue.get_or_insert_with(Instant::now).elapsed() > OWN_END
    }

    /// Once the first process of a namespace is gone, all of them are.
    fn wait_for_the_others(&self) {
        #[cfg(target_os = "linux")]
        if let Some(first) = &self.first {
            super::exit::is_over_within(first, OWN_END);
        }
    }
}

#[cfg(target_os = "linux")]
fn passed(below: &[tree::Process], limits: &Limits) -> Option<Excess> {
    let living = || below.iter().filter(|p| !p.is_zombie);
    // The first one is the namespace's own.
    if living().map(|p| p.threads).sum::<u32>() > limits.processes.saturating_add(1) {
        return Some(Excess::Processes);
    }
    let memory: u64 = living().map(|p| tree::memory(p.pid)).sum();
    (memory > limits.memory_bytes).then_some(Excess::Memory)
}
