//! The terms on which a task is done, most of which most tasks leave at their defaults.

use std::sync::Arc;
use std::time::Duration;

use super::object::{Object, Range};
use super::{Check, fits, models, schema};
use crate::model::json::At;
use crate::model::plan::{RetryPolicy, Terms};
use crate::model::problem::Code;
use crate::model::{Json, fields};

/// A day: no wait between two attempts is longer.
const MOST_WAIT_MS: u64 = 86_400_000;
const MOST_ATTEMPTS: u64 = 1_000;
/// A year.
const MOST_TIMEOUT_S: f64 = 31_536_000.0;

/// Reads those that mean nothing to others; `when`, `check`, `writes` and `fallback` are read with the inputs.
pub(super) fn read(check: &mut Check<'_>, object: &Object<'_, '_>) -> Terms {
    let output_schema = object.get("output_schema");
    if let Some(output_schema) = output_schema {
        let at = object.at.key("output_schema");
        if schema::check_possible(check, output_schema, &at, (object.who, "output")) {
            check_output(check, object, output_schema, &at);
        }
    }
    Terms {
        title: object.text(check, "title").map(Box::from),
        output_schema: output_schema.map(|schema| Arc::new(schema.clone())),
        retry: retry(check, object),
        timeout: timeout(check, object),
        is_optional: object.flag(check, "optional"),
        needs_approval: needs_approval(check, object),
        is_idempotent: object.flag(check, "idempotent"),
        model: model(check, object).map(Box::from),
        ..Terms::default()
    }
}

/// What the task gives for certain must be able to fit. A stand-in may give something else.
fn check_output(check: &mut Check<'_>, object: &Object<'_, '_>, wanted: &Json, at: &At<'_>) {
    if !check.foresees() || object.get("fallback").is_some() {
        return;
    }
    let list = serde_json::json!({"type": "array"});
    let catalog = check.setting.catalog;
    let text = |name: &str| object.get(name).and_then(Json::as_str);
    let (what, given) = match text("task_type") {
        Some("tool") => {
            let Some(spec) = text("tool").and_then(|tool| catalog.get(tool)) else {
                return;
            };
            (format!("what `{}` gives", spec.name), &spec.result)
        }
        Some("human") => match object.get("form") {
            Some(form) => ("what the form gives".to_owned(), form),
            None => return,
        },
        Some("map") => ("the list that a map gives".to_owned(), &list),
        Some(_) | None => return,
    };
    if let Some(why) = fits::conflict(given, wanted) {
        let message = format!("{}: {what} can't fit this: {}.", object.who, schema::cut(&why));
        check.error(Code::BadSchema, at, object.who, message);
    }
}

fn model<'d>(check: &mut Check<'_>, object: &Object<'_, 'd>) -> Option<&'d str> {
    let name = object.text(check, "model")?;
    let asks = object
        .get("task_type")
        .is_none_or(|kind| kind == "agent" || kind == "model");
    if asks {
        models::check(check, name, &object.at.key("model"), object.who);
    }
    Some(name)
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
