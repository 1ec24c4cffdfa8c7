//! What a model can do, as far as that is known. It must not know how that was found out.

use serde::{Deserialize, Serialize};

use super::Limits;

/// Whether something works. What is not known is tried as if it did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Support {
    Yes,
    No,
    #[default]
    Unknown,
}

impl Support {
    /// Whether to try it.
    pub fn is_tried(self) -> bool {
        self != Self::No
    }

    pub fn of(is_supported: bool) -> Self {
        if is_supported { Self::Yes } else { Self::No }
    }

    /// This, or where it is unknown the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        if self == Self::Unknown { other } else { self }
    }

    pub fn word(self) -> &'static str {
        match self {
            Self::Yes => "yes",
            Self::No => "no",
            Self::Unknown => "unknown",
        }
    }
}

/// What is known of one model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traits {
    /// Calls of tools in the provider's own form.
    #[serde(default)]
    pub tools: Support,
    /// Answers bound to a JSON schema.
    #[serde(default)]
    pub structured: Support,
    /// Thinks before it answers.
    #[serde(default)]
    pub thinking: Support,
    /// Tokens of input and output together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_tokens: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_output_tokens: Option<u32>,
}

impl Traits {
    /// This, with what is unknown in it taken from the other.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            tools: self.tools.or(other.tools),
            structured: self.structured.or(other.structured),
            thinking: self.thinking.or(other.thinking),
            context_tokens: self.context_tokens.or(other.context_tokens),
            max_output_tokens: self.max_output_tokens.or(other.max_output_tokens),
        }
    }

    /// Whether it is known how to ask it: with tools, under a schema, or in text alone.
    pub fn is_known(&self) -> bool {
        self.tools != Support::Unknown && self.structured != Support::Unknown
    }

    /// What one call may take.
    pub fn limits(&self) -> Limits {
        Limits {
            context_tokens: self.context_tokens,
            max_output_tokens: self.max_output_tokens,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_known_first_wins_and_unknown_is_tried() {
        let told = Traits {
            tools: Support::No,
            context_tokens: Some(8192),
            ..Traits::default()
        };
        let listed = Traits {
            tools: Support::Yes,
            structured: Support::Yes,
            context_tokens: Some(1),
            max_output_tokens: Some(64),
            ..Traits::default()
        };
        let both = told.or(listed);
        assert_eq!((both.tools, both.structured), (Support::No, Support::Yes));
        assert_eq!(
            (both.context_tokens, both.max_output_tokens),
            (Some(8192), Some(64))
        );
        assert_eq!(both.thinking, Support::Unknown);
        assert!(both.thinking.is_tried() && both.structured.is_tried() && !both.tools.is_tried());
    }
}
