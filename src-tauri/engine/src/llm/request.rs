//! What a model is asked, in no provider's words. It must not know who asks, nor how it is sent.

use serde::{Deserialize, Serialize};

use super::{Sealed, Thought};
use crate::model::Json;
use crate::model::read::{self, Bounds};

/// One question. Equal values are equal questions, so it can be hashed, stored and compared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// A role or `provider/model`, as [`super::Models::find`] takes it.
    pub model: String,
    /// Trusted text only: what was approved, never what a tool or another model said.
    pub system: String,
    pub messages: Vec<Message>,
    /// Sorted by name, so that equal offers are equal texts and a provider's cache holds.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tools: Vec<Offer>,
    /// The shape that the answer's text must have. Never together with tools: several wires drop it then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<OutputFormat>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Message {
    User(String),
    Assistant {
        text: String,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        calls: Vec<ToolCall>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        thoughts: Vec<Thought>,
    },
    /// What a tool call gave. Each call of an assistant's message has exactly one, before anything else is said.
    Observation {
        /// The call's `id`.
        call: String,
        content: String,
        is_error: bool,
    },
}

/// A tool that may be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Offer {
    pub name: String,
    pub description: String,
    /// JSON Schema of the arguments object.
    pub arguments: Json,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct OutputFormat {
    /// `[A-Za-z0-9_-]{1,64}`; some providers want one.
    pub name: String,
    pub schema: Json,
}

/// A call that a model asked for, as it wrote it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCall {
    /// The provider's id, or one that the wire made; may be empty or repeated, so nothing relies on it.
    pub id: String,
    pub name: String,
    /// The arguments' raw text; what a model writes is not always JSON.
    pub arguments: String,
    /// What the provider wants back with the call, unchanged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Sealed>,
}

/// Why a model's text is no JSON that can be taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unreadable(pub String);

/// What a model may write at once. Deeper or larger texts are refused, not cut.
pub const WRITTEN: Bounds = Bounds {
    bytes: 16 << 20,
    depth: 64,
    values: 1_000_000,
    tasks: 100_000,
};

/// Bytes to a token: a little less than most tokenizers make of English, so that the guess is rather too high.
const BYTES_PER_TOKEN: u64 = 3;
/// What roles and separators take for each part.
const TOKENS_PER_PART: u64 = 8;

impl Request {
    /// A guess at the tokens that this takes in, for reserving a budget before the call (rule 10). What the provider
    /// counts afterwards is what is settled.
    pub fn guessed_input_tokens(&self) -> u64 {
        let messages = self.messages.iter().map(Message::bytes);
        let tools = self
            .tools
            .iter()
            .map(|offer| offer.name.len() + offer.description.len() + offer.arguments.to_string().len());
        let output = self.output.iter().map(|output| output.schema.to_string().len());
        let parts = [self.system.len()]
            .into_iter()
            .chain(messages)
            .chain(tools)
            .chain(output);
        parts
            .map(|bytes| (bytes as u64).div_ceil(BYTES_PER_TOKEN) + TOKENS_PER_PART)
            .fold(0, u64::saturating_add)
    }
}

impl Message {
    fn bytes(&self) -> usize {
        match self {
            Self::User(text) => text.len(),
            Self::Assistant { text, calls, .. } => {
                let calls = calls.iter().map(|call| call.name.len() + call.arguments.len());
                text.len() + calls.sum::<usize>()
            }
            Self::Observation { content, .. } => content.len(),
        }
    }
}

impl ToolCall {
    /// The arguments, read without loss; a key that stands twice is refused. No text at all, and `null`, mean no arguments.
    pub fn parsed(&self) -> Result<Json, Unreadable> {
        if matches!(self.arguments.trim(), "" | "null") {
            return Ok(Json::Object(serde_json::Map::new()));
        }
        json_of(&self.arguments)
    }
}

/// Reads a model's JSON within bounds and without loss.
pub fn json_of(text: &str) -> Result<Json, Unreadable> {
    read::read(text.trim(), &WRITTEN).map_err(|errors| {
        let told: Vec<String> = errors.iter().take(5).map(ToString::to_string).collect();
        Unreadable(told.join("; "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_request_weighs() {
        let mut request = Request {
            model: "executor".to_owned(),
            system: "x".repeat(300),
            messages: Vec::new(),
            tools: Vec::new(),
            output: None,
            max_output_tokens: None,
            temperature: None,
        };
        let mut last = 0;
        let mut grows = |request: &Request| {
            let now = request.guessed_input_tokens();
            assert!(now > last, "{now}");
            last = now;
        };
        grows(&request);
        request.messages.push(Message::User("go".to_owned()));
        grows(&request);
        request.tools.push(Offer {
            name: "t".to_owned(),
            description: String::new(),
            arguments: Json::Null,
        });
        grows(&request);
        assert_eq!(last, 100 + 8 + 1 + 8 + 2 + 8);
    }

    #[test]
    fn arguments_are_read_without_loss_or_refused() {
        let call = |arguments: &str| ToolCall {
            id: String::new(),
            name: "t".to_owned(),
            arguments: arguments.to_owned(),
            sealed: None,
        };
        assert_eq!(call(" ").parsed().unwrap().to_string(), "{}");
        let text = r#"{"n":9007199254740993,"d":1.10}"#;
        assert_eq!(call(text).parsed().unwrap().to_string(), text);
        for broken in ["{", r#"{"a":1,"a":2}"#, "{} {}", &"[".repeat(100_000)] {
            assert!(call(broken).parsed().is_err());
        }
    }
}
