//! How an outcome travels from a worker: a tool's error has words of this program's own, which a text must find again.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::Json;
use crate::tools::ToolError;

#[derive(Debug, Serialize, Deserialize)]
pub(super) enum Outcome {
    Done(Json),
    Transient(Refusal),
    Unknown(Refusal),
    Permanent(Refusal),
    Cancelled,
}

#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Refusal {
    code: String,
    message: String,
    retry_after: Option<Duration>,
}

/// Every code that work in a worker may end with.
const CODES: &[&str] = &[
    "bad_arguments",
    "bad_csv",
    "bad_document",
    "bad_sql",
    "bad_value",
    BROKEN,
    "code_input",
    "code_memory",
    "code_result",
    "code_threw",
    "code_timeout",
    "constraint",
    "database_busy",
    "disk_full",
    "encrypted",
    "io",
    "no_access",
    "not_a_database",
    "not_found",
    "not_text",
    "sql_denied",
    "sql_timeout",
    "too_deep",
    "too_large",
];

const OTHER: &str = "worker";
/// Of work that panicked.
const BROKEN: &str = "broken";

impl Outcome {
    pub(super) fn of(result: Result<Json, ToolError>) -> Self {
        let refusal = |code: &str, message, retry_after| {
            debug_assert!(
                CODES.contains(&code),
                "`{code}` is not among the codes of a worker"
            );
            Refusal {
                code: code.to_owned(),
                message,
                retry_after,
            }
        };
        match result {
            Ok(value) => Self::Done(value),
            Err(ToolError::Transient {
                code,
                message,
                retry_after,
            }) => Self::Transient(refusal(code, message, retry_after)),
            Err(ToolError::Unknown {
                code,
                message,
                retry_after,
            }) => Self::Unknown(refusal(code, message, retry_after)),
            Err(ToolError::Permanent { code, message }) => Self::Permanent(refusal(code, message, None)),
            Err(ToolError::Cancelled) => Self::Cancelled,
            // A worker is given no grants, so that it can miss none.
            Err(error @ ToolError::NotGranted { .. }) => {
                Self::Permanent(refusal("no_access", error.to_string(), None))
            }
        }
    }

    /// Of work that panicked.
    pub(super) fn broken() -> Self {
        let message = "the reader of such documents broke down on this one";
        Self::of(Err(ToolError::permanent(BROKEN, message)))
    }

    /// Whether the worker may have been left in a state that nobody knows.
    pub(super) fn is_broken(&self) -> bool {
        match self {
            Self::Permanent(told) => told.code == BROKEN,
            Self::Done(_) | Self::Transient(_) | Self::Unknown(_) | Self::Cancelled => false,
        }
    }

    pub(super) fn into_result(self) -> Result<Json, ToolError> {
        match self {
            Self::Done(value) => Ok(value),
            Self::Transient(told) => Err(ToolError::Transient {
                code: word(&told.code),
                message: told.message,
                retry_after: told.retry_after,
            }),
            Self::Unknown(told) => Err(ToolError::Unknown {
                code: word(&told.code),
                message: told.message,
                retry_after: told.retry_after,
            }),
            Self::Permanent(told) => Err(ToolError::permanent(word(&told.code), told.message)),
            Self::Cancelled => Err(ToolError::Cancelled),
        }
    }
}

fn word(code: &str) -> &'static str {
    CODES.iter().find(|c| **c == code).copied().unwrap_or(OTHER)
}
