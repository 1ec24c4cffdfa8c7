//! The terms on which a task is done, most of which most tasks leave at their defaults.

use std::sync::Arc;
use std::time::Duration;

use super::object::{Object, Range};
use super::{Check, schema};
use crate::model::fields;
use crate::model::plan::{RetryPolicy, Terms};
use crate::model::problem::Code;

/// A day: no wait between two attempts is longer.
const MOST_WAIT_MS: u64 = 86_400_000;
const MOST_ATTEMPTS: u64 = 1_000;
/// A year.
const MOST_TIMEOUT_S: f64 = 31_536_000.0;

/// Reads those that mean nothing to others; `when`, `check`, `writes` and `fallback` are read with the inputs.
pub(super) fn read(check: &mut Check<'_>, object: &Object<'_, '_>) -> Terms {
    let output_schema = object.get("output_schema");
    if let Some(output_schema) = output_schema {
        schema::check(check, output_schema, &object.at.key("output_schema"), object.who);
    }
    Terms {
        title: object.text(check, "title").map(Box::from),
        output_schema: output_schema.map(|schema| Arc::new(schema.clone())),
        retry: retry(check, object),
        timeout: timeout(check, object),
        is_optional: object.flag(check, "optional"),
        needs_approval: needs_approval(check, object),
        is_idempotent: object.flag(check, "idempotent"),
        model: object.text(check, "model").map(Box::from),
        ..Terms::default()
    }
}

fn retry(check: &mut Check<'_>, object: &Object<'_, '_>) -> RetryPolicy {
    let default = RetryPolicy::default();
    let Some(map) = object.object(check, "retry") else {
        return default;
    };
    let at = object.at.key("retry");
    let retry = Object {
        map,
        at: &at,
        who: object.who,
    };
    retry.unknown(check, &fields::RETRY);
    RetryPolicy {
        max_attempts: retry
            .count(check, "max_attempts", 1, MOST_ATTEMPTS)
            .map_or(default.max_attempts, |n| n as u32),
        initial_ms: retry
            .count(check, "initial_ms", 0, MOST_WAIT_MS)
            .unwrap_or(default.initial_ms),
        multiplier: retry
            .number(check, "multiplier", Range::From(1.0, 1000.0))
            .unwrap_or(default.multiplier),
        max_ms: retry
            .count(check, "max_ms", 0, MOST_WAIT_MS)
            .unwrap_or(default.max_ms),
    }
}

fn timeout(check: &mut Check<'_>, object: &Object<'_, '_>) -> Option<Duration> {
    let seconds = object.number(check, "timeout_s", Range::Above0(MOST_TIMEOUT_S))?;
    Duration::try_from_secs_f64(seconds).ok()
}

fn needs_approval(check: &mut Check<'_>, object: &Object<'_, '_>) -> bool {
    match object.text(check, "approval") {
        None | Some("none") => false,
        Some("before") => true,
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            let message = format!(
                "{}: `approval` is \"none\" or \"before\", not \"{shown}\".",
                object.who
            );
            check.error(Code::Type, &object.at.key("approval"), object.who, message);
            false
        }
    }
}
