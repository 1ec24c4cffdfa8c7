//! How long a receiver asks to wait, in every form of the headers that is met. Knows the clock only as an argument.

use std::time::Duration;

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

/// Nobody means longer waits: they are taken as [`INSTEAD_S`], so that a receiver that wants to be left alone is.
const LONGEST_S: f64 = 366.0 * 86_400.0;
const INSTEAD_S: f64 = 86_400.0;
/// From here on it is no number of seconds, in no integer that anybody keeps.
const NO_NUMBER: f64 = 1e19;

/// Headers are looked up by `header`, under names in lower case. `None` where nothing usable is said: then the caller's
/// own backoff counts.
pub fn retry_after<'a>(header: impl Fn(&str) -> Option<&'a str>, now: Timestamp) -> Option<Duration> {
    let text = |name| header(name).map(str::trim);
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
    (0.0..NO_NUMBER).contains(&wait).then(|| bounded(wait))
}

fn bounded(wait_s: f64) -> Duration {
    Duration::from_secs_f64(if wait_s > LONGEST_S { INSTEAD_S } else { wait_s })
}

/// The three date forms of HTTP (RFC 9110, 5.6.7); a date that has passed asks for no wait. The day of the week is
/// passed over: a receiver that is wrong about it still means that date.
fn until(text: &str, now: Timestamp) -> Option<Duration> {
    let forms = [
        "%d %b %Y %H:%M:%S GMT",
        "%d-%b-%y %H:%M:%S GMT",
        "%b %e %H:%M:%S %Y",
    ];
    let (_, day) = text.split_once([',', ' '])?;
    let date = forms
        .iter()
        .find_map(|form| DateTime::strptime(form, day.trim_start()).ok())?;
    let at = TimeZone::UTC.to_timestamp(date).ok()?;
    let wait = at.duration_since(now).as_secs_f64();
    Some(bounded(wait.max(0.0)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: &str = "2026-03-01T12:00:00Z";

    fn asked(now: &str, headers: &[(&str, &str)]) -> Option<f64> {
        let header = |name: &str| headers.iter().find(|(n, _)| *n == name).map(|(_, value)| *value);
        retry_after(header, now.parse().unwrap()).map(|wait| wait.as_secs_f64())
    }

    /// Now, header, value, seconds to wait.
    const ROWS: &[(&str, &str, &str, Option<f64>)] = &[
        ("2026-03-01T12:00:00.200Z", "retry-after", "7", Some(7.0)),
        (
            "2026-03-01T12:00:00.200Z",
            "retry-after",
            "Sun, 01 Mar 2026 12:00:30 GMT",
            Some(29.8),
        ),
        (START, "retry-after", "Sun, 01 Mar 2026 11:59:00 GMT", Some(0.0)),
        (START, "retry-after", "Sunday, 01-Mar-26 12:00:10 GMT", Some(10.0)),
        (START, "retry-after", "Sun Mar  1 12:00:10 2026", Some(10.0)),
        (START, "retry-after", "Tue, 01 Mar 2026 12:00:10 GMT", Some(10.0)),
        (START, "retry-after", "Mon, 31 Feb 2026 12:00:10 GMT", None),
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
        (
            START,
            "retry-after",
            "Sun, 01 Mar 9999 12:00:30 GMT",
            Some(86_400.0),
        ),
        (START, "retry-after", "4294967295", Some(86_400.0)),
        (START, "retry-after", "9223372036854775807", Some(86_400.0)),
        (START, "retry-after-ms", "9223372036854775807", Some(86_400.0)),
        (START, "retry-after", "604800", Some(604_800.0)),
        (START, "retry-after-ms", "-1", None),
    ];

    #[test]
    fn every_form() {
        for (now, name, value, expected) in ROWS {
            let wait = asked(now, &[(name, value)]);
            let is_near = match (wait, expected) {
                (Some(wait), Some(expected)) => (wait - expected).abs() < 1e-6,
                (wait, expected) => wait == *expected,
            };
            assert!(is_near, "{name}: {value} gave {wait:?}");
        }
    }

    #[test]
    fn milliseconds_come_first() {
        let both = |ms| asked(START, &[("retry-after", "60"), ("retry-after-ms", ms)]);
        assert_eq!(both("250"), Some(0.25));
        assert_eq!(both("nonsense"), Some(60.0));
    }
}
