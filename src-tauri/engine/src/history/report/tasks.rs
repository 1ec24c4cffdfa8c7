//! The tasks of a report: each with its state, its attempts, what it called, what that came to, and how its output begins.

use std::collections::{BTreeMap, HashMap};

use super::story::{MESSAGE, Text, output_of};
use crate::history::bill::Bill;
use crate::history::load::Loaded;
use crate::history::told::{Attempt, Told};
use crate::model::plan::TaskIx;
use crate::model::redactor::Redactor;
use crate::model::status::TaskStatus;
use crate::model::title::cut_at;
use crate::store::{Store, StoreError};
use crate::views::CostView;

/// Tasks whose outputs and errors are told; all are listed with their states.
const MOST_DETAILED: usize = 400;

pub struct Task {
    pub address: String,
    pub title: String,
    pub kind: &'static str,
    pub detail: String,
    pub instruction: String,
    /// Counted from 1, of the tasks of the plan itself.
    pub wave: Option<u32>,
    pub after: Vec<String>,
    pub status: TaskStatus,
    /// Tries since it began anew.
    pub attempts: u32,
    pub work_ms: i64,
    pub started_ms: Option<i64>,
    pub cost: CostView,
    /// Tools and models with how often each was called, and how often that failed.
    pub calls: Vec<(String, u32, u32)>,
    pub error: Option<(String, String)>,
    /// How earlier attempts failed.
    pub failures: Vec<(u32, String, String)>,
    pub output: Option<Text>,
    pub is_pinned: bool,
    /// Its output and failures are told here.
    pub is_detailed: bool,
}

pub(super) async fn gather(
    store: &Store,
    loaded: &Loaded,
    told: &Told,
    bill: &Bill,
    redactor: &Redactor,
) -> Result<Vec<Task>, StoreError> {
    let state = &loaded.state;
    let mut costs = bill.by_task();
    let waves = waves(loaded);
    let mut tasks = Vec::new();
    for ix in state.nodes() {
        let address = state.tree.address(ix).to_string();
        let attempts = told.attempts(&address);
        let mut task = one(loaded, ix, attempts, redactor);
        task.wave = waves.get(&ix).copied();
        task.cost = costs.remove(&address).unwrap_or_default();
        task.is_detailed = tasks.len() < MOST_DETAILED;
        if let (true, Some(value)) = (task.is_detailed, &state.task(ix).output) {
            task.output = Some(output_of(store, value, redactor).await?);
        }
        tasks.push(task);
    }
    Ok(tasks)
}

/// Waves of the plan's own tasks, counted from 1.
fn waves(loaded: &Loaded) -> HashMap<TaskIx, u32> {
    let state = &loaded.state;
    let plan = &state.plan;
    let mut waves: HashMap<TaskIx, u32> = HashMap::new();
    for ix in plan.order() {
        let before = plan
            .dependencies(*ix)
            .iter()
            .filter_map(|parent| waves.get(parent));
        let wave = before.max().copied().unwrap_or(0) + 1;
        waves.insert(*ix, wave);
    }
    // The plan's tasks are nodes of the same number until it is replanned; then the node is found by its id.
    let by_node = waves.iter().filter_map(|(ix, wave)| {
        let id = plan.task(*ix).id.as_str();
        Some((state.tree.find_root(id)?, *wave))
    });
    by_node.collect()
}

fn one(loaded: &Loaded, ix: TaskIx, attempts: &[Attempt], redactor: &Redactor) -> Task {
    let state = &loaded.state;
    let (task, def) = (state.task(ix), state.def(ix));
    let counted = || attempts.iter().filter(|attempt| !attempt.is_set_aside);
    let failed = counted().filter_map(|attempt| {
        let error = attempt.error.as_ref()?;
        Some((
            attempt.number,
            error.code.clone(),
            cut_at(&redactor.told(&error.message), MESSAGE),
        ))
    });
    Task {
        address: state.tree.address(ix).to_string(),
        title: redactor.text(&state.name(ix)),
        kind: def.kind.word(),
        detail: redactor.text(&crate::history::detail::second_line(def)),
        instruction: cut_at(&redactor.text(&def.instruction), MESSAGE),
        wave: None,
        after: state
            .tree
            .parents(ix)
            .take(12)
            .map(|parent| redactor.text(&state.name(parent)))
            .collect(),
        status: task.status,
        attempts: task.attempts,
        work_ms: counted()
            .map(|attempt| {
                attempt
                    .ended_ms
                    .unwrap_or(loaded.state.changed_ms)
                    .saturating_sub(attempt.started_ms)
                    .max(0)
            })
            .sum(),
        started_ms: (task.started_ms > 0).then_some(task.started_ms),
        cost: CostView::default(),
        calls: calls(attempts, redactor),
        error: task
            .error
            .as_ref()
            .map(|e| (e.code.clone(), cut_at(&redactor.told(&e.message), MESSAGE))),
        failures: failed.collect(),
        output: None,
        is_pinned: state.pin_of(ix).is_some(),
        is_detailed: false,
    }
}

fn calls(attempts: &[Attempt], redactor: &Redactor) -> Vec<(String, u32, u32)> {
    let mut counts: BTreeMap<&str, (u32, u32)> = BTreeMap::new();
    for call in attempts.iter().flat_map(|attempt| &attempt.calls) {
        let count = counts.entry(&call.tool).or_default();
        count.0 += 1;
        count.1 += u32::from(call.error.is_some());
    }
    counts
        .into_iter()
        .map(|(tool, (all, failed))| (redactor.text(tool), all, failed))
        .collect()
}
