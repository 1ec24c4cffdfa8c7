//! What a call or a task touches, told from a tool's declaration and the arguments. Pure; what of it is allowed is decided
//! elsewhere.

use super::commands;
use super::hosts::host_of;
use super::paths;
use super::{Need, Place};
use crate::model::Json;
use crate::model::plan::{Input, Word};
use crate::model::tool::{Access, ToolSpec, Touch};

/// The needs of a call whose arguments are all known. An argument that names no usable resource is an error text.
pub fn needs_of(spec: &ToolSpec, arguments: &Json, place: &Place) -> Result<Vec<Need>, String> {
    let mut needs = spec.needs.clone();
    for touch in &spec.touches {
        let Some(value) = arguments.get(touch.argument).filter(|v| !v.is_null()) else {
            continue;
        };
        if let Some(rest) = touch.rest {
            let words = words_in(touch, value, arguments.get(rest).filter(|v| !v.is_null()))?;
            let resource =
                commands::resource(words, place).map_err(|e| format!("`{}`: {e}", touch.argument))?;
            add(&mut needs, plain(touch.access, resource));
            continue;
        }
        for resource in resources_in(touch, value)? {
            let method = spec.method_of(arguments);
            add(
                &mut needs,
                need_of(touch, resource, method, place).map_err(|e| format!("`{}`: {e}", touch.argument))?,
            );
        }
    }
    Ok(needs)
}

/// The needs that the literal inputs of a tool task already tell, and the kinds that only the run will know.
/// A literal that names no usable resource is in neither: [`needs_of`] tells what is wrong with it.
pub fn needs_of_inputs(spec: &ToolSpec, inputs: &[(Word, Input)], place: &Place) -> (Vec<Need>, Vec<Access>) {
    let mut found = Found {
        needs: spec.needs.clone(),
        unknown: Vec::new(),
    };
    let method = literal_method(spec, inputs);
    for touch in &spec.touches {
        let given = |argument: &str| {
            inputs
                .iter()
                .find(|(name, _)| **name == *argument)
                .map(|(_, input)| input)
        };
        match (given(touch.argument), touch.rest) {
            (None, _) => {}
            (Some(input), None) => found.look_at(touch, input, &method, place),
            (Some(input), Some(rest)) => found.look_at_command(touch, input, given(rest), place),
        }
    }
    (found.needs, found.unknown)
}

fn resources_in<'a>(touch: &Touch, value: &'a Json) -> Result<Vec<&'a str>, String> {
    let text = |v: &'a Json| {
        v.as_str()
            .ok_or_else(|| format!("`{}` must be text", touch.argument))
    };
    match (touch.each_value, value) {
        (true, Json::Object(map)) => map.values().map(text).collect(),
        (true, _) => Err(format!("`{}` must be an object of texts", touch.argument)),
        (false, value) => Ok(vec![text(value)?]),
    }
}

fn need_of(touch: &Touch, resource: &str, method: Option<String>, place: &Place) -> Result<Need, String> {
    let access = touch.access;
    match access {
        Access::Read | Access::Write | Access::Database => {
            paths::resource(resource, place).map(|resource| plain(access, resource))
        }
        Access::Host => {
            let method = Some(method.unwrap_or_else(|| "GET".to_owned()));
            host_of(resource).map(|resource| Need {
                access,
                resource,
                method,
            })
        }
        Access::Command => commands::resource([resource], place).map(|resource| plain(access, resource)),
        Access::Mcp if resource.trim().is_empty() => Err("the name is empty".to_owned()),
        Access::Mcp => Ok(plain(access, resource.to_owned())),
    }
}

fn plain(access: Access, resource: String) -> Need {
    Need {
        access,
        resource,
        method: None,
    }
}

/// The program and its arguments.
fn words_in<'a>(touch: &Touch, program: &'a Json, rest: Option<&'a Json>) -> Result<Vec<&'a str>, String> {
    let text = |v: &'a Json| {
        v.as_str()
            .ok_or_else(|| format!("`{}` and its arguments must be texts", touch.argument))
    };
    let rest = match rest {
        None => &[][..],
        Some(Json::Array(items)) => items,
        Some(_) => return Err(format!("the arguments of `{}` must be an array", touch.argument)),
    };
    std::iter::once(program).chain(rest).map(text).collect()
}

fn add(needs: &mut Vec<Need>, need: Need) {
    if !needs.contains(&need) {
        needs.push(need);
    }
}

/// The method of a tool task, where it can be told before the run.
enum Method {
    Known(Option<String>),
    OnlyTheRunKnows,
}

fn literal_method(spec: &ToolSpec, inputs: &[(Word, Input)]) -> Method {
    let Some(argument) = spec.method_argument else {
        return Method::Known(None);
    };
    match inputs.iter().find(|(name, _)| **name == *argument) {
        None => Method::Known(spec.method_of(&Json::Null)),
        Some((_, input)) => match input.as_literal() {
            Some(value) => Method::Known(spec.method_of(&serde_json::json!({ argument: value }))),
            None => Method::OnlyTheRunKnows,
        },
    }
}

struct Found {
    needs: Vec<Need>,
    unknown: Vec<Access>,
}

impl Found {
    fn look_at(&mut self, touch: &Touch, input: &Input, method: &Method, place: &Place) {
        match (input, touch.each_value) {
            (Input::Literal(value), _) => self.take(touch, value, method, place),
            (Input::Object(entries), true) => {
                let one = Touch {
                    each_value: false,
                    ..touch.clone()
                };
                entries
                    .iter()
                    .for_each(|(_, inner)| self.look_at(&one, inner, method, place));
            }
            _ => self.leave_open(touch.access),
        }
    }

    fn take(&mut self, touch: &Touch, value: &Json, method: &Method, place: &Place) {
        let method = match (touch.access, method) {
            (Access::Host, Method::OnlyTheRunKnows) => return self.leave_open(Access::Host),
            (_, Method::Known(method)) => method.clone(),
            (_, Method::OnlyTheRunKnows) => None,
        };
        for resource in resources_in(touch, value).unwrap_or_default() {
            if let Ok(need) = need_of(touch, resource, method.clone(), place) {
                add(&mut self.needs, need);
            }
        }
    }

    /// Known only as a whole: a single word that the run decides can make it another command.
    fn look_at_command(&mut self, touch: &Touch, program: &Input, rest: Option<&Input>, place: &Place) {
        let (program, rest) = match (program.as_literal(), rest.map(Input::as_literal)) {
            (Some(program), None) => (program, None),
            (Some(program), Some(Some(rest))) => (program, Some(rest).filter(|v| !v.is_null())),
            (_, _) => return self.leave_open(touch.access),
        };
        let words = words_in(touch, program, rest);
        if let Ok(resource) = words.and_then(|words| commands::resource(words, place)) {
            add(&mut self.needs, plain(touch.access, resource));
        }
    }

    fn leave_open(&mut self, access: Access) {
        if !self.unknown.contains(&access) {
            self.unknown.push(access);
        }
    }
}
