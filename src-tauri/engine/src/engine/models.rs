//! What a plan needs of models: what of it can't run here, and which of them its signature covers. It asks nobody.

use std::collections::BTreeMap;

use super::{Engine, Error};
use crate::llm::Models;
use crate::model::plan::{Plan, RECORDED, Synthesis, Task, TaskKind};
use crate::model::sentence;
use crate::run::chain_of;

impl Engine {
    /// The plan, if all of it can run here.
    pub(super) fn runnable(&self, plan: Plan) -> Result<Plan, Error> {
        self.check_synthesis(&plan)?;
        let missing = unread(&plan);
        if !missing.is_empty() {
            let message = format!(
                "this version can't run {} yet. Nothing has run.",
                missing.join(", ")
            );
            return Err(Error::invalid("unsupported", message));
        }
        self.check_models(&plan)?;
        Ok(plan)
    }

    /// A final answer that a model writes needs that model.
    fn check_synthesis(&self, plan: &Plan) -> Result<(), Error> {
        let models = self.models();
        let mut missing = None;
        let mut look = |synthesis: &Synthesis| {
            if let Synthesis::Model { model, .. } = synthesis {
                missing = missing.take().or(models.find(model).err());
            }
        };
        look(&plan.synthesis);
        plan.visit(&mut |_, around| look(&around.synthesis));
        match missing {
            Some(error) => Err(Error::invalid(
                "unknown_model",
                sentence([
                    &*format!("the final answer can't be written: {error}"),
                    "Nothing has run",
                ]),
            )),
            None => Ok(()),
        }
    }

    /// Every model that a task names is set up.
    pub(super) fn check_models(&self, plan: &Plan) -> Result<(), Error> {
        let models = self.models();
        let mut wrong = None;
        plan.visit(&mut |task, _| {
            if task.kind.asks_model()
                && let Err(error) = chain_of(&models, task)
            {
                wrong.get_or_insert_with(|| format!("the task {}: {error}", task.id));
            }
        });
        let Some(message) = wrong else { return Ok(()) };
        if models.is_empty() {
            let asking = tasks_that(&plan_kinds(plan, wants_set_up));
            let message = format!("{} can't run: {message}", asking.join(", "));
            return Err(Error::invalid("unknown_model", message));
        }
        Err(Error::invalid("unknown_model", message))
    }
}

/// Kinds of task that can't run here, each named once with its tasks: those whose plan was not read, and those that
/// ask a model where none is set up.
pub(super) fn unsupported(plan: &Plan, models: &Models) -> Vec<String> {
    let mut missing = unread(plan);
    if models.is_empty() {
        missing.extend(tasks_that(&plan_kinds(plan, wants_set_up)));
    }
    missing
}

/// Whether it asks a model that has to be set up.
fn wants_set_up(task: &Task) -> bool {
    task.kind.asks_model() && task.model.as_deref() != Some(RECORDED)
}

fn unread(plan: &Plan) -> Vec<String> {
    tasks_that(&plan_kinds(plan, |task| {
        matches!(task.kind, TaskKind::Subplan { plan: None, .. })
    }))
}

fn plan_kinds(plan: &Plan, is_one: impl Fn(&Task) -> bool) -> BTreeMap<&'static str, Vec<String>> {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    plan.visit(&mut |task, _| {
        if is_one(task) {
            kinds
                .entry(task.kind.word())
                .or_default()
                .push(task.id.to_string());
        }
    });
    kinds
}

fn tasks_that(kinds: &BTreeMap<&'static str, Vec<String>>) -> Vec<String> {
    kinds
        .iter()
        .map(|(kind, ids)| {
            let more = if ids.len() > 3 { ", …" } else { "" };
            format!(
                "tasks of type {kind} ({}{more})",
                ids.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
            )
        })
        .collect()
}
