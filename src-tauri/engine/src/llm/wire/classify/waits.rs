//! How long a body asks to wait. Headers are read elsewhere: some of them need a clock.

use serde_json::Value as Json;

/// Longer waits are mistakes.
const LONGEST_S: f64 = 366.0 * 86_400.0;

/// Gemini's `RetryInfo`, and the fields that gateways use.
pub(super) fn in_body(said: &Json) -> Option<u64> {
    let mut found = None;
    search(said, &mut found, 0);
    found
}

fn search(said: &Json, found: &mut Option<u64>, depth: usize) {
    if depth > 8 {
        return;
    }
    match said {
        Json::Array(items) => items.iter().for_each(|item| search(item, found, depth + 1)),
        Json::Object(map) => {
            for (key, value) in map {
                let wait = match (key.as_str(), value) {
                    ("retryDelay" | "retry_delay", Json::String(text)) => span_ms(text),
                    ("retry_after" | "retry_after_seconds", Json::Number(number)) => {
                        ms(number.as_f64(), 1000.0)
                    }
                    ("retry_after_ms", Json::Number(number)) => ms(number.as_f64(), 1.0),
                    _ => None,
                };
                *found = (*found).max(wait);
                search(value, found, depth + 1);
            }
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
    }
}

/// "Please try again in 6m0.5s.", in lower case.
pub(super) fn in_text(said: &str) -> Option<u64> {
    ["try again in ", "retry in ", "retry after "]
        .iter()
        .find_map(|words| {
            let (_, behind) = said.split_once(words)?;
            let span: String = behind
                .chars()
                .take_while(|c| c.is_ascii_digit() || matches!(c, '.' | 'h' | 'm' | 's'))
                .collect();
            span_ms(span.trim_end_matches('.'))
        })
}

/// Spans such as `34s`, `1.5s`, `350ms` and `6m0s`; a bare number is none.
pub(in crate::llm) fn span_ms(text: &str) -> Option<u64> {
    let mut rest = text.trim();
    let mut total = 0.0;
    let mut parts = 0;
    while !rest.is_empty() {
        let end = rest.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit: String = rest[end..]
            .chars()
            .take_while(char::is_ascii_alphabetic)
            .collect();
        total += number
            * match unit.as_str() {
                "ms" => 1.0,
                "s" => 1000.0,
                "m" => 60_000.0,
                "h" => 3_600_000.0,
                "d" => 86_400_000.0,
                _ => return None,
            };
        rest = &rest[end + unit.len()..];
        parts += 1;
    }
    (parts > 0).then_some(()).and_then(|()| ms(Some(total), 1.0))
}

/// Rounded up, so that nobody comes too early.
fn ms(amount: Option<f64>, per_unit: f64) -> Option<u64> {
    let ms = (amount? * per_unit).ceil();
    (0.0..=LONGEST_S * 1000.0).contains(&ms).then_some(ms as u64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn spans_are_read_or_refused() {
        for (text, wait) in [
            ("34s", Some(34_000)),
            ("34.07s", Some(34_070)),
            ("0.0001s", Some(1)),
            ("350ms", Some(350)),
            ("6m0s", Some(360_000)),
            ("1h2m3s", Some(3_723_000)),
            ("0s", Some(0)),
            ("-3s", None),
            ("NaNs", None),
            ("infs", None),
            ("34", None),
            ("", None),
            ("s", None),
            ("1e9s", None),
            ("99999999999999999999d", None),
            ("5 s", None),
            ("5é", None),
        ] {
            assert_eq!(span_ms(text), wait, "{text}");
        }
        assert_eq!(in_text("please try again in 1.2s. visit https"), Some(1200));
        assert_eq!(in_text("please try again in a while"), None);
    }

    #[test]
    fn a_body_names_its_wait_at_any_place() {
        let details = json!({"error": {"details": [{"@type": "x"}, {"retryDelay": "34s"}]}});
        assert_eq!(in_body(&details), Some(34_000));
        assert_eq!(in_body(&json!({"retry_after": 1.5})), Some(1500));
        assert_eq!(in_body(&json!({"retry_after": -1})), None);
        assert_eq!(in_body(&json!({"retry_after": "soon"})), None);
    }
}
