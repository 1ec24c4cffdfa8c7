//! Telling that a child has ended, without taking its status: until that is taken its number stays its own.

use std::process::{Child, ExitStatus};
use std::sync::MutexGuard;
use std::time::Duration;

pub(super) struct Exit {
    #[cfg(target_os = "linux")]
    handle: Option<rustix::fd::OwnedFd>,
    #[cfg_attr(not(unix), expect(dead_code, reason = "the child itself is asked there"))]
    pid: u32,
}

impl Exit {
    pub fn of(pid: u32) -> Self {
        Self {
            #[cfg(target_os = "linux")]
            handle: rustix::process::Pid::from_raw(pid.cast_signed())
                .and_then(|pid| rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).ok()),
            pid,
        }
    }

    /// Waits so long at most; `true` at once when the child has ended.
    pub fn comes_within<'c>(&self, pause: Duration, child: impl FnOnce() -> MutexGuard<'c, Child>) -> bool {
        #[cfg(target_os = "linux")]
        if let Some(handle) = &self.handle {
            return is_over_within(handle, pause);
        }
        std::thread::sleep(pause);
        self.has_come(&mut child())
    }

    #[cfg(unix)]
    fn has_come(&self, _: &mut Child) -> bool {
        use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
        let pid = Pid::from_raw(self.pid.cast_signed());
        // A child that can't be waited for is gone.
        pid.is_none_or(|pid| !matches!(waitid(WaitId::Pid(pid), options), Ok(None)))
    }

    #[cfg(not(unix))]
    fn has_come(&self, child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }
}

#[cfg(target_os = "linux")]
pub(super) fn is_over_within(handle: &rustix::fd::OwnedFd, pause: Duration) -> bool {
    is_ready_within(handle, pause)
}

/// Whether there is something to be read within this time, if only an end.
#[cfg(unix)]
pub(super) fn is_ready_within(file: &impl std::os::fd::AsFd, pause: Duration) -> bool {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let timeout = Timespec {
        tv_sec: pause.as_secs().cast_signed(),
        tv_nsec: pause.subsec_nanos().into(),
    };
    match poll(&mut [PollFd::new(file, PollFlags::IN)], Some(&timeout)) {
        Ok(ready) => ready > 0,
        Err(_) => {
            std::thread::sleep(Duration::from_millis(1));
            false
        }
    }
}

pub(super) fn code_of(status: ExitStatus) -> i32 {
    #[cfg(unix)]
    {
        use std::os::unix::process::ExitStatusExt;
        status
            .code()
            .or(status.signal().map(|signal| 128 + signal))
            .unwrap_or(-1)
    }
    #[cfg(not(unix))]
    status.code().unwrap_or(-1)
}
