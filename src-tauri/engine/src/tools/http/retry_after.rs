//! How long a receiver asks to wait, in every form that is met. Knows the clock only as an argument.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use reqwest::header::HeaderMap;

/// Longer waits are mistakes.
const LONGEST_S: f64 = 366.0 * 86_400.0;

/// `None` where nothing usable is said: then the caller's own backoff counts.
pub(super) fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|v| v.to_str().ok()).map(str::trim);
    let ms = text("retry-after-ms").and_then(|t| seconds(t, 1000.0));
    ms.or_else(|| {
        let asked = text("retry-after")?;
        seconds(asked, 1.0).or_else(|| until(asked, now))
    })
}

fn seconds(text: &str, per_second: f64) -> Option<Duration> {
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    let wait = text.parse::<f64>().ok()? / per_second;
    (0.0..=LONGEST_S)
        .contains(&wait)
        .then(|| Duration::from_secs_f64(wait))
}

/// The three date forms of HTTP (RFC 9110, 5.6.7); a date that has passed asks for no wait.
fn until(text: &str, now: Timestamp) -> Option<Duration> {
    let forms = [
        "%a, %d %b %Y %H:%M:%S GMT",
        "%A, %d-%b-%y %H:%M:%S GMT",
        "%a %b %e %H:%M:%S %Y",
    ];
    let date = forms
        .iter()
        .find_map(|form| DateTime::strptime(form, text).ok())?;
    let at = TimeZone::UTC.to_timestamp(date).ok()?;
    let wait = at.duration_since(now).as_secs_f64();
    (wait <= LONGEST_S).then(|| Duration::from_secs_f64(wait.max(0.0)))
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;

    const START: &str = "2026-03-01T12:00:00Z";

    /// Now, header, value, seconds to wait.
    const ROWS: &[(&str, &str, &str, Option<f64>)] = &[
        ("2026-03-01T12:00:00.200Z", "retry-after", "7", Some(7.0)),
        (
            "2026-03-01T12:00:00.200Z",
            "Retry-After",
            "Sun, 01 Mar 2026 12:00:30 GMT",
            Some(29.8),
        ),
        (START, "retry-after", "Sun, 01 Mar 2026 11:59:00 GMT", Some(0.0)),
        (START, "retry-after", "Sunday, 01-Mar-26 12:00:10 GMT", Some(10.0)),
        (START, "retry-after", "Sun Mar  1 12:00:10 2026", Some(10.0)),
        (START, "retry-after-ms", "1500", Some(1.5)),
        (START, "retry-after", "0", Some(0.0)),
        (START, "retry-after", "-3", None),
        (START, "retry-after", "1.5", Some(1.5)),
        (START, "retry-after", "soon", None),
        (START, "retry-after", "", None),
        (START, "x-other", "1", None),
        (START, "retry-after", "86400", Some(86_400.0)),
        (START, "retry-after", "99999999999999999999", None),
        (START, "retry-after", "NaN", None),
        (START, "retry-after", "inf", None),
        (START, "retry-after", "1e999", None),
        (START, "retry-after", "Sun, 01 Mar 9999 12:00:30 GMT", None),
        (START, "retry-after-ms", "-1", None),
    ];

    #[test]
    fn every_form() {
        for (now, name, value, expected) in ROWS {
            let mut headers = HeaderMap::new();
            headers.insert(
                HeaderName::from_bytes(name.as_bytes()).unwrap(),
                HeaderValue::from_str(value).unwrap(),
            );
            let wait = retry_after(&headers, now.parse().unwrap()).map(|w| w.as_secs_f64());
            let is_near = match (wait, expected) {
                (Some(wait), Some(expected)) => (wait - expected).abs() < 1e-6,
                (wait, expected) => wait == *expected,
            };
            assert!(is_near, "{name}: {value} gave {wait:?}");
        }
    }

    #[test]
    fn milliseconds_come_first() {
        let mut headers = HeaderMap::new();
        headers.insert("retry-after", HeaderValue::from_static("60"));
        headers.insert("retry-after-ms", HeaderValue::from_static("250"));
        assert_eq!(
            retry_after(&headers, START.parse().unwrap()),
            Some(Duration::from_millis(250))
        );
        headers.insert("retry-after-ms", HeaderValue::from_static("nonsense"));
        assert_eq!(
            retry_after(&headers, START.parse().unwrap()),
            Some(Duration::from_secs(60))
        );
    }
}
