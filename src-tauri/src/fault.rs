//! What a command answers when it can't do what was asked. Knows the engine's errors and nothing of their causes.

use planloom_engine::Error;
use serde::Serialize;

/// A refusal as the window gets it: the code is for branching, the message is for people.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
pub struct Fault {
    pub code: String,
    /// What happened, what was kept, what to do next.
    pub message: String,
}

impl Fault {
    pub fn new(code: &str, message: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            message: message.into(),
        }
    }

    /// A panic in the work behind a command: the window and all runs go on.
    pub fn internal(cause: &str) -> Self {
        Self::new(
            "internal",
            format!(
                "Planloom made a mistake and did not finish this ({cause}). Everything recorded so far is kept; try again."
            ),
        )
    }
}

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let code = match &error {
            Error::Invalid { code, .. } | Error::Conflict { code, .. } => code,
            Error::NotFound { .. } => "not_found",
            Error::Store { .. } => "store",
        };
        Self::new(code, error.to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_errors_keep_their_code_and_message() {
        let conflict = Error::Conflict {
            code: "stale_revision",
            message: "The draft has changed.".into(),
        };
        assert_eq!(
            Fault::from(conflict),
            Fault::new("stale_revision", "The draft has changed.")
        );
        let gone = Error::NotFound {
            message: "There is no run abc.".into(),
        };
        assert_eq!(Fault::from(gone), Fault::new("not_found", "There is no run abc."));
        let store = Error::Store {
            message: "The disk is full.".into(),
        };
        assert_eq!(Fault::from(store), Fault::new("store", "The disk is full."));
    }
}
