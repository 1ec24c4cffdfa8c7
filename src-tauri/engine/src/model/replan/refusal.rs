//! Why a replan was refused, for the replanner and for people. It must not know how refusals are found.

use serde::Serialize;

use crate::model::problem::Code;
use crate::model::{Problem, TaskId};

/// One reason why the proposal can't be taken. Nothing of the proposal applies while there is one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Refusal {
    pub reason: Reason,
    /// What is wrong and what to do instead, in full sentences that name the tasks.
    pub message: String,
    /// JSON Pointer into the proposal; `""` where the fault lies in no one place of it.
    pub pointer: String,
    pub tasks: Vec<TaskId>,
    /// The fields in question, sorted; empty where the whole task is.
    pub fields: Vec<String>,
    /// Ways out that a person or the replanner may choose. None is ever taken by itself.
    pub offers: Vec<Offer>,
}

/// What a refusal is about. The validator's own problems keep their code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// It is no proposal: another shape, or past a bound.
    BadShape,
    /// It proposes no step at all.
    NothingProposed,
    /// It keeps or drops a task that the plan does not have.
    UnknownTask,
    /// It says two things of one task.
    Contradiction,
    /// It changes the goal or the parameters: that would be another plan.
    PlanChanged,
    /// It changes or drops a task that is over.
    SettledChanged,
    /// It changes or drops a task that has begun and is not over.
    InProgress,
    /// It gives the id of other work of this run to new work.
    ReusedId,
    /// What stays or is new needs a task that it drops.
    Dangling,
    /// The plan as it would be is no valid plan.
    Invalid(Code),
}

/// A way out of a refusal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Offer {
    /// Let `task` depend on one of `to` instead of on `from`.
    Repoint {
        task: TaskId,
        from: TaskId,
        to: Vec<TaskId>,
    },
    /// Drop the task, too, with all that needs it.
    Drop { task: TaskId },
    /// Keep the task that was to go.
    Keep { task: TaskId },
    /// Give the new work this id, which is free.
    UseId { task: TaskId, id: TaskId },
}

impl Refusal {
    pub(super) fn new(reason: Reason, pointer: impl Into<String>, message: String) -> Self {
        Self {
            reason,
            message,
            pointer: pointer.into(),
            tasks: Vec::new(),
            fields: Vec::new(),
            offers: Vec::new(),
        }
    }

    pub(super) fn of(mut self, task: &str) -> Self {
        self.tasks.push(TaskId::from(task));
        self
    }

    pub(super) fn in_fields(mut self, fields: Vec<String>) -> Self {
        self.fields = fields;
        self
    }

    /// A problem of the plan as it would be; its quick fix would edit that plan, which does not exist.
    pub(super) fn invalid(problem: Problem, pointer: String) -> Self {
        Self {
            reason: Reason::Invalid(problem.code),
            message: problem.message,
            pointer,
            tasks: problem.tasks,
            fields: Vec::new(),
            offers: Vec::new(),
        }
    }
}

/// Names in one sentence; beyond them only their number is told.
const SHOWN: usize = 12;

/// `a`, `b` and `c`.
pub(super) fn listed<'n>(names: impl IntoIterator<Item = &'n str>) -> String {
    let all: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    match &all[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] if all.len() <= SHOWN => format!("{} and {last}", first.join(", ")),
        [..] => format!("{} and {} more", all[..SHOWN].join(", "), all.len() - SHOWN),
    }
}
