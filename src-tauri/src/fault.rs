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

/// How many problems of a plan a message names; the window lists them all beside it.
const NAMED: usize = 3;

impl From<Error> for Fault {
    fn from(error: Error) -> Self {
        let mut message = error.to_string();
        if let Error::Problems { problems } = &error {
            let named: Vec<&str> = problems
                .iter()
                .take(NAMED)
                .map(|problem| problem.message.as_str())
                .collect();
            message = format!("{message}: {}", named.join("; "));
        }
        Self::new(error.code(), message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn engine_errors_keep_their_code_and_message() {
        let stale = Error::Conflict {
            code: "stale_revision",
            message: "The draft has changed.".into(),
        };
        assert_eq!(
            Fault::from(stale),
            Fault::new("stale_revision", "The draft has changed.")
        );
        let gone = Error::NotFound {
            message: "There is no run abc.".into(),
        };
        assert_eq!(Fault::from(gone), Fault::new("not_found", "There is no run abc."));
        let full = Error::Store {
            code: "disk_full",
            message: "The disk is full.".into(),
        };
        assert_eq!(Fault::from(full), Fault::new("disk_full", "The disk is full."));
    }
}
