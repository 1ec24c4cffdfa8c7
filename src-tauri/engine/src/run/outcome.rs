//! From a tool's typed error to what may follow, given what the call may have changed (rules 4 and 13).

use std::time::Duration;

use super::attempt::Flight;
use super::breakers::Word;
use crate::model::Json;
use crate::model::backoff::RATE_LIMITED;
use crate::model::events::{Failure, FailureClass};
use crate::model::grants::Need;
use crate::model::redactor::Redactor;
use crate::tools::ToolError;

pub enum Outcome {
    Done(Json),
    Retry {
        error: Failure,
        asked: Option<Duration>,
    },
    /// An effect may have happened and must not be repeated.
    Doubt(Failure),
    Fail(Failure),
    NotGranted {
        error: Failure,
        needs: Vec<Need>,
    },
    Cancelled,
}

impl Outcome {
    /// What it says of the endpoint: a refusal is an answer too.
    pub fn word(&self) -> Word {
        match self {
            Self::Done(_) | Self::Fail(_) => Word::Answered,
            // It is there, and wants to be left alone for a while.
            Self::Retry { error, .. } if error.code == RATE_LIMITED => Word::Nothing,
            Self::Retry { .. } | Self::Doubt(_) => Word::Down,
            Self::NotGranted { .. } | Self::Cancelled => Word::Nothing,
        }
    }
}

/// Secrets are taken out of whatever came back before anything else sees it.
pub fn classify(result: Result<Json, ToolError>, flight: &Flight, redactor: &Redactor) -> Outcome {
    let failure = |class, code: &str, message: &str| Failure {
        class,
        code: code.to_owned(),
        message: match flight.has_secrets {
            true => redactor.quoted(message),
            false => redactor.told(message),
        },
    };
    match result {
        Ok(value) => Outcome::Done(redactor.value(value)),
        Err(ToolError::Transient {
            code,
            message,
            retry_after,
        }) => Outcome::Retry {
            error: failure(FailureClass::Transient, code, &message),
            asked: retry_after,
        },
        Err(ToolError::Unknown { code, message, .. }) if flight.is_effect && !flight.is_repeatable => {
            Outcome::Doubt(failure(FailureClass::Unknown, code, &message))
        }
        Err(ToolError::Unknown {
            code,
            message,
            retry_after,
        }) => Outcome::Retry {
            error: failure(FailureClass::Unknown, code, &message),
            asked: retry_after,
        },
        Err(ToolError::Permanent { code, message }) => {
            Outcome::Fail(failure(FailureClass::Permanent, code, &message))
        }
        Err(error @ ToolError::NotGranted { .. }) => {
            let message = error.to_string();
            let ToolError::NotGranted { needs } = error else {
                return Outcome::Cancelled;
            };
            Outcome::NotGranted {
                error: failure(FailureClass::NotGranted, "not_granted", &message),
                needs,
            }
        }
        Err(ToolError::Cancelled) => Outcome::Cancelled,
    }
}
