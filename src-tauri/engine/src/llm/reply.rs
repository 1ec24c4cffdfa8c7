//! What came back from a model, as one typed outcome (rule 13). It must not know any wire, nor what follows.

use serde::{Deserialize, Serialize};

use super::{Cost, ToolCall, Usage};

/// One finished call: what it gave and what it took. Stored in the log as it stands and read back from there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    pub outcome: Outcome,
    #[serde(default)]
    pub usage: Usage,
    #[serde(default)]
    pub cost: Cost,
}

/// Retry, breaker, fallback, replan and face read only this.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// The provider said by its own marker that the answer is whole.
    Complete(Answer),
    /// The answer ended at the limit of output; arguments of its calls must not be used.
    Cut(Answer),
    /// Too many requests; may be asked again after a while.
    Rate(Fault),
    /// Money or an allowance is used up; waiting a little doesn't help.
    Quota(Fault),
    /// More was sent than the model can take in.
    Overflow(Fault),
    /// No key, a wrong one, or no right to this model.
    Auth(Fault),
    /// Connection, time-out or a fault of the server; may be asked again.
    Transient(Fault),
    /// Asking the same again can't help. A refusal is this, with the code [`Fault::REFUSAL`] and its words.
    Permanent(Fault),
    /// Something that no rule knows; treated as permanent and shown as it came.
    Unknown(Fault),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<ToolCall>,
    /// What was thought before it, in order. Goes back to the same wire in the next turn, where that wants it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub thoughts: Vec<Thought>,
    /// The provider's own word for why it stopped, such as `end_turn`; for people only.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<String>,
}

/// A piece of a model's thinking.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// For people; empty where the provider keeps it to itself.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub text: String,
    /// What only the provider can read, and must get back unchanged with what was thought.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed: Option<Sealed>,
}

/// Bytes of a provider's own, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sealed {
    /// The wire that gave it; no other gets it.
    pub wire: String,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// A stable word, such as `overloaded`, `context_length` or [`Fault::REFUSAL`].
    pub code: String,
    /// For people, free of secrets.
    pub message: String,
    /// How long the provider asked to wait.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_after_ms: Option<u64>,
}

impl Fault {
    /// The model, or its provider's policy, said no.
    pub const REFUSAL: &str = "refusal";
    /// The code of a call that the model wrote and nobody can read.
    pub const MALFORMED_CALL: &str = "malformed_call";

    pub fn new(code: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            retry_after_ms: None,
        }
    }

    pub fn refusal(words: impl Into<String>) -> Self {
        Self::new(Self::REFUSAL, words)
    }
}

impl Answer {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// About as many tokens as were given out, rather too many; for providers that count nothing.
    pub fn guessed_tokens(&self) -> u64 {
        const BYTES_PER_TOKEN: u64 = 3;
        let thoughts = self.thoughts.iter().map(|thought| thought.text.len());
        let calls = self
            .calls
            .iter()
            .map(|call| call.name.len() + call.arguments.len());
        let bytes = thoughts.chain(calls).chain([self.text.len()]);
        bytes.map(|bytes| (bytes as u64).div_ceil(BYTES_PER_TOKEN)).sum()
    }

    /// Neither a text nor a call: nothing was said.
    pub fn is_empty(&self) -> bool {
        self.text.trim().is_empty() && self.calls.is_empty()
    }

    pub fn calls(calls: Vec<ToolCall>) -> Self {
        Self {
            calls,
            ..Self::default()
        }
    }
}

impl Reply {
    /// An outcome of which neither use nor cost is known.
    pub fn of(outcome: Outcome) -> Self {
        Self {
            outcome,
            usage: Usage::default(),
            cost: Cost::Unknown,
        }
    }

    pub fn complete(answer: Answer) -> Self {
        Self::of(Outcome::Complete(answer))
    }
}

