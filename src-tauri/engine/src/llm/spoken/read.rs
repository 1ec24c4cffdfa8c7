//! From a model's text to the calls that it wrote down. Only what stands at the end of the text counts, and only for
//! tools that were offered: prose about a call is no call.

use serde_json::Value as Json;

use crate::llm::wire::names::meant;
use crate::llm::{Offer, ToolCall, json_of};

/// The calls, and the text before them.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub text: String,
    pub calls: Vec<ToolCall>,
}

/// What stands around a call, as models of several families write it.
const BLOCKS: [(&str, &str); 3] = [
    ("<tool_call>", "</tool_call>"),
    ("<function_call>", "</function_call>"),
    ("```", "```"),
];

/// An answer in the form that [`super::write`] binds it to.
pub(super) fn step(text: &str) -> Option<Found> {
    let Ok(Json::Object(map)) = json_of(text) else {
        return None;
    };
    let call = call_of(&map)?;
    let thought = map.get("thought").and_then(Json::as_str).unwrap_or_default();
    Some(Found {
        text: thought.to_owned(),
        calls: vec![call],
    })
}

/// The calls at the end of a text.
pub(super) fn calls(text: &str, offers: &[Offer]) -> Option<Found> {
    let (mut rest, mut found) = (text.trim_end(), Vec::new());
    while let Some((before, inner)) = last_block(rest) {
        match calls_of(inner, offers) {
            Some(calls) => found.push(calls),
            None => break,
        }
        rest = before.trim_end();
    }
    if found.is_empty() {
        let (before, inner) = bare(rest)?;
        found.push(calls_of(inner, offers)?);
        rest = before;
    }
    Some(Found {
        text: rest.trim().to_owned(),
        calls: found.into_iter().rev().flatten().collect(),
    })
}

/// The block that ends the text, and what stands before it.
fn last_block(text: &str) -> Option<(&str, &str)> {
    BLOCKS.iter().find_map(|(open, close)| {
        let body = text.strip_suffix(close)?;
        let at = body.rfind(open)?;
        let inner = &body[at + open.len()..];
        Some((&body[..at], without_label(inner)))
    })
}

/// `json` behind the opening of a fence.
fn without_label(inner: &str) -> &str {
    let label = inner.split_once('\n').map(|(first, _)| first.trim());
    let is_label = label.is_some_and(|label| {
        !label.is_empty() && label.len() <= 20 && label.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    });
    if is_label {
        inner.split_once('\n').map_or(inner, |(_, rest)| rest)
    } else {
        inner
    }
}

/// A JSON value that begins a line and goes on to the end.
fn bare(text: &str) -> Option<(&str, &str)> {
    if !text.ends_with(['}', ']']) {
        return None;
    }
    let starts = text.match_indices(['{', '[']).map(|(at, _)| at).filter(|&at| {
        text[..at].trim_end_matches([' ', '\t']).ends_with('\n') || text[..at].trim().is_empty()
    });
    // The first of them that is whole is the outermost one; a few are looked at, so that the work stays linear.
    starts
        .take(8)
        .find(|&at| json_of(&text[at..]).is_ok())
        .map(|at| text.split_at(at))
}

fn calls_of(inner: &str, offers: &[Offer]) -> Option<Vec<ToolCall>> {
    let one = |value: &Json| {
        let mut call = call_of(value.as_object()?)?;
        call.name = meant(offers, &call.name)?.to_owned();
        Some(call)
    };
    let value = json_of(inner).ok()?;
    match value.as_array() {
        Some(items) if items.is_empty() => None,
        Some(items) => items.iter().map(one).collect(),
        None => one(&value).map(|call| vec![call]),
    }
}

