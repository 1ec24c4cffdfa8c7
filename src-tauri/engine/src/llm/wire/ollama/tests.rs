//! Ollama's chat held against hand-made streams, and against any stream at all.

use proptest::prelude::*;

use super::*;
use crate::llm::wire::Delta;
use crate::llm::wire::trial::{self, body, cut_anywhere, file, goes_on, line, plain, read, shaped, talk};

fn wire() -> Ollama {
    Ollama::new("qwen3", Traits::default())
}

const THINKING: &str = "wire/samples/by-hand/ollama-thinking-tools.ndjson";

#[test]
fn bodies_from_the_field_are_read() {
    let told: Vec<String> = [
        "call-in-done-line",
        "call-before-done",
        "error-line",
        "load-only",
        "cut",
        "not-found",
    ]
    .into_iter()
    .map(|name| {
        let (read, _) = read(
            &wire(),
            &file(&format!("cases/stream-08-ollama-ndjson/{name}.ndjson")),
        );
        format!("{name}: {}", line(&read.outcome))
    })
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    call-in-done-line: complete "Let me look." | call_1=read_file({"path":"a.txt"}) | stop
    call-before-done: complete "" | call_1=read_file({"path":"a.txt"}) | stop
    error-line: transient server_error: an error was encountered while running the model
    load-only: transient model_loading: the server has loaded the model and not answered yet
    cut: transient truncated: the answer broke off before its end; nothing of it was used
    not-found: permanent not_found: model 'qwen9' not found
    "#);
}

