//! Where words go: JSON to stdout, text for people to stdout or, beside JSON, to stderr. A closed pipe ends quietly.

use std::io::Write;

use planloom_engine::Error;
pub use planloom_engine::model::counted;
use serde::Serialize;
use serde_json::{Value, json};

use crate::args::Cli;
use crate::hint::Flags;

pub struct Out {
    pub json: bool,
    flags: Flags,
    /// Something that was to be said on stdout could not be written, and not because the reader had gone.
    is_cut: std::cell::Cell<bool>,
}

impl Out {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            flags: Flags::default(),
            is_cut: std::cell::Cell::new(false),
        }
    }

    /// Of a call with these global flags.
    pub fn of(cli: &Cli) -> Self {
        Self {
            flags: Flags::of(cli),
            ..Self::new(cli.json)
        }
    }

    /// A command that people can go on with: with the database and, where it asks any, the models of this call.
    pub fn command(&self, verb: &[&str], words: &[&str]) -> String {
        self.flags.command(verb, words)
    }

    /// How to go on with a run. The log knows a run's models only by their digest.
    pub fn resuming(&self, run: &impl std::fmt::Display) -> String {
        self.command(&["resume"], &[&run.to_string()])
    }

    /// Whether stdout lacks something that was said.
    pub fn is_cut(&self) -> bool {
        self.is_cut.get()
    }

    /// One JSON object on a line of its own.
    pub fn object(&self, value: &impl Serialize) {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned());
        self.line(&text);
    }

    /// A line on stdout.
    pub fn line(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
        // Whoever read has gone: a durable run needs no reader. A full disk is another matter.
        let is_lost = |e: &std::io::Error| e.kind() != std::io::ErrorKind::BrokenPipe;
        if written.as_ref().is_err_and(is_lost) && !self.is_cut.replace(true) {
            self.note("planloom: stdout can't be written to, so something is missing there; what is stored is whole.");
        }
    }

    /// A line for people, out of the way of JSON.
    pub fn note(&self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{}", plain(&self.flags.carried(text)));
    }

    /// Text for people: stdout, unless JSON has it.
    pub fn say(&self, text: &str) {
        self.give(&self.flags.carried(text));
    }

    /// The same for what a run gave: not a word of it is changed.
    pub fn give(&self, text: &str) {
        if self.json {
            let _ = writeln!(std::io::stderr().lock(), "{}", plain(text));
        } else {
            self.line(&plain(text))
        }
    }

    pub fn error(&self, error: &Error) {
        if let Error::Problems { problems } = error {
            for problem in problems {
                self.note(&crate::look::problem_line(problem));
            }
        }
        self.note(&format!("planloom: {}", sentence(&error.to_string())));
        if self.json {
            self.object(&error_json(error, &self.flags.carried(&error.to_string())));
        }
    }
}

/// The one shape in which `--json` tells of an error.
pub fn error_json(error: &Error, message: &str) -> Value {
    let problems = if let Error::Problems { problems } = error {
        Some(problems)
    } else {
        None
    };
    json!({ "error": { "code": error.code(), "message": message, "problems": problems } })
}

/// Text from plans and tools must not steer the terminal: control and direction characters are shown as escapes.
pub fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_steering(c) && c != '\n' && c != '\t' {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// The same for a piece of a line: it can't begin a line of its own.
pub fn piece(text: &str) -> String {
    plain(text).replace('\n', "\\n")
}

/// Control characters, and those that are invisible or turn the direction of what is around them.
pub fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub fn rfc3339(ms: f64) -> String {
    planloom_engine::rfc3339(ms as i64)
}

/// `2960` as `2,960`.
pub fn grouped(n: u64) -> String {
    let digits = n.to_string();
    let ahead = digits.len() % 3;
    let (first, rest) = digits.split_at(ahead);
    let groups = rest.as_bytes().chunks(3).map(String::from_utf8_lossy);
    let first = (!first.is_empty()).then(|| first.into());
    first.into_iter().chain(groups).collect::<Vec<_>>().join(",")
}

/// A few of the names; how many more there are is said.
pub fn few(names: &[String]) -> String {
    const FEW: usize = 8;
    let shown = names
        .iter()
        .take(FEW)
        .map(|name| piece(name))
        .collect::<Vec<_>>()
        .join(", ");
    match names.len().saturating_sub(FEW) {
        0 => shown,
        more => format!("{shown} and {} more", grouped(more as u64)),
    }
}

/// A message that ends as a sentence does.
pub fn sentence(text: &str) -> String {
    let is_ended = text.trim_end().ends_with(['.', '?', '!', ':', '…']);
    if is_ended {
        text.to_owned()
    } else {
        format!("{text}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let names: Vec<String> = (0..1_200).map(|n| format!("t{n}")).collect();
        assert_eq!(few(&names[..3]), "t0, t1, t2");
        assert_eq!(few(&names), "t0, t1, t2, t3, t4, t5, t6, t7 and 1,192 more");
        assert_eq!(
            (grouped(7), grouped(1_000), grouped(1_234_567)),
            ("7".into(), "1,000".into(), "1,234,567".into())
        );
    }

    #[test]
    fn a_message_ends_with_one_full_stop() {
        assert_eq!(sentence("there is no run r1"), "there is no run r1.");
        assert_eq!(sentence("nothing was changed."), "nothing was changed.");
        assert_eq!(sentence("is it running?"), "is it running?");
    }
}
