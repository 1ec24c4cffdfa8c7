//! Takes a provider's secrets out of text. It must not know where they came from, nor what the text is for.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

const REDACTED: &str = "•••";
/// Shorter ones would tear ordinary text apart and protect nothing.
const SHORTEST: usize = 3;

/// Takes secrets out of text, in every form in which they travel.
#[derive(Clone, Default)]
pub(super) struct Redactor(Vec<String>);

impl Redactor {
    pub fn of<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut forms: Vec<String> = secrets
            .into_iter()
            .filter(|secret| secret.len() >= SHORTEST)
            .flat_map(forms)
            .collect();
        // The longest first, so that no part of one is left by another.
        forms.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        forms.dedup();
        Self(forms)
    }

    pub fn finds_in(&self, text: &str) -> bool {
        self.0.iter().any(|form| text.contains(form))
    }

    pub fn clean(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, form| text.replace(form, REDACTED))
    }
}

fn forms(secret: &str) -> Vec<String> {
    let form: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let json = serde_json::Value::from(secret).to_string();
    let mut forms = vec![
        secret.to_owned(),
        form.replace('+', "%20"),
        form.to_lowercase(),
        form,
        json.trim_matches('"').to_owned(),
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

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::STANDARD;

    use super::*;

    #[test]
    fn a_key_is_found_in_every_form() {
        let key = "sk-canary/7+secret=\"x";
        let redactor = Redactor::of([key]);
        let url: String = url::form_urlencoded::byte_serialize(key.as_bytes()).collect();
        for said in [
            format!("Incorrect API key provided: {key}."),
            format!("https://x/?key={url}&a=1"),
            format!("{}", serde_json::json!({ "echo": key })),
        ] {
            let clean = redactor.clean(&said);
            assert!(clean.contains(REDACTED) && !clean.contains("canary"), "{clean}");
        }
        for user in ["", "a", "ab", "abc:", "user:"] {
            for encoded in [
                STANDARD.encode(format!("{user}{key}")),
                URL_SAFE_NO_PAD.encode(format!("{user}{key}!")),
            ] {
                let clean = redactor.clean(&format!("Basic {encoded}"));
                assert!(clean.contains(REDACTED) && clean.chars().count() < 25, "{clean}");
            }
        }
        assert_eq!(Redactor::of(["ab"]).clean("about"), "about");
    }
}
