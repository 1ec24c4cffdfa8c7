//! Reads what chat completions answer, streamed or whole. It must not know what was asked.

use super::calls::Calls;
use super::usage::usage;
use crate::llm::thoughts::{self, Live};
use crate::llm::wire::classify::{self, Dialect, Finish, finish};
use crate::llm::wire::ended::{ended, json_of};
use crate::llm::wire::{Delta, Frame, Plain, Read, Reader, Step};
use crate::llm::{Answer, Fault, Outcome, Sealed, Thought, Usage};
use crate::model::Json;
use crate::model::money::Usd;

pub(super) struct Stream {
    dialect: Dialect,
    /// The wire that sealed thoughts go back to.
    wire: &'static str,
    context_tokens: Option<u64>,
    text: String,
    live: Live,
    thought: String,
    refusal: String,
    details: Vec<Json>,
    calls: Calls,
    finish: Option<String>,
    native: Option<String>,
    usage: Usage,
    cost: Option<Usd>,
    failed: Option<Outcome>,
    is_broken: bool,
}

impl Stream {
    pub fn new(dialect: Dialect, wire: &'static str, context_tokens: Option<u64>) -> Self {
        Self {
            dialect,
            wire,
            context_tokens,
            text: String::new(),
            live: Live::default(),
            thought: String::new(),
            refusal: String::new(),
            details: Vec::new(),
            calls: Calls::default(),
            finish: None,
            native: None,
            usage: Usage::default(),
            cost: None,
            failed: None,
            is_broken: false,
        }
    }

    fn said(&mut self, said: &Json, told: &mut dyn FnMut(Delta)) -> Step {
        if let Some((usage, cost)) = usage(said) {
            (self.usage, self.cost) = (usage, cost);
        }
        if let Some(error) = error_in(said) {
            self.failed = Some(classify::event(self.dialect, error));
            return Step::Done;
        }
        let choices = said.get("choices").and_then(Json::as_array);
        let first = |choice: &&Json| choice.get("index").and_then(Json::as_u64).unwrap_or(0) == 0;
        for choice in choices.into_iter().flatten().filter(first) {
            self.choice(choice, told);
        }
        if self.finish.is_some() {
            Step::Ending
        } else {
            Step::More
        }
    }

    fn choice(&mut self, choice: &Json, told: &mut dyn FnMut(Delta)) {
        for key in ["delta", "message"] {
            if let Some(message) = choice.get(key) {
                self.message(message, told);
            }
        }
        self.take_calls(choice.get("tool_calls"), told);
        let word = |key: &str| {
            choice
                .get(key)
                .and_then(Json::as_str)
                .filter(|word| !word.is_empty())
        };
        self.finish = word("finish_reason").map(str::to_owned).or(self.finish.take());
        self.native = word("native_finish_reason")
            .map(str::to_owned)
            .or(self.native.take());
    }

    fn message(&mut self, message: &Json, told: &mut dyn FnMut(Delta)) {
        let text = |key: &str| {
            message
                .get(key)
                .and_then(Json::as_str)
                .filter(|text| !text.is_empty())
        };
        if let Some(thought) = ["reasoning_content", "reasoning", "thinking"]
            .into_iter()
            .find_map(text)
        {
            self.thinks(thought, told);
        }
        self.details.extend(
            message
                .get("reasoning_details")
                .and_then(Json::as_array)
                .into_iter()
                .flatten()
                .cloned(),
        );
        self.refusal.push_str(text("refusal").unwrap_or_default());
        match message.get("content") {
            Some(Json::String(text)) => self.says(text, told),
            Some(Json::Array(parts)) => parts.iter().for_each(|part| self.part(part, told)),
            None | Some(Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_)) => {}
        }
        self.take_calls(message.get("tool_calls"), told);
        if let Some(call) = message.get("function_call").filter(|call| call.is_object()) {
            self.take_call(call, false, told);
        }
    }

    /// Content that comes in parts, as Mistral sends it.
    fn part(&mut self, part: &Json, told: &mut dyn FnMut(Delta)) {
        if let Some(text) = part.get("text").and_then(Json::as_str) {
            self.says(text, told);
        }
        for thought in part
            .get("thinking")
            .and_then(Json::as_array)
            .into_iter()
            .flatten()
        {
            if let Some(text) = thought.get("text").and_then(Json::as_str) {
                self.thinks(text, told);
            }
        }
    }

    fn says(&mut self, text: &str, told: &mut dyn FnMut(Delta)) {
        self.text.push_str(text);
        let (thought, text) = self.live.take(text);
        if !thought.is_empty() {
            told(Delta::Thinking(thought));
        }
        if !text.is_empty() {
            told(Delta::Text(text));
        }
    }

    fn thinks(&mut self, thought: &str, told: &mut dyn FnMut(Delta)) {
        self.thought.push_str(thought);
        told(Delta::Thinking(thought.to_owned()));
    }

    fn take_calls(&mut self, calls: Option<&Json>, told: &mut dyn FnMut(Delta)) {
        let calls = calls.and_then(Json::as_array).map_or(&[][..], Vec::as_slice);
        for (nth, call) in calls.iter().enumerate() {
            let is_unnumbered = call.get("index").and_then(Json::as_u64).is_none();
            let has_id = call
                .get("id")
                .and_then(Json::as_str)
                .is_some_and(|id| !id.is_empty());
            self.take_call(call, nth > 0 && is_unnumbered && !has_id, told);
        }
    }

    fn take_call(&mut self, call: &Json, is_fresh: bool, told: &mut dyn FnMut(Delta)) {
        if let Some(name) = self.calls.take(call, is_fresh) {
            told(Delta::Call(name));
        }
    }

    /// The word for why it ended. A gateway's own may be kinder than the one of the provider behind it.
    fn word(&mut self) -> Option<String> {
        let word = self.finish.take()?;
        let is_worse = |native: &String| match finish(native) {
            Finish::Whole | Finish::Unknown => false,
            Finish::Cut | Finish::Full | Finish::Refused(_) | Finish::Failed | Finish::MalformedCall => true,
        };
        Some(self.native.take().filter(is_worse).unwrap_or(word))
    }

    fn outcome(&mut self) -> Outcome {
        if let Some(failed) = self.failed.take() {
            return failed;
        }
        let Some(word) = self.word() else {
            return classify::truncated();
        };
        if !self.refusal.is_empty() && self.text.trim().is_empty() && self.calls.is_empty() {
            return Outcome::Permanent(Fault::refusal(self.refusal.as_str()));
        }
        let outcome = ended(self.answer(), &word, self.is_broken);
        let sent = self.usage.input.unwrap_or(0);
        match (outcome, self.context_tokens) {
            // Some servers have nothing to say when the context is full.
            (Outcome::Unknown(fault), Some(limit)) if fault.code == "empty_answer" && sent >= limit => {
                let message = format!("nothing was answered: {sent} tokens were sent, room is for {limit}");
                Outcome::Overflow(Fault::new("context_length", message))
            }
            (outcome, _) => outcome,
        }
    }

    fn answer(&mut self) -> Answer {
        let (inline, text) = thoughts::split(&self.text);
        let mut texts = [std::mem::take(&mut self.thought), inline];
        let thought = texts
            .iter_mut()
            .map(std::mem::take)
            .filter(|thought| !thought.trim().is_empty());
        let sealed = merged(std::mem::take(&mut self.details))
            .into_iter()
            .map(|detail| Thought {
                text: String::new(),
                sealed: Some(Sealed {
                    wire: self.wire.to_owned(),
                    text: detail.to_string(),
                }),
            });
        Answer {
            text,
            calls: std::mem::take(&mut self.calls).done(),
            thoughts: thought
                .map(|text| Thought { text, sealed: None })
                .chain(sealed)
                .collect(),
            stop: None,
        }
    }
}

