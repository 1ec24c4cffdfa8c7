//! What a person is shown before they sign: everything that the signature would cover, and all that blocks it.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::choosing::still_off;
use super::models::unsupported;
use super::{Engine, Error};
use crate::history::laid::Laid;
use crate::history::rows::budget;
use crate::llm::{Models, Role};
use crate::model::grants::{Concern, Grants, Place};
use crate::model::ledger::Cap;
use crate::model::plan::{Plan, Task, TaskKind};
use crate::model::{RunId, draft_view, taint};
use crate::run::{Asked, Replan, asked_by, secrets_of};
use crate::views::{
    ApprovalView, EndorsedView, FlowView, MarkView, NeedView, ParameterView, ReceiverView, ReplannerView,
    SecretView, UntrustedPath,
};

impl Engine {
    /// Everything that the signature would cover, and all that still blocks it.
    pub async fn approval(&self, run: &RunId) -> Result<ApprovalView, Error> {
        let cached = self.cached(run).await?;
        let view = self.draft_view(&cached).await?;
        let mut problems = view.problems;
        problems.extend(self.pasted(&cached.drafting.plan));
        let whole = match self.whole(&cached).await {
            Ok(whole) => whole,
            Err(Error::Problems { problems: inside }) => {
                problems.extend(inside);
                None
            }
            Err(error) => return Err(error),
        };
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let parts = draft_view::parts(document, &self.catalog(), &cached.place);
        let needs = gather(parts.needs.into_iter());
        let plan = self.plan_of(document, &cached.place).ok();
        let digest = plan
            .as_ref()
            .map_or(cached.drafting.digest(), |p| self.signed(p, &cached.place));
        // Signing another plan than was shown is refused, and so is signing other pins and breakpoints.
        let digest = cached.laid.bind(digest);
        let shape = plan.as_ref();
        let flows = shape.map_or_else(Vec::new, |plan| self.flows(plan, &cached.place));
        let estimate = match shape {
            Some(plan) => Some(self.estimate_of(plan, &cached.laid, &BTreeSet::new()).await?),
            None => None,
        };
        let off = self
            .signed_before(&cached)
            .await?
            .map(|signed| signed.conditions.off);
        let off = still_off(&off.unwrap_or_default(), &needs);
        let since_last = self.since_last(&cached, document, &needs).await?;
        let receivers = shape.map_or_else(Vec::new, |plan| receivers(&self.models(), plan));
        let replanner = self.replanner(&receivers);
        Ok(ApprovalView {
            run: run.to_string(),
            title: view.title,
            revision: view.revision,
            digest: digest.to_string(),
            needs,
            problems,
            parameters: shape.map_or_else(Vec::new, parameters),
            tasks: view.tasks.len() as u32,
            asks: shape.map_or_else(Vec::new, |plan| asks(plan, &cached.laid)),
            longest_path: shape.map_or_else(Vec::new, longest_path),
            untrusted: untrusted(&flows),
            flows,
            endorsed: shape.map_or_else(Vec::new, endorsed),
            marks: shape.map_or_else(Vec::new, marks),
            secrets: shape.map_or_else(Vec::new, secrets),
            models: receivers,
            replanner,
            unsupported: shape.map_or_else(Vec::new, |plan| unsupported(plan, &self.models())),
            estimate,
            since_last,
            off,
            budget: budget(shape.map_or_else(Cap::default, |plan| Cap::of(&plan.budget))),
        })
    }

    /// Who would be told of a failure; nobody, where that is only asked for by a person.
    fn replanner(&self, receivers: &[ReceiverView]) -> Option<ReplannerView> {
        let models = self.models();
        let entry = models.find(Role::Replanner.word()).ok();
        let entry = entry.filter(|_| self.inner.replan != Replan::Off)?;
        let host = entry.host.as_deref().map(str::to_owned);
        let is_known = host.is_none() || receivers.iter().any(|other| other.host == host);
        Some(ReplannerView {
            model: entry.name.to_string(),
            host,
            holds_private_back: !is_known,
        })
    }

