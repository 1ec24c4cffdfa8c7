//! Headers that carry credentials, masked whatever they hold. It must not know any secret.

use super::{Json, REDACTED};

const CREDENTIALS: [&str; 8] = [
    "authorization",
    "proxy-authorization",
    "x-api-key",
    "api-key",
    "x-goog-api-key",
    "cookie",
    "set-cookie",
    "x-auth-token",
];

pub(super) fn is_credential(name: &str) -> bool {
    CREDENTIALS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// `headers`, `request_headers`, `responseHeaders` …
pub(super) fn is_list_of_headers(name: &str) -> bool {
    name.to_ascii_lowercase().ends_with("headers")
}

/// Headers as a list of `[name, value]` or `{"name", "value"}`.
pub(super) fn masked_pairs(items: Vec<Json>) -> Vec<Json> {
    let is_named = |name: Option<&Json>| name.and_then(Json::as_str).is_some_and(is_credential);
    let mask = || Json::String(REDACTED.to_owned());
    let masked = |item: Json| match item {
        Json::Array(mut pair) if pair.len() == 2 && is_named(pair.first()) => {
            pair[1] = mask();
            Json::Array(pair)
        }
        Json::Object(mut pair) if is_named(pair.get("name")) && pair.contains_key("value") => {
            pair.insert("value".to_owned(), mask());
            Json::Object(pair)
        }
        other @ (Json::Null
        | Json::Bool(_)
        | Json::Number(_)
        | Json::String(_)
        | Json::Array(_)
        | Json::Object(_)) => other,
    };
    items.into_iter().map(masked).collect()
}

/// The text with what stands behind `Authorization:` and its like taken out, up to the end of the line or the quote.
pub(super) fn masked(text: &str) -> String {
    let lower = text.to_ascii_lowercase();
    let mut out = String::new();
    let mut done = 0;
    while let Some((start, end)) = next_value(&lower, text, done) {
        out.push_str(&text[done..start]);
        out.push_str(REDACTED);
        done = end;
    }
    if done == 0 {
        return text.to_owned();
    }
    out.push_str(&text[done..]);
    out
}

/// Where the next masked value begins and ends. `lower` has the same bytes in lower case.
fn next_value(lower: &str, text: &str, from: usize) -> Option<(usize, usize)> {
    let mut from = from;
    loop {
        let (at, name) = CREDENTIALS
            .iter()
            .filter_map(|name| Some((from + lower[from..].find(name)?, *name)))
            .min_by_key(|(at, name)| (*at, std::cmp::Reverse(name.len())))?;
        let behind = at + name.len();
        let is_word = !lower[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_');
        match value_behind(text, behind).filter(|_| is_word) {
            Some(found) => return Some(found),
            None => from = behind,
        }
    }
}

fn value_behind(text: &str, at: usize) -> Option<(usize, usize)> {
    let rest = &text[at..];
    let is_quote = |c: char| matches!(c, '"' | '\'' | '\\');
    let rest = rest.trim_start_matches(is_quote).trim_start_matches(' ');
    let rest = rest.strip_prefix(':').or_else(|| rest.strip_prefix('='))?;
    let rest = rest.trim_start_matches([' ', '[']).trim_start_matches(is_quote);
    let length = rest
        .find(|c: char| is_quote(c) || matches!(c, '\n' | '\r'))
        .unwrap_or(rest.len());
    let start = text.len() - rest.len();
    let is_masked_already = rest.starts_with(REDACTED);
    (length > 0 && !is_masked_already).then_some((start, start + length))
}
