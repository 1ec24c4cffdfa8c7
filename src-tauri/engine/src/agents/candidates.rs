//! The JSON values that stand in a model's answer: bare, fenced, several, between words. What was only thought is no
//! answer. This file must not know what is looked for.

use crate::llm::json_of;
use crate::model::Json;

/// Beginnings that are looked at; a hostile answer costs no more.
const MOST_TRIED: usize = 5_000;
const MOST_FOUND: usize = 50;
/// Tags between which models think aloud.
const THINKING: [&str; 3] = ["think", "thinking", "reasoning"];

/// Everything that an answer's text holds.
#[derive(Debug, PartialEq)]
pub(super) struct Found {
    /// Whole values, in the order of the text; objects and lists only.
    pub values: Vec<Json>,
    /// Why the first that looks like a value can't be read, where one can't.
    pub broken: Option<String>,
}

pub(super) fn find(text: &str) -> Found {
    if let Ok(whole) = json_of(super::output::without_fence(text)) {
        return Found {
            values: vec![whole],
            broken: None,
        };
    }
    scan(&without_thoughts(text))
}

fn scan(text: &str) -> Found {
    let mut found = Found {
        values: Vec::new(),
        broken: None,
    };
    let (mut at, mut tried) = (0, 0);
    while let Some(ahead) = text[at..].find(['{', '[']) {
        let start = at + ahead;
        at = start + 1;
        tried += 1;
        if tried > MOST_TRIED || found.values.len() >= MOST_FOUND {
            break;
        }
        match end_of(&text[start..]) {
            Ok(length) => match json_of(&text[start..start + length]) {
                Ok(value) => {
                    at = start + length;
                    found.values.push(value);
                }
                Err(error) => {
                    // Whole, but with a key that stands twice or beyond the bounds: what is inside is no answer.
                    at = start + length;
                    found.broken.get_or_insert(error.to_string());
                }
            },
            Err(error) => {
                if found.broken.is_none() && looks_like_a_value(&text[start + 1..]) {
                    found.broken = Some(error);
                }
            }
        }
    }
    found
}

/// What follows a bracket: a key or a text, maybe after some more brackets.
fn looks_like_a_value(rest: &str) -> bool {
    let mut ahead = rest.chars().take(200).filter(|c| !c.is_whitespace());
    ahead.find(|c| !matches!(c, '{' | '[')) == Some('"')
}

/// How long the value is that the text begins with. It is read as a tree, as only that has a bound on its depth.
fn end_of(text: &str) -> Result<usize, String> {
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    match values.next() {
        Some(Ok(_)) => Ok(values.byte_offset()),
        Some(Err(error)) => Err(error.to_string()),
        None => Err("nothing stands here".to_owned()),
    }
}

/// The text without what stands between tags of thinking. A tag that is not closed thinks to the end; one that was
/// never opened thinks from the beginning.
fn without_thoughts(text: &str) -> String {
    let mut text = text.to_owned();
    for tag in THINKING {
        let (open, close) = (format!("<{tag}>"), format!("</{tag}>"));
        let mut kept = String::new();
        let mut at = 0;
        // Found once each, so that many tags cost no more than one look.
        let (mut begins, mut ends) = (Tags::of(&text, &open), Tags::of(&text, &close));
        loop {
            match (begins.next_from(at), ends.next_from(at)) {
                (Some(from), Some(to)) if from < to => {
                    kept.push_str(&text[at..from]);
                    at = to + close.len();
                }
                (_, Some(to)) => {
                    kept.clear();
                    at = to + close.len();
                }
                (Some(from), None) => {
                    kept.push_str(&text[at..from]);
                    break;
                }
                (None, None) => {
                    kept.push_str(&text[at..]);
                    break;
                }
            }
        }
        text = kept;
    }
    text
}

/// The places of one tag, in order.
struct Tags {
    places: std::iter::Peekable<std::vec::IntoIter<usize>>,
}

impl Tags {
    fn of(text: &str, tag: &str) -> Self {
        let places: Vec<usize> = text.match_indices(tag).map(|(at, _)| at).collect();
        Self {
            places: places.into_iter().peekable(),
        }
    }

    /// The first one that is not before `at`.
    fn next_from(&mut self, at: usize) -> Option<usize> {
        while self.places.next_if(|&place| place < at).is_some() {}
        self.places.peek().copied()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_found_between_words_and_fences() {
        let text = "First:\n```json\n{\"a\": [1\n```\nthen [see 3]\n```JSON\n{\"b\": {\"c\": 9007199254740993}}\n``` and {\"d\": []}.";
        let found = find(text);
        let told: Vec<String> = found.values.iter().map(ToString::to_string).collect();
        assert_eq!(told, [r#"{"b":{"c":9007199254740993}}"#, r#"{"d":[]}"#]);
        assert!(found.broken.is_some());
    }

    #[test]
    fn what_was_thought_is_no_answer() {
        for text in [
            "<think>{\"a\": 1}</think>{\"b\": 2}",
            "{\"a\": 1} hm </think>{\"b\": 2}",
            "{\"b\": 2}<thinking>or {\"a\": 1}",
            "<think>{\"a\": 1}</think><think>{\"a\": 3}</think> {\"b\": 2}",
        ] {
            assert_eq!(find(text).values, [json!({"b": 2})], "{text}");
        }
        let inside = json!({"b": "<think>{\"a\": 1}</think>"});
        assert_eq!(find(&inside.to_string()).values, [inside]);
    }

    #[test]
    fn a_key_that_stands_twice_is_not_taken() {
        let found = find("Plan: {\"tasks\": [{\"id\": 1}], \"tasks\": []}");
        assert!(found.values.is_empty() && found.broken.is_some(), "{found:?}");
    }

    #[test]
    fn hostile_texts_end_soon() {
        for piece in ["[", "{\"a\":", "{\"", "[1,", "<think>", "</think>"] {
            find(&piece.repeat(200_000));
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in ".{0,80}|[\\[\\]{}\",:0-9a` \n<>/think]{0,80}") {
            find(&text);
        }
    }
}
