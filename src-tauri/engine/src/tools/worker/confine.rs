//! What a worker gives up before it looks at what others wrote: network, other programs, memory without end, and all files
//! but one folder's. Where a system lacks a means the others still hold. Knows no work.

use std::path::Path;

#[cfg(target_os = "linux")]
pub(super) use linux::{process, thread};

/// Elsewhere a worker is only a process of its own.
#[cfg(not(target_os = "linux"))]
pub(super) fn process() {}

#[cfg(not(target_os = "linux"))]
pub(super) fn thread(_folder: Option<&Path>) {}

#[cfg(target_os = "linux")]
mod linux {
    use std::collections::BTreeMap;

    use landlock::{
        ABI, Access as _, AccessFs, BitFlags, Ruleset, RulesetAttr as _, RulesetCreatedAttr as _,
        path_beneath_rules,
    };
    use rustix::process::{Resource, Rlimit, setrlimit};
    use seccompiler::{
        BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
        SeccompRule,
    };

    use super::Path;

    const MEMORY: u64 = 1 << 30;
    const FILES: u64 = 64;
    const RULES: ABI = ABI::V5;

    /// For the whole process, and for every thread that it will have.
    pub(in super::super) fn process() {
        let limit = |most| Rlimit {
            current: Some(most),
            maximum: Some(most),
        };
        for (resource, most) in [
            (Resource::As, MEMORY),
            (Resource::Nofile, FILES),
            (Resource::Core, 0),
        ] {
            let _ = setrlimit(resource, limit(most));
        }
        if let Some(program) = filter() {
            let _ = seccompiler::apply_filter(&program);
        }
    }

    /// For the thread that calls, and those that it starts: no file but those in the folder.
    pub(in super::super) fn thread(folder: Option<&Path>) {
        let handled = AccessFs::from_all(RULES);
        let ruleset = Ruleset::default()
            .handle_access(handled)
            .and_then(Ruleset::create);
        let Ok(ruleset) = ruleset else { return };
        let ruleset = match folder {
            Some(folder) => ruleset.add_rules(path_beneath_rules([folder], allowed())),
            None => Ok(ruleset),
        };
        if let Ok(ruleset) = ruleset {
            let _ = ruleset.restrict_self();
        }
    }

    /// What a database needs beside itself: its journals come and go.
    fn allowed() -> BitFlags<AccessFs> {
        AccessFs::ReadFile
            | AccessFs::ReadDir
            | AccessFs::WriteFile
            | AccessFs::Truncate
            | AccessFs::MakeReg
            | AccessFs::RemoveFile
    }

    /// Calls that reach the network, other processes or the kernel's keys fail.
    fn filter() -> Option<BpfProgram> {
        let mut rules: BTreeMap<i64, Vec<SeccompRule>> =
            refused().into_iter().map(|call| (call, Vec::new())).collect();
        // Signals to itself are how a process aborts.
        let own = u64::from(std::process::id());
        let to_others = SeccompCondition::new(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, own).ok()?;
        let to_others = SeccompRule::new(vec![to_others]).ok()?;
        for call in [libc::SYS_kill, libc::SYS_tgkill] {
            rules.insert(call, vec![to_others.clone()]);
        }
        let refusal = SeccompAction::Errno(libc::EPERM.unsigned_abs());
        let architecture = std::env::consts::ARCH.try_into().ok()?;
        let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, architecture).ok()?;
        filter.try_into().ok()
    }

    fn refused() -> Vec<i64> {
        vec![
            libc::SYS_socket,
            libc::SYS_socketpair,
            libc::SYS_connect,
            libc::SYS_bind,
            libc::SYS_listen,
            libc::SYS_accept,
            libc::SYS_accept4,
            libc::SYS_sendto,
            libc::SYS_sendmsg,
            libc::SYS_sendmmsg,
            libc::SYS_execve,
            libc::SYS_execveat,
            libc::SYS_ptrace,
            libc::SYS_process_vm_readv,
            libc::SYS_process_vm_writev,
            libc::SYS_tkill,
            libc::SYS_pidfd_open,
            libc::SYS_pidfd_send_signal,
            libc::SYS_pidfd_getfd,
            libc::SYS_io_uring_setup,
            libc::SYS_bpf,
            libc::SYS_perf_event_open,
            libc::SYS_userfaultfd,
            libc::SYS_mount,
            libc::SYS_umount2,
            libc::SYS_unshare,
            libc::SYS_setns,
            libc::SYS_chroot,
            libc::SYS_keyctl,
            libc::SYS_add_key,
            libc::SYS_request_key,
        ]
    }
}
