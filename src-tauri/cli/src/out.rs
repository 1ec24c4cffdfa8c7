//! Where words go: JSON to stdout, text for people to stdout or, beside JSON, to stderr. A closed pipe ends quietly.

use std::io::Write;

use planloom_engine::Error;
use serde::Serialize;
use serde_json::json;

pub struct Out {
    pub json: bool,
}

impl Out {
    /// One JSON object on a line of its own.
    pub fn object(&self, value: &impl Serialize) {
        let text = serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned());
        self.line(&text);
    }

    /// A line on stdout.
    pub fn line(&self, text: &str) {
        let mut stdout = std::io::stdout().lock();
        let written = writeln!(stdout, "{text}").and_then(|()| stdout.flush());
        if written.is_err() {
            // Whoever read has gone; a durable run needs no reader.
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

/// Text from plans and tools must not steer the terminal: control characters are shown as their escapes.
pub fn plain(text: &str) -> String {
    text.chars()
        .map(|c| {
            if c.is_control() && c != '\n' && c != '\t' {
                c.escape_unicode().to_string()
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// Milliseconds since 1970 as RFC 3339 in UTC.
pub fn rfc3339(ms: f64) -> String {
    planloom_engine::rfc3339(ms as i64)
}
