//! The processes below one, as the system lists them. It must not know why anybody wants to know.

#[cfg(target_os = "linux")]
pub(super) use linux::*;

/// One process below another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(not(target_os = "linux"), expect(dead_code, reason = "only Linux lists them"))]
pub(super) struct Process {
    pub pid: i32,
    pub parent: i32,
    pub threads: u32,
    /// Ticks since boot: with the number, it names one process for ever.
    pub started: u64,
    pub is_zombie: bool,
}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::HashMap;
    use std::fs;

    use rustix::fd::OwnedFd;
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    use super::Process;

    /// All processes whose parents lead to `root`, nearest first; without `root` itself.
    pub fn below(root: i32) -> Vec<Process> {
        let mut children: HashMap<i32, Vec<Process>> = HashMap::new();
        for process in all() {
            children.entry(process.parent).or_default().push(process);
        }
        let mut found = Vec::new();
        let mut open = vec![root];
        while let Some(pid) = open.pop() {
            for process in children.remove(&pid).unwrap_or_default() {
                open.push(process.pid);
                found.push(process);
            }
        }
        found
    }

    fn all() -> impl Iterator<Item = Process> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        entries.filter_map(|entry| read(entry.file_name().to_str()?.parse().ok()?))
    }

    /// From `/proc/PID/stat`; the name in it may hold anything, so that fields are counted behind its bracket.
    pub fn read(pid: i32) -> Option<Process> {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        let (_, rest) = stat.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Process {
            pid,
            parent: fields.get(1)?.parse().ok()?,
            threads: fields.get(17)?.parse().ok()?,
            started: fields.get(19)?.parse().ok()?,
            is_zombie: matches!(*fields.first()?, "Z" | "X"),
        })
    }

    /// A handle to this very process, if it is still there.
    pub fn handle(process: &Process) -> Option<OwnedFd> {
        let pid = Pid::from_raw(process.pid)?;
        let handle = pidfd_open(pid, PidfdFlags::empty()).ok()?;
        // The number could have passed to another one before it was opened.
        (read(process.pid)?.started == process.started).then_some(handle)
    }

    pub fn signal(process: &Process, signal: Signal) {
        if let Some(handle) = handle(process) {
            // It may have ended by now, which is as good.
            let _ = pidfd_send_signal(&handle, signal);
        }
    }

    /// Bytes of memory that are its own.
    pub fn memory(pid: i32) -> u64 {
        let pages = || {
            let statm = fs::read_to_string(format!("/proc/{pid}/statm")).ok()?;
            let mut fields = statm.split_whitespace().skip(1);
            let (resident, shared): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
            Some(resident.saturating_sub(shared))
        };
        pages().unwrap_or(0) * rustix::param::page_size() as u64
    }
}
