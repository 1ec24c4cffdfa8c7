//! Why a request was refused, as a face branches on it.

use crate::history::drafting::DraftingError;
use crate::history::load::LoadError;
use crate::model::problem::Problem;
use crate::model::{RunId, Seq, counted};
use crate::store::StoreError;

/// `code` is stable; the message says what happened, what was kept, what to do next.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request, the plan or the answer is wrong.
    #[error("{message}")]
    Invalid { code: &'static str, message: String },
    /// The plan has errors; all problems are given.
    #[error("the plan has {}; nothing has run", counted(problems.len(), "problem"))]
    Problems { problems: Vec<Problem> },
    /// Someone else was first: another process drives the run, or the decision has been answered.
    #[error("{message}")]
    Conflict { code: &'static str, message: String },
    #[error("{message}")]
    NotFound { message: String },
    /// The store or the machine failed.
    #[error("{message}")]
    Store { code: &'static str, message: String },
}

impl Error {
    pub(super) fn invalid(code: &'static str, message: impl Into<String>) -> Self {
        Self::Invalid {
            code,
            message: message.into(),
        }
    }
    /// The log has no such position.
    pub(super) fn no_event(run: &RunId, head: Seq) -> Self {
        let message = format!("the run's log has events 1 to {head}; `planloom log {run}` lists them");
        Self::invalid("no_such_event", message)
    }
    pub(super) fn conflict(code: &'static str, message: impl Into<String>) -> Self {
        Self::Conflict {
            code,
            message: message.into(),
        }
    }
    pub fn code(&self) -> &'static str {
        match self {
            Self::Invalid { code, .. } | Self::Conflict { code, .. } | Self::Store { code, .. } => code,
            Self::Problems { .. } => "problems",
            Self::NotFound { .. } => "not_found",
        }
    }
}

impl From<StoreError> for Error {
    fn from(error: StoreError) -> Self {
        let message = error.to_string();
        match error {
            StoreError::NoRun(_) | StoreError::Deleted { .. } => Self::NotFound { message },
            StoreError::StillForked(_) | StoreError::Exists(_) => Self::Conflict {
                code: "exists",
                message,
            },
            StoreError::Owned(..) => Self::Conflict {
                code: "owned",
                message,
            },
            StoreError::Moved { .. } => Self::Conflict {
                code: "moved",
                message,
            },
            StoreError::Deposed => Self::Conflict {
                code: "deposed",
                message,
            },
            StoreError::Newer { .. } => Self::Store {
                code: "newer",
                message,
            },
            StoreError::Empty { .. } => Self::Store {
                code: "empty_database",
                message,
            },
            StoreError::Lost { .. } | StoreError::Damaged(_) => Self::Store {
                code: "damaged",
                message,
            },
            StoreError::Held(_) | StoreError::Busy(_) => Self::Store {
                code: "locked",
                message,
            },
            StoreError::NotOurs { .. } => Self::Store {
                code: "not_ours",
                message,
            },
            StoreError::Migration { .. } => Self::Store {
                code: "migration",
                message,
            },
            StoreError::Full(_) => Self::Store {
                code: "disk_full",
                message,
            },
            StoreError::Open { .. }
            | StoreError::Payload { .. }
            | StoreError::Event { .. }
            | StoreError::Gap { .. }
            | StoreError::Cut { .. }
            | StoreError::ReadOnly(_)
            | StoreError::Sqlite(_)
            | StoreError::Io(_)
            | StoreError::Closed => Self::Store {
                code: "store",
                message,
            },
        }
    }
}

impl From<LoadError> for Error {
    fn from(error: LoadError) -> Self {
        match error {
            LoadError::Store(error) | LoadError::Drafting(DraftingError::Store(error)) => error.into(),
            other @ (LoadError::Drafting(_) | LoadError::Plan(_) | LoadError::Illegal(_)) => Self::Store {
                code: "unreadable",
                message: other.to_string(),
            },
        }
    }
}

impl From<DraftingError> for Error {
    fn from(error: DraftingError) -> Self {
        LoadError::from(error).into()
    }
}
