//! How a plan's final answer is made: by a template, by a model, or as the leaves' outputs.

use std::collections::BTreeSet;

use super::object::Object;
use super::shapes::Shapes;
use super::sketch::Outline;
use super::{Check, SHOWN, Severity, did_you_mean, joined, models};
use crate::model::expr;
use crate::model::fields;
use crate::model::graph::{Graph, Node};
use crate::model::near::Names;
use crate::model::plan::{RECORDED, Synthesis};
use crate::model::problem::Code;

/// What a template is given besides the leaves by their ids.
const GIVEN: [&str; 3] = ["goal", "outputs", "parameters"];

pub(super) fn read(
    check: &mut Check<'_>,
    object: &Object<'_, '_>,
    (outline, graph): (&Outline<'_>, &Graph),
    parameters: &[&str],
) -> Synthesis {
    let Some(map) = object.object(check, "synthesis") else {
        return Synthesis::Leaves;
    };
    let at = object.at.key("synthesis");
    let synthesis = Object {
        map,
        at: &at,
        who: object.who,
    };
    synthesis.unknown(check, &fields::SYNTHESIS);
    match (
        synthesis.get("template").is_some(),
        synthesis.get("model").is_some(),
    ) {
        (true, false) => match synthesis.text(check, "template") {
            Some(source) => {
                let known = Known::new(outline, graph, parameters);
                tell(check, &synthesis, source, &known);
                Synthesis::Template(source.to_owned())
            }
            None => Synthesis::Leaves,
        },
        (false, true) => model(check, &synthesis),
        (both, _) => {
            let what = if both { "both" } else { "neither" };
            let message =
                format!("`synthesis` needs a `template` or a `model` with an `instruction`; it has {what}.");
            let code = if both { Code::Type } else { Code::MissingField };
            check.say(Severity::Error, code, at.pointer(), Vec::new(), message);
            Synthesis::Leaves
        }
    }
}

fn model(check: &mut Check<'_>, synthesis: &Object<'_, '_>) -> Synthesis {
    let model = synthesis.text(check, "model").unwrap_or_default().to_owned();
    if model != RECORDED {
        check
            .wants_model
            .get_or_insert_with(|| (synthesis.at.key("model").pointer(), Vec::new()));
        models::check(check, &model, &synthesis.at.key("model"), synthesis.who);
    }
    Synthesis::Model {
        model,
        instruction: synthesis
            .required_text(check, "instruction")
            .unwrap_or_default()
            .to_owned(),
    }
}

/// What the template will be given.
struct Known<'k> {
    outline: &'k Outline<'k>,
    graph: &'k Graph,
    /// The ids of the tasks that nothing depends on.
    leaves: Vec<&'k str>,
    parameters: &'k [&'k str],
}

impl<'k> Known<'k> {
    fn new(outline: &'k Outline<'k>, graph: &'k Graph, parameters: &'k [&'k str]) -> Self {
        let is_leaf = |node: &Node| graph.children(*node).is_empty();
        let leaves = graph
            .nodes()
            .filter(is_leaf)
            .filter_map(|node| outline.first(node).id.as_ref())
            .map(crate::model::TaskId::as_str)
            .collect();
        Self {
            outline,
            graph,
            leaves,
            parameters,
        }
    }

    /// Why there is no output of a task of that id, if so.
    fn no_output(&self, name: &str) -> Option<String> {
        let Some(&node) = self.outline.node_of.get(name) else {
            let meant = did_you_mean(Names::new(self.leaves.iter().copied()).nearest(name));
            return Some(format!("there is no task `{name}`.{meant} {}", self.outputs()));
        };
        let child = self.graph.children(node).first()?;
        let child = self
            .outline
            .first(*child)
            .id
            .as_ref()
            .map_or("another", |id| id.as_str());
        Some(format!(
            "`{child}` depends on `{name}`, and `outputs` holds only tasks that nothing depends on. {}",
            self.outputs()
        ))
    }

    fn outputs(&self) -> String {
        format!("`outputs` holds {}.", quoted(self.leaves.iter().copied()))
    }
}

fn quoted<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let mut names = names.map(|name| format!("`{name}`"));
    let shown: Vec<String> = names.by_ref().take(SHOWN).collect();
    match names.count() {
        0 if shown.is_empty() => "nothing".to_owned(),
        0 => joined(&shown),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn tell(check: &mut Check<'_>, synthesis: &Object<'_, '_>, source: &str, known: &Known<'_>) {
    let (at, who) = (synthesis.at.key("template"), synthesis.who);
    let read = match expr::variables_of_template(source) {
        Ok(read) => read,
        Err(error) => {
            let message = format!("The template of `synthesis` can't be used: {error}");
            check.error(Code::BadExpression, &at, who, message);
            return;
        }
    };
    let names = || read.iter().map(|name| vec![name.clone()]).collect();
    let chains = expr::chains_of_template(source).unwrap_or_else(names);
    let mut shapes = Shapes::default();
    let mut told = BTreeSet::new();
    for chain in chains.iter().filter(|chain| read.contains(&chain[0])) {
        if let Some(why) = wrong(check, &mut shapes, chain, known) {
            told.insert((chain.join("."), why));
        }
    }
    for (what, why) in told {
        let shown: String = what.chars().take(80).collect();
        let message = format!("The template of `synthesis` reads `{shown}`, but {why}");
        check.error(Code::UnknownInput, &at, who, message);
    }
}

/// Why there can't be what this chain reads, as the end of a sentence.
fn wrong(check: &Check<'_>, shapes: &mut Shapes, chain: &[String], known: &Known<'_>) -> Option<String> {
    let steps: Vec<&str> = chain.iter().map(String::as_str).collect();
    match steps[..] {
        ["goal" | "outputs" | "parameters"] => None,
        ["parameters", name, ..] if !known.parameters.contains(&name) => {
            let meant = did_you_mean(Names::new(known.parameters.iter().copied()).nearest(name));
            Some(format!("the plan has no parameter `{name}`.{meant}"))
        }
        ["goal" | "parameters", ..] => None,
        ["outputs", task, ..] => wrong_output(check, shapes, (task, steps.get(2).copied()), known),
        // An id may stand by itself.
        [task, ..] if known.outline.node_of.contains_key(task) => {
            wrong_output(check, shapes, (task, steps.get(1).copied()), known)
        }
        [name, ..] => {
            let names = GIVEN.into_iter().chain(known.leaves.iter().copied());
            let meant = did_you_mean(Names::new(names.clone()).nearest(name));
            Some(format!(
                "there is nothing of that name.{meant} There are {}.",
                quoted(names)
            ))
        }
        [] => None,
    }
}

fn wrong_output(
    check: &Check<'_>,
    shapes: &mut Shapes,
    (task, field): (&str, Option<&str>),
    known: &Known<'_>,
) -> Option<String> {
    if let Some(why) = known.no_output(task) {
        return Some(why);
    }
    let node = *known.outline.node_of.get(task)?;
    let fields = shapes.fields(check, known.outline, node)?;
    let field = field.filter(|field| fields.iter().all(|name| name != field))?;
    let meant = did_you_mean(Names::new(fields.iter().map(String::as_str)).nearest(field));
    Some(format!(
        "the output of `{task}` has no `{field}`.{meant} It has {}.",
        quoted(fields.iter().map(String::as_str))
    ))
}
