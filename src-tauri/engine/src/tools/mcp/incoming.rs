//! What a line of a server's stdout is: a message for us, an answer to something that was never asked, or noise. It must
//! not know where the line came from.

use rmcp::model::{
    CustomResult, JsonRpcMessage, JsonRpcResponse, JsonRpcVersion2_0, RequestId, ServerJsonRpcMessage,
    ServerResult,
};
use serde_json::json;

use crate::model::Json;
use crate::model::read::{self, Bounds, ReadErrorKind};

/// What a message may hold. Its bytes are bounded by the line.
const BOUNDS: Bounds = Bounds {
    bytes: usize::MAX,
    depth: 160,
    values: 4_000_000,
    tasks: usize::MAX,
};
/// Messages in one batch.
const MOST_IN_BATCH: usize = 1000;

/// One thing that a line says.
#[derive(Debug)]
pub(super) enum Incoming {
    Message(Box<ServerJsonRpcMessage>),
    /// Progress of a call, by its token. It goes to nobody else.
    Progress(Json),
    /// A request that can't be understood; this is the answer to it.
    Refuse(Json),
    /// An answer to a request that was not made, or was answered before.
    Unknown,
    /// Nothing of the protocol: a banner, a line of a log.
    Noise,
    /// A notification or an error about nobody knows what: allowed, and of no use.
    Idle,
    /// A message, but one that can't be taken in.
    Broken(String),
}

/// How an answer is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Asked {
    /// By the library: what opens a session.
    Typed,
    /// As it is, with all its numbers, however strange.
    Raw,
}

/// `asked` takes the request of an id out of those that wait for an answer.
pub(super) fn read(
    line: &[u8],
    asked: &mut dyn FnMut(&RequestId) -> Option<Asked>,
    take: &mut dyn FnMut(Incoming),
) {
    match value_of(line) {
        Ok(Json::Array(items)) if items.len() <= MOST_IN_BATCH && items.iter().any(is_message) => {
            items.into_iter().for_each(|item| take(one(item, asked)));
        }
        Ok(value) => take(one(value, asked)),
        Err(broken) => take(broken),
    }
}

fn value_of(line: &[u8]) -> Result<Json, Incoming> {
    if !matches!(line.first(), Some(b'{' | b'[')) {
        return Err(Incoming::Noise);
    }
    let errors = match read::read_bytes(line, &BOUNDS) {
        Ok(value) => return Ok(value),
        Err(errors) => errors,
    };
    let is_kind = |kind| errors.iter().any(|error| error.kind == kind);
    let head = &line[..line.len().min(4096)];
    let is_meant = head.windows(9).any(|part| part == b"\"jsonrpc\"");
    if is_kind(ReadErrorKind::TooLarge) && is_meant {
        let reason = errors.first().map(ToString::to_string).unwrap_or_default();
        return Err(Incoming::Broken(reason));
    }
    // Many programs write a key twice and mean the last.
    if is_kind(ReadErrorKind::RepeatedKey) && !is_kind(ReadErrorKind::Syntax) {
        return serde_json::from_slice(line).map_err(|_| Incoming::Noise);
    }
    Err(Incoming::Noise)
}

fn is_message(value: &Json) -> bool {
    value.get("jsonrpc").and_then(Json::as_str) == Some("2.0")
}

fn one(value: Json, asked: &mut dyn FnMut(&RequestId) -> Option<Asked>) -> Incoming {
    if !is_message(&value) {
        return Incoming::Noise;
    }
    let id = value.get("id").filter(|id| !id.is_null()).cloned();
    let has = |key: &str| value.get(key).is_some();
    match (value.get("method").and_then(Json::as_str), id) {
        (Some("notifications/progress"), None) => Incoming::Progress(value["params"].clone()),
        // Servers' logs belong to their stderr; nothing follows from them.
        (Some("notifications/message"), None) => Incoming::Idle,
        (Some(_), None) => {
            typed(value).map_or(Incoming::Idle, |message| Incoming::Message(Box::new(message)))
        }
        (Some(method), Some(id)) => {
            let error = json!({ "code": -32602, "message": format!("`{method}` can't be read here") });
            let refusal = json!({ "jsonrpc": "2.0", "id": id, "error": error });
            typed(value).map_or(Incoming::Refuse(refusal), |message| {
                Incoming::Message(Box::new(message))
            })
        }
        (None, Some(id)) if has("result") || has("error") => answer(value, &id, asked),
        (None, None) if has("error") => Incoming::Idle,
        (None, _) => Incoming::Noise,
    }
}

