//! What a model sees of a call's result: text without control codes and without the bytes of pictures, cut where it is
//! long, with a way to read on. The whole stays with the call. It must not know which tool gave it.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::json;

use crate::agents::data::{cut_with, text_of};
use crate::llm::{Offer, ToolCall, json_of};
use crate::model::Json;

/// The call by which a model reads on in a result of which it was shown a part. It is answered from what is kept and
/// calls nothing. A tool of this name would be hidden by it, as by [`super::SUBMIT`].
pub const READ_ON: &str = "read_result";
/// A text of base64 that is longer says nothing to a model.
const BASE64: usize = 512;

/// Results that are not short, by the names under which they are read on where only a part of them is shown.
#[derive(Default)]
pub(super) struct Kept<'a> {
    texts: BTreeMap<String, Cow<'a, str>>,
    has_cut: bool,
}

/// Shorter results are shown whole, or not worth a call.
const SHORT: usize = 1024;

/// What the note in a text says that is shown in part.
pub(super) fn read_on(name: &str) -> String {
    format!("read on with {READ_ON}, result \"{name}\"")
}

impl<'a> Kept<'a> {
    /// The result as it is shown; what is cut off can be read on under that name.
    pub fn show(&mut self, name: &str, value: &'a Json, most: usize) -> String {
        let text = shown(value);
        let cut = cut_with(&text, most, &read_on(name)).into_owned();
        self.has_cut |= text.len() > most;
        if text.len() > SHORT.min(most) {
            self.texts.insert(name.to_owned(), text);
        }
        cut
    }

    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }

    /// Offered only where something is shown in part: at once, or because the talk was made smaller.
    pub fn offer(&self, is_squeezed: bool) -> Option<Offer> {
        let has_more = !self.texts.is_empty() && (self.has_cut || is_squeezed);
        has_more.then(|| Offer {
            name: READ_ON.to_owned(),
            description: "Shows another part of a result of which only a part was shown.".to_owned(),
            arguments: json!({
                "type": "object",
                "properties": {
                    "result": { "type": "string", "description": "The result's name, as its note says" },
                    "from": { "type": "integer", "minimum": 0, "description": "Byte to begin at" },
                },
                "required": ["result", "from"],
                "additionalProperties": false,
            }),
        })
    }

    /// A part of a result, or why there is none.
    pub fn read(&self, call: &ToolCall, most: usize) -> Result<String, String> {
        let arguments = call
            .parsed()
            .map_err(|error| format!("Nothing was read: {error}."))?;
        let names = || {
            self.texts
                .keys()
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(", ")
        };
        let name = arguments.get("result").and_then(Json::as_str).unwrap_or_default();
        let Some(text) = self.texts.get(name) else {
            return Err(format!(
                "There is no result of that name to read on in. There are: {}.",
                names()
            ));
        };
        let Some(from) = arguments.get("from").and_then(Json::as_u64) else {
            return Err("Nothing was read: `from` must be a whole number of bytes.".to_owned());
        };
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        if from >= text.len() {
            return Err(format!("The result ends at byte {}.", text.len()));
        }
        let from = text.floor_char_boundary(from);
        let to = text
            .floor_char_boundary(from.saturating_add(most).min(text.len()))
            .max(from);
        let part = &text[from..to];
        Ok(if to == text.len() {
            format!("Bytes {from} to {to} of {to}, to the end:\n{part}")
        } else {
            format!(
                "Bytes {from} to {to} of {}; read on from {to}:\n{part}",
                text.len()
            )
        })
    }
}

/// A value as a model reads it.
pub(super) fn shown(value: &Json) -> Cow<'_, str> {
    let has_bytes = |text: &str| is_base64(text);
    if says_it_twice(value) {
        let mut once = value.clone();
        if let Some(map) = once.as_object_mut() {
            map.shift_remove("structuredContent");
        }
        return Cow::Owned(shown(&once).into_owned());
    }
    let text = match masked(value, &has_bytes) {
        Some(masked) => Cow::Owned(text_of(&masked).into_owned()),
        None => text_of(value),
    };
    if text.contains(|c: char| c.is_control() && !matches!(c, '\n' | '\t' | '\r')) {
        return Cow::Owned(plain(&text));
    }
    text
}

/// Servers of tools give the same as parts and as a structure.
fn says_it_twice(value: &Json) -> bool {
    let (Some(content), Some(structured)) = (value.get("content"), value.get("structuredContent")) else {
        return false;
    };
    let is_text_of = |part: &Json| {
        let text = part.get("text").and_then(Json::as_str);
        text.and_then(|text| json_of(text).ok())
            .is_some_and(|read| read == *structured)
    };
    let inner = structured.get("result").unwrap_or(structured);
    inner == content || matches!(content.as_array().map(Vec::as_slice), Some([part]) if is_text_of(part))
}

