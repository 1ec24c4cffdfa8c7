//! What is sent, and what is read from pieces that no recorded stream has.

use serde_json::json;

use super::*;
use crate::llm::wire::{Compatible, Delta, Frame, LlamaCpp, OpenAi, OpenRouter, Step};
use crate::llm::{Message, Outcome, Sealed, ToolCall};

fn request() -> Request {
    let call = ToolCall {
        id: "a".to_owned(),
        name: "read".to_owned(),
        arguments: r#"{"n":9007199254740993,"d":1.10}"#.to_owned(),
        sealed: None,
    };
    let broken = ToolCall {
        id: "b".to_owned(),
        arguments: "{\"path\":".to_owned(),
        ..call.clone()
    };
    let thought = Thought {
        text: "hm".to_owned(),
        sealed: Some(Sealed {
            wire: "openrouter".to_owned(),
            text: r#"{"type":"reasoning.encrypted","data":"x"}"#.to_owned(),
        }),
    };
    Request {
        model: "executor".to_owned(),
        system: "Be brief.".to_owned(),
        messages: vec![
            Message::User("Go.".to_owned()),
            Message::Assistant {
                text: String::new(),
                calls: vec![call, broken],
                thoughts: vec![thought],
            },
            Message::Observation {
                call: "a".to_owned(),
                content: "one".to_owned(),
                is_error: false,
            },
        ],
        tools: vec![Offer {
            name: "read".to_owned(),
            description: "Reads.".to_owned(),
            arguments: json!({"type": "object", "properties": {}}),
        }],
        output: None,
        max_output_tokens: Some(64),
        temperature: Some(0.0),
    }
}

