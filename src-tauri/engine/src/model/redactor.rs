//! Takes secrets out of text, in every form in which they travel: as they are, escaped, percent-encoded, in base64, in
//! hex, and half masked. It must not know where they came from, nor what the text is for.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

pub const REDACTED: &str = "•••";
/// Shorter ones would tear ordinary text apart and protect nothing.
const SHORTEST: usize = 3;
/// Of a secret that is half masked, so many characters may show.
const MOST_SHOWN: usize = 7;
/// What is masked at all must be a key: of a short secret too many words begin like it.
const SHORTEST_MASKED: usize = 12;

#[derive(Clone, Debug, Default)]
pub struct Redactor {
    /// The longest first, so that no part of one is left by another.
    forms: Vec<String>,
    /// Those that may be shown half masked.
    long: Vec<String>,
}

impl Redactor {
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut redactor = Self::default();
        redactor.add(secrets);
        redactor
    }

    pub fn add<'a>(&mut self, secrets: impl IntoIterator<Item = &'a str>) {
        for secret in secrets.into_iter().filter(|secret| secret.len() >= SHORTEST) {
            self.forms.extend(forms(secret));
            if secret.len() >= SHORTEST_MASKED && !self.long.iter().any(|known| known == secret) {
                self.long.push(secret.to_owned());
            }
        }
        self.forms
            .sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        self.forms.dedup();
    }

    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    pub fn finds_in(&self, text: &str) -> bool {
        let is_masked = |secret: &String| without_masked(text, secret).is_some();
        self.forms.iter().any(|form| text.contains(form))
            || (mask(text, 0).is_some() && self.long.iter().any(is_masked))
    }

    /// Most texts hold nothing of a secret, and are copied once.
    pub fn clean(&self, text: &str) -> String {
        let mut clean = text.to_owned();
        for form in &self.forms {
            if clean.contains(form) {
                clean = clean.replace(form, REDACTED);
            }
        }
        if mask(&clean, 0).is_none() {
            return clean;
        }
        let unmasked = |text: String, secret: &String| without_masked(&text, secret).unwrap_or(text);
        self.long.iter().fold(clean, unmasked)
    }
}

fn forms(secret: &str) -> Vec<String> {
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let json = serde_json::Value::from(secret).to_string();
    let each = |write: fn(u8) -> String| -> String { secret.bytes().map(write).collect() };
    let mut forms = vec![
        secret.to_owned(),
        form.replace('+', "%20"),
        form.to_lowercase(),
        form,
        json.trim_matches('"').to_owned(),
        each(|byte| format!("%{byte:02X}")),
        each(|byte| format!("%{byte:02x}")),
        each(|byte| format!("{byte:02X}")),
        each(|byte| format!("{byte:02x}")),
        STANDARD_NO_PAD.encode(secret),
        URL_SAFE_NO_PAD.encode(secret),
    ];
    for before in 0..3 {
        forms.extend(encoded_behind(secret, before));
    }
    forms
}

/// How base64 shows the secret behind so many other bytes, as in `user:secret`: only the characters that depend on
/// nothing but the secret.
fn encoded_behind(secret: &str, before: usize) -> Vec<String> {
    let mut bytes = vec![0; before];
    bytes.extend_from_slice(secret.as_bytes());
    let first = (before * 8).div_ceil(6);
    let end = bytes.len() * 8 / 6;
    let within = |text: String| text.get(first..end).map(str::to_owned);
    [STANDARD_NO_PAD.encode(&bytes), URL_SAFE_NO_PAD.encode(&bytes)]
        .into_iter()
        .filter_map(within)
        .filter(|text| text.len() >= 6)
        .collect()
}

/// The text without the places where more of a secret shows around a mask than may, as in `sk-proj-abc****wxyz`; `None`
/// where there is no such place.
fn without_masked(text: &str, secret: &str) -> Option<String> {
    let (mut clean, mut kept, mut at) = (String::new(), 0, 0);
    while let Some((from, to)) = mask(text, at) {
        at = to;
        let before = common(secret, |part| text[kept..from].ends_with(part), Side::Beginning);
        let behind = common(secret, |part| text[to..].starts_with(part), Side::End);
        if before + behind > MOST_SHOWN {
            clean.push_str(&text[kept..from - before]);
            clean.push_str(REDACTED);
            kept = to + behind;
            at = kept;
        }
    }
    (kept > 0).then(|| clean + &text[kept..])
}

