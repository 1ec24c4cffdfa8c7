//! Ollama's own chat wire: what is posted. It must not send anything, nor know a key.
//! <https://docs.ollama.com/api/chat>

mod read;
#[cfg(test)]
mod tests;

use serde_json::json;

use super::ended::{most_output, system_with};
use super::turns::{Called, Turn, turns};
use super::{Framing, Plain, Post, Read, Reader, Wire, strict};
use crate::llm::{Fault, Offer, Request, Support, Thought, Traits};
use crate::model::Json;

const WIRE: &str = "ollama";
/// Tokens that a model is loaded with unless it is said otherwise. The server's own default is too short for work
/// with tools; what a model was made for can take more memory than the machine has.
const CONTEXT: u64 = 16_384;

pub struct Ollama {
    model: String,
    traits: Traits,
}

impl Ollama {
    /// `traits.context_tokens` is what is loaded: memory grows with it, and another number loads the model anew.
    pub fn new(model: impl Into<String>, traits: Traits) -> Self {
        Self {
            model: model.into(),
            traits,
        }
    }
}

impl Wire for Ollama {
    fn model(&self) -> &str {
        &self.model
    }

    fn framing(&self) -> Framing {
        Framing::JsonLines
    }

    /// Servers that don't know `truncate` and `shift` do.
    fn cuts_silently(&self) -> bool {
        true
    }

    fn post(&self, request: &Request) -> Result<Post, Fault> {
        Ok(Post {
            path: "/api/chat".to_owned(),
            headers: Vec::new(),
            body: self.body(request),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(read::Stream::default())
    }

    fn plain(&self, plain: &Plain<'_>) -> Read {
        read::plain(plain)
    }
}

impl Ollama {
    fn body(&self, request: &Request) -> Json {
        // Too long a talk is an error that can be mended, not one whose beginning is cut away.
        let mut body = json!({ "model": self.model, "stream": true, "truncate": false, "shift": false });
        let output = request.output.as_ref();
        let words = output.filter(|_| self.traits.structured == Support::No);
        if let Some(output) = output.filter(|_| words.is_none()) {
            body["format"] = output.schema.clone();
        }
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        let system = system_with(request, words.map(strict::in_words).as_deref());
        let system = (!system.is_empty()).then(|| json!({ "role": "system", "content": system }));
        let talk = turns(&request.messages);
        body["messages"] = system.into_iter().chain(talk.iter().flat_map(messages)).collect();
        body["options"] = self.options(request);
        if self.traits.thinking == Support::Yes {
            body["think"] = json!(true);
        }
        body
    }

    fn options(&self, request: &Request) -> Json {
        let mut options = json!({ "num_ctx": self.traits.context_tokens.unwrap_or(CONTEXT) });
        if let Some(most) = most_output(request, &self.traits) {
            options["num_predict"] = json!(most);
        }
        if let Some(temperature) = request.temperature {
            options["temperature"] = json!(temperature);
        }
        options
    }
}

fn tool(offer: &Offer) -> Json {
    json!({
        "type": "function",
        "function": {
            "name": offer.name,
            "description": offer.description,
            "parameters": strict::tool_arguments(&offer.arguments),
        },
    })
}

fn messages(turn: &Turn<'_>) -> Vec<Json> {
    match turn {
        Turn::User(text) => vec![json!({ "role": "user", "content": text })],
        Turn::Model {
            text,
            thoughts,
            calls,
        } => {
            let mut said = json!({ "role": "assistant", "content": text });
            let thinking = thinking(thoughts);
            if !thinking.is_empty() {
                said["thinking"] = json!(thinking);
            }
            if !calls.is_empty() {
                said["tool_calls"] = calls.iter().map(call).collect();
            }
            let mut messages = vec![said];
            messages.extend(calls.iter().map(result));
            messages
        }
    }
}

/// What a model behind this wire thought; others' thoughts are not its own.
fn thinking(thoughts: &[Thought]) -> String {
    let is_own = |thought: &&Thought| thought.sealed.as_ref().is_some_and(|sealed| sealed.wire == WIRE);
    thoughts
        .iter()
        .filter(is_own)
        .map(|thought| thought.text.as_str())
        .collect()
}

fn call(called: &Called<'_>) -> Json {
    json!({ "id": called.id, "function": { "name": called.call.name, "arguments": called.arguments() } })
}

fn result(called: &Called<'_>) -> Json {
    let name = &called.call.name;
    json!({ "role": "tool", "content": called.content, "tool_name": name, "tool_call_id": called.id })
}
