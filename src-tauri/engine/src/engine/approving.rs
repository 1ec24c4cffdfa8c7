//! What a person is shown before they sign: everything that the signature would cover, and all that blocks it.

use std::collections::BTreeMap;

use super::models::unsupported;
use super::{Engine, Error};
use crate::model::plan::{Plan, Task, TaskKind};
use crate::model::{RunId, draft_view, taint};
use crate::run::secrets_of;
use crate::views::{ApprovalView, NeedView, ParameterView, SecretView, UntrustedPath};

impl Engine {
    /// Everything that the signature would cover, and all that still blocks it.
    pub async fn approval(&self, run: &RunId) -> Result<ApprovalView, Error> {
        let cached = self.cached(run).await?;
        let view = self.draft_view(&cached);
        let mut problems = view.problems;
        let whole = match self.whole(&cached).await {
            Ok(whole) => whole,
            Err(Error::Problems { problems: inside }) => {
                problems.extend(inside);
                None
            }
            Err(error) => return Err(error),
        };
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let parts = draft_view::parts(document, &self.inner.around.catalog, &cached.place);
        let needs = gather(parts.needs.into_iter());
        let plan = self.plan_of(document, &cached.place).ok();
        let digest = plan
            .as_ref()
            .map_or(cached.drafting.digest(), |p| self.signed(p, &cached.place));
        let shape = plan.as_ref();
        Ok(ApprovalView {
            run: run.to_string(),
            title: view.title,
            revision: view.revision,
            digest: digest.to_string(),
            needs,
            problems,
            parameters: shape.map_or_else(Vec::new, parameters),
            tasks: view.tasks.len() as u32,
            asks: shape.map_or_else(Vec::new, asks),
            longest_path: shape.map_or_else(Vec::new, longest_path),
            untrusted: shape.map_or_else(Vec::new, |p| self.untrusted(p)),
            secrets: shape.map_or_else(Vec::new, secrets),
            unsupported: shape.map_or_else(Vec::new, |plan| unsupported(plan, &self.models())),
        })
    }

    fn untrusted(&self, plan: &Plan) -> Vec<UntrustedPath> {
        let id = |ix: &u32| plan.task(*ix).id.to_string();
        taint::paths(plan, &self.inner.around.catalog)
            .iter()
            .filter_map(|path| {
                let (source, sink) = (id(path.first()?), id(path.last()?));
                Some(UntrustedPath {
                    source,
                    sink,
                    path: path.iter().map(id).collect(),
                })
            })
            .collect()
    }
}

/// One row per resource, with all tasks that need it, the riskiest first.
fn gather(needs: impl Iterator<Item = NeedView>) -> Vec<NeedView> {
    let mut rows: Vec<NeedView> = Vec::new();
    let mut seen: BTreeMap<(u8, u8, String, Option<String>), usize> = BTreeMap::new();
    for need in needs {
        let key = (
            need.effect as u8,
            need.access as u8,
            need.resource.clone(),
            need.method.clone(),
        );
        match seen.get(&key) {
            Some(&row) => rows[row].tasks.extend(need.tasks),
            None => {
                seen.insert(key, rows.len());
                rows.push(need);
            }
        }
    }
    rows.sort_by(|a, b| b.effect.cmp(&a.effect).then_with(|| a.resource.cmp(&b.resource)));
    rows
}

/// Each secret that a task's arguments name, by its name.
fn secrets(plan: &Plan) -> Vec<SecretView> {
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for task in &plan.tasks {
        let mut names = Vec::new();
        plan.visit_task(task, &mut |task, _| names.extend(secrets_of(task)));
        for name in names {
            let tasks = found.entry(name).or_default();
            if tasks.last().is_none_or(|last| last != task.id.as_str()) {
                tasks.push(task.id.to_string());
            }
        }
    }
    found
        .into_iter()
        .map(|(name, tasks)| SecretView { name, tasks })
        .collect()
}

fn parameters(plan: &Plan) -> Vec<ParameterView> {
    plan.parameters
        .iter()
        .map(|(name, schema)| ParameterView {
            name: name.clone(),
            schema: schema.to_string(),
            default: schema.get("default").map(ToString::to_string),
        })
        .collect()
}

fn asks(plan: &Plan) -> Vec<String> {
    let mut asks = Vec::new();
    for task in &plan.tasks {
        let mut is_asking = false;
        let mut see = |task: &Task, _: &Plan| {
            is_asking |= task.needs_approval || matches!(task.kind, TaskKind::Human { .. });
        };
        plan.visit_task(task, &mut see);
        if is_asking {
            asks.push(task.id.to_string());
        }
    }
    asks
}

fn longest_path(plan: &Plan) -> Vec<String> {
    let first = plan
        .order()
        .iter()
        .copied()
        .max_by_key(|&ix| (plan.remaining(ix), std::cmp::Reverse(ix)));
    let mut path = Vec::new();
    let mut at = first;
    while let Some(ix) = at {
        path.push(plan.task(ix).id.to_string());
        let next = plan.remaining(ix).checked_sub(1);
        at = next.and_then(|left| {
            plan.children(ix)
                .iter()
                .copied()
                .find(|&c| plan.remaining(c) == left)
        });
    }
    path
}
