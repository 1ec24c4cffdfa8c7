//! What a plan needs of models: what of it can't run here, and which of them its signature covers. It asks nobody.

use std::collections::BTreeMap;

use super::{Engine, Error};
use crate::llm::Models;
use crate::model::plan::{Plan, Synthesis, TaskKind};
use crate::run::chain_of;

impl Engine {
    /// The plan, if all of it can run here.
    pub(super) fn runnable(&self, plan: Plan) -> Result<Plan, Error> {
        self.check_synthesis(&plan)?;
        let missing = unsupported(&plan, &self.inner.models);
        if missing.is_empty() {
            self.check_models(&plan)?;
            return Ok(plan);
        }
        let message = format!(
            "this version can't run {} yet. Nothing has run.",
            missing.join(", ")
        );
        Err(Error::invalid("unsupported", message))
    }

    /// A final answer that a model writes needs that model.
    fn check_synthesis(&self, plan: &Plan) -> Result<(), Error> {
        let mut missing = None;
        let mut look = |synthesis: &Synthesis| {
            if let Synthesis::Model { model, .. } = synthesis {
                missing = missing.take().or(self.inner.models.find(model).err());
            }
        };
        look(&plan.synthesis);
        plan.visit(&mut |_, around| look(&around.synthesis));
        match missing {
            Some(error) => Err(Error::invalid(
                "unknown_model",
                format!("the final answer can't be written: {error} Nothing has run."),
            )),
            None => Ok(()),
        }
    }

    /// Every model that a task names is set up.
    fn check_models(&self, plan: &Plan) -> Result<(), Error> {
        let mut wrong = None;
        plan.visit(&mut |task, _| {
            if task.kind.asks_model()
                && let Err(error) = chain_of(&self.inner.models, task)
            {
                wrong.get_or_insert_with(|| format!("the task {}: {error}", task.id));
            }
        });
        match wrong {
            Some(message) => Err(Error::invalid("unknown_model", message)),
            None => Ok(()),
        }
    }
}

/// Kinds of task that this version can't run, each named once with its tasks.
pub(super) fn unsupported(plan: &Plan, models: &Models) -> Vec<String> {
    let mut kinds: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    plan.visit(&mut |task, _| match task.kind {
        TaskKind::Agent { .. } | TaskKind::Model if !models.is_empty() => {}
        TaskKind::Agent { .. } | TaskKind::Model | TaskKind::Subplan { plan: None, .. } => {
            kinds
                .entry(task.kind.word())
                .or_default()
                .push(task.id.to_string());
        }
        TaskKind::Tool { .. }
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Map { .. }
        | TaskKind::Subplan { plan: Some(_), .. } => {}
    });
    kinds
        .into_iter()
        .map(|(kind, ids)| {
            let more = if ids.len() > 3 { ", …" } else { "" };
            format!(
                "tasks of type {kind} ({}{more})",
                ids.into_iter().take(3).collect::<Vec<_>>().join(", ")
            )
        })
        .collect()
}
