//! Anthropic's Messages held against recorded and hand-made streams, and against any stream at all.

use proptest::prelude::*;

use super::*;
use crate::llm::wire::trial::{self, body, cut_anywhere, file, goes_on, line, plain, read, shaped, talk};
use crate::llm::wire::{Delta, Framing};

fn wire() -> Anthropic {
    Anthropic::new("claude-x", Traits::default())
}

const THINKING: &str = "wire/samples/by-hand/anthropic-thinking-tools.sse";
const RECORDED: [&str; 2] = [
    "wire/samples/anthropic-stream.response.sse.txt",
    "wire/samples/anthropic-tools-stream.response.sse.txt",
];

#[test]
fn recorded_streams_are_read() {
    let (text, told) = read(&wire(), &file(RECORDED[0]));
    insta::assert_snapshot!(line(&text.outcome), @r#"complete "1, 2, 3, 4, 5" | end_turn"#);
    assert_eq!((text.usage.input, text.usage.cached), (Some(37), Some(24)));
    let words: String = told
        .iter()
        .map(|delta| match delta {
            Delta::Text(text) => text.as_str(),
            Delta::Thinking(_) | Delta::Call(_) => panic!("{delta:?}"),
        })
        .collect();
    assert_eq!(text.outcome.answer().unwrap().text, words);

    let (call, told) = read(&wire(), &file(RECORDED[1]));
    insta::assert_snapshot!(line(&call.outcome), @r#"
    complete "" | p3zcuUOwGBUdhyR4SpkWyNLA8m56Anbe=read_file({
        "path": "data/costs.csv"
      }) | tool_use
    "#);
    insta::assert_snapshot!(format!("{:?}", call.usage), @"Usage { input: Some(275), output: Some(33), cached: Some(274), written: None }");
    assert_eq!(told, [Delta::Call("read_file".to_owned())]);
}

#[test]
fn plain_answers_are_read() {
    for (name, expected) in [
        ("basic", r#"complete "Hello!" | end_turn"#),
        ("max-tokens", r#"cut "Gross margin is a" | max_tokens"#),
        (
            "tools",
            r#"complete "" | 3s9sFnGpGhhDAfhwmTZ8xJMYziTYBSKe=read_file({"path":"data/costs.csv"}) | tool_use"#,
        ),
    ] {
        let read = plain(
            &wire(),
            200,
            &file(&format!("wire/samples/anthropic-{name}.response.json")),
        );
        assert_eq!(line(&read.outcome), expected);
        assert!(read.usage.input.is_some() && read.usage.output.is_some());
    }
}

#[test]
fn errors_of_a_plain_response_are_told_apart() {
    for (name, status, expected) in [
        ("401-no-key", 401, "auth"),
        ("context-overflow", 400, "overflow"),
        ("malformed", 400, "permanent"),
        ("missing-messages", 500, "transient"),
    ] {
        let body = file(&format!("wire/samples/anthropic-err-{name}.response.json"));
        assert_eq!(plain(&wire(), status, &body).outcome.word(), expected, "{name}");
    }
    for body in ["", "null", "<html>", r#"{"type":"message","content":[]}"#] {
        let outcome = plain(&wire(), 200, body).outcome;
        assert!(outcome.answer().is_none(), "{outcome:?}");
    }
}

#[test]
fn thinking_goes_back_in_its_place() {
    let (read, told) = read(&wire(), &file(THINKING));
    assert_eq!(read.usage.input, Some(1320));
    assert_eq!((read.usage.cached, read.usage.output), (Some(1000), Some(87)));
    assert!(told.contains(&Delta::Thinking("are needed.".to_owned())));
    insta::assert_snapshot!(line(&read.outcome).replace(" | ", "\n"), @r#"
    complete "Let me read both."
    toolu_1=read_file({"path":"a.txt"})
    toolu_2=read_file({"path":"b.txt","n":9007199254740993})
    thought "Two files are needed." {"at":0,"value":{"type":"thinking","signature":"c2ln"}}
    thought "" {"at":0,"value":{"type":"redacted_thinking","data":"b3BhcXVl"}}
    thought "" {"at":2,"value":{"type":"thinking","signature":"c2lnMg=="}}
    tool_use
    "#);
    let request = goes_on(talk(), read.outcome.answer().unwrap());
    let post = wire().post(&request).unwrap();
    let last = post.body["messages"]
        .as_array()
        .unwrap()
        .iter()
        .rev()
        .take(2)
        .rev();
    let last: Vec<String> = last
        .flat_map(|message| message["content"].as_array().unwrap())
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(last.join("\n"), @r#"
    {"type":"thinking","signature":"c2ln","thinking":"Two files are needed."}
    {"type":"redacted_thinking","data":"b3BhcXVl"}
    {"type":"text","text":"Let me read both."}
    {"type":"tool_use","id":"toolu_1","name":"read_file","input":{"path":"a.txt"}}
    {"type":"thinking","signature":"c2lnMg==","thinking":""}
    {"type":"tool_use","id":"toolu_2","name":"read_file","input":{"path":"b.txt","n":9007199254740993}}
    {"type":"tool_result","tool_use_id":"toolu_1","content":"what read_file gave"}
    {"type":"tool_result","tool_use_id":"toolu_2","content":"what read_file gave","cache_control":{"type":"ephemeral"}}
    "#);
}

#[test]
fn a_stream_without_its_end_is_truncated() {
    cut_anywhere(&wire(), &file(THINKING));
    cut_anywhere(&wire(), &file(RECORDED[0]));
    let end_without_reason =
        "data: {\"type\":\"message_start\",\"message\":{}}\n\ndata: {\"type\":\"message_stop\"}";
    assert_eq!(
        line(&read(&wire(), end_without_reason).0.outcome)
            .split(':')
            .next(),
        Some("transient truncated")
    );
}

#[test]
fn errors_after_a_good_status_are_told_apart() {
    for (name, expected) in [
        (
            "before-content",
            "transient overloaded: Overloaded (overloaded_error)",
        ),
        (
            "after-text",
            "transient overloaded: Overloaded (overloaded_error)",
        ),
        (
            "inside-tool-input",
            "transient overloaded: Overloaded (overloaded_error)",
        ),
        (
            "invalid-request",
            "permanent bad_request: messages: bad role (invalid_request_error)",
        ),
    ] {
        let (read, _) = read(
            &wire(),
            &file(&format!("cases/stream-05-overloaded-mid-stream/{name}.sse")),
        );
        assert_eq!(line(&read.outcome), expected, "{name}");
        assert_eq!(read.usage.input, Some(50));
    }
}

#[test]
fn every_reason_to_stop_has_its_outcome() {
    let ends = |reason: &str, text: &str| {
        let body = format!(
            "event: ping\ndata: {{\"type\":\"ping\"}}\n\n\
             data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"text\",\"text\":\"{text}\"}}}}\n\n\
             data: {{\"type\":\"some_future_event\",\"index\":0}}\n\n\
             data: {{\"type\":\"message_delta\",\"delta\":{{\"stop_reason\":\"{reason}\"}}}}\n\n\
             data: {{\"type\":\"message_stop\"}}"
        );
        let outcome = read(&wire(), &body).0.outcome;
        let code = outcome
            .fault()
            .map(|fault| fault.code.clone())
            .unwrap_or_default();
        format!("{reason}: {} {code}", outcome.word())
    };
    let mut told: Vec<String> = [
        "end_turn",
        "tool_use",
        "stop_sequence",
        "max_tokens",
        "refusal",
        "pause_turn",
        "model_context_window_exceeded",
        "brand_new",
    ]
    .into_iter()
    .map(|reason| ends(reason, "text"))
    .collect();
    told.push(ends("end_turn", ""));
    insta::assert_snapshot!(told.join("\n"), @"
    end_turn: complete 
    tool_use: complete 
    stop_sequence: complete 
    max_tokens: cut 
    refusal: permanent refusal
    pause_turn: unknown unknown
    model_context_window_exceeded: overflow context_length
    brand_new: unknown unknown
    end_turn: unknown empty_answer
    ");
}

#[test]
fn a_part_that_can_not_be_read_spoils_the_answer() {
    let whole = file(RECORDED[0]);
    let broken = whole.replacen(
        "\"delta\":{\"type\":\"text_delta\"",
        "\"delta\":{\"type\":\"text_delta",
        1,
    );
    assert_ne!(whole, broken);
    assert_eq!(
        line(&read(&wire(), &broken).0.outcome).split(':').next(),
        Some("transient unreadable")
    );
    let orphan = whole.replacen(
        "\"text_delta\",\"text\"",
        "\"input_json_delta\",\"partial_json\"",
        1,
    );
    assert_eq!(
        line(&read(&wire(), &orphan).0.outcome).split(':').next(),
        Some("transient unreadable")
    );
}

#[test]
fn what_is_posted_reads_like_this() {
    let post = wire().post(&talk()).unwrap();
    assert_eq!(post.path, "/messages");
    assert_eq!(post.headers, [("anthropic-version", "2023-06-01".to_owned())]);
    insta::assert_snapshot!(body(&post), @r#"
    model: "claude-x"
    max_tokens: 500
    stream: true
    system[]: {"type":"text","text":"You carry out one task.","cache_control":{"type":"ephemeral"}}
    tools[]: {"name":"read_file","input_schema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]},"description":"Reads a file"}
    messages[]: {"role":"user","content":[{"type":"text","text":"Read a.txt."}]}
    messages[]: {"role":"assistant","content":[{"type":"text","text":"Reading."},{"type":"tool_use","id":"call_1","name":"read_file","input":{"path":"a.txt","n":9007199254740993}},{"type":"tool_use","id":"call_2","name":"read_file","input":{}}]}
    messages[]: {"role":"user","content":[{"type":"tool_result","tool_use_id":"call_1","content":"twelve"},{"type":"tool_result","tool_use_id":"call_2","content":"The arguments are no JSON.","is_error":true},{"type":"text","text":"Go on.","cache_control":{"type":"ephemeral"}}]}
    temperature: 0.2
    "#);
}

#[test]
fn earlier_calls_keep_definitions_where_no_more_are_wanted() {
    let mut request = talk();
    request.tools.clear();
    let post = wire().post(&request).unwrap();
    assert_eq!(post.body["tool_choice"].to_string(), r#"{"type":"none"}"#);
    assert_eq!(
        post.body["tools"].to_string(),
        r#"[{"name":"read_file","input_schema":{"type":"object"}}]"#
    );
}

#[test]
fn a_shape_is_strict_or_asked_for_in_words() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}}});
    let post = wire().post(&shaped(schema.clone())).unwrap();
    insta::assert_snapshot!(post.body["output_config"].to_string(), @r#"{"format":{"type":"json_schema","schema":{"type":"object","properties":{"a":{"type":["string","null"],"description":"maxLength: 5"}},"required":["a"],"additionalProperties":false}}}"#);
    assert_eq!(post.body["max_tokens"], 8192);
    let traits = Traits {
        structured: Support::No,
        thinking: Support::Yes,
        max_output_tokens: Some(64),
        ..Traits::default()
    };
    for (wire, schema) in [
        (Anthropic::new("m", traits), schema),
        (wire(), json!({"type": "object"})),
    ] {
        let mut request = shaped(schema.clone());
        request.temperature = Some(1.0);
        let post = wire.post(&request).unwrap();
        assert!(post.body.get("output_config").is_none());
        let system = post.body["system"][0]["text"].as_str().unwrap();
        assert!(
            system.starts_with("You carry") && system.ends_with(&schema.to_string()),
            "{system}"
        );
    }
}

proptest! {
    #[test]
    fn no_frames_make_it_fall_over(frames in trial::any_frames(Framing::ServerSentEvents, &[
        &file(THINKING), &file(RECORDED[0]), &file(RECORDED[1])
    ])) {
        let outcome = trial::survives(&wire(), &frames);
        let has_end = frames.iter().any(|frame| frame.data.contains("message_stop"))
            && frames.iter().any(|frame| frame.data.contains("stop_reason"));
        prop_assert!(has_end || outcome.answer().is_none(), "{outcome:?}");
    }
}
