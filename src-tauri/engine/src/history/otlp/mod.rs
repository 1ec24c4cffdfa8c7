//! A run as an OpenTelemetry trace in OTLP/JSON, by the semantic conventions for generative AI (1.41, still "development"):
//! the run is the root; below it tasks, attempts, questions to models (`chat`) and calls of tools (`execute_tool`). Ids follow
//! from the run and the positions of its events, so that the same run is the same trace whenever it is written.
//!
//! What was said, given and returned is left out unless it is asked for; secrets are taken out of it even then.

mod names;
mod span;
mod walk;

use serde_json::{Value, json};

pub use walk::{Contents, Traced, trace};

/// Spans in one line of a file, and in one request.
pub const BATCH: usize = 1_000;

/// One batch as an `ExportTraceServiceRequest`, which is also one line of an OTLP file.
pub fn batch(spans: &[Value], version: &str) -> Value {
    json!({
        "resourceSpans": [{
            "resource": { "attributes": [
                span::text("service.name", "planloom"),
                span::text("service.version", version),
            ]},
            "scopeSpans": [{
                "scope": { "name": "planloom", "version": version },
                "spans": spans,
                "schemaUrl": names::SCHEMA,
            }],
            "schemaUrl": names::SCHEMA,
        }],
    })
}
