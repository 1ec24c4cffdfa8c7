//! The one place where a provider's kind becomes a wire. It must not know roles, lists of prices or where a key came
//! from.

use std::sync::Arc;
use std::time::Duration;

use url::Url;

use super::Kind;
use super::settings::Waits;
use crate::llm::wire::{
    self, Anthropic, CallLimits, Compatible, Gemini, LlamaCpp, LmStudio, Ollama, OpenAi, OpenRouter,
    Provider, Responses, Vllm, Wire,
};
use crate::llm::{ChatModel, Key, Price, Traits};

/// All that a provider's wire needs.
#[derive(Clone, Debug)]
pub struct Spec {
    /// The provider's name among the settings.
    pub name: String,
    pub kind: Kind,
    pub base_url: Url,
    pub key: Option<Key>,
    pub waits: Waits,
}

/// Makes a model that can be asked: provider, what the provider calls the model, what it can do, what it costs. An
/// error where no request can be made at all.
pub type Connect =
    Arc<dyn Fn(&Spec, &str, Traits, Price) -> Result<Arc<dyn ChatModel>, String> + Send + Sync>;

/// This program's own wires.
pub fn connect() -> Connect {
    Arc::new(|spec, model, traits, price| {
        let provider = Provider {
            key: spec.key.clone(),
            limits: limits(spec),
            ..Provider::new(&spec.name, spec.base_url.clone())
        };
        wire::connect(wire(spec.kind, model, traits), provider, price).map_err(|error| error.to_string())
    })
}

fn wire(kind: Kind, model: &str, traits: Traits) -> Arc<dyn Wire> {
    match kind {
        Kind::Openai => Arc::new(OpenAi::new(model, traits)),
        Kind::OpenaiResponses => Arc::new(Responses::new(model, traits)),
        Kind::Anthropic => Arc::new(Anthropic::new(model, traits)),
        Kind::Gemini => Arc::new(Gemini::new(model, traits)),
        Kind::Ollama => Arc::new(Ollama::new(model, traits)),
        Kind::Openrouter => Arc::new(OpenRouter::new(model, traits)),
        Kind::LmStudio => Arc::new(LmStudio::new(model, traits)),
        Kind::LlamaCpp => Arc::new(LlamaCpp::new(model, traits)),
        Kind::Vllm => Arc::new(Vllm::new(model, traits)),
        Kind::OpenaiCompatible => Arc::new(Compatible::new(model, traits)),
    }
}

/// What fits the address, with what a person has chosen.
fn limits(spec: &Spec) -> CallLimits {
    let usual = CallLimits::of(&spec.base_url);
    let or = |chosen: Option<u64>, usual| chosen.map_or(usual, Duration::from_secs);
    let first_byte = or(spec.waits.first_byte_s, usual.first_byte);
    CallLimits {
        connect: or(spec.waits.connect_s, usual.connect),
        first_byte,
        // Whoever waits longer for a byte waits so long for a word too.
        first_content: usual.first_content.max(first_byte),
        idle: or(spec.waits.idle_s, usual.idle),
        whole: or(spec.waits.whole_s, usual.whole),
    }
}
