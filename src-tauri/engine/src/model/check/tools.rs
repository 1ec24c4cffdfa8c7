//! Tools in a plan: that they exist, that literal arguments fit, and that what only the run will know is granted.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde_json::Map;

use super::inputs::{Reader, Scope};
use super::writes::{self, Claim};
use super::{Check, Who, did_you_mean, foreseen, joined, places};
use crate::model::Json;
use crate::model::foreseen::Foreseen;
use crate::model::grants::{self, Grants};
use crate::model::json::{At, push_step, steps};
use crate::model::near::Names;
use crate::model::plan::{Input, Word};
use crate::model::problem::Code;
use crate::model::tool::{Access, ToolSpec};

/// Errors told of one call. Each is weighed against every reference in it.
const SHOWN_ERRORS: usize = 50;

/// The tool of that name; else it is told.
pub(super) fn find<'a>(check: &mut Check<'a>, name: &str, at: &At<'_>, who: &Who) -> Option<&'a ToolSpec> {
    let catalog = check.setting.catalog;
    if let Some(spec) = catalog.get(name) {
        if let Some(why) = catalog.why_off(name) {
            let message = format!("{who} names the tool `{name}`, which is off on this machine: {why}.");
            check.warn(Code::UnknownTool, at, who, message);
        }
        return Some(spec);
    }
    let meant = did_you_mean(check.tool_names.nearest(name));
    // The names of servers' tools are known once these were looked at.
    let server = name
        .split_once('/')
        .map_or("", |_| " What is known of servers' tools: `planloom servers`.");
    let message = format!("{who} names the tool `{name}`, which is not set up.{meant}{server}");
    check.error(Code::UnknownTool, at, who, message);
    None
}

/// The call of a `tool` task: arguments, grants, and the paths that it writes.
pub(super) fn check_call(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    spec: &ToolSpec,
    (inputs, written, at): (&[(Word, Input)], Option<&Json>, &At<'_>),
) {
    let before = check.problems.len();
    let mut holes = Vec::new();
    let arguments = object_with_holes(inputs, &mut String::new(), &mut holes);
    let known = Foreseen {
        arguments: &arguments,
        holes: &holes,
    };
    check_arguments(check, reader.who, spec, &known, (written, at));
    foreseen::check(check, reader.who, spec, &known, (written, at, before));
    foreseen::check_secrets(check, reader.who, spec, inputs, (written, at));
    if !spec.needs.is_empty() {
        // Where somebody else's program writes, its arguments do not say.
        check.own.writes_anything(reader.node);
    }
    if spec.touches.is_empty() {
        return;
    }
    check_resources(check, reader.who, spec, (inputs, written, at));
    let (needs, dynamic) = grants::needs_of_inputs(spec, inputs, check.setting.place);
    for access in &dynamic {
        if !has_entry(scope.grants, *access) {
            tell_missing_grant(check, scope, reader.who, (spec, *access), (written, at));
        }
    }
    places::check_closed(check, reader.who, spec, &needs, (written, at));
    if spec.runs_programs() || dynamic.contains(&Access::Write) {
        check.own.writes_anything(reader.node);
    }
    places::note_own_files(check, scope, reader, spec, (&needs, written, at));
    if !reader.is_in_map {
        let writes = needs.into_iter().filter(|need| need.access == Access::Write);
        let pointer = argument_pointer(spec, Access::Write, written, at);
        scope.claims.extend(writes.map(|need| Claim {
            path: need.resource,
            node: reader.node,
            pointer: pointer.clone(),
        }));
    }
}

/// The paths that a task says it will write.
pub(super) fn claim_writes(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    paths: &[(usize, &str)],
    at: &At<'_>,
) {
    for (ix, path) in paths {
        let path = writes::normal(path, check.setting.place);
        check.own.writes(&path, reader.node);
        scope.claims.push(Claim {
            path,
            node: reader.node,
            pointer: at.item(*ix).pointer(),
        });
    }
}

/// The tools that an agent may use: what they touch is only known during the run.
pub(super) fn check_agent(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    reader: Reader<'_>,
    names: &[(usize, &str)],
    at: &At<'_>,
) {
    let (grants, who) = (scope.grants, reader.who);
    for (ix, name) in names {
        let at = at.item(*ix);
        let Some(spec) = find(check, name, &at, who) else {
            continue;
        };
        if spec.writes_files() || !spec.needs.is_empty() {
            check.own.writes_anything(reader.node);
        }
        let touched = spec.touches.iter().filter(|touch| !touch.is_own_by_default);
        let mut kinds: Vec<Access> = touched.map(|touch| touch.access).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for access in kinds.into_iter().filter(|access| !has_entry(grants, *access)) {
            let message = format!("{who} may use `{name}`, and {}.", lacks(scope, access));
            check.error(Code::MissingGrant, &at, who, message);
        }
        for need in &spec.needs {
            if !grants::covers(grants, need, check.setting.place) {
                let plan = whose(scope);
                let to = if scope.is_inner { "to its own" } else { "to" };
                let message = format!(
                    "{who} may use `{name}`, which {plan} does not grant: add \"{}\" {to} `grants.{}`.",
                    need.resource,
                    field(need.access)
                );
                check.error(Code::MissingGrant, &at, who, message);
            }
        }
    }
}

fn whose(scope: &Scope<'_, '_>) -> &'static str {
    if scope.is_inner {
        "the inner plan"
    } else {
        "the plan"
    }
}

