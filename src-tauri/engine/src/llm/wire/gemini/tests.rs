//! Gemini's generateContent held against hand-made streams, and against any stream at all.

use proptest::prelude::*;

use super::*;
use crate::llm::wire::trial::{self, body, cut_anywhere, file, goes_on, line, plain, read, shaped, talk};
use crate::llm::wire::{Delta, Framing};

fn wire() -> Gemini {
    Gemini::new("gemini-x", Traits::default())
}

fn thinker() -> Gemini {
    let traits = Traits {
        thinking: Support::Yes,
        ..Traits::default()
    };
    Gemini::new("gemini-x", traits)
}

const TEXT: &str = "wire/samples/by-hand/gemini-text.sse";
const CALLS: &str = "wire/samples/by-hand/gemini-parallel-calls.sse";

fn last_parts(post: &Post, contents: usize) -> String {
    let all = post.body["contents"].as_array().unwrap();
    let last = all[all.len() - contents..].iter();
    let parts = last.flat_map(|content| content["parts"].as_array().unwrap());
    parts.map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

#[test]
fn text_and_its_signature_go_back() {
    let (read, told) = read(&wire(), &file(TEXT));
    assert_eq!(
        told,
        [Delta::Text("Hel".to_owned()), Delta::Text("lo.".to_owned())]
    );
    insta::assert_snapshot!(format!("{:?}", read.usage), @"Usage { input: Some(9), output: Some(8), cached: Some(4), written: None }");
    insta::assert_snapshot!(line(&read.outcome).replace(" | ", "\n"), @r#"
    complete "Hello."
    thought "" {"at":6,"value":{"signature":"dGFpbA==","from":6}}
    STOP
    "#);
    let post = wire()
        .post(&goes_on(talk(), read.outcome.answer().unwrap()))
        .unwrap();
    insta::assert_snapshot!(last_parts(&post, 1), @r#"
    {"text":"Hello."}
    {"text":"","thoughtSignature":"dGFpbA=="}
    "#);
}

#[test]
fn calls_and_their_signatures_go_back() {
    let (read, told) = read(&wire(), &file(CALLS));
    assert_eq!(told.len(), 5);
    assert_eq!(told[0], Delta::Thinking("Both files.".to_owned()));
    insta::assert_snapshot!(line(&read.outcome).replace(" | ", "\n"), @r#"
    complete "I read both."
    call_1=read_file({"path":"a.txt","n":9007199254740993})
    call_2=read_file({"path":"b.txt"})
    fc-9=list()
    thought "Both files." -
    STOP
    "#);
    let post = wire()
        .post(&goes_on(talk(), read.outcome.answer().unwrap()))
        .unwrap();
    insta::assert_snapshot!(last_parts(&post, 2), @r#"
    {"text":"I read both."}
    {"functionCall":{"name":"read_file","args":{"path":"a.txt","n":9007199254740993}},"thoughtSignature":"c2ln"}
    {"functionCall":{"name":"read_file","args":{"path":"b.txt"}}}
    {"functionCall":{"name":"list","args":{},"id":"fc-9"}}
    {"functionResponse":{"name":"read_file","response":{"output":"what read_file gave"}}}
    {"functionResponse":{"name":"read_file","response":{"output":"what read_file gave"}}}
    {"functionResponse":{"name":"list","response":{"output":"what list gave"},"id":"fc-9"}}
    "#);
}

#[test]
fn signed_pieces_stand_where_they_stood() {
    let thought = |end: usize, value: Json| Thought {
        text: String::new(),
        sealed: Some(placed::seal(WIRE, end, &value)),
    };
    let thoughts = [
        thought(2, json!({"signature": "a", "from": 1})),
        thought(4, json!({"signature": "b", "from": 4})),
    ];
    let parts = |text: &str| {
        let parts = texts(text, &thoughts);
        let all: String = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
        assert_eq!(all, text);
        Json::Array(parts).to_string()
    };
    insta::assert_snapshot!(parts("abcdef"), @r#"[{"text":"a"},{"text":"b","thoughtSignature":"a"},{"text":"cd"},{"text":"","thoughtSignature":"b"},{"text":"ef"}]"#);
    // Nothing is lost of a text that is another one now.
    for text in ["", "a", "ééééé", "äbc"] {
        parts(text);
    }
}

#[test]
fn every_end_has_its_outcome() {
    let mut told: Vec<String> = ["malformed-call", "blocked", "safety", "error-mid-stream"]
        .into_iter()
        .map(|name| {
            line(
                &read(&wire(), &file(&format!("wire/samples/by-hand/gemini-{name}.sse")))
                    .0
                    .outcome,
            )
        })
        .collect();
    for reason in [
        "STOP",
        "MAX_TOKENS",
        "RECITATION",
        "LANGUAGE",
        "OTHER",
        "BLOCKLIST",
        "PROHIBITED_CONTENT",
        "SPII",
        "UNEXPECTED_TOOL_CALL",
        "TOO_MANY_TOOL_CALLS",
        "MISSING_THOUGHT_SIGNATURE",
        "FINISH_REASON_UNSPECIFIED",
        "BRAND_NEW",
    ] {
        let body = format!(
            "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"Hi\"}}]}},\"finishReason\":\"{reason}\"}}]}}"
        );
        let outcome = read(&wire(), &body).0.outcome;
        let code = outcome
            .fault()
            .map(|fault| fault.code.clone())
            .unwrap_or_default();
        told.push(format!("{reason}: {} {code}", outcome.word()));
    }
    insta::assert_snapshot!(told.join("\n"), @"
    transient malformed_call: the model wrote a call that can't be read (it said `MALFORMED_FUNCTION_CALL`): Malformed function call: print(default_api.read_file(path='a'))
    permanent content_filter: the provider's filter refused what was asked (it said `PROHIBITED_CONTENT`)
    permanent content_filter: the provider's filter stopped the answer (it said `SAFETY`)
    transient unavailable: The model is overloaded. Please try again later. (HTTP 503, unavailable)
    STOP: complete 
    MAX_TOKENS: cut 
    RECITATION: permanent content_filter
    LANGUAGE: permanent content_filter
    OTHER: unknown unknown
    BLOCKLIST: permanent content_filter
    PROHIBITED_CONTENT: permanent content_filter
    SPII: permanent content_filter
    UNEXPECTED_TOOL_CALL: transient malformed_call
    TOO_MANY_TOOL_CALLS: transient malformed_call
    MISSING_THOUGHT_SIGNATURE: unknown unknown
    FINISH_REASON_UNSPECIFIED: transient truncated
    BRAND_NEW: unknown unknown
    ");
}

#[test]
fn a_stream_without_its_end_is_truncated() {
    cut_anywhere(&wire(), &file(TEXT));
    cut_anywhere(&wire(), &file(CALLS));
    let broken = file(TEXT).replacen("\"text\": \"lo.\"", "\"text\": \"lo.", 1);
    assert_eq!(
        line(&read(&wire(), &broken).0.outcome).split(':').next(),
        Some("transient unreadable")
    );
}

#[test]
fn plain_responses_are_read() {
    let error = |code: u16, status: &str, message: &str| {
        json!({"error": {"code": code, "status": status, "message": message}}).to_string()
    };
    for (status, body, expected) in [
        (400, error(400, "INVALID_ARGUMENT", "Invalid value"), "permanent"),
        (
            400,
            json!({"error": {
                "code": 400,
                "status": "INVALID_ARGUMENT",
                "message": "API key not valid. Please pass a valid API key.",
                "details": [{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
            }})
            .to_string(),
            "auth",
        ),
        (
            400,
            error(
                400,
                "INVALID_ARGUMENT",
                "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            ),
            "overflow",
        ),
        (
            429,
            error(429, "RESOURCE_EXHAUSTED", "Please retry in 34.07s."),
            "rate",
        ),
        (503, error(503, "UNAVAILABLE", "overloaded"), "transient"),
        (403, error(403, "PERMISSION_DENIED", "no"), "auth"),
        (200, "{}".to_owned(), "unknown"),
    ] {
        assert_eq!(plain(&wire(), status, &body).outcome.word(), expected, "{body}");
    }
    let chunk = |text: &str, end: &str| {
        format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"{text}"}}]}}{end}}}]}}"#)
    };
    let whole = format!("[{},{}]", chunk("a", ""), chunk("b", r#","finishReason":"STOP""#));
    assert_eq!(
        line(&plain(&wire(), 200, &whole).outcome),
        r#"complete "ab" | STOP"#
    );
}

#[test]
fn what_is_posted_reads_like_this() {
    let post = wire().post(&talk()).unwrap();
    assert_eq!(post.path, "/models/gemini-x:streamGenerateContent?alt=sse");
    insta::assert_snapshot!(body(&post), @r#"
    contents[]: {"role":"user","parts":[{"text":"Read a.txt."}]}
    contents[]: {"role":"model","parts":[{"text":"Reading."},{"functionCall":{"name":"read_file","args":{"path":"a.txt","n":9007199254740993}}},{"functionCall":{"name":"read_file","args":{}}}]}
    contents[]: {"role":"user","parts":[{"functionResponse":{"name":"read_file","response":{"output":"twelve"}}},{"functionResponse":{"name":"read_file","response":{"error":"The arguments are no JSON."}}},{"text":"Go on."}]}
    systemInstruction: {"parts":[{"text":"You carry out one task."}]}
    tools[]: {"functionDeclarations":[{"name":"read_file","description":"Reads a file","parametersJsonSchema":{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}}]}
    generationConfig: {"maxOutputTokens":500,"temperature":0.2}
    "#);
    // A talk that another model began has no signatures.
    let post = thinker().post(&talk()).unwrap();
    let parts = &post.body["contents"][1]["parts"];
    assert_eq!(parts[1]["thoughtSignature"], NOT_SIGNED);
    assert!(parts[2].get("thoughtSignature").is_none());
}

#[test]
fn a_shape_goes_as_it_is_or_in_words() {
    let schema = json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 5}}});
    let post = thinker().post(&shaped(schema.clone())).unwrap();
    insta::assert_snapshot!(post.body["generationConfig"].to_string(), @r#"{"responseMimeType":"application/json","responseJsonSchema":{"type":"object","properties":{"a":{"type":"string","maxLength":5}}},"thinkingConfig":{"includeThoughts":true}}"#);
    let traits = Traits {
        structured: Support::No,
        ..Traits::default()
    };
    let post = Gemini::new("m", traits).post(&shaped(schema)).unwrap();
    assert!(post.body.get("generationConfig").is_none());
    assert!(post.body["systemInstruction"].to_string().contains("maxLength"));
}

