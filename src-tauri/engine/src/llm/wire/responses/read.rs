//! OpenAI's Responses wire: what comes back. It must not know what was asked.

use super::WIRE;
use crate::llm::wire::classify::{self, Dialect};
use crate::llm::wire::ended::{ended, json_of, text_of};
use crate::llm::wire::{Delta, Frame, Plain, Read, Reader, Step, placed};
use crate::llm::{Answer, Fault, Outcome, Thought, ToolCall, Usage};
use crate::model::Json;

/// One answer in the making. What the terminal event holds counts; servers that leave it empty are read by what came
/// before.
#[derive(Default)]
pub(super) struct Stream {
    /// Items that were said to be whole, as they came.
    items: Vec<Json>,
    /// Text that came in shards.
    text: String,
    over: Option<Read>,
    is_broken: bool,
}

impl Reader for Stream {
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step {
        if self.over.is_some() {
            return Step::Done;
        }
        match json_of(&frame.data) {
            None => {}
            Some(Ok(event)) => {
                let name = event["type"].as_str().unwrap_or(&frame.event).to_owned();
                self.event(&name, event, told);
            }
            Some(Err(_)) => self.is_broken = true,
        }
        if self.over.is_some() {
            Step::Done
        } else {
            Step::More
        }
    }

    fn end(self: Box<Self>) -> Read {
        self.over.unwrap_or_else(|| Read::of(classify::truncated()))
    }
}

impl Stream {
    fn event(&mut self, name: &str, mut event: Json, told: &mut dyn FnMut(Delta)) {
        let delta = || event["delta"].as_str().unwrap_or_default().to_owned();
        match name {
            "response.output_text.delta" => {
                let shard = delta();
                self.text.push_str(&shard);
                told(Delta::Text(shard));
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" => {
                told(Delta::Thinking(delta()));
            }
            "response.output_item.added" if event["item"]["type"] == "function_call" => {
                let name = event["item"]["name"].as_str().unwrap_or_default();
                told(Delta::Call(name.to_owned()));
            }
            "response.output_item.done" => {
                let item = event.get_mut("item").map(Json::take);
                self.items.push(item.unwrap_or_default());
            }
            "response.completed"
            | "response.incomplete"
            | "response.failed"
            | "response.cancelled"
            | "response.done" => self.over = Some(self.whole(&event["response"])),
            "error" => self.over = Some(Read::of(classify::event(Dialect::OpenAi, &event))),
            _ if event["error"].is_object() => {
                self.over = Some(Read::of(classify::event(Dialect::OpenAi, &event)));
            }
            // Beginnings and ends of parts, keep-alives, and what came later than this program.
            _ => {}
        }
    }

    /// What a response comes to that is at its end.
    fn whole(&self, response: &Json) -> Read {
        let of_end = response["output"]
            .as_array()
            .map(Vec::as_slice)
            .unwrap_or_default();
        let items = if of_end.len() < self.items.len() {
            &self.items
        } else {
            of_end
        };
        let mut said = Said::of(items);
        if said.answer.text.is_empty() && said.refusal.is_empty() {
            said.answer.text.clone_from(&self.text);
        }
        Read {
            usage: usage(&response["usage"]),
            ..Read::of(said.outcome(response, self.is_broken))
        }
    }
}

#[derive(Default)]
struct Said {
    answer: Answer,
    refusal: String,
}

impl Said {
    fn of(items: &[Json]) -> Self {
        let mut said = Self::default();
        items.iter().for_each(|item| said.take(item));
        said
    }

    fn take(&mut self, item: &Json) {
        let text = |field: &str| item[field].as_str().unwrap_or_default().to_owned();
        match item["type"].as_str().unwrap_or_default() {
            "message" => list(&item["content"]).iter().for_each(|part| self.part(part)),
            "function_call" => self.answer.calls.push(ToolCall {
                id: text("call_id"),
                name: text("name"),
                arguments: text_of(&item["arguments"]),
                sealed: None,
            }),
            "reasoning" => self.answer.thoughts.push(self.thought(item)),
            // A server's own tools, and what came later than this program.
            _ => {}
        }
    }

    fn part(&mut self, part: &Json) {
        let text = |field: &str| part[field].as_str().unwrap_or_default();
        match part["type"].as_str().unwrap_or_default() {
            "output_text" | "text" => self.answer.text.push_str(text("text")),
            "refusal" => self.refusal.push_str(text("refusal")),
            _ => {}
        }
    }

    /// What the model thought; it goes back whole, if the provider has sealed it.
    fn thought(&self, item: &Json) -> Thought {
        let parts = list(&item["summary"]).iter().chain(list(&item["content"]));
        let texts: Vec<&str> = parts.filter_map(|part| part["text"].as_str()).collect();
        let at = usize::from(!self.answer.text.is_empty()) + self.answer.calls.len();
        let sealed = item["encrypted_content"].as_str().map(|_| {
            let mut item = item.clone();
            if let Some(item) = item.as_object_mut() {
                item.remove("status");
            }
            placed::seal(WIRE, at, &item)
        });
        Thought {
            text: texts.join("\n\n"),
            sealed,
        }
    }

    fn outcome(self, response: &Json, is_broken: bool) -> Outcome {
        let reason = response["incomplete_details"]["reason"].as_str();
        match response["status"].as_str().unwrap_or_default() {
            "completed" if !self.refusal.trim().is_empty() => {
                Outcome::Permanent(Fault::refusal(self.refusal.trim()))
            }
            "completed" => ended(self.answer, "completed", is_broken),
            "incomplete" => ended(
                self.answer,
                reason.unwrap_or("incomplete without a reason"),
                is_broken,
            ),
            "failed" if response["error"].is_object() => classify::event(Dialect::OpenAi, &response["error"]),
            "failed" => ended(self.answer, "failed", is_broken),
            "cancelled" => ended(self.answer, "cancelled", is_broken),
            "" => classify::truncated(),
            other => ended(self.answer, other, is_broken),
        }
    }
}

fn list(list: &Json) -> &[Json] {
    list.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn usage(usage: &Json) -> Usage {
    Usage {
        input: usage["input_tokens"].as_u64(),
        output: usage["output_tokens"].as_u64(),
        cached: usage["input_tokens_details"]["cached_tokens"].as_u64(),
        written: None,
    }
}

/// A response that is no stream.
pub(super) fn plain(plain: &Plain<'_>) -> Read {
    let body: Option<Json> = serde_json::from_slice(plain.body).ok();
    let is_response = |body: &Json| body["status"].is_string() && body["output"].is_array();
    match body.filter(|body| is_response(body) && (200..300).contains(&plain.status)) {
        Some(response) => Stream::default().whole(&response),
        None => Read::of(classify::response(Dialect::OpenAi, plain)),
    }
}