#[derive(Clone, Copy)]
enum Side {
    Beginning,
    End,
}

/// Bytes of the longest part of the secret, from one side, that stands there.
fn common(secret: &str, stands: impl Fn(&str) -> bool, side: Side) -> usize {
    let part = |n: usize| match side {
        Side::Beginning => secret.get(..n),
        Side::End => secret.get(secret.len() - n..),
    };
    let longest = (1..secret.len()).rev().find(|&n| part(n).is_some_and(&stands));
    longest.unwrap_or(0)
}

/// The next run of characters that stand for others: where it begins and ends.
fn mask(text: &str, at: usize) -> Option<(usize, usize)> {
    let is_mask = |c: char| matches!(c, '*' | '•' | '●' | '…' | '.');
    let mut at = at;
    loop {
        let from = at + text[at..].find(is_mask)?;
        let rest = &text[from..];
        let to = from + rest.find(|c| !is_mask(c)).unwrap_or(rest.len());
        // A dot or two is punctuation.
        if to - from > 2 || text[from..to].contains('*') {
            return Some((from, to));
        }
        at = to;
    }
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    const KEY: &str = "sk-canary/7+secret=\"x";

    #[test]
    fn a_key_is_found_in_every_form() {
        let redactor = Redactor::of([KEY]);
        let url: String = url::form_urlencoded::byte_serialize(KEY.as_bytes()).collect();
        let each = |write: fn(u8) -> String| -> String { KEY.bytes().map(write).collect() };
        for said in [
            format!("Incorrect API key provided: {KEY}."),
            format!("https://x/?key={url}&a=1"),
            format!("{}", serde_json::json!({ "echo": KEY })),
            format!("in full {}", each(|byte| format!("%{byte:02X}"))),
            format!("in full {}", each(|byte| format!("%{byte:02x}"))),
            format!("in hex {}", each(|byte| format!("{byte:02x}"))),
            format!("in hex {}", each(|byte| format!("{byte:02X}"))),
        ] {
            assert!(redactor.finds_in(&said), "{said}");
            let clean = redactor.clean(&said);
            assert!(clean.contains(REDACTED), "{clean}");
            assert!(!clean.contains("canary") && !clean.contains("63616"), "{clean}");
        }
        for user in ["", "a", "ab", "abc:", "user:"] {
            for encoded in [
                STANDARD.encode(format!("{user}{KEY}")),
                URL_SAFE_NO_PAD.encode(format!("{user}{KEY}!")),
            ] {
                let clean = redactor.clean(&format!("Basic {encoded}"));
                assert!(clean.contains(REDACTED) && clean.chars().count() < 25, "{clean}");
            }
        }
        assert_eq!(Redactor::of(["ab"]).clean("about"), "about");
    }

    /// As providers show a wrong key: a few characters tell a person which it is, more would help somebody else.
    #[test]
    fn of_a_masked_key_only_a_few_characters_may_show() {
        let key = "sk-proj-0123456789abcdefWXYZ";
        let redactor = Redactor::of([key]);
        for said in [
            "key sk-****XYZ.",
            "key ****WXYZ",
            "sk-...",
            "see project 0 ... end",
            "a ** b",
        ] {
            assert_eq!(redactor.clean(said), said);
            assert!(!redactor.finds_in(said), "{said}");
        }
        for (said, expected) in [
            (
                "key sk-proj-*****WXYZ, again sk-proj-0…efWXYZ!",
                "key •••, again •••!",
            ),
            (
                "Incorrect API key provided: sk-proj-01••••",
                "Incorrect API key provided: •••",
            ),
            ("****89abcdefWXYZ and the rest", "••• and the rest"),
        ] {
            assert!(redactor.finds_in(said), "{said}");
            assert_eq!(redactor.clean(said), expected);
        }
    }

    #[test]
    fn hostile_masks_cost_no_more_than_their_length() {
        let redactor = Redactor::of(["sk-proj-ü123456789abcdefWXYZ"]);
        let text = "sk-proj-ü****YZ…".repeat(20_000);
        assert_eq!(redactor.clean(&text).matches(REDACTED).count(), 20_000);
        let stars = "*".repeat(200_000);
        assert_eq!(redactor.clean(&stars), stars);
    }
}
