//! OpenAI's chat completions, which most servers speak: the part that they have in common. What is special about one of
//! them stands in its [`Habits`]. It must not know who is asked nor when.

mod calls;
mod read;
#[cfg(test)]
mod tests;
mod usage;

use std::marker::PhantomData;

use serde_json::json;

use self::read::Stream;
use super::classify::Dialect;
use super::ended::{most_output, system_with};
use super::turns::{Called, Turn, turns};
use super::{Plain, Post, Read, Reader, Shaping, Spared, Wire, strict};
use crate::llm::{Fault, Offer, OutputFormat, Request, Support, Thought, Traits};
use crate::model::Json;

/// What is special about a provider that speaks like OpenAI.
pub trait Habits: Send + Sync + 'static {
    const DIALECT: Dialect;
    /// The wire's word in [`crate::llm::Sealed`].
    const NAME: &'static str;
    const MOST_OUTPUT: &'static str = "max_tokens";
    /// Whether a schema is said in the strict dialect; a grammar of a local server bears more.
    const IS_STRICT: bool = true;
    /// Whether the shape of the answer can be demanded while tools are offered.
    const IS_SHAPED_WITH_TOOLS: bool = true;
    /// What stands for the text of a message that has only calls.
    const NO_TEXT: Option<&'static str> = None;

    /// A tool's or an answer's schema as the server can take it.
    fn schema(schema: &Json) -> Json {
        schema.clone()
    }

    /// The last word on what is sent.
    fn tune(_body: &mut Json, _model: &str, _traits: &Traits) {}
}

/// A model behind chat completions.
pub struct Chat<H> {
    model: String,
    traits: Traits,
    habits: PhantomData<H>,
}

impl<H: Habits> Chat<H> {
    /// `model` as the provider calls it.
    pub fn new(model: impl Into<String>, traits: Traits) -> Self {
        Self {
            model: model.into(),
            traits,
            habits: PhantomData,
        }
    }

    fn body(&self, request: &Request, spared: Spared) -> Json {
        let mut body = json!({ "model": self.model, "stream": true });
        if !spared.stream_options {
            body["stream_options"] = json!({ "include_usage": true });
        }
        let shaping = self.shaping(request, spared);
        let output = request.output.as_ref();
        let words = output
            .filter(|_| shaping != Shaping::Schema)
            .map(strict::in_words);
        match (output, shaping) {
            (Some(output), Shaping::Schema) => {
                body["response_format"] = response_format::<H>(output, spared.strict);
            }
            (Some(_), Shaping::AnyJson) => body["response_format"] = json!({ "type": "json_object" }),
            (Some(_), Shaping::Words) | (None, _) => {}
        }
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool::<H>).collect();
        }
        if let Some(most) = most_output(request, &self.traits) {
            body[H::MOST_OUTPUT] = json!(most);
        }
        if let Some(temperature) = request.temperature {
            body["temperature"] = json!(temperature);
        }
        body["messages"] = messages::<H>(request, words.as_deref());
        H::tune(&mut body, &self.model, &self.traits);
        body
    }

    /// JSON of any kind is demanded only where nothing but the answer can come: a call of a tool is none.
    fn shaping(&self, request: &Request, spared: Spared) -> Shaping {
        let is_alone = request.tools.is_empty();
        match spared.shaping {
            Shaping::Schema if self.traits.structured.is_tried() && (is_alone || H::IS_SHAPED_WITH_TOOLS) => {
                Shaping::Schema
            }
            Shaping::AnyJson if is_alone => Shaping::AnyJson,
            Shaping::Schema | Shaping::AnyJson | Shaping::Words => Shaping::Words,
        }
    }
}

impl<H: Habits> Wire for Chat<H> {
    fn model(&self) -> &str {
        &self.model
    }

