//! What can be told of a call's arguments beyond their shape: what the tool itself finds wrong with them, and secrets where
//! none may stand. It must not know any tool.

use super::tools::{is_within, pointer_of};
use super::{Check, Severity, Who};
use crate::model::Json;
use crate::model::foreseen::Foreseen;
use crate::model::json::{At, push_step};
use crate::model::plan::{Input, Word};
use crate::model::problem::Code;
use crate::model::tool::ToolSpec;

/// Texts in a language of their own, read by the tool that will read them. Of an argument that has been told of since
/// `before` nothing more is said.
pub(super) fn check(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    foreseen: &Foreseen<'_>,
    (written, at, before): (Option<&Json>, &At<'_>, usize),
) {
    let Some(foresee) = check.setting.catalog.foresee(&spec.name) else {
        return;
    };
    for fault in foresee(foreseen) {
        let mut place = String::new();
        push_step(&mut place, &fault.argument);
        let message = format!(
            "{who}: `{}` of `{}`: {}.",
            fault.argument, spec.name, fault.message
        );
        let pointer = pointer_of(&place, written, at);
        if !check.problems[before..]
            .iter()
            .any(|told| is_within(&told.pointer, &pointer))
        {
            check.say(Severity::Error, fault.code, pointer, who.tasks(), message);
        }
    }
}

/// Secrets that the run would refuse to hand over.
pub(super) fn check_secrets(
    check: &mut Check<'_>,
    who: &Who,
    spec: &ToolSpec,
    inputs: &[(Word, Input)],
    (written, at): (Option<&Json>, &At<'_>),
) {
    let mut found = Vec::new();
    collect_all(inputs, &mut String::new(), &mut found);
    for (name, place) in found {
        let why = if !spec.takes_secrets() {
            format!(
                "can't be given to `{}`, which only computes: what it gives would be a secret too",
                spec.name
            )
        } else if in_command(spec, &place) {
            "must not stand in a command, where every program on this machine can read it; give it as `stdin`"
                .to_owned()
        } else {
            continue;
        };
        let message = format!("{who}: the secret `{name}` {why}.");
        let pointer = pointer_of(&place, written, at);
        check.say(Severity::Error, Code::BadArguments, pointer, who.tasks(), message);
    }
}

fn in_command(spec: &ToolSpec, place: &str) -> bool {
    spec.touches
        .iter()
        .flat_map(|touch| [Some(touch.argument), touch.rest])
        .flatten()
        .filter(|argument| spec.shows_to_all(argument))
        .any(|argument| is_within(place, &format!("/{argument}")))
}

fn collect_all<'i>(inputs: &'i [(Word, Input)], path: &mut String, found: &mut Vec<(&'i str, String)>) {
    for (name, input) in inputs {
        let len = path.len();
        push_step(path, name);
        collect(input, path, found);
        path.truncate(len);
    }
}

/// Recursion is bounded by the depth of the document.
fn collect<'i>(input: &'i Input, path: &mut String, found: &mut Vec<(&'i str, String)>) {
    match input {
        Input::Secret(name) => found.push((name, path.clone())),
        Input::Template { with: Some(with), .. } => {
            let len = path.len();
            push_step(path, "with");
            collect_all(with, path, found);
            path.truncate(len);
        }
        Input::Object(entries) => collect_all(entries, path, found),
        Input::Array(items) => {
            for (ix, item) in items.iter().enumerate() {
                let len = path.len();
                push_step(path, &ix.to_string());
                collect(item, path, found);
                path.truncate(len);
            }
        }
        Input::Literal(_)
        | Input::From { .. }
        | Input::Param(_)
        | Input::Template { with: None, .. }
        | Input::Item { .. }
        | Input::Index => {}
    }
}
