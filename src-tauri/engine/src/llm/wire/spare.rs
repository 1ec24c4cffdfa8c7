//! What a server that speaks like OpenAI is not asked for because it refused it by name, and how the question is put
//! instead. A refusal costs nothing, so the question is asked again at once. It must not send anything.

use std::collections::HashMap;
use std::sync::{Mutex, OnceLock, PoisonError};

use url::Url;

use crate::llm::{Fault, Outcome};
use crate::model::Json;

/// How the shape of an answer is demanded: each way asks less of the server than the one before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Shaping {
    /// A schema that binds it.
    #[default]
    Schema,
    /// JSON of any kind; the schema is told in words.
    AnyJson,
    /// In words alone.
    Words,
}

/// What is left out of a request. Every refusal adds to it, so that asking again comes to an end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spared {
    pub stream_options: bool,
    /// The word `strict` beside a schema.
    pub strict: bool,
    pub shaping: Shaping,
}

const STREAM_OPTIONS: [&str; 3] = ["stream_options", "stream options", "include_usage"];
const SHAPES: [&str; 8] = [
    "response_format",
    "response format",
    "json_schema",
    "json schema",
    "json_object",
    "json mode",
    "structured output",
    "grammar",
];
/// Said of one schema: others may be fine, so this is not remembered.
const OF_ONE_SCHEMA: [&str; 5] = [
    "invalid schema",
    "invalid json schema",
    "schema contains",
    "schema conversion",
    "grammar",
];
/// Servers that are remembered.
const MOST_KEPT: usize = 256;

type Kept = HashMap<(String, String), Spared>;

fn kept() -> std::sync::MutexGuard<'static, Kept> {
    static KEPT: OnceLock<Mutex<Kept>> = OnceLock::new();
    let kept = KEPT.get_or_init(Mutex::default);
    kept.lock().unwrap_or_else(PoisonError::into_inner)
}

fn key(base: &Url, model: &str) -> (String, String) {
    (base.to_string(), model.to_owned())
}

/// What this process has learnt of this model at this address.
pub(super) fn known(base: &Url, model: &str) -> Spared {
    kept().get(&key(base, model)).copied().unwrap_or_default()
}

/// For as long as this process lives.
pub(super) fn remember(base: &Url, model: &str, spared: Spared) {
    let mut kept = kept();
    if kept.len() >= MOST_KEPT {
        kept.clear();
    }
    let known = kept.entry(key(base, model)).or_default();
    *known = known.and(spared);
}

/// Whether the server refused what was asked for, and did nothing.
pub(super) fn is_refused(status: u16, outcome: &Outcome) -> bool {
    let is_of_request = |fault: &Fault| matches!(fault.code.as_str(), "bad_request" | "grammar_too_large");
    matches!(status, 400 | 422) && matches!(outcome, Outcome::Permanent(fault) if is_of_request(fault))
}

/// Whether the refusal is about this one schema.
pub(super) fn is_of_one_schema(refusal: &str) -> bool {
    let said = refusal.to_lowercase();
    OF_ONE_SCHEMA.iter().any(|words| said.contains(words))
}

impl Spared {
    fn and(self, other: Self) -> Self {
        Self {
            stream_options: self.stream_options || other.stream_options,
            strict: self.strict || other.strict,
            shaping: self.shaping.max(other.shaping),
        }
    }

    /// More is left out: what stands in the body and is named in the refusal. `None` where nothing of it is.
    pub(super) fn after(self, body: &Json, refusal: &str) -> Option<Self> {
        let said = refusal.to_lowercase();
        let names = |words: &[&str]| words.iter().any(|word| said.contains(word));
        let mut next = self;
        next.stream_options |= body.get("stream_options").is_some() && names(&STREAM_OPTIONS);
        let format = body.get("response_format");
        let is_strict = format.is_some_and(|format| format.pointer("/json_schema/strict").is_some());
        if is_strict && names(&["strict"]) {
            next.strict = true;
        } else if let Some(format) = format.filter(|_| names(&SHAPES)) {
            let is_schema = format["type"] == "json_schema";
            next.shaping = if is_schema {
                Shaping::AnyJson
            } else {
                Shaping::Words
            };
        }
        (next != self).then_some(next)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_was_sent_and_is_named_is_left_out() {
        let schema = json!({"stream_options": {}, "response_format": {"type": "json_schema", "json_schema": {"strict": true}}});
        let any = json!({"response_format": {"type": "json_object"}});
        let of = |stream_options, strict, shaping| {
            Some(Spared {
                stream_options,
                strict,
                shaping,
            })
        };
        for (body, refusal, expected) in [
            (
                &schema,
                "Extra inputs: stream_options",
                of(true, false, Shaping::Schema),
            ),
            (
                &schema,
                "Unknown field `strict` in json_schema",
                of(false, true, Shaping::Schema),
            ),
            (
                &schema,
                "This model does not support response format `json_schema`",
                of(false, false, Shaping::AnyJson),
            ),
            (
                &schema,
                r#"{"detail":[{"loc":["body","stream_options"]},{"loc":["body","response_format"]}]}"#,
                of(true, false, Shaping::AnyJson),
            ),
            (
                &any,
                "response_format.type must be text",
                of(false, false, Shaping::Words),
            ),
            (&any, "Unknown field stream_options, strict", None),
            (&schema, "messages: at least one is needed", None),
            (&schema, "", None),
        ] {
            assert_eq!(Spared::default().after(body, refusal), expected, "{refusal}");
        }
    }

    /// Whatever a server goes on refusing.
    #[test]
    fn asking_again_comes_to_an_end() {
        let schema = json!({"stream_options": {}, "response_format": {"type": "json_schema", "json_schema": {"strict": true}}});
        let mut spared = Spared::default();
        for _ in 0..4 {
            match spared.after(&schema, "strict response_format stream_options") {
                Some(next) => spared = next,
                None => return,
            }
        }
        panic!("{spared:?}");
    }
}
