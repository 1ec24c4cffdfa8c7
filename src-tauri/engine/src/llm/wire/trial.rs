//! Puts a wire to the test on whole bodies and on any sequence of frames. For tests only.

use std::path::PathBuf;

use proptest::prelude::*;
use reqwest::header::HeaderMap;

use super::{Delta, Frame, Framing, Plain, Post, Read, Step, Wire};
use crate::llm::{Answer, Message, Offer, Outcome, OutputFormat, Request, ToolCall};
use crate::model::Json;

/// A file below the folder `tests` of the repository.
pub fn file(path: &str) -> String {
    let tests = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    std::fs::read_to_string(tests.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The frames of a whole body. What real bytes can hold more is the splitter's to be tried on.
pub fn frames(framing: Framing, body: &str) -> Vec<Frame> {
    let body = body.replace("\r\n", "\n");
    match framing {
        Framing::JsonLines => body
            .lines()
            .filter(|line| !line.is_empty())
            .map(line_frame)
            .collect(),
        Framing::ServerSentEvents => body
            .split("\n\n")
            .filter(|block| block.contains("data:"))
            .map(event_frame)
            .collect(),
    }
}

fn line_frame(line: &str) -> Frame {
    Frame {
        event: String::new(),
        data: line.to_owned(),
    }
}

fn event_frame(block: &str) -> Frame {
    let field = |name: &str| {
        let lines = block.lines().filter_map(|line| line.strip_prefix(name));
        lines.map(str::trim_start).collect::<Vec<_>>().join("\n")
    };
    Frame {
        event: field("event:"),
        data: field("data:"),
    }
}

/// What a body says, and the news on its way.
pub fn read(wire: &dyn Wire, body: &str) -> (Read, Vec<Delta>) {
    read_frames(wire, &frames(wire.framing(), body))
}

fn read_frames(wire: &dyn Wire, frames: &[Frame]) -> (Read, Vec<Delta>) {
    let mut reader = wire.reader();
    let mut told = Vec::new();
    for frame in frames {
        if reader.take(frame, &mut |delta| told.push(delta)) == Step::Done {
            break;
        }
    }
    (reader.end(), told)
}

pub fn plain(wire: &dyn Wire, status: u16, body: &str) -> Read {
    wire.plain(&Plain {
        status,
        headers: &HeaderMap::new(),
        body: body.as_bytes(),
    })
}

/// The outcome in one line.
pub fn line(outcome: &Outcome) -> String {
    if let Outcome::Complete(answer) | Outcome::Cut(answer) = outcome {
        return format!("{} {}", outcome.word(), told(answer));
    }
    let fault = outcome.fault().expect("it is no answer");
    format!("{} {}: {}", outcome.word(), fault.code, fault.message)
}

fn told(answer: &Answer) -> String {
    let mut parts = vec![format!("{:?}", answer.text)];
    parts.extend(
        answer
            .calls
            .iter()
            .map(|call| format!("{}={}({})", call.id, call.name, call.arguments)),
    );
    parts.extend(answer.thoughts.iter().map(|thought| {
        let sealed = thought.sealed.as_ref().map(|sealed| sealed.text.as_str());
        format!("thought {:?} {}", thought.text, sealed.unwrap_or("-"))
    }));
    parts.extend(answer.stop.clone());
    parts.join(" | ")
}

/// The stream cut behind any of its frames is truncated, and with all of them it isn't.
pub fn cut_anywhere(wire: &dyn Wire, body: &str) {
    let all = frames(wire.framing(), body);
    for end in 0..all.len() {
        let (read, _) = read_frames(wire, &all[..end]);
        assert!(
            matches!(&read.outcome, Outcome::Transient(fault) if fault.code == "truncated"),
            "after {end}: {read:?}"
        );
    }
    let (read, _) = read_frames(wire, &all);
    assert!(
        matches!(read.outcome, Outcome::Complete(_) | Outcome::Cut(_)),
        "{read:?}"
    );
}

/// Any frames, mostly such as this wire sends, broken and put together anew.
pub fn any_frames(framing: Framing, bodies: &[&str]) -> impl Strategy<Value = Vec<Frame>> + use<> {
    let known: Vec<Frame> = bodies.iter().flat_map(|body| frames(framing, body)).collect();
    let frame = (
        prop::sample::select(known),
        0..12u8,
        any::<prop::sample::Index>(),
        ".{0,12}",
    )
        .prop_map(|(mut frame, change, at, odd)| {
            let at = (0..=at.index(frame.data.len() + 1))
                .rev()
                .find(|at| frame.data.is_char_boundary(*at));
            let at = at.unwrap_or(0);
            match change {
                0 => frame.data.truncate(at),
                1 => frame.data.insert_str(at, &odd),
                2 => frame.data = odd,
                3 => frame.event = odd,
                4 => frame.data = frame.data.replace(":0", ":18446744073709551615"),
                5 => frame.data = frame.data.replace("\":\"", "\":[\"").replace("\",\"", "\"],\""),
                _ => {}
            }
            frame
        });
    prop::collection::vec(frame, 0..24)
}

/// Reads them; falling over is the only way to fail.
pub fn survives(wire: &dyn Wire, frames: &[Frame]) -> Outcome {
    read_frames(wire, frames).0.outcome
}

/// A talk with everything in it that one can hold.
pub fn talk() -> Request {
    let call = |id: &str, name: &str, arguments: &str| ToolCall {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        sealed: None,
    };
    let gave = |id: &str, content: &str, is_error: bool| Message::Observation {
        call: id.to_owned(),
        content: content.to_owned(),
        is_error,
    };
    Request {
        model: "executor".to_owned(),
        system: "You carry out one task.".to_owned(),
        messages: vec![
            Message::User("Read a.txt.".to_owned()),
            Message::Assistant {
                text: "Reading.".to_owned(),
                calls: vec![
                    call("", "read_file", r#"{"path":"a.txt","n":9007199254740993}"#),
                    call("c 2", "read_file", r#"{"path":"#),
                ],
                thoughts: Vec::new(),
            },
            gave("c 2", "The arguments are no JSON.", true),
            gave("", "twelve", false),
            Message::User("Go on.".to_owned()),
        ],
        tools: vec![Offer {
            name: "read_file".to_owned(),
            description: "Reads a file".to_owned(),
            arguments: serde_json::json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        }],
        output: None,
        max_output_tokens: Some(500),
        temperature: Some(0.2),
    }
}

/// One question whose answer has a shape.
pub fn shaped(schema: Json) -> Request {
    Request {
        messages: vec![Message::User("Make a plan.".to_owned())],
        tools: Vec::new(),
        output: Some(OutputFormat {
            name: "plan".to_owned(),
            schema,
        }),
        temperature: None,
        max_output_tokens: None,
        ..talk()
    }
}

/// `request` going on after the answer, with a result for each of its calls.
pub fn goes_on(mut request: Request, answer: &Answer) -> Request {
    request.messages.push(Message::Assistant {
        text: answer.text.clone(),
        calls: answer.calls.clone(),
        thoughts: answer.thoughts.clone(),
    });
    for call in &answer.calls {
        request.messages.push(Message::Observation {
            call: call.id.clone(),
            content: format!("what {} gave", call.name),
            is_error: false,
        });
    }
    request
}

/// The last entries of a list in what is posted, one a line.
pub fn last_of(post: &Post, list: &str, count: usize) -> String {
    let all = post.body[list].as_array().expect("it is a list");
    let last = &all[all.len().saturating_sub(count)..];
    last.iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join("\n")
}

/// What is posted, a line for each field and for each entry of a list.
pub fn body(post: &Post) -> String {
    let fields = post.body.as_object().expect("a body is an object");
    let lines = fields.iter().flat_map(|(name, value)| match value.as_array() {
        Some(entries) => entries.iter().map(|entry| format!("{name}[]: {entry}")).collect(),
        None => vec![format!("{name}: {value}")],
    });
    lines.collect::<Vec<_>>().join("\n")
}