#[test]
fn a_models_name_stays_in_its_path() {
    for (model, path) in [
        ("gemini-3.1-pro", "models/gemini-3.1-pro"),
        ("models/gemini-3.1-pro", "models/gemini-3.1-pro"),
        ("tunedModels/own 1", "tunedModels/own%201"),
        ("../../x?key=1#é", "models/x%3Fkey%3D1%23%C3%A9"),
    ] {
        assert_eq!(named(model), path);
    }
}

proptest! {
    #[test]
    fn no_frames_make_it_fall_over(frames in trial::any_frames(Framing::ServerSentEvents, &[
        &file(TEXT), &file(CALLS), &file("wire/samples/by-hand/gemini-safety.sse")
    ])) {
        let outcome = trial::survives(&wire(), &frames);
        let has_end = frames.iter().any(|frame| frame.data.contains("finishReason"));
        prop_assert!(has_end || outcome.answer().is_none(), "{outcome:?}");
        if let Some(answer) = outcome.answer() {
            wire().post(&goes_on(talk(), answer)).unwrap();
        }
    }

    /// Signatures never tear a text apart, whatever became of it.
    #[test]
    fn no_text_is_lost(text in "\\PC{0,12}", places in prop::collection::vec((0..16usize, 0..16u64), 0..4)) {
        let thoughts: Vec<Thought> = places
            .into_iter()
            .map(|(end, from)| Thought {
                text: String::new(),
                sealed: Some(placed::seal(WIRE, end, &json!({"signature": "s", "from": from}))),
            })
            .collect();
        let parts = texts(&text, &thoughts);
        let all: String = parts.iter().map(|part| part["text"].as_str().unwrap()).collect();
        prop_assert_eq!(all, text);
    }
}
