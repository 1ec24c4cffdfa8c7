//! Takes secrets out of text and values, by value: as they are, and in the forms in which they travel. Pure; it must
//! not know where the secrets came from, nor what the text is for.
//!
//! Promised: the text itself, in either case; percent-encoded, wholly or in part, also twice; escaped as in JSON, also inside
//! JSON, or as in HTML; with zero bytes between, as in UTF-16; hex, also with signs between and as a dump; half masked; base64
//! (standard and URL-safe, padded or not, broken into lines) and base32 behind any other bytes, to the last digit; its
//! beginning or its end alone, from 8 characters or half of it on (6 at least); and each of these cut into pieces anywhere,
//! for [`Stream`]. Pieces from its midst, and what was computed from it, are not found.

mod coded;
mod forms;
mod headers;
mod keys;
mod masked;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use super::Json;
use forms::Secret;

pub use keys::{is_key_name, key_in};

pub const REDACTED: &str = "•••";
/// Shorter ones would tear ordinary text apart and protect nothing.
const SHORTEST: usize = 3;

const SIEVE: usize = 1 << 16;

fn sieved(key: u32) -> usize {
    (key.wrapping_mul(0x9E37_79B1) >> 16) as usize
}

#[derive(Clone)]
pub struct Redactor {
    secrets: Vec<Secret>,
    /// Bytes with which some secret may begin as a text.
    starts: [bool; 256],
    /// The forms in other alphabets, by the key of their beginning: which secret, and which of its forms.
    coded: HashMap<u32, Vec<(usize, usize)>>,
    /// Which keys there are, by a few of their bits: most places have none of them.
    sieve: Box<[u64]>,
    /// No form of any secret is longer, in bytes.
    longest: usize,
    /// No end of a secret that is found reaches further back, in bytes.
    reach: usize,
}

impl Default for Redactor {
    fn default() -> Self {
        Self {
            secrets: Vec::new(),
            starts: [false; 256],
            coded: HashMap::new(),
            sieve: vec![0; SIEVE / 64].into(),
            longest: 0,
            reach: 0,
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
            self.longest = self.longest.max(secret.longest());
            self.reach = self.reach.max(secret.reach());
            secret.mark_starts(&mut self.starts);
            for (ix, form) in secret.coded().iter().enumerate() {
                let at = sieved(form.key());
                self.sieve[at / 64] |= 1 << (at % 64);
                self.coded
                    .entry(form.key())
                    .or_default()
                    .push((self.secrets.len(), ix));
            }
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

    /// What a tool says of a call that was given secrets: errors quote what they were handed, bit by bit, so that any four
    /// characters in a row of a secret are taken out.
    pub fn quoted(&self, text: &str) -> String {
        const LEAST: usize = 4;
        let told = self.told(text);
        let chars: Vec<char> = told.chars().collect();
        let mut hidden = vec![false; chars.len()];
        for secret in &self.secrets {
            let own: Vec<char> = secret.text().chars().collect();
            let pieces: std::collections::HashSet<&[char]> = own.windows(LEAST).collect();
            for (at, window) in chars.windows(LEAST).enumerate() {
                if pieces.contains(window) {
                    hidden[at..at + LEAST].fill(true);
                }
            }
        }
        let mut out = String::new();
        let mut is_hidden = false;
        for (c, hide) in chars.into_iter().zip(hidden) {
            match (hide, is_hidden) {
                (false, _) => out.push(c),
                (true, false) => out.push_str(REDACTED),
                (true, true) => {}
            }
            is_hidden = hide;
        }
        out
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
            back: self.longest,
        }
    }

    /// For a text that is read while it comes, and must not lag behind: no more is held back than twice the longest secret as
    /// it is, so that of longer spellings only those are found that are there by then.
    pub fn live(&self) -> Stream<'_> {
        let longest = self.secrets.iter().map(|secret| secret.text().len()).max();
        Stream {
            back: self.longest.min(2 * longest.unwrap_or(0)),
            ..self.stream()
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
        // What shows around a mask goes before what shows beside it, as it may be longer; but a star of the secret's own is
        // no mask.
        let whole = self.without_starred(text);
        let text = whole.as_deref().unwrap_or(text);
        let unmasked = self.without_masked(text).or(whole.clone());
        let text = unmasked.as_deref().unwrap_or(text);
        let mut out = String::new();
        let done = self.take_out(text, text.len(), &mut out);
        let clean = (done > 0).then(|| {
            out.push_str(&text[done..]);
            out
        });
        clean.or(unmasked)
    }

    /// `None`: no secret stands there as a whole that looks masked itself.
    fn without_starred(&self, text: &str) -> Option<String> {
        let is_starred = |secret: &&Secret| masked::mask(secret.text(), 0).is_some();
        let mut clean = None;
        for secret in self.secrets.iter().filter(is_starred) {
            let now = clean.as_deref().unwrap_or(text);
            clean = secret.without_whole(now).or(clean);
        }
        clean
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
                    let back = self.secrets.iter().map(|s| s.back_from(bytes, at)).max();
                    let mut from = at.saturating_sub(back.unwrap_or(0)).max(done);
                    while !text.is_char_boundary(from) {
                        from += 1;
                    }
                    out.push_str(&text[done..from]);
                    out.push_str(REDACTED);
                    (done, at) = (end, end);
                }
            }
        }
        done
    }

    /// Where the longest form that begins here ends; always between two characters.
    fn end_of_one(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let is_start = self.starts[usize::from(bytes[at])];
        let plain = self
            .secrets
            .iter()
            .filter(|_| is_start)
            .filter_map(|s| s.end_at(bytes, at))
            .max();
        let mut end = plain;
        coded::keys_at(&bytes[at..], &mut |key| {
            let sieved = sieved(key);
            if self.sieve[sieved / 64] >> (sieved % 64) & 1 == 0 {
                return;
            }
            for (secret, form) in self.coded.get(&key).into_iter().flatten() {
                let length = self.secrets[*secret].coded()[*form].length(&bytes[at..]);
                end = end.max(length.map(|length| at + length));
            }
        });
        end
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
    /// Bytes that a secret may still need, when its beginning is there.
    back: usize,
}

impl Stream<'_> {
    /// What may be shown now.
    pub fn push(&mut self, piece: &str) -> String {
        if self.redactor.is_empty() {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        let mut limit = self.held.len().saturating_sub(self.back);
        while !self.held.is_char_boundary(limit) {
            limit -= 1;
        }
        let mut out = String::new();
        let done = self.redactor.take_out(&self.held, limit, &mut out);
        // The end of a secret that is yet to come may reach back so far.
        let mut safe = limit.saturating_sub(self.redactor.reach);
        while !self.held.is_char_boundary(safe) {
            safe -= 1;
        }
        let shown = done.max(safe);
        out.push_str(&self.held[done..shown]);
        self.held.drain(..shown);
        out
    }

    /// The rest.
    pub fn finish(self) -> String {
        self.redactor.text(&self.held)
    }
}
