//! Servers that refuse a part of the request by name are asked once more without it, and not with it again.

use std::sync::Arc;

use planloom_engine::llm::setup::probe;
use planloom_engine::llm::wire::{Compatible, LlamaCpp, LmStudio, Vllm, Wire};
use planloom_engine::llm::{Message, OutputFormat, Reply, Request, Support, Traits};
use serde_json::{Value as Json, json};
use tokio_util::sync::CancellationToken;

use crate::ask::{asking, code, model};
use crate::server::{Act, Server, json as answer};

fn wires() -> [Arc<dyn Wire>; 4] {
    let traits = Traits::default();
    [
        Arc::new(Compatible::new("refusing", traits)),
        Arc::new(Vllm::new("refusing", traits)),
        Arc::new(LlamaCpp::new("refusing", traits)),
        Arc::new(LmStudio::new("refusing", traits)),
    ]
}

fn shaped() -> Request {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": false});
    Request {
        output: Some(OutputFormat {
            name: "one".to_owned(),
            schema,
        }),
        ..asking(vec![Message::User("Go.".to_owned())])
    }
}

fn good() -> Vec<Act> {
    let body = json!({"choices": [{"message": {"content": "{\"a\":1}"}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 1, "completion_tokens": 2}});
    answer(200, &body.to_string())
}

fn refused(status: u16, message: &str) -> Vec<Act> {
    answer(
        status,
        &json!({"error": {"message": message, "type": "invalid_request_error"}}).to_string(),
    )
}

async fn twice(wire: Arc<dyn Wire>, scripts: Vec<Vec<Act>>) -> (Reply, Vec<Json>) {
    let server = Server::playing(scripts).await;
    let model = model(wire, server.base());
    let mut reply = None;
    for _ in 0..2 {
        reply = Some(model.ask(&shaped(), &CancellationToken::new()).await.unwrap());
    }
    (
        reply.unwrap(),
        server.asked().into_iter().map(|asked| asked.body).collect(),
    )
}

#[tokio::test]
async fn a_schema_that_is_refused_is_told_in_words_from_then_on() {
    for wire in wires() {
        let no = refused(400, "response_format of type json_schema is not supported");
        let (reply, bodies) = twice(wire, vec![no, good()]).await;
        assert_eq!(reply.outcome.answer().unwrap().text, "{\"a\":1}");
        assert_eq!(bodies.len(), 3, "once with the schema, then never again");
        assert_eq!(bodies[0]["response_format"]["type"], "json_schema");
        for body in &bodies[1..] {
            assert_eq!(body["response_format"], json!({"type": "json_object"}));
            assert!(
                body["messages"][0]["content"]
                    .as_str()
                    .unwrap()
                    .contains("JSON Schema"),
                "{body}"
            );
            assert!(body.get("stream_options").is_some());
        }
    }
}

#[tokio::test]
async fn where_no_format_is_borne_words_are_left() {
    let no = refused(422, "Extra inputs are not permitted: response_format");
    let [wire, ..] = wires();
    let (reply, bodies) = twice(wire, vec![no.clone(), no, good()]).await;
    assert!(reply.outcome.answer().is_some());
    let formats: Vec<bool> = bodies
        .iter()
        .map(|body| body.get("response_format").is_some())
        .collect();
    assert_eq!(formats, [true, true, false, false]);
}

#[tokio::test]
async fn the_count_of_tokens_is_done_without_where_it_is_refused() {
    // The name stands only in the place that is told, as FastAPI puts it.
    let body = json!({"detail": [{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]});
    for wire in wires() {
        let (reply, bodies) = twice(wire, vec![answer(422, &body.to_string()), good()]).await;
        assert!(reply.outcome.answer().is_some());
        let counts: Vec<bool> = bodies
            .iter()
            .map(|body| body.get("stream_options").is_some())
            .collect();
        assert_eq!(counts, [true, false, false]);
        assert_eq!(bodies[2]["response_format"]["type"], "json_schema");
    }
}

#[tokio::test]
async fn the_word_strict_is_left_out_by_itself() {
    let [wire, ..] = wires();
    let (_, bodies) = twice(
        wire,
        vec![refused(400, "json_schema.strict: unknown field"), good()],
    )
    .await;
    let format = &bodies[2]["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert!(format["json_schema"].get("strict").is_none() && format["json_schema"].get("schema").is_some());
}

/// One schema that a grammar can't be made of says nothing of the next one.
#[tokio::test]
async fn a_refused_schema_is_not_held_against_others() {
    let [wire, ..] = wires();
    let no = refused(400, "Invalid schema for response_format 'one': too deep");
    let (_, bodies) = twice(wire, vec![no.clone(), good(), no, good()]).await;
    let formats: Vec<&Json> = bodies
        .iter()
        .map(|body| &body["response_format"]["type"])
        .collect();
    assert_eq!(
        formats,
        ["json_schema", "json_object", "json_schema", "json_object"]
    );
}

#[tokio::test]
async fn nothing_is_asked_again_that_is_not_a_named_refusal() {
    let refusals = [
        refused(400, "messages: at least one message is required"),
        refused(401, "response_format needs a key"),
        refused(429, "response_format is rate limited"),
        refused(500, "response_format broke the server"),
        refused(
            400,
            "response_format: this model's maximum context length is 8 tokens",
        ),
    ];
    for refusal in refusals {
        let [wire, ..] = wires();
        let server = Server::playing(vec![refusal]).await;
        let reply = model(wire, server.base())
            .ask(&shaped(), &CancellationToken::new())
            .await
            .unwrap();
        assert!(reply.outcome.answer().is_none());
        assert_eq!(server.asked().len(), 1, "{reply:?}");
    }
}

/// It ends, and what is told is the last refusal; nothing is remembered of a server that refused everything.
#[tokio::test]
async fn a_server_that_refuses_everything_is_not_asked_for_ever() {
    let [wire, ..] = wires();
    let server = Server::playing(vec![refused(
        400,
        "stream_options, strict and response_format are wrong",
    )])
    .await;
    let model = model(wire, server.base());
    for round in 1..=2 {
        let reply = model.ask(&shaped(), &CancellationToken::new()).await.unwrap();
        assert_eq!(code(&reply), ("permanent", "bad_request"));
        assert_eq!(server.asked().len(), 4 * round);
        assert!(
            server
                .asked()
                .last()
                .unwrap()
                .body
                .get("response_format")
                .is_none()
        );
    }
}

/// Right words that were only asked for in words bind nothing.
#[tokio::test]
async fn a_probe_does_not_take_words_for_a_schema() {
    let said = |content: &str| {
        let body = json!({"choices": [{"message": {"content": content}, "finish_reason": "stop"}]});
        answer(200, &body.to_string())
    };
    let no = refused(400, "response_format json_schema is unsupported");
    let server = Server::playing(vec![no, said("{\"greeting\":\"zq7\"}"), said("no call")]).await;
    let [wire, ..] = wires();
    let model = model(wire, server.base());
    let found = probe(model.as_ref(), "there/m", &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(found.trouble, None);
    assert_eq!(found.traits.structured, Support::No);
}
