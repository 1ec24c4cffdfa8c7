//! Whether an answer that was at last accepted looks as if it only wanted to get through. A sign for a person, never
//! a verdict. It must not know the schema.

use serde::{Deserialize, Serialize};

use crate::llm::json_of;
use crate::model::Json;

/// What a person, and the synthesizer, should know of a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Flag {
    /// After rejections the text shrank to a small part of what earlier answers said.
    Collapsed,
    /// After rejections it holds words that only fill a field.
    Placeholder,
}

impl Flag {
    /// The stable word, as stored.
    pub fn word(self) -> String {
        match self {
            Self::Collapsed => "collapsed",
            Self::Placeholder => "placeholder",
        }
        .to_owned()
    }

    /// One sentence for people.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Collapsed => {
                "After rejections, the answer shrank to a small part of what it had said before."
            }
            Self::Placeholder => "After rejections, the answer holds words that only fill a field.",
        }
    }
}

/// An accepted answer with less than one part in this many of an earlier one's text has collapsed.
const SHARE: usize = 10;
/// Texts so short say nothing.
const SHORTEST: usize = 2;
const FILLERS: [&str; 22] = [
    "test",
    "testing",
    "foo",
    "bar",
    "baz",
    "placeholder",
    "todo",
    "tbd",
    "n/a",
    "na",
    "none",
    "null",
    "xxx",
    "string",
    "text",
    "value",
    "example",
    "sample",
    "dummy",
    "lorem",
    "lorem ipsum",
    "...",
];

/// The weight of an answer: characters of the texts in it, or of the whole where it is no JSON.
pub(super) fn weight_of(text: &str) -> usize {
    json_of(super::output::without_fence(text)).map_or_else(|_| text.chars().count(), |value| weight(&value))
}

fn weight(value: &Json) -> usize {
    let mut sum = 0;
    each_text(value, &mut |text| sum += text.chars().count());
    sum
}

/// The flags of a result that was accepted after rejections; `heaviest` is the greatest weight of an earlier answer.
pub(super) fn flags(output: &Json, heaviest: usize) -> Vec<Flag> {
    let (mut texts, mut short, mut has_filler) = (0usize, 0usize, false);
    each_text(output, &mut |text| {
        let plain = text.trim().to_lowercase();
        texts += 1;
        short += usize::from(plain.chars().count() <= SHORTEST);
        has_filler |= FILLERS.contains(&plain.as_str());
    });
    let mut flags = Vec::new();
    if weight(output).saturating_mul(SHARE) < heaviest {
        flags.push(Flag::Collapsed);
    }
    if has_filler || (texts > 0 && short == texts) {
        flags.push(Flag::Placeholder);
    }
    flags
}

/// Values are at most 64 deep, so this recursion is too.
fn each_text(value: &Json, take: &mut impl FnMut(&str)) {
    match value {
        Json::String(text) => take(text),
        Json::Array(items) => items.iter().for_each(|item| each_text(item, take)),
        Json::Object(map) => map.values().for_each(|item| each_text(item, take)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn shrinking_and_filling_are_signs() {
        assert!(flags(&json!({"a": "A careful answer of some length"}), 60).is_empty());
        assert_eq!(flags(&json!({"a": "Short now"}), 500), [Flag::Collapsed]);
        assert_eq!(
            flags(&json!({"a": "Well said, all of it", "b": " TBD "}), 40),
            [Flag::Placeholder]
        );
        assert_eq!(flags(&json!({"a": "x", "b": ["y"]}), 4), [Flag::Placeholder]);
        assert!(flags(&json!({"score": 3}), 0).is_empty());
    }
}
