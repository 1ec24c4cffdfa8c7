//! What a failure says, read out of the many shapes in which providers say it. It must not know what that means.

use serde_json::Value as Json;

use super::table::Class;
use super::{Dialect, room, waits};
use crate::llm::wire::Plain;

/// Bytes of a body that are looked at, and characters of a provider's own words that are shown.
const READ: usize = 256 << 10;
const SHOWN: usize = 1500;

#[derive(Debug)]
pub(super) struct Signal {
    pub dialect: Dialect,
    /// The response's, or the one that a body of a 200 tells.
    pub status: Option<u16>,
    /// Codes, types and reasons, in lower case.
    pub words: Vec<String>,
    /// All text that was said, in lower case.
    pub text: String,
    /// Whether a time to wait was named, in a header or in the body.
    pub is_wait_named: bool,
    pub wait_ms: Option<u64>,
    /// Neither a provider nor a model server speaks like this.
    pub is_proxy: bool,
    shown: String,
}

impl Signal {
    pub fn of_response(dialect: Dialect, plain: &Plain<'_>) -> Self {
        let body = &plain.body[..plain.body.len().min(READ)];
        let text = String::from_utf8_lossy(body);
        let said: Option<Json> = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok();
        let has = |name: &str| plain.headers.contains_key(name);
        let mut signal = match &said {
            Some(said) => Self::of_event(dialect, said),
            None => Self::of_text(dialect, &text),
        };
        if !(200..300).contains(&plain.status) {
            signal.status = Some(plain.status);
        }
        signal.is_wait_named |= ["retry-after", "retry-after-ms"].into_iter().any(has);
        signal.is_proxy = said.is_none() && is_of_proxy(plain);
        signal
    }

    pub fn of_event(dialect: Dialect, said: &Json) -> Self {
        let mut signal = Self::of_text(dialect, "");
        let mut told = Vec::new();
        signal.read(error_of(said), &mut told, 0);
        if told.is_empty() {
            told.push(said.to_string());
        }
        signal.text = told.join("\n").to_lowercase();
        signal.shown = told.swap_remove(0);
        signal.wait_ms = waits::in_body(said).or_else(|| waits::in_text(&signal.text));
        signal.is_wait_named = signal.wait_ms.is_some();
        signal
    }

    fn of_text(dialect: Dialect, text: &str) -> Self {
        Self {
            dialect,
            status: None,
            words: Vec::new(),
            text: text.to_lowercase(),
            is_wait_named: false,
            wait_ms: None,
            is_proxy: false,
            shown: text.trim().to_owned(),
        }
    }

    /// Words and texts of an error object and of what lies in it.
    fn read(&mut self, error: &Json, told: &mut Vec<String>, depth: usize) {
        match error {
            Json::String(text) => self.read_text(text, told, depth),
            Json::Array(items) if depth < 6 => {
                for item in items.iter().take(20) {
                    self.read(item, told, depth + 1);
                }
            }
            Json::Object(map) if depth < 6 => {
                // The message first: it is what is shown.
                let is_message = |key: &str| matches!(key, "message" | "msg" | "error" | "detail");
                let (first, rest): (Vec<_>, Vec<_>) = map.iter().partition(|(key, _)| is_message(key));
                for (key, value) in first.into_iter().chain(rest) {
                    self.read_field(key, value, told, depth);
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => {}
        }
    }

    fn read_field(&mut self, key: &str, value: &Json, told: &mut Vec<String>, depth: usize) {
        match (key, value) {
            ("code" | "status" | "status_code" | "http_status", Json::Number(number)) => {
                let status = number.as_u64().and_then(|number| u16::try_from(number).ok());
                let status = status.filter(|status| (400..600).contains(status));
                self.status = self.status.or(status);
            }
            (
                "code" | "type" | "status" | "reason" | "error_type" | "error_code" | "kind",
                Json::String(word),
            ) => {
                let status = word.parse().ok().filter(|status| (400..600).contains(status));
                self.status = self.status.or(status);
                self.words.push(word.to_lowercase());
            }
            // Counts of tokens are looked for in the text.
            (key, Json::Number(number)) => told.push(format!("\"{key}\":{number}")),
            ("flagged_input", Json::String(_)) => self.words.push("flagged_input".to_owned()),
            (_, value) => self.read(value, told, depth + 1),
        }
    }

    /// A gateway often hands on what was said behind it as text that is JSON again.
    fn read_text(&mut self, text: &str, told: &mut Vec<String>, depth: usize) {
        let text = text.trim();
        if !text.is_empty() {
            told.push(text.to_owned());
        }
        let is_json = text.starts_with('{') && depth < 6;
        if let Some(inner) = is_json.then(|| serde_json::from_str::<Json>(text).ok()).flatten() {
            let status = self.status;
            self.read(error_of(&inner), told, depth + 1);
            self.status = status.or(self.status);
        }
    }

    pub fn says_word(&self, word: &str) -> bool {
        match word.strip_prefix('*') {
            Some(end) => self.words.iter().any(|said| said.ends_with(end)),
            None => self.words.iter().any(|said| said == word),
        }
    }

    /// Whether all of these parts, apart by `…`, stand in what was said.
    pub fn says_text(&self, pattern: &str) -> bool {
        pattern.split('…').all(|part| self.text.contains(part))
    }

    /// For people: the provider's own words and, where they help, what stands beside them.
    pub fn message(&self, class: Class) -> String {
        let mut message = if self.is_proxy {
            "a proxy answered, not the model's server; the key is not at fault".to_owned()
        } else if self.shown.is_empty() {
            "no reason was given".to_owned()
        } else {
            cut(&self.shown, SHOWN)
        };
        let mut beside: Vec<String> = self
            .status
            .iter()
            .map(|status| format!("HTTP {status}"))
            .collect();
        let is_told = |word: &String| word.len() <= 64 && !self.shown.to_lowercase().contains(word.as_str());
        let mut words: Vec<String> = Vec::new();
        for word in self.words.iter().filter(|word| is_told(word)) {
            if words.len() < 2 && !words.contains(word) {
                words.push(word.clone());
            }
        }
        beside.extend(words);
        if class == Class::Overflow {
            let said = room(&self.text);
            beside.extend(said.used.map(|used| format!("{used} tokens sent")));
            beside.extend(said.limit.map(|limit| format!("room for {limit}")));
        }
        if !beside.is_empty() {
            message.push_str(&format!(" ({})", beside.join(", ")));
        }
        message
    }
}

/// The part of a body that holds the error.
fn error_of(said: &Json) -> &Json {
    let alone = said.as_array().filter(|items| items.len() == 1);
    let said = alone.map_or(said, |items| &items[0]);
    match said.get("error").filter(|error| !error.is_null()) {
        // Beside a bare text stand its type and code.
        Some(Json::String(_)) | None => said,
        Some(error) => error,
    }
}

fn is_of_proxy(plain: &Plain<'_>) -> bool {
    let value = |name: &str| {
        let value = plain.headers.get(name);
        value
            .and_then(|value| value.to_str().ok())
            .unwrap_or_default()
            .to_lowercase()
    };
    let server = value("server");
    let is_named = [
        "squid",
        "privoxy",
        "tinyproxy",
        "mitmproxy",
        "zscaler",
        "bluecoat",
        "haproxy",
    ]
    .iter()
    .any(|name| server.contains(name));
    let has = |name: &str| plain.headers.contains_key(name);
    matches!(plain.status, 403 | 407 | 502 | 503 | 504)
        && (is_named
            || has("via")
            || has("proxy-authenticate")
            || has("x-squid-error")
            || has("proxy-connection"))
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
