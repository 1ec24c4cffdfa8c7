//! Takes secrets out of text and values, by value: as they are, and in the forms in which they travel. Pure; it must
//! not know where the secrets came from, nor what the text is for.
//!
//! Promised: the text itself; percent-encoded, wholly or in part, also twice; JSON-escaped, also inside JSON; hex in
//! either case; half masked; base64, standard and URL-safe, padded or not, behind any other bytes and broken into lines; and each
//! of these cut into pieces anywhere, for [`Stream`].

mod forms;
mod headers;
mod masked;
#[cfg(test)]
mod tests;

use super::Json;
use forms::Secret;

pub const REDACTED: &str = "•••";
/// Shorter ones would tear ordinary text apart and protect nothing.
const SHORTEST: usize = 3;

#[derive(Clone)]
pub struct Redactor {
    secrets: Vec<Secret>,
    /// Bytes with which a form of some secret may begin.
    starts: [bool; 256],
    /// No form of any secret is longer, in bytes.
    longest: usize,
}

impl Default for Redactor {
    fn default() -> Self {
        Self {
            secrets: Vec::new(),
            starts: [false; 256],
            longest: 0,
        }
    }
}

impl Redactor {
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut redactor = Self::default();
        redactor.add(secrets);
        redactor
    }

    pub fn add<'a>(&mut self, secrets: impl IntoIterator<Item = &'a str>) {
        for text in secrets {
            if text.len() < SHORTEST || self.secrets.iter().any(|known| known.text() == text) {
                continue;
            }
            let secret = Secret::new(text);
            secret.mark_starts(&mut self.starts);
            self.longest = self.longest.max(secret.longest());
            self.secrets.push(secret);
        }
    }

    pub fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Whether a secret stands somewhere in this text, or in these bytes.
    pub fn finds_in(&self, text: impl AsRef<[u8]>) -> bool {
        let bytes = text.as_ref();
        if self.is_empty() {
            return false;
        }
        (0..bytes.len()).any(|at| self.end_of_one(bytes, at).is_some())
            || self.without_masked(&String::from_utf8_lossy(bytes)).is_some()
    }

    /// The text without secrets. Cut it short only afterwards: half a secret is none that could be found.
    pub fn text(&self, text: &str) -> String {
        self.taken_out(text).unwrap_or_else(|| text.to_owned())
    }

    /// The same for what a provider says of a call.
    pub fn clean(&self, text: &str) -> String {
        self.told(text)
    }

    /// The same for words to people, such as errors and logs: headers that carry credentials are masked whoever wrote
    /// them.
    pub fn told(&self, text: &str) -> String {
        headers::masked(&self.text(text))
    }

    /// The value without secrets, names of fields included. Credentials in an object named `headers` are masked whether
    /// they are known or not.
    pub fn value(&self, value: Json) -> Json {
        self.inside(value, false)
    }

    /// For a text that comes in pieces.
    pub fn stream(&self) -> Stream<'_> {
        Stream {
            redactor: self,
            held: String::new(),
        }
    }

    fn inside(&self, value: Json, is_in_headers: bool) -> Json {
        match value {
            Json::String(text) => Json::String(self.taken_out(&text).unwrap_or(text)),
            Json::Array(items) if is_in_headers => Json::Array(headers::masked_pairs(items))
                .as_array()
                .into_iter()
                .flatten()
                .map(|item| self.inside(item.clone(), true))
                .collect(),
            Json::Array(items) => items.into_iter().map(|v| self.inside(v, false)).collect(),
            Json::Object(map) => {
                let mut clean = serde_json::Map::new();
                for (name, value) in map {
                    let value = if is_in_headers && headers::is_credential(&name) {
                        Json::String(REDACTED.to_owned())
                    } else {
                        self.inside(value, headers::is_list_of_headers(&name))
                    };
                    let mut name = self.taken_out(&name).unwrap_or(name);
                    // Two secret names look the same, and neither may take the other's place.
                    while clean.contains_key(&name) {
                        name.push('•');
                    }
                    clean.insert(name, value);
                }
                Json::Object(clean)
            }
            Json::Number(number) => match self.taken_out(&number.to_string()) {
                Some(clean) => Json::String(clean),
                None => Json::Number(number),
            },
            other @ (Json::Null | Json::Bool(_)) => other,
        }
    }

    /// `None`: there is nothing to take out.
    fn taken_out(&self, text: &str) -> Option<String> {
        if self.is_empty() {
            return None;
        }
        let mut out = String::new();
        let done = self.take_out(text, text.len(), &mut out);
        let clean = (done > 0).then(|| {
            out.push_str(&text[done..]);
            out
        });
        let unmasked = self.without_masked(clean.as_deref().unwrap_or(text));
        unmasked.or(clean)
    }

    /// `None`: no secret shows around a mask.
    fn without_masked(&self, text: &str) -> Option<String> {
        masked::mask(text, 0)?;
        let mut clean = None;
        let long = self
            .secrets
            .iter()
            .map(Secret::text)
            .filter(|s| s.len() >= masked::SHORTEST_MASKED);
        for secret in long {
            let now = clean.as_deref().unwrap_or(text);
            clean = masked::without_masked(now, secret).or(clean);
        }
        clean
    }

    /// Writes the text up to behind the last secret that begins before `limit`, and says where that is.
    fn take_out(&self, text: &str, limit: usize, out: &mut String) -> usize {
        let bytes = text.as_bytes();
        let (mut done, mut at) = (0, 0);
        while at < limit {
            match self.end_of_one(bytes, at) {
                None => at += 1,
                Some(end) => {
                    let end = self.whole_end(bytes, at, end);
                    out.push_str(&text[done..at]);
                    out.push_str(REDACTED);
                    (done, at) = (end, end);
                }
            }
        }
        done
    }

    /// Where the longest form that begins here ends; always between two characters.
    fn end_of_one(&self, bytes: &[u8], at: usize) -> Option<usize> {
        if !self.starts[usize::from(bytes[at])] {
            return None;
        }
        self.secrets.iter().filter_map(|s| s.end_at(bytes, at)).max()
    }

    /// What begins inside one secret and goes beyond its end is one of them too.
    fn whole_end(&self, bytes: &[u8], start: usize, mut end: usize) -> usize {
        let mut at = start + 1;
        while at < end {
            end = self.end_of_one(bytes, at).map_or(end, |other| other.max(end));
            at += 1;
        }
        end
    }
}

/// A text that comes in pieces: what could be the beginning of a secret is held back until more is known.
pub struct Stream<'r> {
    redactor: &'r Redactor,
    held: String,
}

impl Stream<'_> {
    /// What may be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        if self.redactor.is_empty() {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        let mut limit = self.held.len().saturating_sub(self.redactor.longest);
        while !self.held.is_char_boundary(limit) {
            limit -= 1;
        }
        let mut out = String::new();
        let done = self.redactor.take_out(&self.held, limit, &mut out);
        let shown = done.max(limit);
        out.push_str(&self.held[done..shown]);
        self.held.drain(..shown);
        out
    }

    /// The rest.
    pub fn finish(self) -> String {
        self.redactor.text(&self.held)
    }
}
