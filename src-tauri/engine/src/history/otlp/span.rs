//! One span as JSON: ids as hex, 64 bit numbers as text, times in nanoseconds, as OTLP's JSON wants them.

use serde_json::{Value, json};

use crate::model::{RunId, Seq};

/// Kinds of spans by their numbers.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    Internal = 1,
    Client = 3,
}

/// What becomes a span.
pub(super) struct Span {
    pub id: String,
    pub parent: Option<String>,
    pub name: String,
    pub kind: Kind,
    pub start_ms: i64,
    pub end_ms: i64,
    pub attributes: Vec<Value>,
    pub events: Vec<Value>,
    pub links: Vec<String>,
    pub outcome: Outcome,
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    Unset,
    Ok,
    /// With what may be said of it.
    Error(String),
}

/// The trace of a run.
pub(super) fn trace_id(run: &RunId) -> String {
    hex(&format!("planloom trace {run}"), 16)
}

/// A span of a run: `what` it is, and the event that it begins with.
pub(super) fn span_id(run: &RunId, what: &str, seq: Seq) -> String {
    hex(&format!("planloom span {run} {what} {seq}"), 8)
}

fn hex(text: &str, bytes: usize) -> String {
    let mut hash = *blake3::hash(text.as_bytes()).as_bytes();
    // All noughts are no id.
    hash[0] |= 1;
    hash[..bytes].iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Span {
    pub fn json(self, trace: &str) -> Value {
        let status = match self.outcome {
            Outcome::Unset => json!({}),
            Outcome::Ok => json!({ "code": 1 }),
            Outcome::Error(message) => json!({ "code": 2, "message": message }),
        };
        let links: Vec<Value> = self
            .links
            .iter()
            .map(|span| json!({ "traceId": trace, "spanId": span }))
            .collect();
        json!({
            "traceId": trace,
            "spanId": self.id,
            "parentSpanId": self.parent.unwrap_or_default(),
            "name": self.name,
            "kind": self.kind as i32,
            "startTimeUnixNano": nanos(self.start_ms),
            "endTimeUnixNano": nanos(self.end_ms.max(self.start_ms)),
            "attributes": self.attributes,
            "events": self.events,
            "links": links,
            "status": status,
        })
    }
}

pub(super) fn event(at_ms: i64, name: &str, attributes: Vec<Value>) -> Value {
    json!({ "timeUnixNano": nanos(at_ms), "name": name, "attributes": attributes })
}

fn nanos(ms: i64) -> String {
    (i128::from(ms.max(0)) * 1_000_000)
        .min(i128::from(u64::MAX))
        .to_string()
}

pub(super) fn text(key: &str, value: &str) -> Value {
    json!({ "key": key, "value": { "stringValue": value } })
}

pub(super) fn number(key: &str, value: u64) -> Value {
    let value = i64::try_from(value).unwrap_or(i64::MAX);
    json!({ "key": key, "value": { "intValue": value.to_string() } })
}

pub(super) fn flag(key: &str, value: bool) -> Value {
    json!({ "key": key, "value": { "boolValue": value } })
}

/// Money as a number; it is for charts, the sums of the run are exact elsewhere.
pub(super) fn money(key: &str, usd: &str) -> Value {
    let value: f64 = usd.parse().unwrap_or_default();
    json!({ "key": key, "value": { "doubleValue": value } })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_the_same_whenever_they_are_asked_for_and_never_nought() {
        let run = RunId::from("0199-run");
        assert_eq!(trace_id(&run), trace_id(&run));
        assert_eq!((trace_id(&run).len(), span_id(&run, "call", 7).len()), (32, 16));
        assert_ne!(span_id(&run, "call", 7), span_id(&run, "call", 8));
        assert_ne!(
            span_id(&run, "call", 7),
            span_id(&RunId::from("0199-other"), "call", 7)
        );
        assert_eq!(nanos(-5), "0");
        assert_eq!(nanos(i64::MAX), u64::MAX.to_string());
    }
}
