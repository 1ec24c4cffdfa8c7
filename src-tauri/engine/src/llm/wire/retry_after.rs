//! How long a provider's response asks to wait, by its headers. Knows the clock only as an argument.

use std::time::Duration;

use jiff::Timestamp;
use reqwest::header::HeaderMap;

use super::classify::span_ms;
use crate::model::retry_after::retry_after;

/// Allowances that come back at a time: how much is left, when it is full again.
const ALLOWANCES: &[(&str, &str)] = &[
    ("x-ratelimit-remaining-requests", "x-ratelimit-reset-requests"),
    ("x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"),
    ("x-ratelimit-remaining", "x-ratelimit-reset"),
    (
        "anthropic-ratelimit-requests-remaining",
        "anthropic-ratelimit-requests-reset",
    ),
    (
        "anthropic-ratelimit-tokens-remaining",
        "anthropic-ratelimit-tokens-reset",
    ),
    (
        "anthropic-ratelimit-input-tokens-remaining",
        "anthropic-ratelimit-input-tokens-reset",
    ),
    (
        "anthropic-ratelimit-output-tokens-remaining",
        "anthropic-ratelimit-output-tokens-reset",
    ),
];

/// Rounded up, so that nobody comes too early. Allowances are looked at only where no wait is named and `is_rate`.
pub(super) fn wait_ms(headers: &HeaderMap, now: Timestamp, is_rate: bool) -> Option<u64> {
    let header = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let named = retry_after(header, now).map(ms);
    named.or_else(|| {
        let waits = ALLOWANCES.iter().filter_map(|(left, reset)| {
            let is_used_up = header(left).is_none_or(|left| left.trim() == "0");
            header(reset)
                .filter(|_| is_used_up)
                .and_then(|at| until(at.trim(), now))
        });
        waits.max().filter(|_| is_rate)
    })
}

/// A span such as `6m0s`, a time, or milliseconds since 1970.
fn until(text: &str, now: Timestamp) -> Option<u64> {
    if let Some(span) = span_ms(text) {
        return Some(span);
    }
    let at = match text.parse::<i64>() {
        Ok(epoch) if epoch > 1_000_000_000_000 => Timestamp::from_millisecond(epoch).ok()?,
        Ok(_) => return None,
        Err(_) => text.parse::<Timestamp>().ok()?,
    };
    let wait = at.duration_since(now).as_secs_f64();
    // Nobody means longer waits than a year.
    let wait = if wait > 366.0 * 86_400.0 { 86_400.0 } else { wait };
    Some(ms(Duration::from_secs_f64(wait.max(0.0))))
}

fn ms(wait: Duration) -> u64 {
    u64::try_from(wait.as_nanos().div_ceil(1_000_000)).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use reqwest::header::{HeaderName, HeaderValue};

    use super::*;
    use crate::llm::wire::trial;

    const NOW: &str = "2026-03-01T12:00:00Z";

    fn asked_at(now: &str, headers: &[(&str, &str)], is_rate: bool) -> Option<u64> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
            map.insert(name, HeaderValue::from_str(value).unwrap());
        }
        wait_ms(&map, now.parse().unwrap(), is_rate)
    }

    fn asked(headers: &[(&str, &str)], is_rate: bool) -> Option<u64> {
        asked_at(NOW, headers, is_rate)
    }

    /// Never a moment too early, and half a second too late at most.
    #[test]
    fn case_error_01_every_form_is_waited_for() {
        let rows = trial::file("cases/error-01-retry-after-forms/rows.json");
        let rows: Vec<serde_json::Value> = serde_json::from_str(&rows).unwrap();
        assert_eq!(rows.len(), 16);
        for row in rows {
            let headers = row["headers"].as_object().unwrap().iter();
            let headers: Vec<(&str, &str)> = headers
                .map(|(name, value)| (name.as_str(), value.as_str().unwrap()))
                .collect();
            let wait = asked_at(row["now"].as_str().unwrap(), &headers, true);
            match (row["wait_s"].as_f64(), wait) {
                (None, None) => {}
                (Some(least), Some(wait)) => {
                    let least = least * 1000.0;
                    assert!(
                        (least..least + 500.0).contains(&(wait as f64)),
                        "{row} gave {wait}"
                    );
                }
                (_, wait) => panic!("{row} gave {wait:?}"),
            }
        }
    }

    #[test]
    fn allowances_count_where_no_wait_is_named() {
        for (headers, wait) in [
            (&[("x-ratelimit-reset-requests", "6m0s")][..], Some(360_000)),
            (
                &[("anthropic-ratelimit-requests-reset", "2026-03-01T12:00:45Z")],
                Some(45_000),
            ),
            (&[("x-ratelimit-reset", "1772366460000")], Some(60_000)),
            (&[("x-ratelimit-reset", "12")], None),
            (&[("x-ratelimit-reset-tokens", "soon")], None),
            (
                &[
                    ("x-ratelimit-reset-tokens", "9s"),
                    ("x-ratelimit-remaining-tokens", "100"),
                ],
                None,
            ),
            (
                &[("x-ratelimit-reset-tokens", "9s"), ("retry-after", "1.0001")],
                Some(1001),
            ),
            (&[("retry-after", "-3")], None),
        ] {
            assert_eq!(asked(headers, true), wait, "{headers:?}");
        }
        assert_eq!(asked(&[("x-ratelimit-reset-requests", "6m0s")], false), None);
    }
}