/// Without long base64; nothing, where there is none.
fn masked(value: &Json, is_bytes: &dyn Fn(&str) -> bool) -> Option<Json> {
    match value {
        Json::String(text) if is_bytes(text) => Some(Json::String(format!(
            "[{} bytes of base64, not shown; the whole is kept]",
            text.len()
        ))),
        Json::Array(items) => {
            let new: Vec<Option<Json>> = items.iter().map(|item| masked(item, is_bytes)).collect();
            new.iter().any(Option::is_some).then(|| {
                let pairs = new.into_iter().zip(items);
                Json::Array(
                    pairs
                        .map(|(new, old)| new.unwrap_or_else(|| old.clone()))
                        .collect(),
                )
            })
        }
        Json::Object(map) => {
            let new: Vec<Option<Json>> = map.values().map(|item| masked(item, is_bytes)).collect();
            new.iter().any(Option::is_some).then(|| {
                let pairs = new.into_iter().zip(map);
                let pairs = pairs.map(|(new, (key, old))| (key.clone(), new.unwrap_or_else(|| old.clone())));
                Json::Object(pairs.collect())
            })
        }
        Json::String(_) | Json::Null | Json::Bool(_) | Json::Number(_) => None,
    }
}

/// Long, of one piece, and of that alphabet, with more than one of its kinds of character.
fn is_base64(text: &str) -> bool {
    let body = text
        .strip_prefix("data:")
        .map_or(text, |data| data.split_once(";base64,").map_or(text, |(_, b)| b));
    let is_of_it =
        |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'=' | b'-' | b'_' | b'\r' | b'\n');
    body.len() > BASE64
        && body.bytes().all(is_of_it)
        && body.bytes().any(|b| b.is_ascii_uppercase())
        && body.bytes().filter(|b| matches!(b, b'\n')).count() <= body.len() / 60
}

/// Without the codes that move cursors and colour terminals, nor other control characters.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\n' | '\t' | '\r' => plain.push(c),
            '\u{1b}' => match chars.peek() {
                Some('[') => {
                    chars.next();
                    // Parameters, then one letter or sign that ends the code.
                    while let Some(&next) = chars.peek() {
                        chars.next();
                        if ('@'..='~').contains(&next) {
                            break;
                        }
                    }
                }
                Some(']') => skip_title(&mut chars),
                _ => {
                    chars.next();
                }
            },
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// A window's title or a link: up to the bell, or to the escape that ends it.
fn skip_title(chars: &mut std::iter::Peekable<std::str::Chars<'_>>) {
    while let Some(c) = chars.next() {
        match c {
            '\u{7}' => return,
            '\u{1b}' => {
                chars.next_if_eq(&'\\');
                return;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(arguments: &Json) -> ToolCall {
        ToolCall {
            id: String::new(),
            name: READ_ON.to_owned(),
            arguments: arguments.to_string(),
            sealed: None,
        }
    }

    #[test]
    fn a_long_result_is_read_on_to_its_very_end() {
        let text: String = (0..2000).map(|n| format!("Zeile {n} é\n")).collect();
        let value = json!(text);
        let mut kept = Kept::default();
        assert!(kept.offer(true).is_none());
        let shown = kept.show("r1.0", &value, 1000);
        assert!(
            shown.len() <= 1000 && shown.contains("read on with read_result, result \"r1.0\""),
            "{shown}"
        );
        assert!(kept.offer(false).is_some());
        let (mut read, mut from) = (String::new(), 0);
        while from < text.len() {
            let part = kept
                .read(&call(&json!({"result": "r1.0", "from": from})), 777)
                .unwrap();
            let part = part.split_once(":\n").unwrap().1;
            read.push_str(part);
            from += part.len();
        }
        assert_eq!(read, text);
        for wrong in [
            json!({"result": "r1.0", "from": text.len()}),
            json!({"result": "r9.9", "from": 0}),
            json!({"result": "r1.0", "from": -1}),
            json!([]),
        ] {
            assert!(kept.read(&call(&wrong), 777).is_err());
        }
    }

    #[test]
    fn pictures_and_control_codes_are_not_shown() {
        let picture = "iVBORw0KGgoAAAANSUhEUgAA".repeat(50);
        let value =
            json!({ "content": [{ "type": "image", "data": picture }], "n": 9_007_199_254_740_993_u64 });
        let text = shown(&value);
        assert!(
            text.contains("1200 bytes of base64, not shown") && text.contains("9007199254740993"),
            "{text}"
        );
        assert_eq!(
            shown(&json!("\u{1b}[31mred\u{1b}[0m\u{0}\u{1b}]0;t\u{7}!")),
            "red!"
        );
        let prose = "Ein langer Satz ".repeat(100);
        assert_eq!(shown(&json!(prose)), prose);
        let digest = "a3f".repeat(200);
        assert_eq!(
            shown(&json!(digest)),
            digest,
            "no upper case: rather a number than a picture"
        );
    }
}