impl Outcome {
    /// The stable word, also under which it is counted.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Complete(_) => "complete",
            Self::Cut(_) => "cut",
            Self::Rate(_) => "rate",
            Self::Quota(_) => "quota",
            Self::Overflow(_) => "overflow",
            Self::Auth(_) => "auth",
            Self::Transient(_) => "transient",
            Self::Permanent(_) => "permanent",
            Self::Unknown(_) => "unknown",
        }
    }

    /// The whole answer; one that was cut is none.
    pub fn answer(&self) -> Option<&Answer> {
        if let Self::Complete(answer) = self {
            Some(answer)
        } else {
            None
        }
    }

    pub fn fault(&self) -> Option<&Fault> {
        match self {
            Self::Complete(_) | Self::Cut(_) => None,
            Self::Rate(fault)
            | Self::Quota(fault)
            | Self::Overflow(fault)
            | Self::Auth(fault)
            | Self::Transient(fault)
            | Self::Permanent(fault)
            | Self::Unknown(fault) => Some(fault),
        }
    }

    /// Whether the same request may be sent again later (rule 4).
    pub fn may_be_retried(&self) -> bool {
        match self {
            Self::Rate(_) | Self::Transient(_) => true,
            Self::Complete(_)
            | Self::Cut(_)
            | Self::Quota(_)
            | Self::Overflow(_)
            | Self::Auth(_)
            | Self::Permanent(_)
            | Self::Unknown(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::model::value::ValueRef;

    fn any_fault() -> impl Strategy<Value = Fault> {
        (".{0,8}", ".{0,40}", prop::option::of(any::<u64>())).prop_map(|(code, message, retry_after_ms)| {
            Fault {
                code,
                message,
                retry_after_ms,
            }
        })
    }

    fn any_answer() -> impl Strategy<Value = Answer> {
        let call = (".{0,8}", ".{0,8}", ".{0,30}").prop_map(|(id, name, arguments)| ToolCall {
            id,
            name,
            arguments,
            sealed: None,
        });
        (
            ".{0,40}",
            prop::collection::vec(call, 0..3),
            prop::option::of(".{0,8}"),
        )
            .prop_map(|(text, calls, stop)| Answer {
                thoughts: vec![Thought {
                    text: text.clone(),
                    sealed: stop.clone().map(|text| Sealed {
                        wire: "x".to_owned(),
                        text,
                    }),
                }],
                text,
                calls,
                stop,
            })
    }

    fn any_outcome() -> impl Strategy<Value = Outcome> {
        prop_oneof![
            any_answer().prop_map(Outcome::Complete),
            any_answer().prop_map(Outcome::Cut),
            any_fault().prop_map(Outcome::Rate),
            any_fault().prop_map(Outcome::Quota),
            any_fault().prop_map(Outcome::Overflow),
            any_fault().prop_map(Outcome::Auth),
            any_fault().prop_map(Outcome::Transient),
            any_fault().prop_map(Outcome::Permanent),
            any_fault().prop_map(Outcome::Unknown),
        ]
    }

    fn any_usage() -> impl Strategy<Value = Usage> {
        let tokens = || prop::option::of(any::<u64>());
        (tokens(), tokens(), tokens(), tokens()).prop_map(|(input, output, cached, written)| Usage {
            input,
            output,
            cached,
            written,
        })
    }

    proptest! {
        /// The way through the log: to a value, to text, and back.
        #[test]
        fn a_stored_reply_comes_back_as_it_was(outcome in any_outcome(), usage in any_usage()) {
            let cost = Cost::Estimated("0.1234567".parse().unwrap());
            let reply = Reply { outcome, usage, cost };
            let value = serde_json::to_value(&reply).unwrap();
            let again: Reply = serde_json::from_value(value.clone()).unwrap();
            prop_assert_eq!(&again, &reply);
            let (stored, _) = ValueRef::of(&value);
            if let ValueRef::Inline(raw) = stored {
                let again: Reply = serde_json::from_str(raw.get()).unwrap();
                prop_assert_eq!(&again, &reply);
            }
        }
    }

    #[test]
    fn a_reply_in_the_log_reads_like_this() {
        let mut reply = Reply::complete(Answer::text("Hello"));
        reply.usage.input = Some(9_007_199_254_740_993);
        assert_eq!(
            serde_json::to_string(&reply).unwrap(),
            r#"{"outcome":{"complete":{"text":"Hello"}},"usage":{"input":9007199254740993},"cost":"unknown"}"#
        );
    }
}