/// That a plan has no entry of a kind, and where one is to be added.
fn lacks(scope: &Scope<'_, '_>, access: Access) -> String {
    let (none, field) = (none_of(access), field(access));
    if scope.is_inner {
        return format!(
            "the inner plan grants {none} at all (what the plan around it grants does not count in it): add an entry to \
             `grants.{field}` of the inner plan"
        );
    }
    format!("the plan grants {none} at all: add an entry to `grants.{field}`")
}

fn tell_missing_grant(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    who: &Who,
    (spec, access): (&ToolSpec, Access),
    (written, at): (Option<&Json>, &At<'_>),
) {
    let message = format!(
        "{who}: what `{}` will touch is only known during the run, and {}.",
        spec.name,
        lacks(scope, access)
    );
    let pointer = argument_pointer(spec, access, written, at);
    check.say(
        super::Severity::Error,
        Code::MissingGrant,
        pointer,
        who.tasks(),
        message,
    );
}

/// A literal that names no usable resource, such as a path that leaves the run's folder or no URL at all.
fn check_resources(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    (inputs, written, at): (&[(Word, Input)], Option<&Json>, &At<'_>),
) {
    for touch in &spec.touches {
        let given = inputs.iter().find(|(name, _)| **name == *touch.argument);
        let Some(value) = given.and_then(|(_, input)| input.as_literal()) else {
            continue;
        };
        let alone = Json::Object(Map::from_iter([(touch.argument.to_owned(), value.clone())]));
        // A value of a wrong type is told by the tool's schema.
        let is_shaped = if touch.each_value {
            value.is_object()
        } else {
            value.is_string()
        };
        if let (true, Err(message)) = (is_shaped, grants::needs_of(spec, &alone, check.setting.place)) {
            let pointer = argument_pointer(spec, touch.access, written, at);
            // Its schema may have told it already.
            if check.problems.last().is_some_and(|told| told.pointer == pointer) {
                continue;
            }
            check.say(
                super::Severity::Error,
                Code::BadArguments,
                pointer,
                who.tasks(),
                format!("{who}: {message}."),
            );
        }
    }
}

fn has_entry(grants: &Grants, access: Access) -> bool {
    let entries = match access {
        Access::Read => &grants.read,
        Access::Write => &grants.write,
        Access::Host => &grants.hosts,
        Access::Database => &grants.databases,
        Access::Command => &grants.commands,
        Access::Mcp => &grants.mcp,
    };
    !entries.is_empty()
}

fn field(access: Access) -> &'static str {
    match access {
        Access::Read => "read",
        Access::Write => "write",
        Access::Host => "hosts",
        Access::Database => "databases",
        Access::Command => "commands",
        Access::Mcp => "mcp",
    }
}

fn none_of(access: Access) -> &'static str {
    match access {
        Access::Read => "no file to read",
        Access::Write => "no file to write",
        Access::Host => "no host",
        Access::Database => "no database",
        Access::Command => "no program",
        Access::Mcp => "no tool of an MCP server",
    }
}

/// The argument that names such a resource, where it is given; else the inputs, else the task.
pub(super) fn argument_pointer(
    spec: &ToolSpec,
    access: Access,
    written: Option<&Json>,
    at: &At<'_>,
) -> String {
    let Some(written) = written else {
        return at.pointer();
    };
    let inputs = at.key("inputs");
    let touches = spec.touches.iter().filter(|touch| touch.access == access);
    let given = touches
        .map(|touch| touch.argument)
        .find(|argument| written.get(argument).is_some());
    given.map_or_else(|| inputs.pointer(), |argument| inputs.key(argument).pointer())
}