fn shaped() -> Request {
    Request {
        tools: Vec::new(),
        messages: vec![Message::User("Go.".to_owned())],
        output: Some(OutputFormat {
            name: "plan".to_owned(),
            schema: json!({"type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}, "required": ["a"]}),
        }),
        ..request()
    }
}

fn sent<H: Habits>(chat: &Chat<H>, request: &Request) -> Json {
    chat.post(request).unwrap().body
}

#[test]
fn a_talk_is_said_whole_and_in_order() {
    let body = sent(&OpenRouter::new("m", Traits::default()), &request());
    assert_eq!(
        body["messages"],
        json!([
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "Go."},
            {
                "role": "assistant",
                "content": null,
                "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "read", "arguments": r#"{"n":9007199254740993,"d":1.10}"#}},
                    {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{}"}}
                ],
                "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}]
            },
            {"role": "tool", "tool_call_id": "a", "content": "one"},
            {"role": "tool", "tool_call_id": "b", "content": "The call was interrupted; whether it was carried out is unknown."},
        ])
    );
    assert_eq!(body["provider"], json!({"require_parameters": true}));
    assert_eq!((&body["stream"], &body["max_tokens"]), (&json!(true), &json!(64)));
    // Nobody else gets what only one can read.
    let body = sent(&Compatible::new("m", Traits::default()), &request());
    assert!(body["messages"][2].get("reasoning_details").is_none());
    assert!(body.get("provider").is_none());
}

#[test]
fn each_has_its_habits() {
    let openai = |model: &str| sent(&OpenAi::new(model, Traits::default()), &request());
    assert_eq!(openai("gpt-4o")["max_completion_tokens"], json!(64));
    assert!(openai("gpt-4o").get("temperature").is_some());
    assert!(openai("o4-mini").get("temperature").is_none());
    assert!(openai("gpt-5.6").get("temperature").is_none());

    let mut both = request();
    both.output = shaped().output;
    let body = sent(&LlamaCpp::new("m", Traits::default()), &both);
    assert!(body.get("response_format").is_none());
    assert_eq!(
        body["tools"][0]["function"]["parameters"],
        json!({"type": "object"})
    );
    assert_eq!(body["messages"][2]["content"], "");
    assert!(
        body["messages"][0]["content"]
            .as_str()
            .unwrap()
            .contains("maxLength"),
        "asked for in words"
    );
}

#[test]
fn the_shape_of_the_answer_is_demanded_where_it_can_be() {
    let strict = sent(&OpenAi::new("m", Traits::default()), &shaped());
    let format = &strict["response_format"]["json_schema"];
    assert_eq!(
        (&format["strict"], &format["name"]),
        (&json!(true), &json!("plan"))
    );
    assert_eq!(format["schema"]["additionalProperties"], json!(false));
    let local = sent(&LlamaCpp::new("m", Traits::default()), &shaped());
    let schema = &local["response_format"]["json_schema"]["schema"];
    assert_eq!(schema["properties"]["a"]["maxLength"], json!(9));
    let traits = Traits {
        structured: Support::No,
        ..Traits::default()
    };
    let words = sent(&Compatible::new("m", traits), &shaped());
    assert!(words.get("response_format").is_none());
    assert_ne!(words["messages"][0]["content"], "Be brief.");
}

fn read(frames: &[&str]) -> (Read, Vec<Delta>) {
    let traits = Traits {
        context_tokens: Some(32_768),
        ..Traits::default()
    };
    let mut reader = OpenRouter::new("m", traits).reader();
    let mut told = Vec::new();
    for data in frames {
        let frame = Frame {
            event: String::new(),
            data: (*data).to_owned(),
        };
        if reader.take(&frame, &mut |delta| told.push(delta)) == Step::Done {
            break;
        }
    }
    (reader.end(), told)
}

#[test]
fn details_of_thinking_are_put_together_and_sealed() {
    let (read, told) = read(&[
        r#"{"choices":[{"delta":{"reasoning":"h","reasoning_details":[{"type":"reasoning.text","text":"h","index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"reasoning":"m","reasoning_details":[{"type":"reasoning.text","text":"m","signature":"s","index":0}]}}]}"#,
        r#"{"choices":[{"delta":{"content":"41"},"finish_reason":"stop"}]}"#,
    ]);
    let answer = read.outcome.answer().unwrap();
    assert_eq!(
        (answer.text.as_str(), answer.thoughts[0].text.as_str()),
        ("41", "hm")
    );
    let sealed = answer.thoughts[1].sealed.as_ref().unwrap();
    assert_eq!(
        sealed.text,
        r#"{"type":"reasoning.text","text":"hm","index":0,"signature":"s"}"#
    );
    assert_eq!(told.len(), 3);
}

/// Outcome, code and frames; SAID and STOP stand for the two that most have.
const MISSING: &str = r#"
transient truncated      SAID
transient truncated      SAID ~ [DONE]
complete  -              SAID ~ STOP
transient unreadable     SAID ~ {"choices":[{"delta":{"con ~ STOP
unknown   empty_answer   STOP
transient truncated      : nothing
overflow  context_length STOP ~ {"choices":[],"usage":{"prompt_tokens":36000,"completion_tokens":0}}
unknown   unknown        SAID ~ {"choices":[{"delta":{},"finish_reason":"quite_new"}]}
permanent refusal        {"choices":[{"delta":{"refusal":"No."},"finish_reason":"stop"}]}
permanent content_filter SAID ~ {"choices":[{"delta":{},"finish_reason":"content_filter"}]}
cut       -              SAID ~ {"choices":[{"delta":{},"finish_reason":"stop","native_finish_reason":"MAX_TOKENS"}]}
rate      rate_limit     SAID ~ {"choices":[{"delta":{},"error":{"code":429,"message":"slower"}}]}
transient unavailable    [{"error":{"code":503,"message":"m"}}]
complete  -              SAID ~ {"error":null,"choices":[]} ~ STOP
complete  -              {"choices":[{"index":1,"delta":{"content":"other"}}]} ~ SAID ~ STOP
"#;

#[test]
fn what_is_missing_is_no_answer() {
    let full = MISSING
        .replace("SAID", r#"{"choices":[{"delta":{"content":"Hello"}}]}"#)
        .replace("STOP", r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#);
    for row in full.lines().filter(|row| !row.is_empty()) {
        let (word, rest) = row.split_once(' ').unwrap();
        let (code, frames) = rest.trim_start().split_once(' ').unwrap();
        let frames: Vec<&str> = frames.split(" ~ ").map(str::trim).collect();
        let (read, _) = read(&frames);
        let said = read.outcome.fault().map_or("-", |fault| fault.code.as_str());
        assert_eq!((read.outcome.word(), said), (word, code), "{row}");
        if let Some(answer) = read.outcome.answer() {
            assert_eq!(answer.text, "Hello");
        }
    }
}

#[test]
fn a_body_of_200_is_looked_into() {
    let wire = OpenAi::new("m", Traits::default());
    let headers = reqwest::header::HeaderMap::new();
    let outcome = |body: &str| {
        wire.plain(&Plain {
            status: 200,
            headers: &headers,
            body: body.as_bytes(),
        })
        .outcome
    };
    let whole = outcome(
        r#"{"choices":[{"message":{"content":[{"type":"text","text":"Hi"}]},"finish_reason":"stop"}]}"#,
    );
    assert!(matches!(whole, Outcome::Complete(answer) if answer.text == "Hi"));
    for (body, word) in [
        ("", "transient"),
        ("{\"choices\":[{\"mess", "transient"),
        (
            r#"{"error":{"message":"no","code":"insufficient_quota"}}"#,
            "quota",
        ),
        ("<html>Sign in to the network</html>", "unknown"),
        (r#"{"object":"error","message":"m","code":400}"#, "permanent"),
        (r#"{"hello":1}"#, "unknown"),
        ("[1]", "unknown"),
    ] {
        assert_eq!(outcome(body).word(), word, "{body}");
    }
}
