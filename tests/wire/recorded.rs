//! Answers of a real server, played whole and in pieces of any size: the pieces change nothing.

use std::sync::Arc;

use planloom_engine::llm::wire::{Delta, LlamaCpp, Wire};
use planloom_engine::llm::{Outcome, Reply, Traits};

use crate::ask::{anthropic, code, message, played, responses, told};
use crate::server::{Act, in_pieces, json, response, stream};

fn sample(name: &str) -> Vec<u8> {
    crate::ask::file(&format!("wire/samples/{name}"))
}

fn llama() -> Arc<dyn Wire> {
    Arc::new(LlamaCpp::new("qwen", Traits::default()))
}

/// In pieces of each size; all replies must be the same one.
async fn streamed(wire: impl Fn() -> Arc<dyn Wire>, name: &str) -> (Reply, Vec<Delta>) {
    let bytes = sample(name);
    let whole = told(wire(), stream(&[&bytes])).await;
    for size in [1, 7, 64, 1000] {
        assert_eq!(
            told(wire(), in_pieces(&bytes, size)).await,
            whole,
            "{name} in pieces of {size}"
        );
    }
    whole
}

fn answer(reply: &Reply) -> &planloom_engine::llm::Answer {
    reply.outcome.answer().unwrap_or_else(|| panic!("{reply:?}"))
}

#[tokio::test]
async fn a_text_comes_in_any_pieces() {
    let (reply, told) = streamed(llama, "stream-basic.response.sse.txt").await;
    let text = &answer(&reply).text;
    assert!(text.len() > 10);
    let live: String = told
        .iter()
        .map(|delta| match delta {
            Delta::Text(text) => text.as_str(),
            Delta::Thinking(_) | Delta::Call(_) => "",
        })
        .collect();
    assert_eq!(&live, text);
    let (reply, _) = streamed(llama, "stream-usage.response.sse.txt").await;
    assert!(reply.usage.input.is_some() && reply.usage.output.is_some());
}

#[tokio::test]
async fn a_shape_comes_in_any_pieces() {
    let (reply, _) = streamed(llama, "stream-json-schema.response.sse.txt").await;
    let text = &answer(&reply).text;
    assert!(
        serde_json::from_str::<serde_json::Value>(text)
            .unwrap()
            .is_object()
    );
}

#[tokio::test]
async fn a_call_comes_in_any_pieces() {
    for name in ["stream-tool-call.response.sse.txt"] {
        let (reply, told) = streamed(llama, name).await;
        let calls = &answer(&reply).calls;
        assert_eq!(
            crate::ask::named(calls),
            serde_json::json!([["read_file", {"path": "data/costs.csv"}]])
        );
        assert_eq!(told, [Delta::Call("read_file".to_owned())]);
    }
    for name in ["tools-auto.response.json", "tools-required.response.json"] {
        let reply = played(llama(), response(200, &[], &sample(name))).await;
        assert_eq!(answer(&reply).calls[0].name, "read_file");
    }
}

#[tokio::test]
async fn other_interfaces_of_the_same_server_are_read_too() {
    let (reply, _) = streamed(anthropic, "anthropic-stream.response.sse.txt").await;
    assert!(!answer(&reply).text.is_empty());
    let (reply, _) = streamed(anthropic, "anthropic-tools-stream.response.sse.txt").await;
    assert_eq!(answer(&reply).calls[0].name, "read_file");
    let (reply, _) = streamed(responses, "responses-stream.response.sse.txt").await;
    assert!(!answer(&reply).text.is_empty());
    for (wire, name) in [
        (anthropic(), "anthropic-basic.response.json"),
        (anthropic(), "anthropic-tools.response.json"),
        (responses(), "responses-basic.response.json"),
    ] {
        answer(&played(wire, response(200, &[], &sample(name))).await);
    }
    let reply = played(
        anthropic(),
        response(200, &[], &sample("anthropic-max-tokens.response.json")),
    )
    .await;
    assert_eq!(reply.outcome.word(), "cut");
    let reply = played(
        anthropic(),
        response(401, &[], &sample("anthropic-err-401-no-key.response.json")),
    )
    .await;
    assert_eq!(code(&reply), ("auth", "auth"));
    let reply = played(
        anthropic(),
        response(400, &[], &sample("anthropic-err-context-overflow.response.json")),
    )
    .await;
    assert_eq!(code(&reply), ("overflow", "context_length"));
}

#[tokio::test]
async fn what_the_server_refuses_is_known() {
    for (name, status, word, code) in [
        ("err-context-overflow", 400, "overflow", "context_length"),
        ("err-context-overflow-stream", 400, "overflow", "context_length"),
        ("err-malformed-json", 400, "permanent", "bad_request"),
        ("err-empty-body", 400, "permanent", "bad_request"),
        ("err-missing-messages", 400, "permanent", "bad_request"),
        ("err-messages-not-array", 400, "permanent", "bad_request"),
        ("err-bad-role", 500, "permanent", "bad_request"),
        ("err-bad-schema", 400, "permanent", "bad_request"),
        ("err-bad-response-format", 400, "permanent", "bad_request"),
        ("err-bad-tool-choice", 400, "permanent", "bad_request"),
        ("err-unknown-path", 404, "permanent", "not_found"),
        ("err-get-on-chat", 404, "permanent", "not_found"),
        ("err-image-input", 500, "permanent", "bad_request"),
        ("err-503-loading", 503, "transient", "loading"),
        ("err-401-no-key", 401, "auth", "auth"),
        ("err-401-wrong-key", 401, "auth", "auth"),
    ] {
        let body = sample(&format!("{name}.response.json"));
        let reply = played(llama(), json(status, std::str::from_utf8(&body).unwrap())).await;
        assert_eq!(crate::ask::code(&reply), (word, code), "{name}");
        assert!(message(&reply).starts_with("there/qwen: "), "{}", message(&reply));
    }
    let overflow = sample("err-context-overflow.response.json");
    let reply = played(llama(), json(400, std::str::from_utf8(&overflow).unwrap())).await;
    assert!(
        message(&reply).contains("24030 tokens sent, room for 4096"),
        "{}",
        message(&reply)
    );
}

#[tokio::test]
async fn an_answer_at_its_limit_is_cut() {
    for name in [
        "chat-length",
        "plan-json-schema-truncated",
        "ctx-full-while-generating",
        "err-wrong-model",
        "err-tools-and-response-format",
    ] {
        let body = sample(&format!("{name}.response.json"));
        let reply = played(llama(), response(200, &[], &body)).await;
        assert!(matches!(reply.outcome, Outcome::Cut(_)), "{name}: {reply:?}");
    }
}

/// The very bytes of a connection that was given up in the middle.
#[tokio::test]
async fn a_stream_that_breaks_off_is_no_answer() {
    let bytes = sample("stream-aborted-by-client.raw-http.txt");
    for size in [1, 50, bytes.len()] {
        let script = bytes
            .chunks(size)
            .map(|piece| Act::Send(piece.to_vec()))
            .collect();
        let reply = played(llama(), script).await;
        assert_eq!(code(&reply), ("transient", "truncated"), "{reply:?}");
    }
}