#[test]
fn thinking_and_calls_go_back() {
    let (read, told) = read(&wire(), &file(THINKING));
    assert_eq!(told.len(), 4);
    assert_eq!(told[2], Delta::Call("read_file".to_owned()));
    assert_eq!((read.usage.input, read.usage.output), (Some(26), Some(9)));
    insta::assert_snapshot!(line(&read.outcome).replace(" | ", "\n"), @r#"
    complete ""
    call_a=read_file({"path":"a.txt","n":9007199254740993})
    call_2=list({})
    thought "Need a file." 
    stop
    "#);
    let post = wire()
        .post(&goes_on(talk(), read.outcome.answer().unwrap()))
        .unwrap();
    insta::assert_snapshot!(trial::last_of(&post, "messages", 3), @r#"
    {"role":"assistant","content":"","thinking":"Need a file.","tool_calls":[{"id":"call_a","function":{"name":"read_file","arguments":{"path":"a.txt","n":9007199254740993}}},{"id":"call_4","function":{"name":"list","arguments":{}}}]}
    {"role":"tool","content":"what read_file gave","tool_name":"read_file","tool_call_id":"call_a"}
    {"role":"tool","content":"what list gave","tool_name":"list","tool_call_id":"call_4"}
    "#);
}

#[test]
fn thoughts_in_the_text_are_no_part_of_it() {
    let said = |text: &str| json!({"message": {"content": text}, "done": false}).to_string();
    let end = r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#;
    let body = [&said("<thi"), &said("nk>sum is "), &said("41</think>\n41"), end].join("\n");
    let (read, told) = read(&wire(), &body);
    insta::assert_snapshot!(line(&read.outcome), @r#"complete "41" | thought "sum is 41"  | stop"#);
    assert_eq!(told.last(), Some(&Delta::Text("41".to_owned())));
    let only_thought = [&said("<think>never closed"), end].join("\n");
    let outcome = trial::read(&wire(), &only_thought).0.outcome;
    assert_eq!(line(&outcome).split(':').next(), Some("unknown empty_answer"));
}

#[test]
fn a_stream_without_its_end_is_truncated() {
    cut_anywhere(&wire(), &file(THINKING));
    cut_anywhere(&wire(), &file("wire/samples/by-hand/ollama-length.ndjson"));
}

#[test]
fn every_end_has_its_outcome() {
    let ends = |end: &str| {
        let body = format!(
            "{{\"message\":{{\"content\":\"Hi\"}},\"done\":false}}\n{{\"message\":{{}},\"done\":true{end}}}\n"
        );
        line(&read(&wire(), &body).0.outcome)
    };
    let told: Vec<String> = [
        "",
        r#","done_reason":"length""#,
        r#","done_reason":"load""#,
        r#","done_reason":"new""#,
    ]
    .into_iter()
    .map(ends)
    .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    complete "Hi" | stop
    cut "Hi" | length
    unknown unknown: the answer ended for a reason that is not known (it said `load`)
    unknown unknown: the answer ended for a reason that is not known (it said `new`)
    "#);
    let empty = "{\"message\":{\"thinking\":\"hm\"},\"done\":true,\"done_reason\":\"stop\"}";
    assert_eq!(
        line(&read(&wire(), empty).0.outcome).split(':').next(),
        Some("unknown empty_answer")
    );
    let broken = "{\"message\":{\"content\":\"a\"},\n{\"message\":{\"content\":\"b\"},\"done\":true}";
    assert_eq!(
        line(&read(&wire(), broken).0.outcome).split(':').next(),
        Some("transient unreadable")
    );
}

#[test]
fn plain_failures_are_told_apart() {
    for (status, error, expected) in [
        (404, "model 'qwen9' not found", "permanent"),
        (
            503,
            "server busy, please try again. maximum pending requests exceeded",
            "rate",
        ),
        (500, "no user query found in messages", "overflow"),
        (400, "the prompt is longer than the context length", "overflow"),
        (502, "bad gateway", "transient"),
    ] {
        let body = json!({ "error": error }).to_string();
        assert_eq!(plain(&wire(), status, &body).outcome.word(), expected, "{error}");
    }
    let whole = r#"{"message":{"role":"assistant","content":"Hi"},"done":true,"done_reason":"stop"}"#;
    assert_eq!(
        line(&plain(&wire(), 200, whole).outcome),
        r#"complete "Hi" | stop"#
    );
    assert!(plain(&wire(), 200, "{}").outcome.answer().is_none());
}

#[test]
fn what_is_posted_reads_like_this() {
    let post = wire().post(&talk()).unwrap();
    assert_eq!(post.path, "/api/chat");
    insta::assert_snapshot!(body(&post), @r#"
    model: "qwen3"
    stream: true
    truncate: false
    shift: false
    tools[]: {"type":"function","function":{"name":"read_file","description":"Reads a file","parameters":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}}
    messages[]: {"role":"system","content":"You carry out one task."}
    messages[]: {"role":"user","content":"Read a.txt."}
    messages[]: {"role":"assistant","content":"Reading.","tool_calls":[{"id":"call_1","function":{"name":"read_file","arguments":{"path":"a.txt","n":9007199254740993}}},{"id":"call_2","function":{"name":"read_file","arguments":{}}}]}
    messages[]: {"role":"tool","content":"twelve","tool_name":"read_file","tool_call_id":"call_1"}
    messages[]: {"role":"tool","content":"The arguments are no JSON.","tool_name":"read_file","tool_call_id":"call_2"}
    messages[]: {"role":"user","content":"Go on."}
    options: {"num_ctx":16384,"num_predict":500,"temperature":0.2}
    "#);
}

#[test]
fn a_shape_goes_as_it_is_or_in_words() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}}});
    let traits = Traits {
        context_tokens: Some(32_768),
        thinking: Support::Yes,
        ..Traits::default()
    };
    let post = Ollama::new("m", traits).post(&shaped(schema.clone())).unwrap();
    assert_eq!(post.body["format"], schema);
    assert_eq!(post.body["options"].to_string(), r#"{"num_ctx":32768}"#);
    assert_eq!(post.body["think"], true);
    let traits = Traits {
        structured: Support::No,
        ..traits
    };
    let post = Ollama::new("m", traits).post(&shaped(schema)).unwrap();
    assert!(post.body.get("format").is_none());
    assert!(
        post.body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("maxLength")
    );
}

proptest! {
    #[test]
    fn no_frames_make_it_fall_over(frames in trial::any_frames(Framing::JsonLines, &[
        &file(THINKING),
        &file("wire/samples/by-hand/ollama-length.ndjson"),
        &file("cases/stream-08-ollama-ndjson/call-in-done-line.ndjson"),
        &file("cases/stream-08-ollama-ndjson/error-line.ndjson"),
    ])) {
        let outcome = trial::survives(&wire(), &frames);
        let has_end = frames.iter().any(|frame| frame.data.contains("true"));
        prop_assert!(has_end || outcome.answer().is_none(), "{outcome:?}");
    }
}
