//! Anthropic's Messages wire: what is posted. Also spoken by other servers. It must not send anything, nor know a key.
//! <https://docs.claude.com/en/api/messages>

mod read;
#[cfg(test)]
mod tests;

use serde_json::{Map, json};

use super::ended::{most_output, system_with};
use super::turns::{Called, Turn, turns};
use super::{KeyHeader, Plain, Post, Read, Reader, Wire, placed, strict};
use crate::llm::{Fault, Offer, Request, Support, Thought, Traits};
use crate::model::Json;

const WIRE: &str = "anthropic";
const VERSION: &str = "2023-06-01";
/// The wire insists on a limit. Every model that is offered today takes this one.
const MOST_OUTPUT: u32 = 8192;

pub struct Anthropic {
    model: String,
    traits: Traits,
}

impl Anthropic {
    pub fn new(model: impl Into<String>, traits: Traits) -> Self {
        Self {
            model: model.into(),
            traits,
        }
    }
}

impl Wire for Anthropic {
    fn model(&self) -> &str {
        &self.model
    }

    fn key_header(&self) -> KeyHeader {
        ("x-api-key", "")
    }

    fn root(&self) -> &'static str {
        "/v1"
    }

    fn post(&self, request: &Request) -> Result<Post, Fault> {
        Ok(Post {
            path: "/messages".to_owned(),
            headers: vec![("anthropic-version", VERSION.to_owned())],
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

impl Anthropic {
    fn body(&self, request: &Request) -> Json {
        let most = most_output(request, &self.traits).unwrap_or(MOST_OUTPUT);
        let mut body = json!({ "model": self.model, "max_tokens": most, "stream": true });
        let words = match self.format(request) {
            Some(Ok(format)) => {
                body["output_config"] = json!({ "format": format });
                None
            }
            Some(Err(words)) => Some(words),
            None => None,
        };
        let system = system_with(request, words.as_deref());
        let (offers, may_call) = offers(request);
        let mut tools: Vec<Json> = offers;
        // What is cached ends here: tools come before the system text.
        if !system.is_empty() {
            body["system"] = json!([{ "type": "text", "text": system, "cache_control": cached() }]);
        } else if let Some(last) = tools.last_mut() {
            last["cache_control"] = cached();
        }
        if !may_call && !tools.is_empty() {
            body["tool_choice"] = json!({ "type": "none" });
        }
        if !tools.is_empty() {
            body["tools"] = Json::Array(tools);
        }
        body["messages"] = messages(request);
        if let Some(temperature) = request
            .temperature
            .filter(|_| self.traits.thinking != Support::Yes)
        {
            body["temperature"] = json!(temperature);
        }
        body
    }

    /// The format that the answer is bound to, or the demand in words where it can't be.
    fn format(&self, request: &Request) -> Option<Result<Json, String>> {
        let output = request.output.as_ref()?;
        if self.traits.structured == Support::No {
            return Some(Err(strict::in_words(output)));
        }
        let schema = strict::strict(&output.schema).map_err(|_| strict::in_words(output));
        Some(schema.map(|schema| json!({ "type": "json_schema", "schema": schema })))
    }
}

fn cached() -> Json {
    json!({ "type": "ephemeral" })
}

/// The tools, and whether they may be called. Earlier calls need definitions, also where no more are wanted.
fn offers(request: &Request) -> (Vec<Json>, bool) {
    let tool = |name: &str, description: &str, arguments: Json| {
        let mut tool = json!({ "name": name, "input_schema": arguments });
        if !description.is_empty() {
            tool["description"] = json!(description);
        }
        tool
    };
    if !request.tools.is_empty() {
        let tools = request.tools.iter().map(|offer: &Offer| {
            tool(
                &offer.name,
                &offer.description,
                strict::tool_arguments(&offer.arguments),
            )
        });
        return (tools.collect(), true);
    }
    let mut names: Vec<&str> = Vec::new();
    for turn in &turns(&request.messages) {
        if let Turn::Model { calls, .. } = turn {
            names.extend(calls.iter().map(|called| called.call.name.as_str()));
        }
    }
    names.sort_unstable();
    names.dedup();
    let tools = names
        .into_iter()
        .map(|name| tool(name, "", json!({ "type": "object" })));
    (tools.collect(), false)
}

fn messages(request: &Request) -> Json {
    let mut all: Vec<(&str, Vec<Json>)> = Vec::new();
    for turn in turns(&request.messages) {
        match turn {
            Turn::User(text) => say(&mut all, "user", texts(text)),
            Turn::Model {
                text,
                thoughts,
                calls,
            } => {
                let said: Vec<Json> = texts(text).into_iter().chain(calls.iter().map(used)).collect();
                say(
                    &mut all,
                    "assistant",
                    placed::interleave(WIRE, said, thoughts, thought),
                );
                say(&mut all, "user", calls.iter().map(result).collect());
            }
        }
    }
    // A talk that goes on is cached up to its end, so that its next turn only pays for what is new.
    let is_talk = all.len() > 1;
    let last = all.last_mut().filter(|(role, _)| is_talk && *role == "user");
    if let Some(last) = last.and_then(|(_, said)| said.last_mut()) {
        last["cache_control"] = cached();
    }
    let messages = all
        .into_iter()
        .map(|(role, content)| json!({ "role": role, "content": content }));
    messages.collect()
}

/// The same side speaking on is one message.
fn say<'r>(all: &mut Vec<(&'r str, Vec<Json>)>, role: &'r str, content: Vec<Json>) {
    match all.last_mut() {
        _ if content.is_empty() => {}
        Some((last, said)) if *last == role => said.extend(content),
        Some(_) | None => all.push((role, content)),
    }
}

/// Blank texts are refused by the wire.
fn texts(text: &str) -> Vec<Json> {
    let is_blank = text.trim().is_empty();
    let text = (!is_blank).then(|| json!({ "type": "text", "text": text }));
    text.into_iter().collect()
}

fn used(called: &Called<'_>) -> Json {
    let name = &called.call.name;
    json!({ "type": "tool_use", "id": called.id, "name": name, "input": called.arguments() })
}

fn result(called: &Called<'_>) -> Json {
    let mut result = json!({ "type": "tool_result", "tool_use_id": called.id });
    if !called.content.trim().is_empty() {
        result["content"] = json!(called.content);
    }
    if called.is_error {
        result["is_error"] = json!(true);
    }
    result
}

/// A thought's block as it came: its text is the one that the signature is of.
fn thought(thought: &Thought, sealed: Json) -> Option<Json> {
    let mut block: Map<String, Json> = match sealed {
        Json::Object(block) => block,
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Array(_) => return None,
    };
    if block.get("type")? == "thinking" {
        block.insert("thinking".to_owned(), json!(thought.text));
    }
    Some(Json::Object(block))
}
