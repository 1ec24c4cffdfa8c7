//! Writing the file, line by line as the store hands the run out.

use std::io::{Error, Write};

use serde_json::value::RawValue;

use super::{End, EventLine, FORMAT, Header, LONGEST_LINE, Line, PIECE, PayloadLine};
use crate::model::Digest;
use crate::store::{Carried, RawEvent};

/// A file that is being written.
pub struct Writing<W> {
    out: W,
    hasher: blake3::Hasher,
    events: u64,
    payloads: u64,
    bytes: u64,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub events: u64,
    pub bytes: u64,
}

impl<W: Write> Writing<W> {
    pub fn new(out: W) -> Self {
        Self {
            out,
            hasher: blake3::Hasher::new(),
            events: 0,
            payloads: 0,
            bytes: 0,
        }
    }

    pub fn put(&mut self, piece: Carried) -> std::io::Result<()> {
        match piece {
            Carried::Run { id, created_ms } => self.line(&Line::PlanloomRun(Header {
                format: FORMAT,
                planloom: env!("CARGO_PKG_VERSION").to_owned(),
                run: id.to_string(),
                created_ms,
            })),
            Carried::Payload { hash, text } => {
                self.payloads += 1;
                self.payload(hash, &text)
            }
            Carried::Event(event) => {
                self.events += 1;
                self.event(event)
            }
        }
    }

    fn event(&mut self, event: RawEvent) -> std::io::Result<()> {
        let is_long = event.body.len() > LONGEST_LINE / 2;
        if event.body.contains(['\n', '\r']) || is_long {
            let what = if is_long {
                "is too large for one line"
            } else {
                "is not one line"
            };
            return Err(Error::other(format!(
                "event {} {what} and can't be exported; a backup of the database holds it",
                event.seq
            )));
        }
        let body: &RawValue = serde_json::from_str(&event.body)?;
        self.line(&Line::Event(EventLine {
            seq: event.seq,
            at_ms: event.at_ms,
            kind: event.kind,
            task: event.task,
            body,
        }))
    }

    fn payload(&mut self, hash: Digest, mut rest: &str) -> std::io::Result<()> {
        loop {
            let (piece, after) = rest.split_at(rest.floor_char_boundary(PIECE));
            let more = !after.is_empty();
            let text = piece.to_owned();
            self.line(&Line::Payload(PayloadLine { hash, text, more }))?;
            if !more {
                return Ok(());
            }
            rest = after;
        }
    }

    fn line(&mut self, line: &Line<'_>) -> std::io::Result<()> {
        let text = serde_json::to_vec(line)?;
        self.write(&text)?;
        self.write(b"\n")
    }

    fn write(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Seals the file with its last line and hands it back.
    pub fn end(mut self) -> std::io::Result<(W, Written)> {
        let end = End {
            events: self.events,
            payloads: self.payloads,
            blake3: Digest::from_bytes(*self.hasher.finalize().as_bytes()),
        };
        self.line(&Line::End(end))?;
        self.out.flush()?;
        let written = Written {
            events: self.events,
            bytes: self.bytes,
        };
        Ok((self.out, written))
    }
}
