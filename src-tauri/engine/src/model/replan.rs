//! A replan as a pure function (rule 7): from the plan that runs, the states of its tasks and a proposal to a new plan
//! with its diff, or to refusals. Nothing here decides whether a replan applies: what it asks for is told. It must
//! not know runs, logs, models or how the proposal came about.
//!
//! The rules:
//! - A task that is over or under way is immutable in all that executes; the proposal may only give it a new title.
//! - An id names one piece of work for the whole run. Only a task that has not begun, or that has failed, may be
//!   redefined under its own id. A failed one may, as no output is bound to it, and because it should: idempotency
//!   keys hang on the address, so that under the same id an effect that did happen is found and not made again.
//! - Nothing that stays may need what goes.
//! - The result is validated like any plan.

mod ask;
mod calls;
mod compare;
mod dangling;
mod describe;
mod flows;
mod frame;
mod guards;
mod merge;
mod outcome;
mod proposal;
mod refusal;
mod rewrite;
mod wording;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::Serialize;

pub use ask::Ask;
pub use describe::{FieldChange, Kind, Line, as_text, describe};
pub use outcome::{Changed, Replanned};
pub use refusal::{Offer, Reason, Refusal};

use super::edit::names::id_of;
use super::edit::patch::check_bounds;
use super::grants::Grants;
use super::plan::Plan;
use super::status::TaskStatus;
use super::taint;
use super::{Code, DraftPlan, Json, Problem, Setting, TaskId};
use compare::Approved;
use merge::Merge;
use proposal::Proposal;

/// Where a task of the run stands, as far as a replan cares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It has not begun.
    Untouched,
    /// It has begun and is not over: running, retrying, waiting for a person, in doubt.
    Touched,
    /// It has failed for good, and nothing passes over that.
    Failed,
    /// It is over, and its dependents may go on.
    Settled,
    /// An earlier replan dropped it. Its id stays taken.
    Pruned,
}

impl Standing {
    /// The standing of a task in this state. A failure that is `optional` is passed over.
    pub fn of(status: TaskStatus, is_optional: bool) -> Self {
        match status {
            TaskStatus::Pending | TaskStatus::Ready => Self::Untouched,
            TaskStatus::Running | TaskStatus::Retrying | TaskStatus::Waiting | TaskStatus::InDoubt => {
                Self::Touched
            }
            TaskStatus::Failed if is_optional => Self::Settled,
            TaskStatus::Failed => Self::Failed,
            TaskStatus::Completed | TaskStatus::Skipped | TaskStatus::Cancelled => Self::Settled,
            TaskStatus::Pruned => Self::Pruned,
        }
    }

    fn is_fixed(self) -> bool {
        match self {
            Self::Touched | Self::Settled | Self::Pruned => true,
            Self::Untouched | Self::Failed => false,
        }
    }

    /// Whether nothing more will happen to it.
    fn is_over(self) -> bool {
        match self {
            Self::Settled | Self::Pruned => true,
            Self::Untouched | Self::Touched | Self::Failed => false,
        }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Untouched => "has not begun",
            Self::Touched => "has begun and is not over",
            Self::Failed => "has failed",
            Self::Settled => "is over",
            Self::Pruned => "has been dropped before",
        }
    }

    fn reason(self) -> Reason {
        match self {
            Self::Touched => Reason::InProgress,
            Self::Untouched | Self::Failed | Self::Settled | Self::Pruned => Reason::SettledChanged,
        }
    }
}

/// The states of a run's tasks.
pub trait Standings {
    /// `None`: the run has never had a task of this id. A task of the current plan for which it says so counts as
    /// untouched. Tasks that earlier replans dropped must be known here, so that their ids stay theirs.
    fn of(&self, id: &str) -> Option<Standing>;
}

impl Standings for HashMap<TaskId, Standing> {
    fn of(&self, id: &str) -> Option<Standing> {
        self.get(id).copied()
    }
}

impl Standings for BTreeMap<TaskId, Standing> {
    fn of(&self, id: &str) -> Option<Standing> {
        self.get(id).copied()
    }
}

