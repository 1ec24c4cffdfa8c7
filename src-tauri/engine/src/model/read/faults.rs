//! What is wrong with a text, with its line, column and place in the value. It must not know how a text is read.

use super::{ReadError, ReadErrorKind, Reader, Step};
use crate::model::json::push_step;

impl Reader<'_> {
    /// A person thinks of plans inside plans, each of which takes three levels.
    pub(super) fn too_deep(&self) -> String {
        let most = self.bounds.depth;
        let is_plan =
            |step: &&Step| matches!(step, Step::Key(start) if self.text[*start..].starts_with("\"plan\""));
        let plans = self.path.iter().filter(is_plan).count();
        if plans * 6 < most {
            return format!("Values are nested deeper than {most} levels");
        }
        format!(
            "Plans are nested {plans} deep here, which makes values nested deeper than {most} levels; about 20 plans can stand \
             inside each other"
        )
    }

    pub(super) fn syntax(&self, message: &str) -> ReadError {
        self.error(ReadErrorKind::Syntax, self.at, message.to_owned())
    }

    pub(super) fn syntax_before(&self, message: &str) -> ReadError {
        self.error(ReadErrorKind::Syntax, self.at - 1, message.to_owned())
    }

    pub(super) fn too_large(&self, message: String) -> ReadError {
        self.error(ReadErrorKind::TooLarge, self.at, message)
    }

    pub(super) fn error(&self, kind: ReadErrorKind, at: usize, message: String) -> ReadError {
        let (line, column) = position(self.text, at);
        ReadError {
            kind,
            message,
            line,
            column,
            pointer: self.pointer(),
        }
    }

    fn pointer(&self) -> String {
        let mut out = String::new();
        for step in &self.path {
            match *step {
                Step::Item(ix) => push_step(&mut out, &ix.to_string()),
                Step::Key(start) => push_step(&mut out, &self.key_at(start)),
            }
        }
        out
    }

    /// The key whose opening quote stands at `start`; it has been read before.
    fn key_at(&self, start: usize) -> String {
        let mut again = Reader::new(self.text, self.bounds);
        again.at = start;
        again.string().unwrap_or_default()
    }
}

/// Line and column, from 1, of a byte offset.
pub(super) fn position(text: &str, at: usize) -> (usize, usize) {
    let mut at = at.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = &text[..at];
    let line_start = before.rfind('\n').map_or(0, |ix| ix + 1);
    let line = before.bytes().filter(|b| *b == b'\n').count() + 1;
    (line, before[line_start..].chars().count() + 1)
}
