//! Cuts a stream of bytes, whichever way they come in, into server-sent events or lines of JSON (WHATWG HTML, 9.2.6).
//! Every byte is looked at once. It must not know what a frame means.

use super::{Frame, Framing};

/// Bytes of one frame.
pub const LARGEST_FRAME: usize = 8 << 20;

/// A frame has more than [`LARGEST_FRAME`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("one event of the stream is larger than {} MiB", LARGEST_FRAME >> 20)]
pub struct TooLarge;

pub struct Splitter {
    framing: Framing,
    /// Of the line that is not at its end yet.
    line: Vec<u8>,
    event: String,
    data: String,
    has_data: bool,
    /// A line ended with CR, so that an LF right behind it belongs to that end.
    was_cr: bool,
    /// A byte order mark counts only at the very start.
    is_begun: bool,
}

impl Splitter {
    pub fn new(framing: Framing) -> Self {
        Self {
            framing,
            line: Vec::new(),
            event: String::new(),
            data: String::new(),
            has_data: false,
            was_cr: false,
            is_begun: false,
        }
    }

    /// Takes the next bytes and gives all frames that are whole now.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<Frame>) -> Result<(), TooLarge> {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.was_cr) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = rest.iter().position(|byte| self.is_end(*byte)) else {
                return self.add(rest);
            };
            self.add(&rest[..end])?;
            self.was_cr = rest[end] == b'\r';
            rest = &rest[end + 1..];
            self.line_ends(out);
        }
        Ok(())
    }

    /// The stream is at its end. A last frame that nothing has closed is given if it is whole: cut JSON is not.
    pub fn end(mut self) -> Option<Frame> {
        let mut out = Vec::new();
        if !self.line.is_empty() {
            self.line_ends(&mut out);
        }
        let last = out.pop().or_else(|| self.take());
        last.filter(|frame| is_whole(frame.data.trim()))
    }

    fn is_end(&self, byte: u8) -> bool {
        match self.framing {
            Framing::ServerSentEvents => byte == b'\n' || byte == b'\r',
            // Between the tokens of JSON stands CR as a blank.
            Framing::JsonLines => byte == b'\n',
        }
    }

    fn add(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        if self.line.len() + self.data.len() + bytes.len() > LARGEST_FRAME {
            return Err(TooLarge);
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn line_ends(&mut self, out: &mut Vec<Frame>) {
        let mut bytes = std::mem::take(&mut self.line);
        if !std::mem::replace(&mut self.is_begun, true) && bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let line = String::from_utf8_lossy(&bytes);
        match self.framing {
            Framing::JsonLines => {
                let data = line.trim();
                if !data.is_empty() {
                    out.push(Frame {
                        event: String::new(),
                        data: data.to_owned(),
                    });
                }
            }
            Framing::ServerSentEvents if line.is_empty() => out.extend(self.take()),
            Framing::ServerSentEvents => self.field(&line),
        }
        // The room of a long line is kept for the next one.
        bytes.clear();
        self.line = bytes;
    }

    fn field(&mut self, line: &str) {
        let (name, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match name {
            "event" => value.clone_into(&mut self.event),
            "data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push('\n');
                }
                self.data.push_str(value);
            }
            // Comments have no name; `id` and `retry` are for who reconnects, which can't be done here.
            _ => {}
        }
    }

    fn take(&mut self) -> Option<Frame> {
        let frame = Frame {
            event: std::mem::take(&mut self.event),
            data: std::mem::take(&mut self.data),
        };
        let is_said = std::mem::take(&mut self.has_data) && !frame.data.is_empty();
        is_said.then_some(frame)
    }
}

