//! The fields of one task, beyond its id and dependencies.

use std::sync::Arc;

use serde_json::Map;

use super::expressions::{self, Condition};
use super::inputs::{self, Reader, Scope};
use super::object::Object;
use super::plan;
use super::{Check, code, did_you_mean, fallback, schema, sketch, terms, tools};
use crate::model::json::At;
use crate::model::near::Names;
use crate::model::plan::{Input, Over, RECORDED, Task, TaskKind, Terms, Word};
use crate::model::problem::Code;
use crate::model::{Digest, Json, TaskId, fields};

const MOST_STEPS: u64 = 10_000;
const DEFAULT_STEPS: u32 = 12;
const MOST_PARALLEL: u64 = 10_000;

/// Reads a task of the plan. What is wrong is told; the task is whole only if nothing was.
pub(super) fn read(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    (map, at): (&Map<String, Json>, &At<'_>),
) -> Task {
    let object = Object {
        map,
        at,
        who: reader.who,
    };
    let task_type = task_type(check, &object);
    tell_unknown_fields(check, &object, task_type);
    let instruction = if reader.is_in_map {
        object.text(check, "instruction")
    } else {
        object.required_text(check, "instruction")
    };
    let reader = Reader {
        is_tool: task_type == Some("tool"),
        ..reader
    };
    let written = object.object(check, "inputs");
    let inputs = written.map_or_else(Box::default, |written| {
        inputs::read_all(check, scope, reader, written, &at.key("inputs"))
    });
    let kind = kind(check, scope, reader, &object, (task_type, &inputs));
    let names = || inputs.iter().map(|(name, _)| &**name);
    let is_tool = reader.is_tool;
    let when = expression(check, scope, &object, "when", (names().collect(), is_tool));
    let seen = names().chain(["output"]).collect();
    let held = expression(check, scope, &object, "check", (seen, is_tool));
    let writes = object.texts(check, "writes");
    tools::claim_writes(check, scope, reader, &writes, &at.key("writes"));
    let terms = Terms {
        accepts_untrusted: accepts_untrusted(check, scope, &object),
        writes: writes.into_iter().map(|(_, path)| path.into()).collect(),
        fallback: fallback::read(check, scope, reader, &object, (task_type, &inputs)),
        when,
        check: held,
        ..terms::read(check, &object)
    };
    Task {
        id: id_of(scope, reader, map),
        instruction: instruction.unwrap_or_default().into(),
        kind,
        inputs,
        terms: check.shared(terms),
    }
}

/// The ways on which foreign data may come, each by a name that means something here: it is a person's word.
fn accepts_untrusted(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    object: &Object<'_, '_>,
) -> Box<[Box<str>]> {
    let names = object.texts(check, "accepts_untrusted");
    let tools = object.get("tools").and_then(Json::as_array);
    let is_tool = |name: &str| tools.is_some_and(|all| all.iter().any(|tool| tool == name));
    let is_task = |name: &str| scope.outline.node_of.contains_key(&TaskId::from(name));
    let at = object.at.key("accepts_untrusted");
    for (ix, name) in &names {
        if is_task(name) || is_tool(name) || matches!(*name, "$item" | "$param") {
            continue;
        }
        let shown: String = name.chars().take(80).collect();
        let message = format!(
            "{}: `accepts_untrusted` names `{shown}`, which is no task of this plan, no tool of the task, and neither \
             `$item` nor `$param`.",
            object.who
        );
        check.error(Code::UnknownInput, &at.item(*ix), object.who, message);
    }
    names.into_iter().map(|(_, name)| name.into()).collect()
}

/// The id as the outline has it already; an inner task has its own.
fn id_of(scope: &Scope<'_, '_>, reader: Reader<'_>, map: &Map<String, Json>) -> TaskId {
    let known = &scope.outline.tasks[reader.entry as usize].id;
    match known {
        Some(id) if !reader.is_in_map => id.clone(),
        Some(_) | None => TaskId::from(map.get("id").and_then(Json::as_str).unwrap_or_default()),
    }
}

fn task_type<'d>(check: &mut Check<'_>, object: &Object<'_, 'd>) -> Option<&'d str> {
    if object.get("task_type").is_none() {
        return Some("agent");
    }
    let name = object.text(check, "task_type")?;
    if fields::TASK_TYPES.contains(&name) {
        return Some(name);
    }
    let meant = Names::new(fields::TASK_TYPES).nearest(name);
    let shown: String = name.chars().take(80).collect();
    let message = format!(
        "{}: there is no task type `{shown}`.{} The types are {}.",
        object.who,
        did_you_mean(meant),
        fields::TASK_TYPES.join(", ")
    );
    let fix = meant.and_then(|meant| set_type(object, meant));
    check
        .error(
            Code::UnknownTaskType,
            &object.at.key("task_type"),
            object.who,
            message,
        )
        .fix = fix;
    None
}

fn set_type(object: &Object<'_, '_>, meant: &str) -> Option<super::QuickFix> {
    let value = Some(Json::from(meant).to_string());
    object.who.fix(format!("Use `{meant}`"), |id| {
        vec![super::PlanEdit::SetTask {
            id: id.to_owned(),
            field: "/task_type".to_owned(),
            value,
        }]
    })
}

