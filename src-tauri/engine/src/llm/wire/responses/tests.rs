//! OpenAI's Responses held against recorded and hand-made streams, and against any stream at all.

use proptest::prelude::*;

use super::*;
use crate::llm::wire::trial::{self, body, cut_anywhere, file, goes_on, line, plain, read, shaped, talk};
use crate::llm::wire::{Delta, Framing};

fn wire() -> Responses {
    Responses::new("gpt-5.6", Traits::default())
}

const RECORDED: &str = "wire/samples/responses-stream.response.sse.txt";
const REASONING: &str = "wire/samples/by-hand/responses-reasoning-tool.sse";

#[test]
fn recorded_bodies_are_read() {
    let (text, told) = read(&wire(), &file(RECORDED));
    insta::assert_snapshot!(line(&text.outcome), @r#"complete "Hello! How can I assist you today?" | completed"#);
    assert_eq!(told.len(), 9);
    insta::assert_snapshot!(format!("{:?}", text.usage), @"Usage { input: Some(32), output: Some(10), cached: Some(26), written: None }");
    let whole = plain(&wire(), 200, &file("wire/samples/responses-basic.response.json"));
    insta::assert_snapshot!(line(&whole.outcome), @r#"complete "Hello!" | completed"#);
    assert_eq!(whole.usage.output, Some(3));
}

#[test]
fn reasoning_goes_back_in_its_place() {
    let (read, told) = read(&wire(), &file(REASONING));
    assert_eq!(
        told,
        [
            Delta::Thinking("Look at the file.".to_owned()),
            Delta::Call("read_file".to_owned())
        ]
    );
    insta::assert_snapshot!(line(&read.outcome).replace(" | ", "\n"), @r#"
    complete ""
    call_1=read_file({"path":"a.txt"})
    thought "Look at the file." {"at":0,"value":{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look at the file."}],"encrypted_content":"Z2hvc3Q="}}
    completed
    "#);
    let request = goes_on(talk(), read.outcome.answer().unwrap());
    let post = wire().post(&request).unwrap();
    insta::assert_snapshot!(trial::last_of(&post, "input", 3), @r#"
    {"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"Look at the file."}],"encrypted_content":"Z2hvc3Q="}
    {"type":"function_call","call_id":"call_3","name":"read_file","arguments":"{\"path\":\"a.txt\"}"}
    {"type":"function_call_output","call_id":"call_3","output":"what read_file gave"}
    "#);
}

#[test]
fn every_end_has_its_outcome() {
    let names = ["incomplete", "failed", "rate-limit-event", "refusal"];
    let mut told: Vec<String> = names
        .into_iter()
        .map(|name| {
            let (read, _) = read(
                &wire(),
                &file(&format!("wire/samples/by-hand/responses-{name}.sse")),
            );
            format!("{name}: {}", line(&read.outcome))
        })
        .collect();
    for end in [
        r#"{"status":"incomplete","incomplete_details":{"reason":"content_filter"},"output":[]}"#,
        r#"{"status":"incomplete","output":[]}"#,
        r#"{"status":"completed","output":[]}"#,
        r#"{"status":"completed","output":[{"type":"reasoning","summary":[]}]}"#,
        r#"{"status":"failed","error":{"code":"context_length_exceeded","message":"too long"},"output":[]}"#,
        r#"{"status":"failed","error":{"code":"insufficient_quota","message":"no money"}}"#,
        r#"{"status":"failed","error":{"code":"insufficient_quota","type":"insufficient_quota","message":"none left"}}"#,
        r#"{"status":"cancelled"}"#,
        r#"{"status":"quite_new"}"#,
        r#"{}"#,
    ] {
        let (read, _) = read(
            &wire(),
            &format!("event: response.completed\ndata: {{\"response\":{end}}}"),
        );
        told.push(line(&read.outcome));
    }
    insta::assert_snapshot!(told.join("\n"), @r#"
    incomplete: cut "{\"tasks\":[" | max_output_tokens
    failed: transient server_error: The model failed to generate a response. (server_error)
    rate-limit-event: rate rate_limit: Rate limit reached. Please try again in 1.5s. (error, rate_limit_exceeded)
    refusal: permanent refusal: I can't help with that.
    permanent content_filter: the provider's filter stopped the answer (it said `content_filter`)
    unknown unknown: the answer ended for a reason that is not known (it said `incomplete without a reason`)
    unknown empty_answer: the model gave an empty answer
    unknown empty_answer: the model thought and then gave no answer
    overflow context_length: too long (context_length_exceeded)
    quota quota: no money (insufficient_quota)
    quota quota: none left (insufficient_quota)
    transient server_error: the provider failed while it answered (it said `cancelled`)
    unknown unknown: the answer ended for a reason that is not known (it said `quite_new`)
    transient truncated: the answer broke off before its end; nothing of it was used
    "#);
}

#[test]
fn a_stream_without_its_end_is_truncated() {
    cut_anywhere(&wire(), &file(REASONING));
    cut_anywhere(&wire(), &file(RECORDED));
    let end_mark = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\ndata: [DONE]";
    assert_eq!(
        line(&read(&wire(), end_mark).0.outcome).split(':').next(),
        Some("transient truncated")
    );
}

#[test]
fn an_end_that_holds_nothing_is_filled_by_what_came_before() {
    let whole = file(REASONING);
    let bare = format!(
        "{}event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{{\"status\":\"completed\"}}}}",
        whole.split("event: response.completed").next().unwrap()
    );
    let (bare, _) = read(&wire(), &bare);
    assert_eq!(line(&bare.outcome), line(&read(&wire(), &whole).0.outcome));
    let text = "data: {\"type\":\"response.output_text.delta\",\"delta\":\"Hi\"}\n\n\
                data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}";
    assert_eq!(
        line(&read(&wire(), text).0.outcome),
        r#"complete "Hi" | completed"#
    );
    let broken = text.replacen(":\"Hi\"}", ":\"Hi", 1);
    assert_eq!(
        line(&read(&wire(), &broken).0.outcome).split(':').next(),
        Some("transient unreadable")
    );
}

#[test]
fn plain_failures_are_told_apart() {
    let error = |code: &str| format!(r#"{{"error":{{"message":"words","type":"x","code":"{code}"}}}}"#);
    for (status, code, expected) in [
        (429, "rate_limit_exceeded", "rate"),
        (429, "insufficient_quota", "quota"),
        (400, "context_length_exceeded", "overflow"),
        (401, "invalid_api_key", "auth"),
        (500, "server_error", "transient"),
        (400, "invalid_prompt", "permanent"),
    ] {
        assert_eq!(
            plain(&wire(), status, &error(code)).outcome.word(),
            expected,
            "{code}"
        );
    }
    for body in ["", "[]", "{}", r#"{"status":"in_progress","output":[]}"#] {
        assert!(plain(&wire(), 200, body).outcome.answer().is_none(), "{body}");
    }
}

#[test]
fn what_is_posted_reads_like_this() {
    let post = wire().post(&talk()).unwrap();
    assert_eq!(post.path, "/responses");
    insta::assert_snapshot!(body(&post), @r#"
    model: "gpt-5.6"
    stream: true
    store: false
    truncation: "disabled"
    instructions: "You carry out one task."
    tools[]: {"type":"function","name":"read_file","description":"Reads a file","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"strict":false}
    input[]: {"role":"user","content":"Read a.txt."}
    input[]: {"role":"assistant","content":"Reading."}
    input[]: {"type":"function_call","call_id":"call_1","name":"read_file","arguments":"{\"path\":\"a.txt\",\"n\":9007199254740993}"}
    input[]: {"type":"function_call","call_id":"call_2","name":"read_file","arguments":"{}"}
    input[]: {"type":"function_call_output","call_id":"call_1","output":"twelve"}
    input[]: {"type":"function_call_output","call_id":"call_2","output":"The arguments are no JSON."}
    input[]: {"role":"user","content":"Go on."}
    max_output_tokens: 500
    include[]: "reasoning.encrypted_content"
    "#);
}

#[test]
fn only_models_that_think_are_asked_for_what_they_thought() {
    for (model, thinks) in [
        ("o3", true),
        ("o4-mini-2025-04-16", true),
        ("openai/gpt-5", true),
        ("gpt-10", true),
        ("gpt-5-chat-latest", false),
        ("gpt-4.1", false),
        ("omni", false),
        ("gpt-oss", false),
        ("", false),
    ] {
        let post = Responses::new(model, Traits::default()).post(&talk()).unwrap();
        assert_eq!(post.body.get("include").is_some(), thinks, "{model}");
        assert_eq!(post.body.get("temperature").is_none(), thinks, "{model}");
    }
}

#[test]
fn a_shape_is_strict_where_it_can_be() {
    let mut request = shaped(json!({"type": "object", "properties": {"a": {"type": "string"}}}));
    request.max_output_tokens = Some(1);
    let post = wire().post(&request).unwrap();
    assert_eq!(post.body["max_output_tokens"], 16);
    insta::assert_snapshot!(post.body["text"].to_string(), @r#"{"format":{"type":"json_schema","name":"plan","schema":{"type":"object","properties":{"a":{"type":["string","null"]}},"required":["a"],"additionalProperties":false},"strict":true}}"#);
    let post = wire().post(&shaped(json!({"type": "object"}))).unwrap();
    insta::assert_snapshot!(post.body["text"].to_string(), @r#"{"format":{"type":"json_schema","name":"plan","schema":{"type":"object"},"strict":false}}"#);
    let traits = Traits {
        structured: Support::No,
        ..Traits::default()
    };
    let post = Responses::new("m", traits).post(&request).unwrap();
    assert!(post.body.get("text").is_none());
    assert!(
        post.body["instructions"]
            .as_str()
            .unwrap()
            .contains("JSON Schema")
    );
}

proptest! {
    #[test]
    fn no_frames_make_it_fall_over(frames in trial::any_frames(Framing::ServerSentEvents, &[
        &file(REASONING), &file(RECORDED), &file("wire/samples/by-hand/responses-incomplete.sse")
    ])) {
        let outcome = trial::survives(&wire(), &frames);
        let has_end = frames.iter().any(|frame| {
            let said = format!("{} {}", frame.event, frame.data);
            said.contains("response.completed") || said.contains("response.incomplete")
        });
        prop_assert!(has_end || outcome.answer().is_none(), "{outcome:?}");
    }
}