impl Reader for Stream {
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step {
        match json_of(&frame.data) {
            None if frame.data.trim() == "[DONE]" => Step::Done,
            None => Step::More,
            Some(Ok(said)) if frame.event == "error" && error_in(&said).is_none() => {
                self.failed = Some(classify::event(self.dialect, &said));
                Step::Done
            }
            Some(Ok(said)) => self.said(&said, told),
            // What isn't even meant as JSON is some gateway's remark.
            Some(Err(_)) => {
                self.is_broken |= frame.data.trim_start().starts_with('{');
                Step::More
            }
        }
    }

    fn end(mut self: Box<Self>) -> Read {
        Read {
            outcome: self.outcome(),
            usage: self.usage,
            told_cost: self.cost,
        }
    }
}

/// A body that is no stream.
pub(super) fn plain(mut stream: Stream, plain: &Plain<'_>) -> Read {
    if !(200..300).contains(&plain.status) {
        return Read::of(classify::response(stream.dialect, plain));
    }
    let text = String::from_utf8_lossy(plain.body);
    let text = text.trim_start_matches('\u{feff}').trim();
    match serde_json::from_str::<Json>(text) {
        Ok(said) => {
            stream.said(&said, &mut |_| {});
            if stream.failed.is_none() && said.get("choices").is_none() {
                return Read::of(classify::response(stream.dialect, plain));
            }
            Box::new(stream).end()
        }
        Err(_) if text.is_empty() || text.starts_with(['{', '[']) => Read::of(classify::truncated()),
        Err(_) => Read::of(classify::response(stream.dialect, plain)),
    }
}

/// An error that came after a status of 200, wherever it stands.
fn error_in(said: &Json) -> Option<&Json> {
    let is_error = |error: &&Json| match error {
        Json::Null | Json::Bool(false) => false,
        Json::String(text) => !text.is_empty(),
        Json::Object(map) => !map.is_empty(),
        Json::Bool(true) | Json::Number(_) | Json::Array(_) => true,
    };
    let has = |said: &Json| said.get("error").filter(is_error).is_some();
    let is_named = |said: &Json| {
        ["object", "type"]
            .iter()
            .any(|key| said.get(key).and_then(Json::as_str) == Some("error"))
    };
    let choice = said.pointer("/choices/0").filter(|choice| has(choice));
    let listed = said
        .as_array()
        .filter(|items| items.iter().any(has))
        .map(|_| said);
    Some(said)
        .filter(|said| has(said) || is_named(said))
        .or(choice)
        .or(listed)
}

/// Pieces of one detail of the thinking, put together by their number.
fn merged(details: Vec<Json>) -> Vec<Json> {
    let mut whole: Vec<Json> = Vec::new();
    for detail in details {
        let is_of = |other: &Json| {
            detail.get("index").is_some()
                && other.get("index") == detail.get("index")
                && other.get("type") == detail.get("type")
        };
        match (whole.iter_mut().rfind(|other| is_of(other)), detail) {
            (Some(Json::Object(into)), Json::Object(more)) => {
                for (key, value) in more {
                    let is_text = matches!(key.as_str(), "text" | "summary" | "data");
                    match (into.get_mut(&key), value) {
                        (Some(Json::String(text)), Json::String(more)) if is_text => text.push_str(&more),
                        (_, Json::Null) => {}
                        (_, value) => {
                            into.insert(key, value);
                        }
                    }
                }
            }
            (_, detail) => whole.push(detail),
        }
    }
    whole
}
