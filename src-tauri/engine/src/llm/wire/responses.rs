//! OpenAI's Responses wire: what is posted. Nothing is stored by the provider. It must not send anything, nor know a
//! key. <https://platform.openai.com/docs/api-reference/responses>

mod read;
#[cfg(test)]
mod tests;

use serde_json::json;

use super::ended::{most_output, system_with};
use super::turns::{Called, Turn, turns};
use super::{Plain, Post, Read, Reader, Wire, placed, strict};
use crate::llm::{Fault, OutputFormat, Request, Support, Thought, Traits};
use crate::model::Json;

const WIRE: &str = "responses";
/// The wire takes no lower limit.
const LEAST_OUTPUT: u32 = 16;

pub struct Responses {
    model: String,
    traits: Traits,
}

impl Responses {
    pub fn new(model: impl Into<String>, traits: Traits) -> Self {
        Self {
            model: model.into(),
            traits,
        }
    }
}

impl Wire for Responses {
    fn model(&self) -> &str {
        &self.model
    }

    fn root(&self) -> &'static str {
        "/v1"
    }

    fn post(&self, request: &Request) -> Result<Post, Fault> {
        Ok(Post {
            path: "/responses".to_owned(),
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

impl Responses {
    fn body(&self, request: &Request) -> Json {
        // Too long a talk is an error that can be mended, not one that is cut without a word.
        let mut body =
            json!({ "model": self.model, "stream": true, "store": false, "truncation": "disabled" });
        let output = request.output.as_ref();
        let words = output.filter(|_| self.traits.structured == Support::No);
        if let Some(output) = output.filter(|_| words.is_none()) {
            body["text"] = json!({ "format": format(output) });
        }
        let instructions = system_with(request, words.map(strict::in_words).as_deref());
        if !instructions.is_empty() {
            body["instructions"] = json!(instructions);
        }
        if !request.tools.is_empty() {
            body["tools"] = request.tools.iter().map(tool).collect();
        }
        body["input"] = Json::Array(turns(&request.messages).iter().flat_map(items).collect());
        if let Some(most) = most_output(request, &self.traits) {
            body["max_output_tokens"] = json!(most.max(LEAST_OUTPUT));
        }
        if self.thinks() {
            // Models that don't think refuse this, and those that do refuse a temperature.
            body["include"] = json!(["reasoning.encrypted_content"]);
        } else if let Some(temperature) = request.temperature {
            body["temperature"] = json!(temperature);
        }
        body
    }

    fn thinks(&self) -> bool {
        match self.traits.thinking {
            Support::Yes => true,
            Support::No => false,
            Support::Unknown => sounds_thoughtful(&self.model),
        }
    }
}

/// OpenAI's own families of models that think, by their names.
fn sounds_thoughtful(model: &str) -> bool {
    let name = model.rsplit('/').next().unwrap_or_default();
    let is_numbered = |rest: &str| rest.starts_with(|first: char| first.is_ascii_digit());
    let of_gpt = name.strip_prefix("gpt-").and_then(|rest| {
        let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
        digits.parse::<u32>().ok()
    });
    let is_chat = name.contains("-chat");
    name.strip_prefix('o').is_some_and(is_numbered) || (of_gpt.is_some_and(|number| number >= 5) && !is_chat)
}

/// What can't be said in the strict dialect is only asked for.
fn format(output: &OutputFormat) -> Json {
    let (schema, is_strict) = match strict::strict(&output.schema) {
        Ok(schema) => (schema, true),
        Err(_) => (output.schema.clone(), false),
    };
    json!({ "type": "json_schema", "name": output.name, "schema": schema, "strict": is_strict })
}

fn tool(offer: &crate::llm::Offer) -> Json {
    json!({
        "type": "function",
        "name": offer.name,
        "description": offer.description,
        "parameters": strict::tool_arguments(&offer.arguments),
        "strict": false,
    })
}

fn items(turn: &Turn<'_>) -> Vec<Json> {
    match turn {
        Turn::User(text) => vec![json!({ "role": "user", "content": text })],
        Turn::Model {
            text,
            thoughts,
            calls,
        } => {
            let text = (!text.trim().is_empty()).then(|| json!({ "role": "assistant", "content": text }));
            let said: Vec<Json> = text.into_iter().chain(calls.iter().map(call)).collect();
            let mut items = placed::interleave(WIRE, said, thoughts, |_: &Thought, item| Some(item));
            items.extend(calls.iter().map(output));
            items
        }
    }
}

fn call(called: &Called<'_>) -> Json {
    let arguments = called.arguments().to_string();
    json!({ "type": "function_call", "call_id": called.id, "name": called.call.name, "arguments": arguments })
}

fn output(called: &Called<'_>) -> Json {
    json!({ "type": "function_call_output", "call_id": called.id, "output": called.content })
}
