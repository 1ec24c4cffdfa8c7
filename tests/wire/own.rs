//! Wires that are nobody else's, and what the sender does for all of them: names of tools, shapes of answers.

use std::sync::Arc;

use planloom_engine::llm::wire::{Delta, Gemini, Ollama, Wire};
use planloom_engine::llm::{Message, Offer, OutputFormat, Request, ToolCall, Traits};
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::ask::{ask, asking, code, compatible, file, message, model, named, request, told};
use crate::server::{self, Server, in_pieces, stream};

fn ollama() -> Arc<dyn Wire> {
    Arc::new(Ollama::new("m", Traits::default()))
}

#[tokio::test]
async fn case_stream_08_ollama_ndjson() {
    for (name, expected) in [
        ("call-in-done-line", ("complete", "")),
        ("call-before-done", ("complete", "")),
        ("error-line", ("transient", "server_error")),
        ("load-only", ("transient", "model_loading")),
        ("cut", ("transient", "truncated")),
        ("not-found", ("permanent", "not_found")),
    ] {
        let bytes = file(&format!("cases/stream-08-ollama-ndjson/{name}.ndjson"));
        for size in [1, 7, 64, bytes.len()] {
            let (reply, _) = told(ollama(), in_pieces(&bytes, size)).await;
            assert_eq!(
                code(&reply),
                expected,
                "{name} in pieces of {size}: {}",
                message(&reply)
            );
            let Some(answer) = reply.outcome.answer() else {
                continue;
            };
            assert_eq!(named(&answer.calls), json!([["read_file", {"path": "a.txt"}]]));
            assert!(answer.calls.iter().all(|call| !call.id.is_empty()));
            let is_said = name == "call-in-done-line";
            assert_eq!(answer.text, if is_said { "Let me look." } else { "" });
        }
    }
}

#[tokio::test]
async fn gemini_streams_cut_anywhere_say_the_same() {
    let bytes = file("wire/samples/by-hand/gemini-parallel-calls.sse");
    for size in [1, 7, 64, bytes.len()] {
        let wire = Arc::new(Gemini::new("m", Traits::default()));
        let (reply, _) = told(wire, in_pieces(&bytes, size)).await;
        let answer = reply.outcome.answer().expect("it is whole");
        assert_eq!((answer.text.as_str(), answer.calls.len()), ("I read both.", 3));
    }
}

#[tokio::test]
async fn tools_are_sent_in_plain_letters_and_called_by_their_own_names() {
    let body = file("cases/stream-08-ollama-ndjson/call-in-done-line.ndjson");
    let body = String::from_utf8(body).unwrap().replace("read_file", "http_get");
    let server = Server::playing(vec![stream(&[body.as_bytes()])]).await;
    let offer = Offer {
        name: "http.get".to_owned(),
        description: String::new(),
        arguments: json!({"type": "object", "properties": {}}),
    };
    let called = ToolCall {
        id: "a".to_owned(),
        name: "notes/search".to_owned(),
        arguments: "{}".to_owned(),
        sealed: None,
    };
    let request = Request {
        tools: vec![offer],
        ..asking(vec![
            Message::User("Go.".to_owned()),
            Message::Assistant {
                text: String::new(),
                calls: vec![called],
                thoughts: Vec::new(),
            },
        ])
    };
    let heard = std::sync::Mutex::new(Vec::new());
    let hear = |delta| heard.lock().unwrap().push(delta);
    let model = model(ollama(), server.base());
    let reply = model
        .ask_live(&request, &hear, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(reply.outcome.answer().unwrap().calls[0].name, "http.get");
    assert!(
        heard
            .into_inner()
            .unwrap()
            .contains(&Delta::Call("http.get".to_owned()))
    );
    let posted = server.asked()[0].body.to_string();
    assert!(
        posted.contains("\"http_get\"") && posted.contains("\"notes_search\""),
        "{posted}"
    );
    assert!(
        !posted.contains("http.get") && !posted.contains("notes/search"),
        "{posted}"
    );
}

/// Where every key must be there, `null` stands for one that may be missing; it is not to be seen behind the wire.
#[tokio::test]
async fn an_answer_has_the_shape_that_was_asked_for() {
    let said = json!({"choices": [{
        "message": {"role": "assistant", "content": "{\"must\": \"x\", \"may\": null}"},
        "finish_reason": "stop",
    }]});
    let server = Server::playing(vec![server::json(200, &said.to_string())]).await;
    let schema = json!({
        "type": "object",
        "properties": {"must": {"type": "string"}, "may": {"type": "integer"}},
        "required": ["must"],
    });
    let shaped = Request {
        output: Some(OutputFormat {
            name: "answer".to_owned(),
            schema,
        }),
        ..request()
    };
    let model = model(compatible(), server.base());
    let reply = model.ask(&shaped, &CancellationToken::new()).await.unwrap();
    assert_eq!(reply.outcome.answer().unwrap().text, r#"{"must":"x"}"#);
    let plain = ask(model.as_ref()).await;
    assert!(plain.outcome.answer().unwrap().text.contains("null"));
}
