//! The JSON values that stand in a model's answer: bare, fenced, several, between words. What was only thought is no
//! answer. This file must not know what is looked for.

use crate::llm::json_of;
use crate::llm::thoughts::{self, Closing, Mark};
use crate::model::Json;

/// Beginnings that are looked at; a hostile answer costs no more.
const MOST_TRIED: usize = 5_000;
const MOST_FOUND: usize = 50;

/// Everything that an answer's text holds.
#[derive(Debug, Default, PartialEq)]
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
    match thoughts::final_of(text) {
        Some(said) => scan(&said),
        None => scan(text),
    }
}

/// Marks of thinking inside of a value are part of it. A thought that is not closed goes to the end; one that was never
/// opened began with the text.
fn scan(text: &str) -> Found {
    let marks = thoughts::marks(text);
    let mut scan = Scan {
        text,
        marks: &marks,
        closing: Closing::of(&marks),
        passed: 0,
        at: 0,
        found: Found::default(),
    };
    let mut tried = 0;
    while let Some(ahead) = text[scan.at..].find(['{', '[']) {
        let start = scan.at + ahead;
        if scan.thought_before(start) {
            continue;
        }
        scan.at = start + 1;
        tried += 1;
        if tried > MOST_TRIED || scan.found.values.len() >= MOST_FOUND {
            break;
        }
        scan.value(start);
    }
    while scan.thought_before(text.len()) {}
    scan.found
}

struct Scan<'t> {
    text: &'t str,
    marks: &'t [Mark],
    closing: Closing<'t>,
    /// How many of the marks lie behind.
    passed: usize,
    at: usize,
    found: Found,
}

impl Scan<'_> {
    /// Goes past a thought that begins or ends up to here, if there is one.
    fn thought_before(&mut self, start: usize) -> bool {
        self.passed += self.marks[self.passed..].partition_point(|mark| mark.at < self.at);
        let Some(mark) = self.marks.get(self.passed).filter(|mark| mark.at <= start) else {
            return false;
        };
        if mark.is_open {
            let close = self.closing.of_mark(self.passed);
            self.at = close.map_or(self.text.len(), |close| close.end);
        } else {
            self.found = Found::default();
            self.at = mark.end;
        }
        true
    }

    /// Takes the value that begins here, if it is one.
    fn value(&mut self, start: usize) {
        let found = &mut self.found;
        match end_of(&self.text[start..]) {
            Ok(length) => {
                // Whole, it may have a key that stands twice or be beyond the bounds: what is inside is no answer then.
                self.at = start + length;
                match json_of(&self.text[start..start + length]) {
                    Ok(value) => found.values.push(value),
                    Err(error) => {
                        found.broken.get_or_insert(error.to_string());
                    }
                }
            }
            Err(error) => {
                if found.broken.is_none() && looks_like_a_value(&self.text[start + 1..]) {
                    found.broken = Some(error);
                }
            }
        }
    }
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
            "<THINK>{\"a\": 1}</Think>{\"b\": 2}",
            "<thought>{\"a\": 1} <thought>{\"a\": 3}</thought> {\"a\": 4}</thought>{\"b\": 2}",
            "<think>I <think> of {\"a\": 1}</think>{\"b\": 2}",
            "<reasoning>{\"a\": 1}</reasoning>{\"b\": 2}",
            "[THINK]{\"a\": 1}[/THINK]{\"b\": 2}",
            "So: [THINK] {\"a\": 1} [/THINK] {\"b\": 2} [THINK] {\"a\": 1}",
            "<|channel|>analysis<|message|>{\"a\": 1}<|end|><|start|>assistant<|channel|>final<|message|>{\"b\": 2}<|return|>",
            "{\"a\": 1}<|end|><|start|>assistant<|channel|>final<|message|>{\"b\": 2}",
        ] {
            assert_eq!(find(text).values, [json!({"b": 2})], "{text}");
        }
        let between = format!(
            "So: {} and no more",
            json!({"b": "say <think>{\"a\": 1}</think> or </think>"})
        );
        assert_eq!(
            find(&between).values.len(),
            1,
            "marks in a text of a value are its own"
        );
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
        for piece in [
            "[",
            "{\"a\":",
            "{\"",
            "[1,",
            "<think>",
            "</think>",
            "<think>{</think>",
            "[THINK]",
            "<|channel|>",
            "<think ",
        ] {
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
