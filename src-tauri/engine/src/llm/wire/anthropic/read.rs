//! Anthropic's Messages wire: what comes back. It must not know what was asked.

use std::collections::BTreeMap;

use serde_json::json;

use super::WIRE;
use crate::llm::wire::classify::{self, Dialect};
use crate::llm::wire::ended::{ended, json_of};
use crate::llm::wire::{Delta, Frame, Plain, Read, Reader, Step, placed};
use crate::llm::{Answer, Outcome, Thought, ToolCall, Usage};
use crate::model::Json;

/// One answer in the making.
#[derive(Default)]
pub(super) struct Stream {
    blocks: BTreeMap<u64, Block>,
    stop: Option<String>,
    counts: Counts,
    failed: Option<Outcome>,
    is_over: bool,
    is_broken: bool,
}

enum Block {
    Text(String),
    Call {
        id: String,
        name: String,
        /// As it came in the first frame; mostly empty there.
        input: Json,
        shards: String,
    },
    Thinking {
        text: String,
        signature: String,
    },
    Redacted(Json),
    /// Of a kind that came later than this program, or a server's own work.
    Server,
    /// Shards came without a beginning.
    Missing,
}

/// Counts are running totals: the last one stands.
#[derive(Default)]
struct Counts {
    fresh: Option<u64>,
    written: Option<u64>,
    read: Option<u64>,
    output: Option<u64>,
}

impl Reader for Stream {
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step {
        if self.is_over {
            return Step::Done;
        }
        match json_of(&frame.data) {
            None => {}
            Some(Ok(event)) => self.event(&event, told),
            Some(Err(_)) => self.is_broken = true,
        }
        if self.is_over { Step::Done } else { Step::More }
    }

    fn end(self: Box<Self>) -> Read {
        let usage = self.counts.usage();
        let outcome = match (self.failed, self.stop) {
            (Some(failed), _) => failed,
            (None, Some(stop)) if self.is_over => {
                ended(answer(self.blocks.into_values()), &stop, self.is_broken)
            }
            (None, Some(_) | None) => classify::truncated(),
        };
        Read {
            usage,
            ..Read::of(outcome)
        }
    }
}

impl Stream {
    fn event(&mut self, event: &Json, told: &mut dyn FnMut(Delta)) {
        let index = event["index"].as_u64().unwrap_or(0);
        match event["type"].as_str().unwrap_or_default() {
            "message_start" => self.counts.take(&event["message"]["usage"]),
            "content_block_start" => {
                let block = Block::of(&event["content_block"]);
                block.tell(told);
                self.blocks.insert(index, block);
            }
            "content_block_delta" => self.delta(index, &event["delta"], told),
            "message_delta" => {
                self.counts.take(&event["usage"]);
                if let Some(stop) = event["delta"]["stop_reason"].as_str() {
                    self.stop = Some(stop.to_owned());
                }
            }
            "message_stop" => self.is_over = true,
            "error" => self.fail(event),
            // Some gateways put an error among the frames without saying so.
            "" if event["error"].is_object() || event["error"].is_string() => self.fail(event),
            // Pings, ends of blocks, and what came later than this program.
            _ => {}
        }
    }

    fn fail(&mut self, said: &Json) {
        self.failed = Some(classify::event(Dialect::Anthropic, said));
        self.is_over = true;
    }

    fn delta(&mut self, index: u64, delta: &Json, told: &mut dyn FnMut(Delta)) {
        let (field, kind) = match delta["type"].as_str().unwrap_or_default() {
            "text_delta" => ("text", Block::Text(String::new())),
            "thinking_delta" => ("thinking", Block::thinking()),
            "signature_delta" => ("signature", Block::thinking()),
            "input_json_delta" => ("partial_json", Block::Missing),
            // Citations, and what came later than this program.
            _ => return,
        };
        let shard = delta[field].as_str().unwrap_or_default();
        match (self.blocks.entry(index).or_insert(kind), field) {
            (Block::Text(text), "text") => {
                text.push_str(shard);
                told(Delta::Text(shard.to_owned()));
            }
            (Block::Thinking { text, .. }, "thinking") => {
                text.push_str(shard);
                told(Delta::Thinking(shard.to_owned()));
            }
            (Block::Thinking { signature, .. }, "signature") => signature.push_str(shard),
            (Block::Call { shards, .. }, "partial_json") => shards.push_str(shard),
            // Arguments of a server's own call, of which this program knows nothing.
            (Block::Server, _) => {}
            // A shard of something that never began, or that is something else: a part is missing.
            (
                Block::Text(_)
                | Block::Thinking { .. }
                | Block::Call { .. }
                | Block::Redacted(_)
                | Block::Missing,
                _,
            ) => self.is_broken = true,
        }
    }
}

