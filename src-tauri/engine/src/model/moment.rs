//! A moment as people read it. It must not know the clock.

/// To the second, in UTC; `ms` are milliseconds since 1970.
pub fn moment(ms: i64) -> String {
    let at = jiff::Timestamp::from_millisecond(ms).unwrap_or(jiff::Timestamp::MAX);
    at.strftime("%Y-%m-%d %H:%M:%S UTC").to_string()
}
