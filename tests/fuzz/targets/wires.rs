//! Streams of providers: however the bytes come in, what is read of them is the same, and no broken one is an answer. It
//! must not know who makes up the bytes.

use planloom_engine::llm::wire::frames::Splitter;
use planloom_engine::llm::wire::{
    Anthropic, Compatible, Frame, Framing, Gemini, LlamaCpp, LmStudio, Ollama, OpenAi, OpenRouter, Plain,
    Responses, Step, Vllm, Wire,
};
use planloom_engine::llm::{Outcome, Traits};

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
