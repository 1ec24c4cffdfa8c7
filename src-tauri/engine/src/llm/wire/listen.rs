//! Takes in a response: cuts it into frames for the reader or keeps it whole, under limits of time and size. It must not
//! know who asked, nor a key.

use std::time::Duration;

use reqwest::header::HeaderMap;
use tokio::time::{Instant, timeout_at};

use super::frames::{Splitter, TooLarge};
use super::provider::CallLimits;
use super::{Delta, Plain, Read, Reader, Step, Wire};
use crate::llm::{Fault, Outcome};

/// Bytes of one response.
const LARGEST: usize = 32 << 20;
/// Of one that is no answer.
const LARGEST_REFUSAL: usize = 1 << 20;
/// How long the rest of a response is waited for that is known to be no answer, or whose answer is whole.
const SHORT: Duration = Duration::from_secs(5);

const LOST: &str = "connection";

/// Tells of an answer on its way.
pub(super) type Told<'a> = &'a (dyn Fn(Delta) + Send + Sync);

pub(super) struct Listening<'a> {
    pub wire: &'a dyn Wire,
    pub limits: &'a CallLimits,
    pub started: Instant,
    pub told: Told<'a>,
}

/// What a response said.
pub(super) struct Heard {
    pub read: Read,
    /// The body of one that is no answer.
    pub refusal: Option<Vec<u8>>,
}

/// What has come of the body.
enum Shape {
    /// Nothing but blanks: whether it is a stream isn't known.
    Blank(Vec<u8>),
    Whole(Vec<u8>),
    Stream(Stream),
}

struct Stream {
    splitter: Splitter,
    reader: Box<dyn Reader>,
    has_content: bool,
    is_ending: bool,
}

/// Why nothing more is taken in.
enum End {
    Body,
    Done,
    Fault(Fault),
}

impl Heard {
    fn answer(read: Read) -> Self {
        Self { read, refusal: None }
    }
}

impl Listening<'_> {
    /// Everything that the response says.
    pub async fn hear(&self, mut response: reqwest::Response) -> Heard {
        let status = response.status().as_u16();
        let headers = response.headers().clone();
        let is_answer = (200..300).contains(&status);
        let mut shape = if is_answer {
            Shape::Blank(Vec::new())
        } else {
            Shape::Whole(Vec::new())
        };
        let end = if is_encoded(&headers) {
            End::Fault(Fault::new(
                "unreadable",
                "the response is compressed, which was not asked for",
            ))
        } else {
            self.take_in(&mut response, is_answer, &mut shape).await
        };
        let body = match (shape, end) {
            (Shape::Stream(stream), end) => return Heard::answer(stream.end(end)),
            (Shape::Blank(_) | Shape::Whole(_), End::Fault(fault)) if is_answer => {
                return Heard::answer(Read::of(failed(fault)));
            }
            (Shape::Blank(body) | Shape::Whole(body), End::Fault(_) | End::Body | End::Done) => body,
        };
        let read = self.wire.plain(&Plain {
            status,
            headers: &headers,
            body: &body,
        });
        Heard {
            read,
            refusal: (!is_answer).then_some(body),
        }
    }

    async fn take_in(&self, response: &mut reqwest::Response, is_answer: bool, shape: &mut Shape) -> End {
        let mut size = 0_usize;
        let mut last: Option<Instant> = None;
        let refused = Instant::now();
        loop {
            let (at, code) = if is_answer {
                self.deadline(shape, last)
            } else {
                (refused + SHORT, "timeout_idle")
            };
            let bytes = match timeout_at(at, response.chunk()).await {
                Err(_) => return End::Fault(self.late(code)),
                Ok(Err(error)) => return End::Fault(lost(&error)),
                Ok(Ok(None)) => return End::Body,
                Ok(Ok(Some(bytes))) => bytes,
            };
            last = Some(Instant::now());
            size += bytes.len();
            if size > LARGEST {
                let message = format!(
                    "the response is larger than {} MiB; it was given up",
                    LARGEST >> 20
                );
                return End::Fault(Fault::new("response_too_large", message));
            }
            if !is_answer && size > LARGEST_REFUSAL {
                return End::Body;
            }
            match self.take(shape, &bytes) {
                Ok(Step::More | Step::Ending) => {}
                Ok(Step::Done) => return End::Done,
                Err(error) => return End::Fault(Fault::new("response_too_large", error.to_string())),
            }
        }
    }

    fn take(&self, shape: &mut Shape, bytes: &[u8]) -> Result<Step, TooLarge> {
        match shape {
            Shape::Whole(body) => {
                body.extend_from_slice(bytes);
                Ok(Step::More)
            }
            Shape::Blank(body) => {
                body.extend_from_slice(bytes);
                let Some(first) = first_letter(body) else {
                    // Blanks before the beginning say nothing; looked at once, they are gone.
                    body.retain(|byte| !byte.is_ascii_whitespace());
                    return Ok(Step::More);
                };
                let body = std::mem::take(body);
                if self.wire.is_stream(first) {
                    let mut stream = Stream {
                        splitter: Splitter::new(self.wire.framing()),
                        reader: self.wire.reader(),
                        has_content: false,
                        is_ending: false,
                    };
                    let step = stream.take(&body, self.told);
                    *shape = Shape::Stream(stream);
                    return step;
                }
                *shape = Shape::Whole(body);
                Ok(Step::More)
            }
            Shape::Stream(stream) => stream.take(bytes, self.told),
        }
    }

    /// When what is waited for next must have come, and the code of its absence.
    fn deadline(&self, shape: &Shape, last: Option<Instant>) -> (Instant, &'static str) {
        let limits = self.limits;
        let next = match (last, shape) {
            (None, _) => (
                self.started + limits.first_byte.max(limits.idle),
                "timeout_first_byte",
            ),
            (Some(last), Shape::Stream(stream)) if stream.is_ending => {
                (last + SHORT.min(limits.idle), "timeout_idle")
            }
            (Some(last), _) => (last + limits.idle, "timeout_idle"),
        };
        let content = match shape {
            Shape::Stream(stream) if stream.has_content => None,
            Shape::Stream(_) | Shape::Blank(_) => {
                Some((self.started + limits.first_content, "timeout_first_content"))
            }
            Shape::Whole(_) => None,
        };
        let whole = (self.started + limits.whole, "timeout_whole");
        [Some(next), content].into_iter().flatten().fold(
            whole,
            |first, other| {
                if other.0 < first.0 { other } else { first }
            },
        )
    }

    /// The fault of a limit that was passed.
    pub fn late(&self, code: &str) -> Fault {
        let limits = self.limits;
        let (limit, what) = match code {
            "timeout_first_byte" => (limits.first_byte, "no byte of an answer came"),
            "timeout_first_content" => (
                limits.first_content,
                "the line was kept alive, but nothing was said",
            ),
            "timeout_idle" => (limits.idle, "the answer stopped in its middle: not a byte came"),
            _ => (limits.whole, "the answer was not at its end"),
        };
        let message = format!(
            "{what} within {}; the call was given up and nothing of it was used",
            span(limit)
        );
        Fault::new(code, message)
    }
}

