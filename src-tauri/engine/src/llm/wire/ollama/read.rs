//! Ollama's own chat wire: what comes back, a JSON value a line. It must not know what was asked.

use super::WIRE;
use crate::llm::thoughts::{self, Live};
use crate::llm::wire::classify::{self, Dialect};
use crate::llm::wire::ended::{ended, json_of, text_of};
use crate::llm::wire::{Delta, Frame, Plain, Read, Reader, Step};
use crate::llm::{Answer, Fault, Outcome, Sealed, Thought, ToolCall, Usage};
use crate::model::Json;

/// One answer in the making.
#[derive(Default)]
pub(super) struct Stream {
    answer: Answer,
    live: Live,
    thinking: String,
    usage: Usage,
    /// The word for why it ended, once it has.
    done: Option<String>,
    failed: Option<Outcome>,
    is_broken: bool,
}

impl Reader for Stream {
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step {
        if !self.is_over() {
            match json_of(&frame.data) {
                None => {}
                Some(Ok(line)) => self.line(&line, told),
                Some(Err(_)) => self.is_broken = true,
            }
        }
        if self.is_over() { Step::Done } else { Step::More }
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
    fn is_over(&self) -> bool {
        self.done.is_some() || self.failed.is_some()
    }

    fn line(&mut self, line: &Json, told: &mut dyn FnMut(Delta)) {
        if !line["error"].is_null() {
            self.failed = Some(self.failure(line));
            return;
        }
        self.message(&line["message"], told);
        // Calls may stand in the very last line, so that only now is asked whether it was the last.
        if line["done"] == true {
            self.usage.input = line["prompt_eval_count"].as_u64();
            self.usage.output = line["eval_count"].as_u64();
            // Older servers give no reason: they only say so when the answer is whole.
            self.done = Some(line["done_reason"].as_str().unwrap_or("stop").to_owned());
        }
    }

    /// Errors have no code here. One that nobody knows and that breaks an answer off is the model's server failing.
    fn failure(&self, line: &Json) -> Outcome {
        let has_begun = !(self.answer.is_empty() && self.thinking.is_empty());
        let outcome = classify::event(Dialect::Ollama, line);
        if let (true, Outcome::Unknown(fault)) = (has_begun, &outcome) {
            return Outcome::Transient(Fault::new("server_error", fault.message.clone()));
        }
        outcome
    }

    fn message(&mut self, message: &Json, told: &mut dyn FnMut(Delta)) {
        let shard = |field: &str| message[field].as_str().filter(|shard| !shard.is_empty());
        if let Some(shard) = shard("thinking") {
            self.thinking.push_str(shard);
            told(Delta::Thinking(shard.to_owned()));
        }
        if let Some(shard) = shard("content") {
            self.answer.text.push_str(shard);
            let (thought, text) = self.live.take(shard);
            let news = [Delta::Thinking(thought), Delta::Text(text)];
            news.into_iter().filter(is_said).for_each(&mut *told);
        }
        for call in message["tool_calls"].as_array().into_iter().flatten() {
            let call = self.call(call);
            told(Delta::Call(call.name.clone()));
            self.answer.calls.push(call);
        }
    }

    fn call(&self, call: &Json) -> ToolCall {
        let function = &call["function"];
        let id = call["id"].as_str().filter(|id| !id.is_empty());
        let number = self.answer.calls.len() + 1;
        ToolCall {
            id: id.map_or_else(|| format!("call_{number}"), str::to_owned),
            name: function["name"].as_str().unwrap_or_default().to_owned(),
            arguments: text_of(&function["arguments"]),
            sealed: None,
        }
    }

    fn outcome(mut self) -> Outcome {
        // Models that the server knows nothing of leave their thoughts in the text.
        let (thought, text) = thoughts::split(&self.answer.text);
        self.answer.text = text;
        self.thinking.push_str(&thought);
        if !self.thinking.is_empty() {
            self.answer.thoughts.push(Thought {
                text: self.thinking,
                sealed: Some(Sealed {
                    wire: WIRE.to_owned(),
                    text: String::new(),
                }),
            });
        }
        match (self.failed, self.done.as_deref()) {
            (Some(failed), _) => failed,
            (None, Some("load" | "unload")) if self.answer.is_empty() => Outcome::Transient(Fault::new(
                "model_loading",
                "the server has loaded the model and not answered yet",
            )),
            (None, Some(word)) => ended(self.answer, word, self.is_broken),
            (None, None) => classify::truncated(),
        }
    }
}

fn is_said(delta: &Delta) -> bool {
    match delta {
        Delta::Text(text) | Delta::Thinking(text) | Delta::Call(text) => !text.is_empty(),
    }
}

/// A response that is no stream: an error, or the one line of an answer.
pub(super) fn plain(plain: &Plain<'_>) -> Read {
    let body: Option<Json> = serde_json::from_slice(plain.body).ok();
    match body.filter(|body| body["message"].is_object() && (200..300).contains(&plain.status)) {
        Some(line) => {
            let mut stream = Box::<Stream>::default();
            stream.line(&line, &mut |_| {});
            stream.end()
        }
        None => Read::of(classify::response(Dialect::Ollama, plain)),
    }
}
