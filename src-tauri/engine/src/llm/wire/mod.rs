//! What a provider's wire is: how a request is put into words and how the stream that comes back is read, both pure.
//! One file per route. It must not send anything, nor know a key.
//!
//! The wires are our own and not `rig-core`'s: of the failures that people have met (`tests/cases`), its 0.44.0 took a
//! half-written call before `finish_reason: "error"` for a whole one, called a stream whole whose
//! `native_finish_reason` was `network_error`, ended a stream at a gateway's remark (`data: : PROCESSING`), read
//! arguments with a key that stands twice as the last one, told no code of an error in a stream, and took 64 MiB in one
//! event. It does keep numbers of any length.

mod address;
mod anthropic;
mod chat;
pub mod classify;
mod client;
mod compatible;
mod ended;
pub mod frames;
mod gemini;
mod listen;
mod llama_cpp;
mod lm_studio;
pub(super) mod names;
mod ollama;
mod openai;
mod openrouter;
mod placed;
mod provider;
mod responses;
mod retry_after;
mod send;
mod silent;
mod spare;
pub mod strict;
#[cfg(test)]
mod trial;
mod turns;
mod vllm;

use reqwest::header::HeaderMap;
use serde_json::Value as Json;

pub use self::address::{BadAddress, base_url, is_loopback};
pub use self::anthropic::Anthropic;
pub use self::client::client;
pub use self::compatible::Compatible;
pub use self::gemini::Gemini;
pub use self::llama_cpp::LlamaCpp;
pub use self::lm_studio::LmStudio;
pub use self::ollama::Ollama;
pub use self::openai::OpenAi;
pub use self::openrouter::OpenRouter;
pub use self::provider::{CallLimits, Provider};
pub use self::responses::Responses;
pub use self::send::{NoConnection, connect};
pub use self::spare::{Shaping, Spared};
pub use self::vllm::Vllm;
use super::{Cost, Fault, Outcome, Reply, Request, Usage};
use crate::model::money::Usd;

/// What is posted. Keys and limits are the sender's to add.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Post {
    /// Behind the provider's base address, such as `/chat/completions`.
    pub path: String,
    pub headers: Vec<(&'static str, String)>,
    pub body: Json,
}

/// How the bytes of an answer are cut into frames.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Framing {
    ServerSentEvents,
    JsonLines,
}

/// One whole frame of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The event's name; empty without one, and always in [`Framing::JsonLines`].
    pub event: String,
    pub data: String,
}

/// A response that is no stream: another status than 2xx, or a plain body where a stream was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    pub status: u16,
    pub headers: &'a HeaderMap,
    /// As far as it was taken in.
    pub body: &'a [u8],
}

/// News of an answer on its way: never stored, safe to lose. What was told of an answer that fails is withdrawn by that.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Delta {
    Text(String),
    Thinking(String),
    /// A call has begun: its name.
    Call(String),
}

/// Whether more frames may say something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    More,
    /// The answer is whole; what may follow, such as the use of tokens, is waited for only a little.
    Ending,
    /// The provider's own terminal marker, or an error in the stream, was read: the rest need not be waited for.
    Done,
}

/// All that a stream has said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    pub outcome: Outcome,
    pub usage: Usage,
    /// As the provider itself told it.
    pub told_cost: Option<Usd>,
}

/// The header that carries a provider's key, and what stands before it there.
pub type KeyHeader = (&'static str, &'static str);

/// One provider's wire. The messages of its faults say what was said; that they name the provider and the model, and
/// hold no key, is the sender's work.
pub trait Wire: Send + Sync + 'static {
    /// What the provider calls the model.
    fn model(&self) -> &str;

    fn key_header(&self) -> KeyHeader {
        ("authorization", "Bearer ")
    }

    /// What stands between a base address that has no path and [`Post::path`], such as `/v1`.
    fn root(&self) -> &'static str {
        ""
    }

    fn framing(&self) -> Framing {
        Framing::ServerSentEvents
    }

    /// Whether the server may cut a long talk without a word, so that its count of tokens must be looked at.
    fn cuts_silently(&self) -> bool {
        false
    }

    /// Whether a body of 200 that begins with this letter, blanks left out, is a stream and not one plain value.
    fn is_stream(&self, first: u8) -> bool {
        match self.framing() {
            Framing::ServerSentEvents => first != b'{' && first != b'[' && first != b'<',
            Framing::JsonLines => first == b'{',
        }
    }

    /// The request in this wire's words, streamed; an error where it can't be said in it.
    fn post(&self, request: &Request) -> Result<Post, Fault>;

    /// The same without what the server has refused, where this wire can do without it.
    fn post_sparing(&self, request: &Request, spared: Spared) -> Result<Post, Fault> {
        let _ = spared;
        self.post(request)
    }

    fn reader(&self) -> Box<dyn Reader>;

    /// What a plain response says, by [`classify`] where it is a failure. Such a body can hold a whole answer too: some gateways don't stream.
    fn plain(&self, plain: &Plain<'_>) -> Read;
}

/// Reads one stream.
pub trait Reader: Send {
    /// Unknown kinds of frame are passed over. Never panics, whatever the frame holds.
    fn take(&mut self, frame: &Frame, told: &mut dyn FnMut(Delta)) -> Step;

    /// The stream is at its end, or [`Step::Done`] was said. Without the provider's own terminal marker the outcome is
    /// [`Outcome::Transient`] with the code `truncated`.
    fn end(self: Box<Self>) -> Read;
}

impl Read {
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            usage: Usage::default(),
            told_cost: None,
        }
    }

    /// With the cost by `price`, unless the provider told it.
    pub fn reply(self, price: &super::Price) -> Reply {
        let cost = match self.told_cost {
            Some(usd) => Cost::Estimated(usd),
            None => price.of(&self.usage),
        };
        Reply {
            outcome: self.outcome,
            usage: self.usage,
            cost,
        }
    }
}
