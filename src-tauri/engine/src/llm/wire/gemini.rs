//! Gemini's generateContent wire: what is posted. It must not send anything, nor know a key.
//! <https://ai.google.dev/api/generate-content>

mod read;
#[cfg(test)]
mod tests;

use serde_json::json;

use super::ended::{most_output, system_with};
use super::turns::{Called, Turn, turns};
use super::{KeyHeader, Plain, Post, Read, Reader, Wire, placed, strict};
use crate::llm::{Fault, Offer, Request, Support, Thought, Traits};
use crate::model::Json;

const WIRE: &str = "gemini";
/// Stands for the signature of a call that another model made; without one, models that think refuse the talk.
/// <https://ai.google.dev/gemini-api/docs/thought-signatures>
const NOT_SIGNED: &str = "skip_thought_signature_validator";

pub struct Gemini {
    model: String,
    traits: Traits,
}

impl Gemini {
    pub fn new(model: impl Into<String>, traits: Traits) -> Self {
        Self {
            model: model.into(),
            traits,
        }
    }
}

impl Wire for Gemini {
    fn model(&self) -> &str {
        &self.model
    }

    /// Never in the address, which is printed with every failed connection.
    fn key_header(&self) -> KeyHeader {
        ("x-goog-api-key", "")
    }

    fn root(&self) -> &'static str {
        "/v1beta"
    }

    fn post(&self, request: &Request) -> Result<Post, Fault> {
        let model = named(&self.model);
        Ok(Post {
            path: format!("/{model}:streamGenerateContent?alt=sse"),
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

/// The model's path: `models/` unless it says what it is, and nothing that would end the path.
fn named(model: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.~@".contains(&byte);
    let steps = model.split('/').filter(|step| !["", ".", ".."].contains(step));
    let steps: Vec<String> = steps
        .map(|step| {
            let bytes = step.bytes();
            let escaped = bytes.map(|byte| match is_plain(byte) {
                true => char::from(byte).to_string(),
                false => format!("%{byte:02X}"),
            });
            escaped.collect()
        })
        .collect();
    match steps.as_slice() {
        [one] => format!("models/{one}"),
        steps => steps.join("/"),
    }
}

impl Gemini {
    fn body(&self, request: &Request) -> Json {
        let mut body = json!({ "contents": self.contents(request) });
        let output = request.output.as_ref();
        let words = output.filter(|_| self.traits.structured == Support::No);
        let system = system_with(request, words.map(strict::in_words).as_deref());
        if !system.is_empty() {
            body["systemInstruction"] = json!({ "parts": [{ "text": system }] });
        }
        if !request.tools.is_empty() {
            let declarations: Json = request.tools.iter().map(declaration).collect();
            body["tools"] = json!([{ "functionDeclarations": declarations }]);
        }
        let config = self.config(request, words.is_none());
        if config != json!({}) {
            body["generationConfig"] = config;
        }
        body
    }

    fn config(&self, request: &Request, is_bound: bool) -> Json {
        let mut config = json!({});
        if let Some(output) = request.output.as_ref().filter(|_| is_bound) {
            config["responseMimeType"] = json!("application/json");
            config["responseJsonSchema"] = output.schema.clone();
        }
        if let Some(most) = most_output(request, &self.traits) {
            config["maxOutputTokens"] = json!(most);
        }
        if let Some(temperature) = request.temperature {
            config["temperature"] = json!(temperature);
        }
        if self.traits.thinking == Support::Yes {
            config["thinkingConfig"] = json!({ "includeThoughts": true });
        }
        config
    }

    fn contents(&self, request: &Request) -> Json {
        let mut all: Vec<(&str, Vec<Json>)> = Vec::new();
        for turn in turns(&request.messages) {
            match turn {
                Turn::User(text) => say(&mut all, "user", vec![json!({ "text": text })]),
                Turn::Model {
                    text,
                    thoughts,
                    calls,
                } => {
                    let mut said = texts(text, thoughts);
                    said.extend(self.calls(&calls));
                    say(&mut all, "model", said);
                    say(&mut all, "user", calls.iter().map(response).collect());
                }
            }
        }
        let contents = all
            .into_iter()
            .map(|(role, parts)| json!({ "role": role, "parts": parts }));
        contents.collect()
    }

    fn calls(&self, calls: &[Called<'_>]) -> Vec<Json> {
        let mut parts: Vec<Json> = calls.iter().map(call).collect();
        let is_signed = parts.iter().any(|part| part.get("thoughtSignature").is_some());
        if let Some(first) = parts
            .first_mut()
            .filter(|_| !is_signed && self.traits.thinking == Support::Yes)
        {
            first["thoughtSignature"] = json!(NOT_SIGNED);
        }
        parts
    }
}

/// The same side speaking on is one content.
fn say<'r>(all: &mut Vec<(&'r str, Vec<Json>)>, role: &'r str, parts: Vec<Json>) {
    match all.last_mut() {
        _ if parts.is_empty() => {}
        Some((last, said)) if *last == role => said.extend(parts),
        Some(_) | None => all.push((role, parts)),
    }
}

fn declaration(offer: &Offer) -> Json {
    json!({
        "name": offer.name,
        "description": offer.description,
        "parametersJsonSchema": strict::tool_arguments(&offer.arguments),
    })
}

/// The text in the pieces that were signed, each with its signature.
fn texts(text: &str, thoughts: &[Thought]) -> Vec<Json> {
    let mut parts = Vec::new();
    let mut from = 0;
    for thought in thoughts {
        let Some((end, signed)) = placed::open(WIRE, thought.sealed.as_ref()) else {
            continue;
        };
        let signature = &signed["signature"];
        if signed["is_thought"] == true {
            parts.push(json!({ "text": thought.text, "thought": true, "thoughtSignature": signature }));
            continue;
        }
        // A text that is another one now is sent whole, and the signature behind it.
        let end = if text.is_char_boundary(end) {
            end.max(from)
        } else {
            text.len()
        };
        let start = signed["from"]
            .as_u64()
            .and_then(|start| usize::try_from(start).ok());
        let start = start.filter(|start| (from..=end).contains(start) && text.is_char_boundary(*start));
        let start = start.unwrap_or(end);
        parts.extend(unsigned(&text[from..start]));
        parts.push(json!({ "text": &text[start..end], "thoughtSignature": signature }));
        from = end;
    }
    parts.extend(unsigned(&text[from..]));
    parts
}

fn unsigned(text: &str) -> Option<Json> {
    (!text.is_empty()).then(|| json!({ "text": text }))
}

/// What the provider sealed with a call: a signature, and an id of its own.
fn sealed(called: &Called<'_>) -> Json {
    placed::open(WIRE, called.call.sealed.as_ref()).map_or(Json::Null, |(_, value)| value)
}

fn call(called: &Called<'_>) -> Json {
    let sealed = sealed(called);
    let mut call = json!({ "name": called.call.name, "args": called.arguments() });
    if sealed["id"].is_string() {
        call["id"] = sealed["id"].clone();
    }
    let mut part = json!({ "functionCall": call });
    if sealed["signature"].is_string() {
        part["thoughtSignature"] = sealed["signature"].clone();
    }
    part
}

fn response(called: &Called<'_>) -> Json {
    let key = if called.is_error { "error" } else { "output" };
    let mut response = json!({ "name": called.call.name, "response": { key: called.content } });
    let sealed = sealed(called);
    if sealed["id"].is_string() {
        response["id"] = sealed["id"].clone();
    }
    json!({ "functionResponse": response })
}