/// `{"name", "arguments"}` and nothing else but a thought or an id.
fn call_of(map: &serde_json::Map<String, Json>) -> Option<ToolCall> {
    let known = ["name", "arguments", "parameters", "thought", "id", "type"];
    if !map.keys().all(|key| known.contains(&key.as_str())) {
        return None;
    }
    let name = map.get("name")?.as_str()?;
    let arguments = map.get("arguments").or_else(|| map.get("parameters"))?;
    let arguments = arguments
        .as_str()
        .map_or_else(|| arguments.to_string(), str::to_owned);
    let id = map.get("id").and_then(Json::as_str).unwrap_or_default();
    Some(ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments,
        sealed: None,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn offers() -> Vec<Offer> {
        ["get", "file.read", "submit_result"]
            .map(|name| Offer {
                name: name.to_owned(),
                description: String::new(),
                arguments: json!({}),
            })
            .to_vec()
    }

    fn found(text: &str) -> Option<(String, Vec<(String, String)>)> {
        let found = calls(text, &offers())?;
        let calls = found.calls.into_iter().map(|call| (call.name, call.arguments));
        Some((found.text, calls.collect()))
    }

    /// Tools are sent under names that every provider takes; a model that writes a call as text writes the one it was sent.
    #[test]
    fn a_call_is_read_by_the_name_that_was_sent_too() {
        for name in ["file.read", "file_read"] {
            let text = format!(r#"<tool_call>{{"name":"{name}","arguments":{{"path":"a"}}}}</tool_call>"#);
            let (_, calls) = found(&text).unwrap();
            assert_eq!(calls, [("file.read".to_owned(), r#"{"path":"a"}"#.to_owned())]);
        }
        assert!(found(r#"{"name":"file_write","arguments":{}}"#).is_none());
    }

    #[test]
    fn calls_are_read_in_the_forms_that_models_write() {
        let one = |text: &str| Some((text.to_owned(), vec![("get".to_owned(), r#"{"q":1}"#.to_owned())]));
        let call = r#"{"name": "get", "arguments": {"q": 1}}"#;
        assert_eq!(found(call), one(""));
        assert_eq!(found(&format!("I look.\n```json\n{call}\n```\n")), one("I look."));
        assert_eq!(found(&format!("```\n{call}\n```")), one(""));
        assert_eq!(found(&format!("I look.\n{call}")), one("I look."));
        assert_eq!(found(&format!("<tool_call>\n{call}\n</tool_call>")), one(""));
        assert_eq!(found(r#"{"name":"get","parameters":{"q":1}}"#), one(""));
        assert_eq!(found(r#"{"name":"get","arguments":"{\"q\":1}"}"#), one(""));
        let two = format!("<tool_call>{call}</tool_call>\n<tool_call>{call}</tool_call>");
        assert_eq!(found(&two).unwrap().1.len(), 2);
        assert_eq!(found(&format!("[{call},{call}]")).unwrap().1.len(), 2);
    }

    #[test]
    fn prose_answers_and_unknown_tools_are_no_calls() {
        let call = r#"{"name": "get", "arguments": {"q": 1}}"#;
        for text in [
            "get",
            "",
            "```json\n{}\n```",
            &format!("An example:\n```json\n{call}\n```\nThis is how it would be called."),
            r#"{"name":"rm","arguments":{}}"#,
            r#"{"name":"get"}"#,
            r#"{"name":"get","arguments":{},"result":3}"#,
            r#"{"name":"get","name":"rm","arguments":{}}"#,
            "```",
            "``````",
            "[]",
            &format!("text {call}"),
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }

    #[test]
    fn a_bound_answer_is_a_thought_and_a_call() {
        let text = r#"{"thought":"so","name":"get","arguments":{"n":9007199254740993}}"#;
        let found = step(text).unwrap();
        assert_eq!(found.text, "so");
        assert_eq!(found.calls[0].arguments, r#"{"n":9007199254740993}"#);
        assert_eq!(step("no json"), None);
    }

    proptest! {
        #[test]
        fn no_text_panics(text in r#"([a-z{}\[\]`"\n ,:]|<tool_call>|</tool_call>|```|"name":"get"|é){0,40}"#) {
            let _ = calls(&text, &offers());
            let _ = step(&text);
        }
    }
}