fn answer(value: Json, id: &Json, asked: &mut dyn FnMut(&RequestId) -> Option<Asked>) -> Incoming {
    // A text for a number is no id of ours.
    let Ok(id) = serde_json::from_value::<RequestId>(id.clone()) else {
        return Incoming::Unknown;
    };
    let Some(how) = asked(&id) else {
        return Incoming::Unknown;
    };
    if let (Asked::Raw, Some(result)) = (how, value.get("result")) {
        return Incoming::Message(Box::new(JsonRpcMessage::Response(JsonRpcResponse {
            jsonrpc: JsonRpcVersion2_0,
            id,
            result: ServerResult::CustomResult(CustomResult(result.clone())),
        })));
    }
    match typed(value) {
        Some(message) => Incoming::Message(Box::new(message)),
        None => {
            let message = "the answer can't be read".to_owned();
            let error = rmcp::model::ErrorData::internal_error(message, None);
            Incoming::Message(Box::new(JsonRpcMessage::error(error, Some(id))))
        }
    }
}

fn typed(value: Json) -> Option<ServerJsonRpcMessage> {
    serde_json::from_value(value).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(line: &str, ids: &[i64]) -> Vec<Incoming> {
        let mut open: Vec<RequestId> = ids.iter().map(|id| RequestId::Number(*id)).collect();
        let mut found = Vec::new();
        let mut asked = |id: &RequestId| {
            let at = open.iter().position(|known| known == id)?;
            open.remove(at);
            Some(Asked::Raw)
        };
        read(line.as_bytes(), &mut asked, &mut |incoming| found.push(incoming));
        found
    }

    fn word(incoming: &Incoming) -> &'static str {
        match incoming {
            Incoming::Message(_) => "message",
            Incoming::Progress(_) => "progress",
            Incoming::Refuse(_) => "refuse",
            Incoming::Unknown => "unknown",
            Incoming::Noise => "noise",
            Incoming::Idle => "idle",
            Incoming::Broken(_) => "broken",
        }
    }

    #[test]
    fn every_kind_of_line_has_its_name() {
        let deep = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}1{}}}",
            "[".repeat(200),
            "]".repeat(200)
        );
        for (line, want) in [
            ("Starting server", "noise"),
            ("42", "noise"),
            ("\"text\"", "noise"),
            ("{\"level\":\"info\"}", "noise"),
            ("[1,2]", "noise"),
            ("{\"jsonrpc\":\"1.0\",\"id\":1,\"result\":{}}", "noise"),
            ("{\"jsonrpc\":\"2.0\"}", "noise"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}", "message"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"result\":{}}", "message"),
            ("{\"jsonrpc\":\"2.0\",\"id\":\"1\",\"result\":{}}", "unknown"),
            ("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":{}}", "unknown"),
            ("{\"jsonrpc\":\"2.0\",\"id\":1.5,\"result\":{}}", "unknown"),
            ("{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":{}}", "unknown"),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"x\"}}",
                "message",
            ),
            ("{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":7}", "message"),
            (
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-1,\"message\":\"x\"}}",
                "idle",
            ),
            ("{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"ping\"}", "message"),
            (
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{}}",
                "progress",
            ),
            (&deep, "broken"),
        ] {
            let found = all(line, &[1]);
            assert_eq!(found.iter().map(word).collect::<Vec<_>>(), [want], "{line}");
        }
        let batch = all(
            "[{\"jsonrpc\":\"2.0\",\"method\":\"x/y\"},{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"ping\"}]",
            &[],
        );
        assert_eq!(batch.iter().map(word).collect::<Vec<_>>(), ["message", "message"]);
    }

    #[test]
    fn an_answer_is_taken_once_and_keeps_its_digits() {
        let mut open = true;
        let mut asked = |_: &RequestId| std::mem::take(&mut open).then_some(Asked::Raw);
        let line = br#"{"jsonrpc":"2.0","id":1,"result":{"n":9223372036854775807,"d":1.10}}"#;
        let mut words = Vec::new();
        for _ in 0..2 {
            read(line, &mut asked, &mut |incoming| {
                if let Incoming::Message(message) = &incoming {
                    assert!(
                        serde_json::to_string(message)
                            .unwrap()
                            .contains(r#"{"n":9223372036854775807,"d":1.10}"#)
                    );
                }
                words.push(word(&incoming));
            });
        }
        assert_eq!(words, ["message", "unknown"]);
    }

    proptest! {
        /// Whatever a server writes, reading it neither panics nor answers what was not asked.
        #[test]
        fn any_line_is_read(line in prop_oneof![
            ".{0,200}",
            r#"[\[{]{0,3}("jsonrpc":"2.0",)?("id":(1|"1"|null|1e9|-0),)?"(method|result|error)":[\[{"0-9a-z\]}]{0,20}[}\]]{0,3}"#,
        ]) {
            let mut asked = |_: &RequestId| None;
            read(line.as_bytes(), &mut asked, &mut |incoming| {
                if let Incoming::Message(message) = incoming {
                    let is_answer = matches!(*message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
                    assert!(!is_answer);
                }
            });
        }
    }
}