    pub(super) fn flows(&self, plan: &Plan, place: &Place) -> Vec<FlowView> {
        let (catalog, tools) = (self.catalog(), self.tools_now());
        let around = taint::Around {
            catalog: &catalog,
            place,
            own_folders: &self.inner.around.own_work,
            is_foreign: &|path| tools.hands().is_foreign(Path::new(path)),
        };
        let view = |flow: taint::Flow| {
            let path: Vec<String> = flow.path.iter().map(ToString::to_string).collect();
            Some(FlowView {
                source: path.first()?.clone(),
                sink: path.last()?.clone(),
                concern: flow.concern,
                accepted: flow.is_accepted,
                path,
            })
        };
        taint::flows(plan, &around).into_iter().filter_map(view).collect()
    }

    /// The flows of a plan file, and what its schemas endorse; nothing where it is no plan.
    pub async fn flows_of_file(&self, path: std::path::PathBuf) -> (Vec<FlowView>, Vec<EndorsedView>) {
        let path = std::path::absolute(&path).unwrap_or(path);
        let shown = path.to_string_lossy().into_owned();
        let place = self.inner.around.place(&RunId::from("new"), Some(&shown));
        let Ok(text) = super::nested_files::read_whole(path).await else {
            return (Vec::new(), Vec::new());
        };
        let plan = super::drafts::parse(&text).and_then(|draft| self.plan_of(&draft, &place));
        plan.map_or_else(
            |_| (Vec::new(), Vec::new()),
            |plan| (self.flows(&plan, &place), endorsed(&plan)),
        )
    }
}

fn receivers(models: &Models, plan: &Plan) -> Vec<ReceiverView> {
    let view = |(model, asked): (String, Asked)| ReceiverView {
        model,
        host: asked.host,
        tasks: asked.tasks,
        stands_in: asked.stands_in,
        writes_answer: asked.writes_answer,
    };
    asked_by(models, plan).into_iter().map(view).collect()
}

/// Those that the canvas draws: of foreign text, between cards.
pub(super) fn untrusted(flows: &[FlowView]) -> Vec<UntrustedPath> {
    let is_drawn = |flow: &&FlowView| {
        flow.concern == Concern::Untrusted
            && !flow.accepted
            && !flow.path.iter().any(|id| id.contains(['/', '[']))
    };
    let path = |flow: &FlowView| UntrustedPath {
        source: flow.source.clone(),
        sink: flow.sink.clone(),
        path: flow.path.clone(),
    };
    flows.iter().filter(is_drawn).map(path).collect()
}

/// What is taken for trusted although it was made of foreign text, as it can carry no message (R4).
fn endorsed(plan: &Plan) -> Vec<EndorsedView> {
    let view = |(task, path): (crate::model::TaskId, String)| EndorsedView {
        task: task.to_string(),
        path,
    };
    taint::endorsed(plan).into_iter().map(view).collect()
}

/// What the plan says of paths and receivers beyond what it may touch.
fn marks(plan: &Plan) -> Vec<MarkView> {
    let mark = |kind: &str, entry: &String| MarkView {
        kind: kind.to_owned(),
        entry: entry.clone(),
    };
    let mut found = Vec::new();
    let mut see = |grants: &Grants| {
        found.extend(grants.own_work.iter().map(|entry| mark("own_work", entry)));
        found.extend(grants.private_to.iter().map(|entry| mark("private_to", entry)));
    };
    see(&plan.grants);
    plan.visit(&mut |task, _| {
        if let TaskKind::Subplan { plan: Some(plan), .. } = &task.kind {
            see(&plan.grants);
        }
    });
    found.dedup();
    found
}

/// One row per resource, with all tasks that need it, the riskiest first.
pub(super) fn gather(needs: impl Iterator<Item = NeedView>) -> Vec<NeedView> {
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
pub(super) fn secrets(plan: &Plan) -> Vec<SecretView> {
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

/// Those that wait for a person; one whose output is held asks nobody.
fn asks(plan: &Plan, laid: &Laid) -> Vec<String> {
    let mut asks = Vec::new();
    for task in &plan.tasks {
        let mut is_asking = false;
        let mut see = |task: &Task, _: &Plan| {
            is_asking |= task.needs_approval || matches!(task.kind, TaskKind::Human { .. });
        };
        plan.visit_task(task, &mut see);
        if is_asking && !laid.pins.contains_key(&task.id) {
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