    fn root(&self) -> &'static str {
        "/v1"
    }

    fn post(&self, request: &Request) -> Result<Post, Fault> {
        self.post_sparing(request, Spared::default())
    }

    fn post_sparing(&self, request: &Request, spared: Spared) -> Result<Post, Fault> {
        Ok(Post {
            path: "/chat/completions".to_owned(),
            headers: Vec::new(),
            body: self.body(request, spared),
        })
    }

    fn reader(&self) -> Box<dyn Reader> {
        Box::new(Stream::new(H::DIALECT, H::NAME, self.traits.context_tokens))
    }

    fn plain(&self, plain: &Plain<'_>) -> Read {
        read::plain(
            Stream::new(H::DIALECT, H::NAME, self.traits.context_tokens),
            plain,
        )
    }
}

/// What can't be said in the strict dialect is only asked for.
fn response_format<H: Habits>(output: &OutputFormat, is_strict_spared: bool) -> Json {
    let said = if H::IS_STRICT {
        strict::strict(&output.schema).ok()
    } else {
        None
    };
    let is_strict = said.is_some() || !H::IS_STRICT;
    let schema = said.unwrap_or_else(|| H::schema(&output.schema));
    let mut format = json!({ "name": output.name, "schema": schema });
    if !is_strict_spared {
        format["strict"] = json!(is_strict);
    }
    json!({ "type": "json_schema", "json_schema": format })
}

fn tool<H: Habits>(offer: &Offer) -> Json {
    json!({
        "type": "function",
        "function": {
            "name": offer.name,
            "description": offer.description,
            "parameters": H::schema(&strict::tool_arguments(&offer.arguments)),
        },
    })
}

fn messages<H: Habits>(request: &Request, more: Option<&str>) -> Json {
    let mut said = Vec::new();
    let system = system_with(request, more);
    if !system.is_empty() {
        said.push(json!({ "role": "system", "content": system }));
    }
    for turn in turns(&request.messages) {
        match turn {
            Turn::User(text) => said.push(json!({ "role": "user", "content": text })),
            // An empty message is refused by most.
            Turn::Model { text, calls, .. } if text.trim().is_empty() && calls.is_empty() => {}
            Turn::Model {
                text,
                thoughts,
                calls,
            } => {
                said.push(assistant::<H>(text, thoughts, &calls));
                said.extend(calls.iter().map(
                    |called| json!({ "role": "tool", "tool_call_id": called.id, "content": called.content }),
                ));
            }
        }
    }
    Json::Array(said)
}

fn assistant<H: Habits>(text: &str, thoughts: &[Thought], calls: &[Called<'_>]) -> Json {
    let mut message = json!({ "role": "assistant", "content": text });
    if text.is_empty() {
        message["content"] = json!(H::NO_TEXT);
    }
    if !calls.is_empty() {
        message["tool_calls"] = calls.iter().map(tool_call).collect();
    }
    let sealed = thoughts.iter().filter_map(|thought| thought.sealed.as_ref());
    let own = sealed.filter(|sealed| sealed.wire == H::NAME);
    let details: Vec<Json> = own
        .filter_map(|sealed| serde_json::from_str(&sealed.text).ok())
        .collect();
    if !details.is_empty() {
        message["reasoning_details"] = Json::Array(details);
    }
    message
}

/// Arguments that were no JSON are never sent back: servers fail on them for ever after.
fn tool_call(called: &Called<'_>) -> Json {
    json!({
        "id": called.id,
        "type": "function",
        "function": { "name": called.call.name, "arguments": called.arguments().to_string() },
    })
}

/// Whether a temperature is sent to a model of OpenAI's: those that think refuse it.
pub(super) fn takes_temperature(model: &str, traits: &Traits) -> bool {
    match traits.thinking {
        Support::Yes => false,
        Support::No => true,
        Support::Unknown => {
            let name = model.rsplit('/').next().unwrap_or_default();
            let is_numbered = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
            let is_of_o = name.strip_prefix('o').is_some_and(is_numbered);
            let is_of_five = name
                .strip_prefix("gpt-")
                .is_some_and(|rest| rest.starts_with(['5', '6', '7', '8', '9']));
            !is_of_o && (!is_of_five || name.contains("-chat"))
        }
    }
}
