//! From a model's outcome to the failure of an attempt (rules 4 and 13). It must not know what was asked.

use super::data::cut;
use crate::llm::{Fault, Outcome};
use crate::model::events::{Failure, FailureClass};

/// What a provider says is shown up to this many bytes.
const SHOWN: usize = 2000;
const EMPTY: &str = "empty_answer";

/// An attempt that ends without a result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    pub error: Failure,
    /// How long the provider asked to wait.
    pub retry_after_ms: Option<u64>,
}

impl Failed {
    pub(super) fn permanent(code: &str, message: impl Into<String>) -> Self {
        Self::of(FailureClass::Permanent, code, message.into())
    }

    fn of(class: FailureClass, code: &str, message: String) -> Self {
        Self {
            error: Failure {
                class,
                code: code.to_owned(),
                message,
            },
            retry_after_ms: None,
        }
    }

    /// Neither text nor a call. It usually passes by itself, and nothing has happened.
    pub(super) fn empty() -> Self {
        let message = "The model gave an empty answer; nothing of it was used.";
        Self::of(FailureClass::Transient, EMPTY, message.to_owned())
    }
}

/// The failure that an outcome means; `None` if it is complete.
pub(super) fn failed(outcome: &Outcome) -> Option<Failed> {
    let told = |fault: &Fault| cut(&fault.message, SHOWN).into_owned();
    let (class, code, message) = match outcome {
        Outcome::Complete(_) => return None,
        Outcome::Cut(_) => (
            FailureClass::Permanent,
            "cut",
            "The model's answer was cut at its limit of output; nothing of it was used.".to_owned(),
        ),
        Outcome::Rate(fault) => (FailureClass::Transient, "rate_limited", told(fault)),
        Outcome::Quota(fault) => (FailureClass::Permanent, "quota", told(fault)),
        Outcome::Overflow(fault) => (FailureClass::Permanent, "overflow", told(fault)),
        Outcome::Auth(fault) => (FailureClass::Permanent, "auth", told(fault)),
        Outcome::Transient(fault) => (FailureClass::Transient, fault.code.as_str(), told(fault)),
        Outcome::Permanent(fault) if fault.code == Fault::REFUSAL => {
            let words = format!("The model refused: {}", told(fault));
            (FailureClass::Permanent, Fault::REFUSAL, words)
        }
        // It usually passes by itself, and nothing has happened.
        Outcome::Unknown(fault) if fault.code == EMPTY => (FailureClass::Transient, EMPTY, told(fault)),
        Outcome::Permanent(fault) | Outcome::Unknown(fault) => {
            (FailureClass::Permanent, fault.code.as_str(), told(fault))
        }
    };
    let mut failed = Failed::of(class, code, message);
    failed.retry_after_ms = outcome.fault().and_then(|fault| fault.retry_after_ms);
    Some(failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::Answer;

    #[test]
    fn only_what_passes_by_itself_is_transient() {
        let fault = || Fault {
            retry_after_ms: Some(7),
            ..Fault::new("some_code", "words")
        };
        let told = |outcome: Outcome| {
            let failed = failed(&outcome).unwrap();
            assert_eq!(failed.retry_after_ms.is_some(), outcome.fault().is_some());
            let is_transient = failed.error.class == FailureClass::Transient;
            assert_eq!(is_transient, outcome.may_be_retried());
            (is_transient, failed.error.code)
        };
        let transient = |code: &str| (true, code.to_owned());
        let permanent = |code: &str| (false, code.to_owned());
        assert_eq!(told(Outcome::Rate(fault())), transient("rate_limited"));
        assert_eq!(told(Outcome::Transient(fault())), transient("some_code"));
        assert_eq!(told(Outcome::Cut(Answer::text("half"))), permanent("cut"));
        assert_eq!(told(Outcome::Quota(fault())), permanent("quota"));
        assert_eq!(told(Outcome::Overflow(fault())), permanent("overflow"));
        assert_eq!(told(Outcome::Auth(fault())), permanent("auth"));
        assert_eq!(told(Outcome::Permanent(fault())), permanent("some_code"));
        assert_eq!(told(Outcome::Unknown(fault())), permanent("some_code"));
        assert_eq!(failed(&Outcome::Complete(Answer::text("whole"))), None);
        let empty = failed(&Outcome::Unknown(Fault::new(EMPTY, "words"))).unwrap();
        assert_eq!(empty.error.class, FailureClass::Transient);
    }
}
