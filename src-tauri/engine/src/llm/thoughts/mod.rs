//! Thoughts that a model or its server leaves in the text of an answer: which marks open and close them, and what remains
//! without them. One table for all who read answers. It must not know who thinks, nor what the answer is for.

mod channels;
mod live;
mod marks;
mod quoting;

pub use channels::final_of;
pub use live::Live;
pub use marks::{Closing, Mark, marks};

use quoting::Quoting;

/// The thought and the answer. Thoughts stand at the beginning; further ones are looked for only behind such a one, as
/// marks in the midst of prose are prose. Some templates write the opening mark themselves, so that only the closing one
/// is seen; it counts on a line of its own.
pub fn split(text: &str) -> (String, String) {
    if let Some(apart) = channels::apart(text) {
        return apart;
    }
    let marks = marks(text);
    if marks.is_empty() {
        return (String::new(), text.to_owned());
    }
    let mut reading = Reading {
        text,
        marks: &marks,
        closing: Closing::of(&marks),
        at: 0,
        thoughts: Vec::new(),
    };
    reading.beginning();
    while reading.unopened() {
        reading.beginning();
    }
    if reading.thoughts.is_empty() {
        return (String::new(), text.to_owned());
    }
    let answer = reading.rest();
    let thoughts: Vec<&str> = reading.thoughts.iter().map(|thought| thought.trim()).collect();
    let thought = thoughts.join("\n").trim().to_owned();
    (thought, answer.trim_start().to_owned())
}

struct Reading<'t> {
    text: &'t str,
    marks: &'t [Mark],
    closing: Closing<'t>,
    /// Everything before is thought.
    at: usize,
    thoughts: Vec<&'t str>,
}

impl<'t> Reading<'t> {
    /// Number of the first mark that is not yet passed.
    fn next(&self) -> usize {
        self.marks.partition_point(|mark| mark.at < self.at)
    }

    /// Thoughts that stand at the beginning, one after the other.
    fn beginning(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            let begins = self.at + rest.len() - rest.trim_start().len();
            let ix = self.next();
            let Some(open) = self
                .marks
                .get(ix)
                .filter(|mark| mark.is_open && mark.at == begins)
            else {
                return;
            };
            match self.closing.of_mark(ix) {
                Some(close) => self.pass(open.end, close),
                None => {
                    self.thoughts.push(&self.text[open.end..]);
                    self.at = self.text.len();
                    return;
                }
            }
        }
    }

    fn pass(&mut self, from: usize, close: &Mark) {
        self.thoughts.push(&self.text[from..close.at]);
        self.at = close.end;
    }

    /// A thought that was begun by the template.
    fn unopened(&mut self) -> bool {
        let mut quoting = Quoting::default();
        let mut fed = self.at;
        let mut is_opened = [false; marks::KINDS];
        for mark in &self.marks[self.next()..] {
            quoting.feed(&self.text[fed..mark.at]);
            fed = mark.at;
            let is_alone = quoting.is_line_blank() && {
                let behind = self.text[mark.end..].trim_start_matches([' ', '\t', '\r']);
                behind.is_empty() || behind.starts_with('\n')
            };
            if mark.is_open {
                is_opened[mark.kind] |= quoting.is_line_blank();
            } else if is_alone && !quoting.is_fenced() && !is_opened[mark.kind] {
                self.pass(self.at, mark);
                return true;
            }
        }
        false
    }

    /// What is said, without further thoughts.
    fn rest(&mut self) -> String {
        let mut answer = String::new();
        let mut quoting = Quoting::default();
        let mut ix = self.next();
        while let Some(mark) = self.marks.get(ix) {
            ix += 1;
            if !mark.is_open || mark.at < self.at {
                continue;
            }
            let before = &self.text[self.at..mark.at];
            quoting.feed(before);
            answer.push_str(before);
            self.at = mark.at;
            if quoting.is_quoted() {
                continue;
            }
            match self.closing.of_mark(ix - 1) {
                Some(close) => self.pass(mark.end, close),
                None if quoting.is_line_blank() => {
                    self.thoughts.push(&self.text[mark.end..]);
                    self.at = self.text.len();
                }
                None => {}
            }
        }
        answer.push_str(&self.text[self.at..]);
        self.at = self.text.len();
        answer
    }
}

#[cfg(test)]
mod tests;