impl Stream {
    fn take(&mut self, bytes: &[u8], told: Told<'_>) -> Result<Step, TooLarge> {
        let mut frames = Vec::new();
        let pushed = self.splitter.push(bytes, &mut frames);
        for frame in frames {
            let has_content = &mut self.has_content;
            let step = self.reader.take(&frame, &mut |delta| {
                *has_content = true;
                told(delta);
            });
            match step {
                Step::More => {}
                Step::Ending => (self.is_ending, self.has_content) = (true, true),
                Step::Done => return Ok(Step::Done),
            }
        }
        pushed.map(|()| Step::More)
    }

    /// An answer that was whole stays so, whatever becomes of the line behind it.
    fn end(mut self, end: End) -> Read {
        if let (End::Body, Some(frame)) = (&end, self.splitter.end()) {
            self.reader.take(&frame, &mut |_| {});
        }
        let mut read = self.reader.end();
        let is_cut_off = read
            .outcome
            .fault()
            .is_some_and(|fault| fault.code == "truncated");
        if let (End::Fault(mut fault), true) = (end, is_cut_off) {
            if fault.code == LOST {
                // The server was there and had begun: that says nothing against the next call.
                "truncated".clone_into(&mut fault.code);
            }
            read.outcome = failed(fault);
        }
        read
    }
}

fn failed(fault: Fault) -> Outcome {
    match fault.code.as_str() {
        "response_too_large" | "unreadable" => Outcome::Permanent(fault),
        _ => Outcome::Transient(fault),
    }
}

fn is_encoded(headers: &HeaderMap) -> bool {
    let encoding = headers.get(reqwest::header::CONTENT_ENCODING);
    encoding.is_some_and(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity"))
}

fn first_letter(body: &[u8]) -> Option<u8> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    // A mark that has come in part is not looked past.
    let is_part = body.len() < 3 && b"\xef\xbb\xbf".starts_with(body);
    body.iter()
        .copied()
        .find(|byte| !byte.is_ascii_whitespace())
        .filter(|_| !is_part)
}

/// The line broke; what was said on it is not the whole.
fn lost(error: &reqwest::Error) -> Fault {
    let message = format!(
        "the connection was lost in the middle of the answer: {}",
        super::send::causes(error)
    );
    Fault::new(LOST, message)
}

fn span(limit: Duration) -> String {
    if limit.subsec_millis() == 0 {
        format!("{} s", limit.as_secs())
    } else {
        format!("{} ms", limit.as_millis())
    }
}
