//! What an answer comes to, once a provider has said why it ended. It must not know any provider's frames.

use crate::llm::wire::classify::{self, Finish};
use crate::llm::{Answer, Fault, Outcome, Request, Traits};
use crate::model::Json;

/// A piece of the stream could not be read, so something of the answer may be missing.
const UNREADABLE: &str = "a part of the answer could not be read; nothing of it was used";

/// The outcome of an answer that ended with the provider's word. `is_broken` when a piece of it could not be read.
pub fn ended(mut answer: Answer, word: &str, is_broken: bool) -> Outcome {
    answer.stop = Some(word.to_owned());
    let fault = |code: &str, why: &str| Fault::new(code, format!("{why} (it said `{word}`)"));
    match classify::finish(word) {
        Finish::Whole | Finish::Cut if is_broken => Outcome::Transient(Fault::new("unreadable", UNREADABLE)),
        Finish::Whole if answer.is_empty() => classify::empty(!answer.thoughts.is_empty()),
        Finish::Whole => Outcome::Complete(answer),
        Finish::Cut => Outcome::Cut(answer),
        Finish::Full => Outcome::Overflow(fault(
            "context_length",
            "the context was full before the answer was whole",
        )),
        Finish::Refused(Fault::REFUSAL) if !answer.text.trim().is_empty() => {
            Outcome::Permanent(Fault::refusal(answer.text.trim()))
        }
        Finish::Refused(Fault::REFUSAL) => Outcome::Permanent(Fault::refusal("it gave no reason")),
        Finish::Refused(code) => Outcome::Permanent(fault(code, "the provider's filter stopped the answer")),
        Finish::Failed => Outcome::Transient(fault("server_error", "the provider failed while it answered")),
        // Asked again, a model mostly writes the call as it should.
        Finish::MalformedCall => Outcome::Transient(fault(
            Fault::MALFORMED_CALL,
            "the model wrote a call that can't be read",
        )),
        Finish::Unknown => Outcome::Unknown(fault(
            "unknown",
            "the answer ended for a reason that is not known",
        )),
    }
}

/// The JSON of a frame's data. `None` for what carries nothing: comments that a gateway sends as data, end marks.
pub fn json_of(data: &str) -> Option<Result<Json, serde_json::Error>> {
    let data = data.trim();
    let is_nothing = data.is_empty() || data.starts_with(':') || data == "[DONE]";
    (!is_nothing).then(|| serde_json::from_str(data))
}

/// A call's arguments as text. Some servers give the value itself, some nothing at all.
pub fn text_of(arguments: &Json) -> String {
    match arguments {
        Json::String(text) => text.clone(),
        Json::Null => String::new(),
        value @ (Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_)) => value.to_string(),
    }
}

/// The most that may be answered: what was asked for, within what the model can.
pub fn most_output(request: &Request, traits: &Traits) -> Option<u32> {
    let both = [request.max_output_tokens, traits.max_output_tokens];
    both.into_iter().flatten().min()
}

/// The system text, with what more must be said in words.
pub fn system_with(request: &Request, more: Option<&str>) -> String {
    let parts = [request.system.as_str(), more.unwrap_or_default()];
    let said: Vec<&str> = parts.into_iter().filter(|part| !part.trim().is_empty()).collect();
    said.join("\n\n")
}
