//! The models that a plan names: each must be one that can be asked. It must not know how any is reached.

use super::fallback::ROLES;
use super::{Check, Severity, Who, listed};
use crate::model::TaskId;
use crate::model::json::At;
use crate::model::problem::Code;

/// Whoever asks a model and names none.
const EXECUTOR: &str = "executor";

/// Tells of a name that leads to no model. Where there is none at all, that is one thing to mend, and told once.
pub(super) fn check(check: &mut Check<'_>, name: &str, at: &At<'_>, who: &Who) {
    if !check.setting.has_models {
        return;
    }
    if let Some(why) = check.setting.catalog.why_no_model(name) {
        let message = format!("{who}: {}", lowered(&why));
        // A role is given its model in the settings, not in the plan.
        let severity = match ROLES.contains(&name) {
            true => Severity::Warning,
            false => Severity::Error,
        };
        check.say(severity, Code::UnknownModel, at.pointer(), who.tasks(), message);
    }
}

/// The same of all tasks that name none, as one thing to mend.
pub(super) fn check_usual(check: &mut Check<'_>, (pointer, tasks): (String, Vec<TaskId>)) {
    if let Some(why) = check.setting.catalog.why_no_model(EXECUTOR) {
        let message = format!("{}: {}", listed("Task", "Tasks", &tasks), lowered(&why));
        check.say(Severity::Warning, Code::UnknownModel, pointer, tasks, message);
    }
}

/// The first letter small, as after a colon.
fn lowered(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|c| c.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
