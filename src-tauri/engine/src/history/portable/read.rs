//! Reading the file, line by line, into a scratch database: nothing of it is believed before it was checked, and
//! every refusal names the line. That the events follow from one another is checked by whoever folds them.

use std::collections::HashMap;
use std::io::{BufRead, Read};

use super::{End, EventLine, FORMAT, Header, LONGEST_LINE, LONGEST_TEXT, Line, PayloadLine};
use crate::model::events::{DecodeError, EventBody};
use crate::model::named::{Named, named};
use crate::model::{Digest, RunId, Seq, misread, unread};
use crate::store::{RawEvent, Scratch, StoreError};

/// The last millisecond of the year 9999: times beyond it can't be told.
const LAST_MS: i64 = 253_402_300_799_999;
/// One less than what a JSON reader takes, so that whatever is stored can be read back.
const DEEPEST: usize = 126;

/// Why a file is refused. Nothing of it has come in.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("the file is empty")]
    Empty,
    #[error("it is not an exported run of Planloom")]
    NotOurs,
    #[error("it was written by a newer Planloom (format {found}, this one knows {FORMAT}). Update Planloom.")]
    Newer { found: u64 },
    #[error("line {line}: {what}")]
    Line { line: u64, what: String },
    #[error("it was cut off: it ends after line {lines}, before its last line")]
    Cut { lines: u64 },
    #[error("line {line}: the hash of all lines before it is another one: the file was changed or damaged")]
    Changed { line: u64 },
    #[error("it can't be read: {}", unread(.0))]
    Io(#[from] std::io::Error),
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// A run that was read whole; its log is in the scratch.
pub struct Came {
    pub scratch: Scratch,
    /// Version of Planloom that wrote the file.
    pub version: String,
    /// BLAKE3 of all lines but the last.
    pub digest: Digest,
    pub events: Seq,
    pub bytes: u64,
    /// The line of each event, the first event's first.
    pub lines: Vec<u64>,
}

/// Reads the file to its end.
pub fn read(source: impl BufRead) -> Result<Came, Refused> {
    let mut lines = Lines::new(source);
    let first = lines.next()?.ok_or(Refused::Empty)?;
    let (header, run) = header(&first)?;
    let scratch = Scratch::new(run, header.created_ms)?;
    let mut reading = Reading::new(scratch);
    loop {
        let before = lines.hasher.clone();
        let Some(text) = lines.next()? else {
            return Err(Refused::Cut { lines: lines.number });
        };
        let line = lines.number;
        let wrong = |what: String| Refused::Line { line, what };
        match serde_json::from_str(&text).map_err(|e| wrong(readable(&e)))? {
            Line::Event(event) => reading.event(line, event)?,
            Line::Payload(payload) => reading.payload(line, payload)?,
            Line::PlanloomRun(_) => return Err(wrong("a second first line".to_owned())),
            Line::End(end) => {
                let digest = Digest::from_bytes(*before.finalize().as_bytes());
                reading.end(line, end, &text, digest)?;
                if lines.next()?.is_some() {
                    return Err(wrong("something follows the last line".to_owned()));
                }
                return Ok(Came {
                    scratch: reading.scratch,
                    version: header.planloom,
                    digest,
                    events: reading.lines.len() as Seq,
                    bytes: lines.bytes,
                    lines: reading.lines,
                });
            }
        }
    }
}

/// Positions of the parser inside a line say nothing to people.
fn readable(error: &serde_json::Error) -> String {
    format!("it can't be read: {}", misread(error))
}

fn header(text: &str) -> Result<(Header, RunId), Refused> {
    // The format first: a newer one may look otherwise in all else.
    let value: serde_json::Value = serde_json::from_str(text).map_err(|_| Refused::NotOurs)?;
    let found = value
        .pointer("/planloom_run/format")
        .and_then(serde_json::Value::as_u64)
        .ok_or(Refused::NotOurs)?;
    if found == 0 {
        return Err(Refused::NotOurs);
    }
    if found > FORMAT {
        return Err(Refused::Newer { found });
    }
    let wrong = |what: String| Refused::Line { line: 1, what };
    let Line::PlanloomRun(header) = serde_json::from_str(text).map_err(|e| wrong(readable(&e)))? else {
        return Err(Refused::NotOurs);
    };
    // The id becomes the name of a folder.
    let is_id = uuid::Uuid::try_parse(&header.run).is_ok_and(|id| id.hyphenated().to_string() == header.run);
    if !is_id {
        return Err(wrong("the id of the run is not a UUID".to_owned()));
    }
    if !is_time(header.created_ms) {
        return Err(wrong("the time is out of range".to_owned()));
    }
    let run = RunId::from(header.run.as_str());
    Ok((header, run))
}

fn is_time(ms: i64) -> bool {
    (0..=LAST_MS).contains(&ms)
}

/// A payload that has come.
struct Payload {
    bytes: u64,
    is_named: bool,
}

/// What has been read so far.
struct Reading {
    scratch: Scratch,
    lines: Vec<u64>,
    came: HashMap<Digest, Payload>,
    /// A payload of which more is to come.
    open: Option<(Digest, String)>,
}

impl Reading {
    fn new(scratch: Scratch) -> Self {
        Self {
            scratch,
            lines: Vec::new(),
            came: HashMap::new(),
            open: None,
        }
    }

    fn event(&mut self, line: u64, event: EventLine<'_>) -> Result<(), Refused> {
        let wrong = |what: String| Refused::Line { line, what };
        self.expect_no_open(line)?;
        let expected = self.lines.len() as Seq + 1;
        if event.seq != expected || expected >= u64::from(u32::MAX) {
            return Err(wrong(format!(
                "event {} where event {expected} belongs",
                event.seq
            )));
        }
        if !is_time(event.at_ms) {
            return Err(wrong("the time is out of range".to_owned()));
        }
        let text = event.body.get();
        let body = EventBody::decode(event.kind, text).map_err(|e| {
            wrong(match e {
                DecodeError::UnknownKind(_) => format!("{e}; a newer Planloom may know it"),
                DecodeError::Body { .. } => e.to_string(),
            })
        })?;
        if matches!(body, EventBody::RunOpened(_)) != (expected == 1) {
            return Err(wrong("a log begins with run_opened, and only there".to_owned()));
        }
        for value in named(&body) {
            self.value(text, value).map_err(wrong)?;
        }
        self.scratch.put_event(&RawEvent {
            seq: event.seq,
            at_ms: event.at_ms,
            kind: event.kind,
            task: event.task,
            body: text.to_owned(),
        })?;
        self.lines.push(line);
        Ok(())
    }

    /// A value that an event names: it must be readable, and a payload must have come before.
    fn value(&mut self, body: &str, value: Named) -> Result<(), String> {
        match value {
            Named::Inline(text) => expect_json(&text),
            Named::Payload { hash, bytes } => {
                let payload = self
                    .came
                    .get_mut(&hash)
                    .ok_or_else(|| format!("it names the payload {hash}, which has not come before it"))?;
                if payload.bytes != bytes {
                    return Err(format!("it gives the payload {hash} another length"));
                }
                // Escaped or in capitals it would not be found again when payloads are collected.
                if !body.contains(&hash.to_string()) {
                    return Err(format!("it spells the hash {hash} otherwise than Planloom does"));
                }
                payload.is_named = true;
                Ok(())
            }
        }
    }

    fn payload(&mut self, line: u64, payload: PayloadLine) -> Result<(), Refused> {
        let wrong = |what: &str| Refused::Line {
            line,
            what: what.to_owned(),
        };
        let hash = payload.hash;
        let text = match self.open.take() {
            Some((open, mut text)) if open == hash => {
                text.push_str(&payload.text);
                text
            }
            Some(_) => return Err(wrong("another payload begins before the last one has ended")),
            None if self.came.contains_key(&hash) => return Err(wrong("the payload has come before")),
            None => payload.text,
        };
        if text.len() > LONGEST_TEXT {
            return Err(wrong("the payload is longer than any that Planloom writes"));
        }
        if payload.more {
            self.open = Some((hash, text));
            return Ok(());
        }
        if Digest::of(text.as_bytes()) != hash {
            return Err(wrong("the payload has another hash than it says"));
        }
        expect_json(&text).map_err(|what| wrong(&what))?;
        let bytes = text.len() as u64;
        self.came.insert(
            hash,
            Payload {
                bytes,
                is_named: false,
            },
        );
        self.scratch.put_payload(hash, text)?;
        Ok(())
    }

    fn end(&mut self, line: u64, end: End, text: &str, digest: Digest) -> Result<(), Refused> {
        self.expect_no_open(line)?;
        let wrong = |what: &str| Refused::Line {
            line,
            what: what.to_owned(),
        };
        if end.blake3 != digest {
            return Err(Refused::Changed { line });
        }
        // The hash covers every byte but those of the last line, which can therefore be no other.
        let is_as_written = serde_json::to_string(&Line::End(end)).is_ok_and(|own| own == text);
        if !is_as_written {
            return Err(wrong("the last line is not as Planloom writes it"));
        }
        if (end.events, end.payloads) != (self.lines.len() as u64, self.came.len() as u64) {
            return Err(wrong(
                "the file holds another number of events or payloads than it says",
            ));
        }
        if self.came.values().any(|payload| !payload.is_named) {
            return Err(wrong("the file holds a payload that no event names"));
        }
        if end.events == 0 {
            return Err(wrong("the file holds no event"));
        }
        Ok(self.scratch.close(end.events)?)
    }

    fn expect_no_open(&self, line: u64) -> Result<(), Refused> {
        if self.open.is_none() {
            return Ok(());
        }
        Err(Refused::Line {
            line,
            what: "the payload before it has no end".to_owned(),
        })
    }
}

/// One JSON value, not nested deeper than what is stored is ever read. Looked at without building it: a value of a few
/// bytes an item would take many times that in memory.
fn expect_json(text: &str) -> Result<(), String> {
    serde_json::from_str::<serde::de::IgnoredAny>(text)
        .map_err(|e| format!("a value is not JSON: {}", misread(&e)))?;
    if depth(text) > DEEPEST {
        return Err(format!("a value is nested deeper than {DEEPEST}"));
    }
    Ok(())
}

/// How deep a text that is JSON nests.
fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    for byte in text.bytes() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Lines with their bounds, counted and hashed.
struct Lines<R> {
    source: R,
    number: u64,
    bytes: u64,
    hasher: blake3::Hasher,
}

impl<R: BufRead> Lines<R> {
    fn new(source: R) -> Self {
        Self {
            source,
            number: 0,
            bytes: 0,
            hasher: blake3::Hasher::new(),
        }
    }

    /// The next line without its end; a line that has none was cut off.
    fn next(&mut self) -> Result<Option<String>, Refused> {
        let mut line = Vec::new();
        let most = LONGEST_LINE as u64 + 1;
        (&mut self.source).take(most).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return Ok(None);
        }
        self.hasher.update(&line);
        self.bytes += line.len() as u64;
        let wrong = |line, what: &str| Refused::Line {
            line,
            what: what.to_owned(),
        };
        if line.pop() != Some(b'\n') {
            if line.len() >= LONGEST_LINE {
                return Err(wrong(self.number + 1, "it is longer than 64 MiB"));
            }
            return Err(Refused::Cut { lines: self.number });
        }
        self.number += 1;
        match String::from_utf8(line) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(wrong(self.number, "it is not UTF-8 text")),
        }
    }
}
