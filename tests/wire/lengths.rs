//! Too much, too little: answers cut at the limit of output, prompts that don't fit, bodies without an end.

use std::sync::Arc;

use planloom_engine::llm::wire::{Anthropic, Compatible, Ollama, Wire};
use planloom_engine::llm::{Outcome, Traits};
use serde_json::{Value as Json, json};

use crate::ask::{anthropic, code, compatible, message, played};
use crate::server::{self, ANSWER, Act, chunk, last_chunk, response, stream, stream_head};

#[tokio::test]
async fn case_plan_03_cut_off_at_the_limit_of_output() {
    for (name, wire, output) in [
        ("openai-cut.json", compatible(), Some(256)),
        ("anthropic-cut.json", anthropic(), Some(256)),
        ("gateway-cut.json", compatible(), None),
        ("reasoning-ate-limit.json", compatible(), Some(260)),
    ] {
        let case = crate::ask::json(&format!("cases/plan-03-cut-off-at-token-limit/{name}"));
        let reply = played(wire, server::json(200, &case["body"].to_string())).await;
        let Outcome::Cut(answer) = &reply.outcome else {
            panic!("{name}: {reply:?}")
        };
        assert_eq!(reply.usage.output, output, "{name}");
        assert!(!reply.outcome.may_be_retried());
        assert_eq!(answer.thoughts.is_empty(), name != "reasoning-ate-limit.json");
    }
}

fn wire_of(row: &Json) -> Arc<dyn Wire> {
    let traits = Traits {
        context_tokens: row["loaded_context"].as_u64(),
        ..Traits::default()
    };
    let is_anthropic = row["body"]["type"] == "error";
    match row["provider"].as_str() {
        Some("ollama") => Arc::new(Ollama::new("m", traits)),
        _ if is_anthropic => Arc::new(Anthropic::new("m", traits)),
        _ => Arc::new(Compatible::new("m", traits)),
    }
}

#[tokio::test]
async fn case_error_03_overflow_in_many_dresses() {
    let rows = crate::ask::json("cases/error-03-context-overflow-in-many-dresses/rows.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 13);
    for row in rows {
        let status = u16::try_from(row["status"].as_u64().unwrap()).unwrap();
        let script = if row.get("stream_deltas").is_some() {
            let usage = json!({"choices": [], "usage": row["usage"]});
            let stop = json!({"choices": [{"delta": {}, "finish_reason": "stop"}]});
            stream(&[format!("data: {stop}\n\ndata: {usage}\n\ndata: [DONE]\n\n").as_bytes()])
        } else {
            server::json(status, &row["body"].to_string())
        };
        let reply = played(wire_of(row), script).await;
        let is_overflow = row["class"] == "overflow";
        assert_eq!(
            reply.outcome.word() == "overflow",
            is_overflow,
            "{row}: {reply:?}"
        );
        assert!(!reply.outcome.may_be_retried(), "{row}");
        for number in [&row["limit"], &row["used"]]
            .into_iter()
            .filter(|number| number.is_number())
        {
            assert!(
                message(&reply).contains(&number.to_string()),
                "{row}: {}",
                message(&reply)
            );
        }
    }
}

#[tokio::test]
async fn no_body_takes_the_memory() {
    let piece = vec![b' '; 1 << 20];
    let endless = |first: &[u8]| {
        let pieces = (0..40).map(|_| chunk(&piece));
        [stream_head(), chunk(first)]
            .into_iter()
            .chain(pieces)
            .chain([last_chunk()])
            .collect::<Vec<Act>>()
    };
    // A plain body, one event, one that never begins, and comments without an end.
    for first in [b"{\"a\":\"".as_slice(), b"data: {\"a\":\"", b" "] {
        let reply = played(compatible(), endless(first)).await;
        assert_eq!(code(&reply), ("permanent", "response_too_large"), "{reply:?}");
    }
    let comment = [b":".as_slice(), &vec![b'x'; 1 << 20], b"\n\n"].concat();
    let comments = (0..40).map(|_| chunk(&comment));
    let script = [stream_head()]
        .into_iter()
        .chain(comments)
        .chain([Act::Hang])
        .collect();
    let reply = played(compatible(), script).await;
    assert_eq!(code(&reply), ("permanent", "response_too_large"), "{reply:?}");
    // A refusal of any length is still one.
    let reply = played(compatible(), response(500, &[], &vec![b'x'; 3 << 20])).await;
    assert_eq!(code(&reply), ("transient", "server_error"));
    assert!(message(&reply).chars().count() < 2000);
}

#[tokio::test]
async fn wrong_lengths_and_codings_are_no_answers() {
    let head =
        |more: &str| format!("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n{more}\r\n").into_bytes();
    let short = vec![
        Act::Send(head("content-length: 500\r\n")),
        Act::Send(ANSWER.as_bytes().to_vec()),
    ];
    assert_eq!(
        code(&played(compatible(), short).await),
        ("transient", "connection")
    );
    let chunked = vec![stream_head(), Act::Send(b"zz\r\n".to_vec()), Act::Hang];
    assert_eq!(
        code(&played(compatible(), chunked).await),
        ("transient", "connection")
    );
    let packed = response(200, &[("content-encoding", "gzip")], b"\x1f\x8b\x08");
    assert_eq!(
        code(&played(compatible(), packed).await),
        ("permanent", "unreadable")
    );
    assert_eq!(
        code(&played(compatible(), vec![Act::Send(b"nonsense\r\n\r\n".to_vec())]).await),
        ("transient", "connection")
    );
    assert_eq!(
        code(&played(compatible(), response(200, &[], b"")).await),
        ("transient", "truncated")
    );
}
