//! Exit codes (DESIGN §7).

use std::process::ExitCode;

use planloom_engine::Error;
use planloom_engine::views::RunStatus;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    Done,
    Failed,
    Wrong,
    Waiting,
    Machine,
    Cancelled,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Done => 0,
            Exit::Failed => 1,
            Exit::Wrong => 2,
            Exit::Waiting => 3,
            Exit::Machine => 4,
            Exit::Cancelled => 130,
        })
    }
}

impl Exit {
    pub fn of_state(status: RunStatus) -> Self {
        match status {
            RunStatus::Succeeded => Self::Done,
            RunStatus::Failed => Self::Failed,
            RunStatus::Cancelled => Self::Cancelled,
            RunStatus::AwaitingApproval
            | RunStatus::Running
            | RunStatus::Paused
            | RunStatus::Waiting
            | RunStatus::Blocked => Self::Waiting,
        }
    }

    pub fn of_error(error: &Error) -> Self {
        match error {
            // Another process drives the run: not this input's fault.
            Error::Conflict {
                code: "owned" | "deposed" | "moved" | "closing",
                ..
            }
            | Error::Store { .. } => Self::Machine,
            Error::Invalid { .. }
            | Error::Problems { .. }
            | Error::NotFound { .. }
            | Error::Conflict { .. } => Self::Wrong,
        }
    }
}
