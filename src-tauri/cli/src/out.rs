//! Where words go: JSON to stdout, text for people to stdout or, beside JSON, to stderr. A closed pipe ends quietly.

use std::io::Write;

use planloom_engine::Error;
use serde::Serialize;
use serde_json::json;

use crate::args::Cli;

pub struct Out {
    pub json: bool,
    /// Flags of this call that the next one needs too, ready for a shell.
    flags: String,
    /// Something that was to be said on stdout could not be written, and not because the reader had gone.
    is_cut: std::cell::Cell<bool>,
}

impl Out {
    pub fn new(json: bool) -> Self {
        Self {
            json,
            flags: String::new(),
            is_cut: std::cell::Cell::new(false),
        }
    }

    /// Of a call with these global flags.
    pub fn of(cli: &Cli) -> Self {
        let db = cli
            .db
            .iter()
            .map(|db| ("--db", db.to_string_lossy().into_owned()));
        let models = cli.models.iter();
        let models = models.map(|(role, model)| ("--model", format!("{}={model}", role.word())));
        Self {
            flags: db
                .chain(models)
                .map(|(flag, value)| format!(" {flag} {}", quoted(&value)))
                .collect(),
            ..Self::new(cli.json)
        }
    }

    /// How to go on with a run: with the database and the models of this call. The log knows a run's models only by
    /// their digest.
    pub fn resuming(&self, run: &impl std::fmt::Display) -> String {
        format!("planloom resume {run}{}", self.flags)
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
            self.note("planloom: stdout can't be written to; the run itself is stored");
        }
    }

    /// A line for people, out of the way of JSON.
    pub fn note(&self, text: &str) {
        let _ = writeln!(std::io::stderr().lock(), "{}", plain(text));
    }

    /// Text for people: stdout, unless JSON has it.
    pub fn say(&self, text: &str) {
        if self.json {
            self.note(text)
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
        self.note(&format!("planloom: {error}"));
        if self.json {
            let problems = if let Error::Problems { problems } = error {
                Some(problems)
            } else {
                None
            };
            let body = json!({ "code": error.code(), "message": error.to_string(), "problems": problems });
            self.object(&json!({ "error": body }));
        }
    }
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
fn is_steering(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{2069}'
            | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// As one word of a POSIX shell.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// `1 task`, `2 tasks`.
pub fn counted(n: usize, what: &str) -> String {
    if n == 1 {
        format!("1 {what}")
    } else {
        format!("{n} {what}s")
    }
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub fn rfc3339(ms: f64) -> String {
    planloom_engine::rfc3339(ms as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_quoted_only_where_a_shell_would_tear_it() {
        for (word, expected) in [
            ("executor=ollama/qwen3:8b", "executor=ollama/qwen3:8b"),
            ("/home/me/my plans.db", "'/home/me/my plans.db'"),
            ("planner=x/it's $HOME", r"'planner=x/it'\''s $HOME'"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
