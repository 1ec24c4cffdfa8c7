//! Whether a plan names every way on which foreign text comes to a call, so that nobody is asked about it: as strict as the
//! run. It must not know sources, sinks, or how data gets there.

use super::ends::Ends;
use super::{each_place, narrow};
use crate::model::grants;
use crate::model::plan::{Input, Over, Plan, Task, TaskIx, TaskKind};
use crate::model::tool::{Access, ToolSpec, Touch};

/// What is known of the tasks around a call.
pub(super) struct Acceptance<'a, 'p> {
    pub ends: &'a Ends<'p>,
    pub plan: &'a Plan,
    /// Whether foreign text may be in what that task gives.
    pub is_foreign: &'a dyn Fn(TaskIx) -> bool,
    /// The plan's parameters may hold some.
    pub is_nested: bool,
}

impl Acceptance<'_, '_> {
    /// Recursion is bounded by the depth of the document.
    pub fn accepts(&self, task: &Task, is_item_foreign: bool) -> bool {
        match &task.kind {
            TaskKind::Map {
                over, task: inner, ..
            } => {
                let mut is_foreign = is_item_foreign;
                let mut see = |input: &Input| is_foreign |= self.names(input, false).next().is_some();
                task.inputs.iter().for_each(|(_, input)| see(input));
                if let Over::Value(over) = &**over {
                    see(over);
                }
                inner.inputs.iter().for_each(|(_, input)| see(input));
                self.accepts(inner, is_foreign)
            }
            TaskKind::Subplan { plan: Some(plan), .. } => {
                let inside = Acceptance {
                    ends: self.ends,
                    plan,
                    is_foreign: &|_| true,
                    is_nested: true,
                };
                let mut calling = plan.tasks.iter().filter(|task| self.ends.may_call(task));
                calling.all(|task| inside.accepts(task, is_item_foreign))
            }
            TaskKind::Tool { .. }
            | TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => self.call(task, is_item_foreign),
        }
    }

    fn call(&self, task: &Task, is_item_foreign: bool) -> bool {
        let is_named = |name: &str| task.accepts_untrusted.iter().any(|a| **a == *name);
        let given = task
            .inputs
            .iter()
            .flat_map(|(_, input)| self.names(input, is_item_foreign));
        let own = self.ends.foreign_tools(task);
        // How often it is called is somebody's word too.
        let by_item = is_item_foreign.then(|| "$item".to_owned());
        let mut all = given.chain(own.map(str::to_owned)).chain(by_item).peekable();
        all.peek().is_some() && all.all(|name| is_named(&name)) && !self.chooses_code(task)
    }

    /// The names by which foreign text may come into the input.
    fn names(&self, input: &Input, is_item_foreign: bool) -> impl Iterator<Item = String> {
        let mut found = Vec::new();
        each_place(input, &mut |source, path| {
            let from = self.plan.task(source);
            let place = from
                .output_schema
                .as_deref()
                .and_then(|schema| narrow::schema_at(schema, path));
            if (self.is_foreign)(source) && !place.is_some_and(narrow::is_narrow_schema) {
                found.push(from.id.to_string());
            }
        });
        let (mut has_item, mut has_parameter) = (false, false);
        each_around(input, &mut |around| match around {
            Input::Item { .. } => has_item = true,
            Input::Param(_) => has_parameter = true,
            Input::From { .. }
            | Input::Literal(_)
            | Input::Secret(_)
            | Input::Template { .. }
            | Input::Object(_)
            | Input::Array(_)
            | Input::Index => {}
        });
        found.extend((has_item && is_item_foreign).then(|| "$item".to_owned()));
        found.extend((has_parameter && self.is_nested).then(|| "$param".to_owned()));
        found.into_iter()
    }

    /// Whether what is run could be chosen by the data: no plan accepts that beforehand.
    fn chooses_code(&self, task: &Task) -> bool {
        let program = |spec: &ToolSpec| {
            let mut touches = spec.touches.iter();
            touches.find(|touch| touch.access == Access::Command).cloned()
        };
        match &task.kind {
            TaskKind::Tool { .. } => {
                let mut specs = self.ends.specs_of(task).into_iter();
                specs.any(|spec| {
                    let is_code = |touch| command_is_code(task, &touch) || self.ends.runs_written_file(task);
                    program(spec).is_some_and(is_code)
                })
            }
            TaskKind::Agent { .. } => {
                let mut specs = self.ends.specs_of(task).into_iter();
                let commands = &self.plan.grants.commands;
                // Anything may be granted to it meanwhile.
                specs.any(|spec| program(spec).is_some())
                    && (commands.is_empty() || commands.iter().any(|entry| grants::may_run_files(entry)))
            }
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Map { .. }
            | TaskKind::Subplan { .. } => false,
        }
    }
}

/// Of a `shell.run`: whether anything that only the run knows is the program, or is run by it.
fn command_is_code(task: &Task, touch: &Touch) -> bool {
    let input = |name: &str| {
        task.inputs
            .iter()
            .find(|(known, _)| **known == *name)
            .map(|(_, input)| input)
    };
    let Some(program) = input(touch.argument)
        .and_then(Input::as_literal)
        .and_then(|v| v.as_str())
    else {
        return true;
    };
    let mut words = vec![Some(program)];
    match touch.rest.and_then(input) {
        None => {}
        Some(Input::Literal(value)) => match value.as_array() {
            Some(items) => words.extend(items.iter().map(|item| item.as_str())),
            None => return true,
        },
        Some(Input::Array(items)) => {
            words.extend(
                items
                    .iter()
                    .map(|item| item.as_literal().and_then(|v| v.as_str())),
            );
        }
        Some(_) => words.push(None),
    }
    let is_open = |ix: usize| words[ix + 1].is_none() && grants::runs_argument(&words, ix);
    let stdin = input("stdin").is_some_and(|input| input.as_literal().is_none());
    (0..words.len() - 1).any(is_open) || (stdin && grants::runs_stdin(&words))
}

/// Every reference in the input that means what is around the task.
fn each_around<'i>(input: &'i Input, see: &mut dyn FnMut(&'i Input)) {
    match input {
        Input::Item { .. } | Input::Param(_) => see(input),
        Input::Template { with, .. } => with
            .iter()
            .flatten()
            .for_each(|(_, input)| each_around(input, see)),
        Input::Object(entries) => entries.iter().for_each(|(_, input)| each_around(input, see)),
        Input::Array(items) => items.iter().for_each(|input| each_around(input, see)),
        Input::From { .. } | Input::Literal(_) | Input::Secret(_) | Input::Index => {}
    }
}
