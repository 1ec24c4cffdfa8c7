//! Gemini's generateContent wire: what comes back. It must not know what was asked.

use serde_json::json;

use super::WIRE;
use crate::llm::wire::classify::{self, Dialect};
use crate::llm::wire::ended::{ended, json_of, text_of};
use crate::llm::wire::{Delta, Frame, Plain, Read, Reader, Step, placed};
use crate::llm::{Answer, Fault, Outcome, Thought, ToolCall, Usage};
use crate::model::Json;

/// The wire's word for none.
const NO_REASON: &str = "FINISH_REASON_UNSPECIFIED";

/// One answer in the making.
#[derive(Default)]
pub(super) struct Stream {
    answer: Answer,
    /// Why it ended, once it has, and what is told about that.
    finish: Option<(String, String)>,
    usage: Usage,
    failed: Option<Outcome>,
    is_counted: bool,
    is_broken: bool,
}

impl Reader for Stream {
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step {
        if self.failed.is_none() {
            match json_of(&frame.data) {
                None => {}
                Some(Ok(chunk)) => self.chunk(&chunk, told),
                Some(Err(_)) => self.is_broken = true,
            }
        }
        match (&self.failed, &self.finish) {
            (Some(_), _) => Step::Done,
            (None, Some(_)) if self.is_counted => Step::Done,
            (None, Some(_)) => Step::Ending,
            (None, None) => Step::More,
        }
    }

    fn end(self: Box<Self>) -> Read {
        let usage = self.usage;
        Read {
            usage,
            ..Read::of(self.outcome())
        }
    }
}

impl Stream {
    fn chunk(&mut self, chunk: &Json, told: &mut dyn FnMut(Delta)) {
        if !chunk["error"].is_null() {
            self.failed = Some(classify::event(Dialect::Gemini, chunk));
            return;
        }
        self.count(&chunk["usageMetadata"]);
        if let Some(reason) = chunk["promptFeedback"]["blockReason"].as_str() {
            let fault = format!("the provider's filter refused what was asked (it said `{reason}`)");
            self.failed = Some(Outcome::Permanent(Fault::new("content_filter", fault)));
            return;
        }
        let candidate = &chunk["candidates"][0];
        for part in candidate["content"]["parts"].as_array().into_iter().flatten() {
            self.part(part, told);
        }
        let reason = candidate["finishReason"]
            .as_str()
            .filter(|reason| *reason != NO_REASON);
        if let Some(reason) = reason {
            let words = candidate["finishMessage"].as_str().unwrap_or_default();
            self.finish = Some((reason.to_owned(), words.to_owned()));
        }
    }

    fn part(&mut self, part: &Json, told: &mut dyn FnMut(Delta)) {
        let signature = part["thoughtSignature"].as_str();
        let text = part["text"].as_str().unwrap_or_default();
        if part["functionCall"].is_object() {
            let call = self.call(&part["functionCall"], signature);
            told(Delta::Call(call.name.clone()));
            self.answer.calls.push(call);
        } else if part["thought"] == true {
            self.thought(text, signature);
            told(Delta::Thinking(text.to_owned()));
        } else {
            self.text(text, signature);
            if !text.is_empty() {
                told(Delta::Text(text.to_owned()));
            }
        }
    }

    fn thought(&mut self, text: &str, signature: Option<&str>) {
        let at = self.answer.text.len();
        let value = |signature: &str| json!({ "signature": signature, "is_thought": true });
        let sealed = signature.map(|signature| placed::seal(WIRE, at, &value(signature)));
        match self.answer.thoughts.last_mut() {
            Some(last) if last.sealed.is_none() => {
                last.text.push_str(text);
                last.sealed = sealed;
            }
            Some(_) | None => self.answer.thoughts.push(Thought {
                text: text.to_owned(),
                sealed,
            }),
        }
    }

    /// A signed piece of the text is remembered by where it stands in it.
    fn text(&mut self, text: &str, signature: Option<&str>) {
        let from = self.answer.text.len();
        self.answer.text.push_str(text);
        if let Some(signature) = signature {
            let value = json!({ "signature": signature, "from": from });
            self.answer.thoughts.push(Thought {
                text: String::new(),
                sealed: Some(placed::seal(WIRE, self.answer.text.len(), &value)),
            });
        }
    }

    fn call(&self, call: &Json, signature: Option<&str>) -> ToolCall {
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        let mut value = json!({});
        if let Some(id) = id {
            value["id"] = json!(id);
        }
        if let Some(signature) = signature {
            value["signature"] = json!(signature);
        }
        let number = self.answer.calls.len() + 1;
        ToolCall {
            id: id.map_or_else(|| format!("call_{number}"), str::to_owned),
            name: call["name"].as_str().unwrap_or_default().to_owned(),
            arguments: text_of(&call["args"]),
            sealed: (value != json!({})).then(|| placed::seal(WIRE, self.answer.text.len(), &value)),
        }
    }

    /// Counts are running totals: the last one stands.
    fn count(&mut self, usage: &Json) {
        if !usage.is_object() {
            return;
        }
        let sum = |fields: [&str; 2]| {
            let counts = fields.into_iter().filter_map(|field| usage[field].as_u64());
            counts.reduce(u64::saturating_add)
        };
        self.usage = Usage {
            input: sum(["promptTokenCount", "toolUsePromptTokenCount"]),
            output: sum(["candidatesTokenCount", "thoughtsTokenCount"]),
            cached: usage["cachedContentTokenCount"].as_u64(),
            written: None,
        };
        self.is_counted = true;
    }

    fn outcome(self) -> Outcome {
        match (self.failed, self.finish) {
            (Some(failed), _) => failed,
            (None, Some((reason, words))) => with_words(ended(self.answer, &reason, self.is_broken), &words),
            (None, None) => classify::truncated(),
        }
    }
}

/// What the provider told about the end, behind what is known of it.
fn with_words(outcome: Outcome, words: &str) -> Outcome {
    let more = |fault: Fault| Fault {
        message: format!("{}: {words}", fault.message),
        ..fault
    };
    match outcome {
        outcome if words.is_empty() => outcome,
        Outcome::Transient(fault) => Outcome::Transient(more(fault)),
        Outcome::Permanent(fault) => Outcome::Permanent(more(fault)),
        Outcome::Unknown(fault) => Outcome::Unknown(more(fault)),
        Outcome::Complete(_)
        | Outcome::Cut(_)
        | Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_) => outcome,
    }
}

/// A response that is no stream: an error, one chunk, or a list of chunks.
pub(super) fn plain(plain: &Plain<'_>) -> Read {
    let body: Option<Json> = serde_json::from_slice(plain.body).ok();
    let chunks = match body {
        Some(Json::Array(chunks)) => chunks,
        Some(chunk) => vec![chunk],
        None => Vec::new(),
    };
    let is_answer = |chunk: &Json| chunk["candidates"].is_array() || chunk["promptFeedback"].is_object();
    if !(200..300).contains(&plain.status) || !chunks.iter().any(is_answer) {
        return Read::of(classify::response(Dialect::Gemini, plain));
    }
    let mut stream = Box::<Stream>::default();
    for chunk in &chunks {
        if stream.failed.is_none() {
            stream.chunk(chunk, &mut |_| {});
        }
    }
    stream.end()
}
