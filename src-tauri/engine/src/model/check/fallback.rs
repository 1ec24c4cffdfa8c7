//! The fallback of a task: what is called when the first is down.

use super::inputs::{Reader, Scope};
use super::object::Object;
use super::{Check, models, tools};
use crate::model::Json;
use crate::model::plan::{Input, Word};

/// Words that name a role instead of a model.
pub(super) const ROLES: [&str; 4] = ["planner", "executor", "replanner", "synthesizer"];

/// Another tool for a tool, which gets the same inputs; else another model. A name with `/` may be either a model or
/// a tool of an MCP server.
pub(super) fn read(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
    (task_type, inputs): (Option<&str>, &[(Word, Input)]),
) -> Option<Box<str>> {
    let name = object.text(check, "fallback")?;
    let at = object.at.key("fallback");
    if task_type == Some("tool") {
        let written = object.get("inputs");
        if let Some(spec) = tools::find(check, name, &at, object.who)
            && object.get("tool").and_then(Json::as_str) != Some(name)
            && written.is_none_or(Json::is_object)
        {
            tools::check_call(check, scope, reader, spec, (inputs, written, object.at));
        }
    } else if !name.contains('/') && !ROLES.contains(&name) {
        tools::find(check, name, &at, object.who);
    } else if matches!(task_type, Some("agent" | "model")) {
        models::check(check, name, &at, object.who);
    }
    Some(name.into())
}
