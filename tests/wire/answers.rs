//! Answers in streams as people have met them: cut anywhere, kept alive, failing behind a status of 200.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use planloom_engine::llm::Traits;
use planloom_engine::llm::wire::{Delta, OpenRouter, Wire};
use serde_json::{Value as Json, json};

use crate::ask::{anthropic, code, compatible, file, message, played, responses, told};
use crate::server::{in_pieces, stream};

#[tokio::test]
async fn case_stream_01_bytes_cut_anywhere() {
    let chunkings = crate::ask::json("cases/stream-01-bytes-cut-anywhere/chunkings.json");
    let pieces = |name: &str| -> Vec<Vec<u8>> {
        let pieces = chunkings[name].as_array().unwrap().iter();
        pieces
            .map(|piece| STANDARD.decode(piece.as_str().unwrap()).unwrap())
            .collect()
    };
    let mut lists: Vec<Vec<Vec<u8>>> = ["whole", "threes", "burst"].into_iter().map(pieces).collect();
    lists.push(pieces("whole").concat().iter().map(|byte| vec![*byte]).collect());
    for list in lists {
        let list: Vec<&[u8]> = list.iter().map(Vec::as_slice).collect();
        let reply = played(compatible(), stream(&list)).await;
        let answer = reply.outcome.answer().unwrap();
        assert_eq!(
            (answer.text.as_str(), answer.stop.as_deref()),
            ("Grüße 你好 🙂 مرحبا", Some("stop"))
        );
    }
}

#[tokio::test]
async fn case_stream_02_keep_alives_and_new_events() {
    for (name, wire) in [
        ("comments.sse", compatible()),
        ("gateway-data-comment.sse", compatible()),
        ("responses-keepalive.sse", responses()),
        ("anthropic-ping.sse", anthropic()),
    ] {
        let bytes = file(&format!("cases/stream-02-keep-alives-and-new-events/{name}"));
        for size in [1, 7, bytes.len()] {
            let reply = played(wire.clone(), in_pieces(&bytes, size)).await;
            assert_eq!(
                reply.outcome.answer().map(|answer| answer.text.as_str()),
                Some("Hi!"),
                "{name}: {reply:?}"
            );
            if name.starts_with("anthropic") {
                assert_eq!(reply.usage.output, Some(4));
            }
        }
    }
}

#[tokio::test]
async fn case_stream_04_an_error_inside_http_200() {
    for (name, word, words) in [
        (
            "empty-choices-error.sse",
            "transient",
            "Provider worker limit reached",
        ),
        ("error-no-done.sse", "transient", "upstream closed"),
        ("finish-error-half-call.sse", "transient", "upstream timed out"),
        ("native-network-error.sse", "transient", "network_error"),
        ("auth-error-midstream.sse", "auth", "invalid api key for upstream"),
    ] {
        let bytes = file(&format!("cases/stream-04-error-inside-http-200/{name}"));
        let wires: [Arc<dyn Wire>; 2] = [compatible(), Arc::new(OpenRouter::new("m", Traits::default()))];
        for wire in wires {
            let reply = played(wire, stream(&[&bytes])).await;
            assert_eq!(reply.outcome.word(), word, "{name}: {reply:?}");
            assert!(reply.outcome.answer().is_none());
            assert!(message(&reply).contains(words), "{name}: {}", message(&reply));
        }
    }
}

#[tokio::test]
async fn case_stream_05_overloaded_in_the_middle() {
    for (name, expected) in [
        ("before-content.sse", ("transient", "overloaded")),
        ("after-text.sse", ("transient", "overloaded")),
        ("inside-tool-input.sse", ("transient", "overloaded")),
        ("invalid-request.sse", ("permanent", "bad_request")),
    ] {
        let bytes = file(&format!("cases/stream-05-overloaded-mid-stream/{name}"));
        let (reply, deltas) = told(anthropic(), stream(&[&bytes])).await;
        assert_eq!(code(&reply), expected, "{name}: {reply:?}");
        assert!(!message(&reply).contains("200"), "{}", message(&reply));
        // What was told of it is withdrawn by the failure; nothing of it is in the reply.
        let is_told = deltas.contains(&Delta::Text("Step one is".to_owned()));
        assert_eq!(is_told, name == "after-text.sse");
        assert!(!format!("{reply:?}").contains("Step one") && !format!("{reply:?}").contains("send_mail"));
    }
}

#[tokio::test]
async fn case_stream_06_reasoning_but_no_answer() {
    let rows = crate::ask::json("cases/stream-06-reasoning-but-no-answer/responses.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 8);
    for row in rows {
        let choice = |key: &str| {
            let mut choice =
                json!({"index": 0, "finish_reason": row["finish_reason"], "tool_calls": row["tool_calls"]});
            choice[key] = row["message"].clone();
            json!({"choices": [choice]}).to_string()
        };
        let whole = played(compatible(), crate::server::json(200, &choice("message"))).await;
        let live = format!("data: {}\n\ndata: [DONE]\n\n", choice("delta"));
        let streamed = played(compatible(), stream(&[live.as_bytes()])).await;
        assert_eq!(whole.outcome, streamed.outcome);
        match row["node"].as_str().unwrap() {
            "not-done" => assert_eq!(code(&whole), ("unknown", "empty_answer"), "{row}"),
            "run-tools" => assert_eq!(
                crate::ask::named(&whole.outcome.answer().unwrap().calls),
                json!([["read_file", {"path": "a"}]])
            ),
            _ => {
                let answer = whole.outcome.answer().unwrap();
                let text = row["text"].as_str().or(row["message"]["content"].as_str());
                assert_eq!(Some(answer.text.as_str()), text, "{row}");
            }
        }
    }
}

/// Some gateways keep the line of a plain answer alive with blanks.
#[tokio::test]
async fn a_plain_answer_may_come_where_a_stream_was_asked_for() {
    let body = json!({"choices": [{"message": {"content": "Hi"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.5}});
    let body = body.to_string();
    let pieces = [b"\n  ".as_slice(), b" ", body.as_bytes()];
    let reply = played(compatible(), stream(&pieces)).await;
    assert_eq!(
        reply.outcome.answer().map(|answer| answer.text.as_str()),
        Some("Hi")
    );
    assert_eq!(
        reply.cost,
        planloom_engine::llm::Cost::Estimated("0.5".parse().unwrap())
    );
    let empty: Json = json!({});
    let reply = played(compatible(), crate::server::json(200, &empty.to_string())).await;
    assert_eq!(reply.outcome.word(), "unknown");
}