/// Warns about fields that nothing reads, and about those of another type of task.
fn tell_unknown_fields(check: &mut Check<'_>, object: &Object<'_, '_>, task_type: Option<&str>) {
    for name in object.map.keys() {
        match fields::type_of(name) {
            Some(owner) if task_type.is_some_and(|own| own != owner) => {
                let own = task_type.unwrap_or_default();
                let message = format!(
                    "{}: `{name}` is a field of `{owner}` tasks and does nothing in this one, which is of type `{own}`.",
                    object.who
                );
                check.warn(Code::UnknownField, &object.at.key(name), object.who, message);
            }
            Some(_) => {}
            None if fields::TASK.contains(&name.as_str()) || sketch::is_told_as_misnamed(name) => {}
            None => {
                let meant = check.field_names.nearest(name);
                object.unknown_field(check, name, meant);
            }
        }
    }
}

/// What the type of task adds. A type that is not known adds nothing.
fn kind(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
    (task_type, inputs): (Option<&str>, &[(Word, Input)]),
) -> TaskKind {
    match task_type {
        Some("agent") => agent(check, scope, reader, object),
        Some("tool") => tool(check, scope, reader, object, inputs),
        Some("code") => code::read(check, object, inputs),
        Some("human") => human(check, object),
        Some("map") => map(check, scope, reader, object),
        Some("subplan") => subplan(check, reader, object, inputs),
        Some(_) | None => {
            if task_type == Some("model") {
                wants_model(check, object);
            }
            TaskKind::Model
        }
    }
}

fn wants_model(check: &mut Check<'_>, object: &Object<'_, '_>) {
    if object.get("model").and_then(Json::as_str) == Some(RECORDED) {
        return;
    }
    let (_, tasks) = check
        .wants_model
        .get_or_insert_with(|| (object.at.pointer(), Vec::new()));
    tasks.extend(object.who.task.clone());
    if object.get("model").is_none() {
        let usual = || (object.at.pointer(), Vec::new());
        let (_, tasks) = check.wants_usual.get_or_insert_with(usual);
        tasks.extend(object.who.task.clone());
    }
}

fn agent(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
) -> TaskKind {
    wants_model(check, object);
    let names = object.texts(check, "tools");
    tools::check_agent(check, scope, reader, &names, &object.at.key("tools"));
    let max_steps = object.count(check, "max_steps", 1, MOST_STEPS);
    TaskKind::Agent {
        tools: names.into_iter().map(|(_, name)| check.word(name)).collect(),
        max_steps: max_steps.map_or(DEFAULT_STEPS, |steps| steps as u32),
    }
}

fn tool(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
    inputs: &[(Word, Input)],
) -> TaskKind {
    let Some(name) = object.required_text(check, "tool") else {
        return TaskKind::Tool { tool: check.word("") };
    };
    if let Some(spec) = tools::find(check, name, &object.at.key("tool"), object.who) {
        // Inputs of another shape have been told; what they lack would only be noise.
        let written = object.get("inputs");
        if written.is_none_or(Json::is_object) {
            tools::check_call(check, scope, reader, spec, (inputs, written, object.at));
        }
    }
    TaskKind::Tool {
        tool: check.word(name),
    }
}

/// Without a form any answer will do.
fn human(check: &mut Check<'_>, object: &Object<'_, '_>) -> TaskKind {
    let Some(form) = object.get("form") else {
        return TaskKind::Human {
            form: Arc::new(serde_json::json!({})),
        };
    };
    schema::check_possible(check, form, &object.at.key("form"), (object.who, "answer"));
    TaskKind::Human {
        form: Arc::new(form.clone()),
    }
}

fn map(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
) -> TaskKind {
    let over = over(check, scope, reader, object);
    let max_parallel = object
        .count(check, "max_parallel", 1, MOST_PARALLEL)
        .map(|most| most as u32);
    if object.get("task").is_none() {
        object.missing(check, "task");
    }
    let task = object
        .object(check, "task")
        .map(|inner| inner_task(check, scope, reader, object, inner));
    TaskKind::Map {
        over: Box::new(over),
        task: Arc::new(task.unwrap_or_else(Task::nothing)),
        max_parallel,
    }
}

fn inner_task(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
    inner: &Map<String, Json>,
) -> Task {
    let at = object.at.key("task");
    if let Some(id) = inner
        .get("id")
        .filter(|id| !id.as_str().is_some_and(sketch::is_id))
    {
        let message = format!(
            "{}: the inner task's `id` can't be {}.",
            reader.who,
            super::kind_of(id)
        );
        check.error(Code::BadId, &at.key("id"), reader.who, message);
    }
    if inner
        .get("dependencies")
        .and_then(Json::as_array)
        .is_some_and(|items| !items.is_empty())
    {
        let message = format!(
            "{}: an inner task has no dependencies of its own; the map itself has them.",
            reader.who
        );
        check.error(Code::Type, &at.key("dependencies"), reader.who, message);
    }
    let reader = Reader {
        is_in_map: true,
        ..reader
    };
    let mut task = read(check, scope, reader, (inner, &at));
    if task.instruction.is_empty() {
        let outer = object.map.get("instruction").and_then(Json::as_str);
        task.instruction = outer.unwrap_or_default().into();
    }
    task
}