fn is_whole(data: &str) -> bool {
    data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use proptest::prelude::*;

    use super::*;

    fn frames(framing: Framing, pieces: &[&[u8]]) -> Vec<(String, String)> {
        let mut splitter = Splitter::new(framing);
        let mut out = Vec::new();
        for piece in pieces {
            splitter.push(piece, &mut out).unwrap();
        }
        out.extend(splitter.end());
        out.into_iter().map(|frame| (frame.event, frame.data)).collect()
    }

    fn events(text: &str) -> Vec<(String, String)> {
        frames(Framing::ServerSentEvents, &[text.as_bytes()])
    }

    fn data(text: &str) -> Vec<String> {
        events(text).into_iter().map(|(_, data)| data).collect()
    }

    #[test]
    fn every_form_of_an_event() {
        assert_eq!(
            data("data: a\n\ndata:b\r\n\r\ndata:  c\r\rdata\n\n: x\n\n"),
            ["a", "b", " c"]
        );
        assert_eq!(data("data: 1\ndata: 2\ndata:\n\n"), ["1\n2\n"]);
        assert_eq!(data("\u{feff}data: {}\n\n"), ["{}"]);
        assert_eq!(
            events("event: ping\ndata: {}\n\ndata: {}\n\nevent: x\n\ndata: 1\nid: 3\nretry: 4\nnew: 5\n\n"),
            [
                ("ping".to_owned(), "{}".to_owned()),
                (String::new(), "{}".to_owned()),
                (String::new(), "1".to_owned())
            ]
        );
        assert_eq!(data("data: \n\ndata\n\n"), Vec::<String>::new());
    }

    #[test]
    fn only_a_whole_frame_counts_at_the_end() {
        assert_eq!(data("data: {}\n\ndata: [DONE]"), ["{}", "[DONE]"]);
        assert_eq!(data("data: {\"a\":1}"), ["{\"a\":1}"]);
        assert_eq!(data("data: {\"a\":1}\r"), ["{\"a\":1}"]);
        assert_eq!(data("data: {\"a\":"), Vec::<String>::new());
        let lines = |text: &str| frames(Framing::JsonLines, &[text.as_bytes()]).len();
        assert_eq!(lines("{\"a\":1}\r\n\n{\"b\":2}"), 2);
        assert_eq!(lines("{\"a\":1}\n{\"b\":"), 1);
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        let pieces: &[&[u8]] = &[b"data: a\xff", b"\xe4\xbd", b"\xa0\n\n"];
        assert_eq!(frames(Framing::ServerSentEvents, pieces)[0].1, "a\u{fffd}你");
    }

    #[test]
    fn a_frame_has_an_end() {
        let piece = vec![b'x'; 1 << 20];
        for framing in [Framing::ServerSentEvents, Framing::JsonLines] {
            let mut splitter = Splitter::new(framing);
            let pushed = (0..9).try_for_each(|_| splitter.push(&piece, &mut Vec::new()));
            assert_eq!(pushed, Err(TooLarge));
        }
        let mut splitter = Splitter::new(Framing::ServerSentEvents);
        let line = [b"data: ".as_slice(), &piece, b"\n"].concat();
        let pushed = (0..9).try_for_each(|_| splitter.push(&line, &mut Vec::new()));
        assert_eq!(pushed, Err(TooLarge), "many lines of one event");
    }

    #[test]
    fn single_bytes_cost_no_more_than_their_number() {
        let text = format!("data: {}\n\n", "x".repeat(4 << 20));
        let started = Instant::now();
        let mut splitter = Splitter::new(Framing::ServerSentEvents);
        let mut out = Vec::new();
        for byte in text.as_bytes() {
            splitter.push(std::slice::from_ref(byte), &mut out).unwrap();
        }
        assert_eq!(out[0].data.len(), 4 << 20);
        assert!(started.elapsed().as_secs() < 10);
    }

    proptest! {
        #[test]
        fn cuts_change_nothing(
            text in "(data: ?|event: ?|: ?|id|\\{\"a\":1\\}|\\[DONE\\]|\r\n|\n|\r|\n\n|ü|你|🙂|\u{feff}| ){0,40}",
            cuts in prop::collection::vec(0_usize..200, 0..20),
        ) {
            let bytes = text.as_bytes();
            let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.extend([0, bytes.len()]);
            cuts.sort_unstable();
            let pieces: Vec<&[u8]> = cuts.windows(2).map(|cut| &bytes[cut[0]..cut[1]]).collect();
            for framing in [Framing::ServerSentEvents, Framing::JsonLines] {
                prop_assert_eq!(frames(framing, &pieces), frames(framing, &[bytes]));
            }
        }

        #[test]
        fn no_bytes_break_it(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            frames(Framing::ServerSentEvents, &[&bytes]);
            frames(Framing::JsonLines, &[&bytes]);
        }
    }
}