/// Judges a proposal. `current` is the approved plan as it runs now. All refusals are told at once, in the order of
/// the proposal's form, the tasks, what they need, and what the validator says. Linear in tasks + dependencies.
pub fn replan(
    current: &DraftPlan,
    standings: &dyn Standings,
    proposal: &Json,
    setting: &Setting<'_>,
) -> Result<Replanned, Vec<Refusal>> {
    let proposal = Proposal::read(proposal)?;
    let document = current.document();
    let tasks = document.get("tasks").and_then(Json::as_array);
    let mut merge = Merge::new(tasks.map_or(&[], Vec::as_slice), &proposal, standings);
    let mut frame = frame::of(document, &proposal);
    let mut refusals = std::mem::take(&mut frame.refusals);
    refusals.append(&mut merge.refusals);
    refusals.append(&mut dangling::refusals(&merge));

    let rewritten = rewrite::rewrite(document, &merge, &frame, frame::positions(document, &merge));
    let too_large = |message: String| vec![Refusal::new(Reason::BadShape, "", message)];
    let mut rewritten =
        rewritten.map_err(|error| too_large(format!("The plan can't be changed so: {error}.")))?;
    check_bounds(&rewritten.document)
        .map_err(|error| too_large(format!("The plan can't be changed so: {error}.")))?;
    let draft = DraftPlan::of(std::mem::take(&mut rewritten.document));
    match draft.to_plan_in(setting) {
        Ok(accepted) if refusals.is_empty() => {
            let old = current.to_plan_in(setting).ok().map(|accepted| accepted.plan);
            let asks = asks(
                document,
                old.as_ref(),
                &merge,
                &accepted.plan,
                frame.asks,
                setting,
            );
            Ok(merge.replanned(draft, accepted, rewritten, frame.fields, asks))
        }
        Ok(_) => Err(refusals),
        Err(problems) => {
            let told = problems
                .into_iter()
                .filter(|problem| !is_dangling(problem, draft.document(), &merge))
                .map(|problem| {
                    let pointer = place(&problem.pointer, &rewritten.entries, &proposal);
                    Refusal::invalid(problem, pointer)
                });
            refusals.extend(told);
            Err(refusals)
        }
    }
}

/// Whether the validator misses a task that the replan drops: that has been told, with its ways out.
fn is_dangling(problem: &Problem, document: &Json, merge: &Merge<'_>) -> bool {
    if !matches!(problem.code, Code::UnknownDependency | Code::UnknownInput) {
        return false;
    }
    let value = document.pointer(&problem.pointer);
    let name = value.and_then(|value| value.get("$from").unwrap_or(value).as_str());
    name.is_some_and(|name| merge.gone(name).is_some())
}

/// Where in the proposal the fault of the new document lies, as nearly as can be told.
fn place(pointer: &str, entries: &[Option<usize>], proposal: &Proposal<'_>) -> String {
    let in_task = pointer
        .strip_prefix("/tasks/")
        .map(|rest| rest.split_once('/').unwrap_or((rest, "")));
    let mut found = match in_task {
        None => pointer.to_owned(),
        Some((ix, rest)) => {
            let entry = ix.parse::<usize>().ok().and_then(|ix| *entries.get(ix)?);
            let Some(entry) = entry else { return String::new() };
            format!("{}/{rest}", proposal.pointer(entry))
        }
    };
    while proposal.document.pointer(&found).is_none() {
        match found.rfind('/') {
            Some(end) => found.truncate(end),
            None => return String::new(),
        }
    }
    found
}

fn asks(
    current: &Json,
    old: Option<&Plan>,
    merge: &Merge<'_>,
    new: &Plan,
    mut asks: Vec<Ask>,
    setting: &Setting<'_>,
) -> Vec<Ask> {
    // A plan that could not be approved today covers nothing.
    let nothing = Grants::default();
    let grants = old.map_or(&nothing, |plan| &plan.grants);
    let approved = Approved::new(current, grants, merge, setting);
    asks.extend(compare::of_tasks(&approved, merge));
    asks.extend(old.map_or_else(Vec::new, |old| guards::lost(old, new, merge, setting.catalog)));
    let touched: HashSet<&str> = merge.reshaped().filter_map(id_of).collect();
    let is_over = |id: &str| merge.standing_of(id).is_some_and(Standing::is_over);
    let around = taint::Around {
        catalog: setting.catalog,
        place: setting.place,
        own_folders: &[],
        // Nobody has looked at the disk.
        is_foreign: &|_| true,
    };
    asks.extend(flows::new_flows(old, new, &touched, is_over, &around));
    if merge.leaves_nothing() {
        asks.push(Ask::NothingLeft);
    }
    let mut told = HashSet::new();
    asks.retain(|ask| told.insert(ask.clone()));
    asks
}