/// What a map runs over: the name of one of its inputs, or an input itself.
fn over(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
) -> Over {
    let at = object.at.key("over");
    let none = Over::Value(Input::Literal(Json::Array(Vec::new()).into()));
    let value = match object.get("over") {
        None => {
            object.missing(check, "over");
            return none;
        }
        Some(value) => value,
    };
    match value {
        Json::String(name) => {
            let names: Vec<&str> = object
                .get("inputs")
                .and_then(Json::as_object)
                .into_iter()
                .flatten()
                .map(|(k, _)| k.as_str())
                .collect();
            if !names.contains(&name.as_str()) {
                let meant = did_you_mean(Names::new(names).nearest(name));
                let message = format!(
                    "{} runs over `{name}`, which is none of its inputs.{meant}",
                    reader.who
                );
                check.error(Code::UnknownInput, &at, reader.who, message);
            }
            Over::Input(check.word(name))
        }
        Json::Array(_) | Json::Object(_) => {
            let all = object
                .get("inputs")
                .and_then(Json::as_object)
                .unwrap_or(object.map);
            let input = inputs::read_one(check, scope, reader, (all, value), &at);
            if input.as_literal().is_some_and(|value| value.is_object()) {
                object.wrong_type(
                    check,
                    "over",
                    value,
                    "a list, the name of an input, or a reference",
                );
            }
            Over::Value(input)
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => {
            object.wrong_type(
                check,
                "over",
                value,
                "a list, the name of an input, or a reference",
            );
            none
        }
    }
}

/// A plan inside the plan, checked in place, or the path of a plan file.
fn subplan(
    check: &mut Check<'_>,
    reader: Reader<'_>,
    object: &Object<'_, '_>,
    inputs: &[(Word, Input)],
) -> TaskKind {
    let at = object.at.key("plan");
    let plan = object.get("plan");
    match plan {
        None => object.missing(check, "plan"),
        // What it will do is not known yet.
        Some(Json::String(path)) if !path.is_empty() => check.own.writes_anything(reader.node),
        Some(inner @ Json::Object(_)) => {
            let prefix = reader
                .who
                .task
                .as_ref()
                .map_or_else(String::new, |task| format!("{task}/"));
            let around = std::mem::take(&mut check.own);
            let parts = plan::check(check, (inner, None), &at, &prefix, reader.keep);
            let inside = std::mem::replace(&mut check.own, around);
            check.own.take_in(inside, reader.node);
            bind_parameters(check, object, inner, inputs);
            if let Some(parts) = parts {
                // What is signed is the document around it; the inner plan needs no name of its own.
                return TaskKind::Subplan {
                    plan: Some(Arc::new(parts.into_plan(Digest::of(b"")))),
                    file: None,
                };
            }
        }
        Some(other) => object.wrong_type(check, "plan", other, "a plan or the path of a plan file"),
    }
    TaskKind::Subplan {
        plan: None,
        file: plan.and_then(Json::as_str).map(Box::from),
    }
}

/// Inputs of a subplan bind its parameters: each must exist, and each without a default must be bound.
fn bind_parameters(check: &mut Check<'_>, object: &Object<'_, '_>, plan: &Json, inputs: &[(Word, Input)]) {
    let parameters = plan.get("parameters").and_then(Json::as_object);
    let names: Vec<&str> = parameters
        .into_iter()
        .flatten()
        .map(|(name, _)| name.as_str())
        .collect();
    let at = object.at.key("inputs");
    for (name, _) in inputs
        .iter()
        .filter(|(name, _)| !parameters.is_some_and(|p| p.contains_key(&**name)))
    {
        let meant = did_you_mean(Names::new(names.iter().copied()).nearest(name));
        let message = format!("{}: the inner plan has no parameter `{name}`.{meant}", object.who);
        check.error(Code::UnknownParameter, &at.key(name), object.who, message);
    }
    let bound: std::collections::HashSet<&str> = inputs.iter().map(|(name, _)| &**name).collect();
    for (name, schema) in parameters.into_iter().flatten() {
        if schema.get("default").is_none() && !bound.contains(name.as_str()) {
            let message = format!(
                "{}: the inner plan's parameter `{name}` has no default and is not among the inputs.",
                object.who
            );
            check.error(Code::MissingField, object.at, object.who, message);
        }
    }
}

fn expression(
    check: &mut Check<'_>,
    scope: &Scope<'_, '_>,
    object: &Object<'_, '_>,
    name: &str,
    (known, is_tool): (Vec<&str>, bool),
) -> Option<Box<str>> {
    let source = object.text(check, name)?;
    let reference = |name: &str| scope.reference(name);
    let condition = Condition {
        field: name,
        source,
        known,
        is_tool,
        reference: &reference,
    };
    expressions::check_condition(check, &condition, &object.at.key(name), object.who);
    Some(source.into())
}