impl Block {
    fn thinking() -> Self {
        Self::Thinking {
            text: String::new(),
            signature: String::new(),
        }
    }

    fn of(block: &Json) -> Self {
        let text = |field: &str| block[field].as_str().unwrap_or_default().to_owned();
        match block["type"].as_str().unwrap_or_default() {
            "text" => Self::Text(text("text")),
            "tool_use" => Self::Call {
                id: text("id"),
                name: text("name"),
                input: block["input"].clone(),
                shards: String::new(),
            },
            "thinking" => Self::Thinking {
                text: text("thinking"),
                signature: text("signature"),
            },
            "redacted_thinking" => Self::Redacted(block.clone()),
            _ => Self::Server,
        }
    }

    fn tell(&self, told: &mut dyn FnMut(Delta)) {
        match self {
            Self::Text(text) if !text.is_empty() => told(Delta::Text(text.clone())),
            Self::Thinking { text, .. } if !text.is_empty() => told(Delta::Thinking(text.clone())),
            Self::Call { name, .. } => told(Delta::Call(name.clone())),
            Self::Text(_) | Self::Thinking { .. } | Self::Redacted(_) | Self::Server | Self::Missing => {}
        }
    }
}

fn answer(blocks: impl Iterator<Item = Block>) -> Answer {
    let mut answer = Answer::default();
    for block in blocks {
        let at = usize::from(!answer.text.is_empty()) + answer.calls.len();
        match block {
            Block::Text(text) => answer.text.push_str(&text),
            Block::Call {
                id,
                name,
                input,
                shards,
            } => answer.calls.push(ToolCall {
                id,
                name,
                arguments: arguments(&input, shards),
                sealed: None,
            }),
            Block::Thinking { text, signature } => {
                let block = json!({ "type": "thinking", "signature": signature });
                answer.thoughts.push(Thought {
                    text,
                    sealed: (!signature.is_empty()).then(|| placed::seal(WIRE, at, &block)),
                });
            }
            Block::Redacted(block) => answer.thoughts.push(Thought {
                text: String::new(),
                sealed: Some(placed::seal(WIRE, at, &block)),
            }),
            Block::Server | Block::Missing => {}
        }
    }
    answer
}

fn arguments(input: &Json, shards: String) -> String {
    if shards.is_empty() && !input.is_null() {
        input.to_string()
    } else {
        shards
    }
}

impl Counts {
    fn take(&mut self, usage: &Json) {
        let counts = [
            (&mut self.fresh, "input_tokens"),
            (&mut self.written, "cache_creation_input_tokens"),
            (&mut self.read, "cache_read_input_tokens"),
            (&mut self.output, "output_tokens"),
        ];
        for (count, field) in counts {
            *count = usage[field].as_u64().or(*count);
        }
    }

    fn usage(&self) -> Usage {
        let cached = self.written.unwrap_or(0).saturating_add(self.read.unwrap_or(0));
        Usage {
            input: self.fresh.map(|fresh| fresh.saturating_add(cached)),
            output: self.output,
            cached: self.read,
            written: self.written,
        }
    }
}

/// A response that is no stream.
pub(super) fn plain(plain: &Plain<'_>) -> Read {
    let body: Option<Json> = serde_json::from_slice(plain.body).ok();
    match body.filter(|body| body["type"] == "message" && (200..300).contains(&plain.status)) {
        Some(message) => whole(&message),
        None => Read::of(classify::response(Dialect::Anthropic, plain)),
    }
}

fn whole(message: &Json) -> Read {
    let mut counts = Counts::default();
    counts.take(&message["usage"]);
    let blocks = message["content"]
        .as_array()
        .map(Vec::as_slice)
        .unwrap_or_default();
    let outcome = match message["stop_reason"].as_str() {
        Some(stop) => ended(answer(blocks.iter().map(Block::of)), stop, false),
        None => classify::truncated(),
    };
    Read {
        usage: counts.usage(),
        ..Read::of(outcome)
    }
}
