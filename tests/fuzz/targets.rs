//! What is fuzzed: for each target a function that takes any bytes and panics when a promise is broken. It must not know
//! who makes up the bytes: a test does on any compiler, libFuzzer on a nightly one.

use std::path::PathBuf;

use planloom_engine::llm::wire::frames::Splitter;
use planloom_engine::llm::wire::{
    Anthropic, Compatible, Frame, Framing, Gemini, LlamaCpp, LmStudio, Ollama, OpenAi, OpenRouter, Plain,
    Responses, Step, Vllm, Wire, strict,
};
use planloom_engine::llm::{Outcome, ToolCall, Traits, json_of};
use planloom_engine::model::grants::Place;
use planloom_engine::model::tool::Catalog;
use planloom_engine::model::{DraftPlan, WrittenPlan, digest};

/// A target and the names of the files that are its seeds, by their ends.
pub struct Target {
    pub name: &'static str,
    pub try_it: fn(&[u8]),
    pub seeds: &'static [&'static str],
}

pub const TARGETS: [Target; 5] = [
    Target {
        name: "sse",
        try_it: sse,
        seeds: &[".sse", ".sse.txt"],
    },
    Target {
        name: "ndjson",
        try_it: ndjson,
        seeds: &[".ndjson"],
    },
    Target {
        name: "plan",
        try_it: plan,
        seeds: &[".plan.json"],
    },
    Target {
        name: "arguments",
        try_it: arguments,
        seeds: &[".json", ".args"],
    },
    Target {
        name: "schema",
        try_it: schema,
        seeds: &[".schema.json", ".request.json", ".plan.json"],
    },
];

pub fn sse(bytes: &[u8]) {
    let frames = split(Framing::ServerSentEvents, bytes);
    let traits = Traits::default;
    let wires: [Box<dyn Wire>; 9] = [
        Box::new(Anthropic::new("m", traits())),
        Box::new(Responses::new("m", traits())),
        Box::new(Gemini::new("m", traits())),
        Box::new(OpenAi::new("m", traits())),
        Box::new(OpenRouter::new("m", traits())),
        Box::new(LmStudio::new("m", traits())),
        Box::new(LlamaCpp::new("m", traits())),
        Box::new(Vllm::new("m", traits())),
        Box::new(Compatible::new("m", traits())),
    ];
    wires.iter().for_each(|wire| hear(wire.as_ref(), bytes, &frames));
}

pub fn ndjson(bytes: &[u8]) {
    let frames = split(Framing::JsonLines, bytes);
    hear(&Ollama::new("m", Traits::default()), bytes, &frames);
}

/// The frames are the same however the bytes come in.
fn split(framing: Framing, bytes: &[u8]) -> Option<Vec<Frame>> {
    let in_pieces_of = |size: usize| {
        let mut splitter = Splitter::new(framing);
        let mut frames = Vec::new();
        for piece in bytes.chunks(size.max(1)) {
            splitter.push(piece, &mut frames).ok()?;
        }
        frames.extend(splitter.end());
        Some(frames)
    };
    let whole = in_pieces_of(bytes.len());
    for size in [1, 7, 64] {
        assert_eq!(in_pieces_of(size), whole, "in pieces of {size}");
    }
    whole
}

/// A whole answer has something in it, and what comes of a broken one says why.
fn hear(wire: &dyn Wire, bytes: &[u8], frames: &Option<Vec<Frame>>) {
    for status in [200, 429, 500] {
        let headers = Default::default();
        judge(
            &wire
                .plain(&Plain {
                    status,
                    headers: &headers,
                    body: bytes,
                })
                .outcome,
        );
    }
    let mut reader = wire.reader();
    for frame in frames.iter().flatten() {
        if reader.take(frame, &mut |_| {}) == Step::Done {
            break;
        }
    }
    judge(&reader.end().outcome);
}

fn judge(outcome: &Outcome) {
    match outcome {
        Outcome::Complete(answer) => assert!(!answer.is_empty(), "a whole answer with nothing in it"),
        Outcome::Cut(_) => {}
        fault => {
            let fault = fault.fault().expect("what is no answer is a fault");
            assert!(!fault.code.is_empty() && !fault.message.is_empty(), "{fault:?}");
        }
    }
}

/// A plan is refused with a reason, or its text can be read again to the same plan and all that is wrong with it told;
/// and both ways of reading it agree.
pub fn plan(bytes: &[u8]) {
    let draft = match DraftPlan::parse_bytes(bytes) {
        Ok(draft) => draft,
        Err(problems) => return assert!(!problems.is_empty(), "refused without a reason"),
    };
    let text = draft.to_text();
    let again = DraftPlan::parse(&text).expect("what was written can be read");
    assert_eq!(again.to_text(), text);
    let place = Place {
        folder: None,
        workspace: PathBuf::from("run"),
    };
    let problems = |draft: &DraftPlan| draft.problems(&Catalog::default(), &place);
    assert_eq!(problems(&again).len(), problems(&draft).len());
    let text = std::str::from_utf8(bytes).expect("what was parsed is text");
    let written = WrittenPlan::read(text).expect("what one way reads, the other does too");
    assert_eq!(written.digest(), digest::of_document(&draft));
}

/// Arguments are refused with a reason, or come through unchanged.
pub fn arguments(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let call = ToolCall {
        id: String::new(),
        name: "tool".to_owned(),
        arguments: text.into_owned(),
        sealed: None,
    };
    match call.parsed() {
        Err(refused) => assert!(!refused.to_string().is_empty()),
        Ok(value) => {
            let again = json_of(&value.to_string()).expect("what was read can be read again");
            assert_eq!(again, value);
        }
    }
}

/// A schema is refused with a reason, or comes out in the dialect, in which it stays.
pub fn schema(bytes: &[u8]) {
    let Ok(schema) = json_of(&String::from_utf8_lossy(bytes)) else {
        return;
    };
    assert_eq!(strict::tool_arguments(&schema)["type"], "object");
    match strict::strict(&schema) {
        Err(refused) => assert!(!refused.why.is_empty()),
        Ok(said) => {
            assert_eq!(strict::strict(&said).as_ref(), Ok(&said));
            strict::as_asked(&schema, said);
        }
    }
}