/// Literal arguments against the tool's schema. A reference counts as present; its value is judged at the call.
fn check_arguments(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    known: &Foreseen<'_>,
    (written, at): (Option<&Json>, &At<'_>),
) {
    let Some(validator) = check.schemas.of_tool(spec) else {
        return;
    };
    if known.holes.is_empty() && validator.is_valid(known.arguments) {
        return;
    }
    for error in validator.iter_errors(known.arguments).take(SHOWN_ERRORS) {
        let place = error.instance_path().as_str().to_owned();
        if is_certain(&error, &place, known.holes) {
            tell_argument(check, who, spec, &error, (&place, written, at));
        }
    }
}

fn object_with_holes(inputs: &[(Word, Input)], path: &mut String, holes: &mut Vec<String>) -> Json {
    let mut map = Map::new();
    for (name, input) in inputs {
        let len = path.len();
        push_step(path, name);
        map.insert(name.to_string(), with_holes(input, path, holes));
        path.truncate(len);
    }
    Json::Object(map)
}

fn with_holes(input: &Input, path: &mut String, holes: &mut Vec<String>) -> Json {
    match input {
        Input::Literal(value) => Json::clone(value),
        Input::Object(entries) => object_with_holes(entries, path, holes),
        Input::Array(items) => {
            let mut values = Vec::with_capacity(items.len());
            for (ix, item) in items.iter().enumerate() {
                let len = path.len();
                push_step(path, &ix.to_string());
                values.push(with_holes(item, path, holes));
                path.truncate(len);
            }
            Json::Array(values)
        }
        Input::From { .. }
        | Input::Param(_)
        | Input::Secret(_)
        | Input::Template { .. }
        | Input::Item { .. }
        | Input::Index => {
            holes.push(path.clone());
            Json::Null
        }
    }
}

/// Whether an error holds whatever the references turn out to be.
fn is_certain(error: &ValidationError<'_>, place: &str, holes: &[String]) -> bool {
    let is_at_or_in_hole = holes.iter().any(|hole| is_within(place, hole));
    let is_around_hole = holes.iter().any(|hole| is_within(hole, place));
    !is_at_or_in_hole && (!is_around_hole || judges_names_only(error.kind()))
}

pub(super) fn is_within(place: &str, outer: &str) -> bool {
    place
        .strip_prefix(outer)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn judges_names_only(kind: &ValidationErrorKind) -> bool {
    matches!(
        kind,
        ValidationErrorKind::AdditionalProperties { .. }
            | ValidationErrorKind::Required { .. }
            | ValidationErrorKind::Type { .. }
            | ValidationErrorKind::MinProperties { .. }
            | ValidationErrorKind::MaxProperties { .. }
            | ValidationErrorKind::MinItems { .. }
            | ValidationErrorKind::MaxItems { .. }
            | ValidationErrorKind::PropertyNames { .. }
    )
}

#[expect(clippy::wildcard_enum_match_arm, reason = "an enum of another crate")]
fn tell_argument(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    error: &ValidationError<'_>,
    (place, written, at): (&str, Option<&Json>, &At<'_>),
) {
    let tool = &spec.name;
    let mut tell = |place: &str, message: String| {
        let pointer = pointer_of(place, written, at);
        check.say(
            super::Severity::Error,
            Code::BadArguments,
            pointer,
            who.tasks(),
            message,
        );
    };
    match error.kind() {
        ValidationErrorKind::AdditionalProperties { unexpected } => {
            for name in unexpected {
                let meant = if place.is_empty() {
                    meant_argument(spec, name)
                } else {
                    None
                };
                let mut inner = place.to_owned();
                push_step(&mut inner, name);
                let meant = did_you_mean(meant);
                tell(
                    &inner,
                    format!("{who}: `{tool}` takes no argument `{name}`.{meant}"),
                );
            }
        }
        ValidationErrorKind::Required { property } => {
            tell(place, format!("{who}: `{tool}` needs the argument {property}."));
        }
        ValidationErrorKind::OneOfNotValid { .. } | ValidationErrorKind::OneOfMultipleValid { .. }
            if place.is_empty() && !choices(spec).is_empty() =>
        {
            let choices = joined(&choices(spec));
            tell(place, format!("{who}: `{tool}` needs exactly one of {choices}."));
        }
        _ => {
            let what = if place.is_empty() {
                "arguments".to_owned()
            } else {
                format!("`{}`", &place[1..])
            };
            let error = super::schema::cut(&error.to_string());
            tell(place, format!("{who}: {what} of `{tool}`: {error}."));
        }
    }
}

/// The arguments of which one must be given, where the schema says it by what is required.
fn choices(spec: &ToolSpec) -> Vec<String> {
    let ways = spec.arguments.get("oneOf").and_then(Json::as_array);
    let required = |way: &Json| Some(format!("`{}`", way.get("required")?.get(0)?.as_str()?));
    ways.into_iter().flatten().filter_map(required).collect()
}

fn meant_argument<'s>(spec: &'s ToolSpec, name: &str) -> Option<&'s str> {
    let known = spec.arguments.get("properties")?.as_object()?;
    Names::new(known.keys().map(String::as_str)).nearest(name)
}

/// Where an argument stands in the document: `$literal` wrappers are steps there, and none in the value.
pub(super) fn pointer_of(place: &str, written: Option<&Json>, at: &At<'_>) -> String {
    let Some(mut value) = written else {
        return at.pointer();
    };
    let mut pointer = at.key("inputs").pointer();
    for step in steps(place) {
        let next = match value {
            Json::Array(items) => step.parse::<usize>().ok().and_then(|ix| items.get(ix)),
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                value.get(&step)
            }
        };
        let Some(next) = next else { break };
        push_step(&mut pointer, &step);
        value = next;
        if let Some(inner) = value.get("$literal") {
            pointer.push_str("/$literal");
            value = inner;
        }
    }
    pointer
}
