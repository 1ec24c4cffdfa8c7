//! The one classifier of outcomes (rule 13): from a status, a body, an error in a stream or a word for stopping to a
//! typed outcome. It must not know a clock, nor how anything was sent.

mod finish;
mod room;
mod signal;
mod table;
#[cfg(test)]
mod tests;
mod waits;

use serde_json::Value as Json;

pub use self::finish::{Finish, finish};
pub use self::room::{Room, room};
use self::signal::Signal;
use self::table::{Class, Row};
pub(in crate::llm) use self::waits::span_ms;
use super::Plain;
use crate::llm::{Fault, Outcome};

/// Who speaks: equal words mean different things behind different providers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    OpenAi,
    OpenRouter,
    Anthropic,
    Gemini,
    Ollama,
    LmStudio,
    LlamaCpp,
    Vllm,
    /// Somebody else who speaks like OpenAI.
    Compatible,
}

/// What a response that is no answer means. Waits that headers name are put in by the sender, who has a clock.
pub fn response(dialect: Dialect, plain: &Plain<'_>) -> Outcome {
    outcome(&Signal::of_response(dialect, plain))
}

/// What an error object means that came after a status of 200: in a stream, or in a body.
pub fn event(dialect: Dialect, said: &Json) -> Outcome {
    outcome(&Signal::of_event(dialect, said))
}

/// The stream ended before the provider said that the answer is whole.
pub fn truncated() -> Outcome {
    Outcome::Transient(Fault::new(
        "truncated",
        "the answer broke off before its end; nothing of it was used",
    ))
}

/// The provider called the answer whole and there is nothing in it.
pub fn empty(has_thought: bool) -> Outcome {
    let message = if has_thought {
        "the model thought and then gave no answer"
    } else {
        "the model gave an empty answer"
    };
    Outcome::Unknown(Fault::new("empty_answer", message))
}

fn outcome(signal: &Signal) -> Outcome {
    let row = table::ROWS.iter().find(|row| row.fits(signal));
    let (class, code) = row.map_or((Class::Unknown, "unknown"), |Row { class, code, .. }| {
        (*class, *code)
    });
    let mut fault = Fault::new(code, signal.message(class));
    fault.retry_after_ms = signal.wait_ms;
    match class {
        Class::Rate => Outcome::Rate(fault),
        Class::Quota => Outcome::Quota(fault),
        Class::Overflow => Outcome::Overflow(fault),
        Class::Auth => Outcome::Auth(fault),
        Class::Transient => Outcome::Transient(fault),
        Class::Permanent => Outcome::Permanent(fault),
        Class::Unknown => Outcome::Unknown(fault),
    }
}
