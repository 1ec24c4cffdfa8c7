//! What a plan may cost and how long it may take, in one line. It works nothing out.

use planloom_engine::EstimateShown;
use serde_json::Value;

use crate::out::piece;

/// Tasks of the longest way that are named.
const NAMED: usize = 8;

pub fn line(estimate: &EstimateShown) -> String {
    let mut parts = vec![
        range(&estimate.usd, "$", "", &estimate.unpriced),
        range(&estimate.tokens, "", " tokens", &[]),
        range(&estimate.seconds, "", " s", &estimate.untimed),
    ];
    if estimate.critical_path.len() > 1 {
        let named: Vec<&str> = estimate
            .critical_path
            .iter()
            .take(NAMED)
            .map(String::as_str)
            .collect();
        let more = if estimate.critical_path.len() > NAMED {
            " → …"
        } else {
            ""
        };
        parts.push(format!("longest way {}{more}", named.join(" → ")));
    }
    if !estimate.asks.is_empty() {
        parts.push(format!("waits for you at {}", estimate.asks.join(", ")));
    }
    piece(&format!("  estimate: {}", parts.join("; ")))
}

/// `$0.01 to $0.2 (likely $0.05)`; open upwards where nobody knows the most, and because of what.
fn range(span: &Value, before: &str, after: &str, unknown: &[String]) -> String {
    let text = |name: &str| match span.get(name) {
        Some(Value::String(text)) => Some(text.clone()),
        Some(Value::Number(number)) => Some(number.to_string()),
        Some(_) | None => None,
    };
    let low = text("low").unwrap_or_else(|| "0".to_owned());
    match text("high") {
        Some(high) if high == low => format!("{before}{low}{after}"),
        Some(high) => {
            let likely = text("likely").filter(|likely| *likely != low && *likely != high);
            let likely = likely.map_or(String::new(), |likely| format!(" (likely {before}{likely})"));
            format!("{before}{low} to {before}{high}{after}{likely}")
        }
        None if unknown.is_empty() => format!("{before}{low}{after} or more"),
        None => {
            let count = unknown.len();
            let tasks = if count == 1 { "task" } else { "tasks" };
            format!("{before}{low}{after} or more ({count} {tasks} unknown)")
        }
    }
}
