//! A replan that may be taken: the new plan, and what differs, sorted out by task. It must not know what is refused.

use serde::Serialize;

use super::Standing;
use super::ask::Ask;
use super::merge::{Fate, Merge};
use super::rewrite::Rewritten;
use crate::model::edit::names::id_of;
use crate::model::plan::Plan;
use crate::model::{Accepted, DraftPlan, Json, Problem, TaskId};

/// A proposal that may be taken.
#[derive(Clone, Debug)]
pub struct Replanned {
    /// The whole new document: tasks that stay in their order, then new ones in the proposal's.
    pub document: DraftPlan,
    /// The same, validated.
    pub plan: Plan,
    pub warnings: Vec<Problem>,
    /// JSON Patch from the current document to the new one; an empty list if nothing changes.
    pub patch: Json,
    /// The patch that takes it back exactly.
    pub inverse: Json,
    pub added: Vec<TaskId>,
    /// Tasks that execute otherwise than before. All of them were untouched or had failed.
    pub changed: Vec<Changed>,
    /// Tasks that only got a new title.
    pub retitled: Vec<TaskId>,
    pub pruned: Vec<TaskId>,
    /// Tasks that execute as before, retitled ones included.
    pub kept: Vec<TaskId>,
    /// Those of them that have failed: the replan mends nothing about them.
    pub still_failed: Vec<TaskId>,
    /// Fields of the plan itself that change: `grants`, `budget`, `synthesis`.
    pub plan_fields: Vec<String>,
    /// JSON Pointers into the proposal: what it said beside the plan, which was not taken.
    pub ignored: Vec<String>,
    /// What a person must allow first. A replan with an empty list stays inside what was approved.
    pub asks: Vec<Ask>,
}

/// A task that stays under its id and executes otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Changed {
    pub task: TaskId,
    /// The fields that differ in what executes, sorted.
    pub fields: Vec<String>,
    /// [`Standing::Untouched`] or [`Standing::Failed`].
    pub was: Standing,
}

impl Replanned {
    /// Whether the proposal says what the plan says already.
    pub fn is_empty(&self) -> bool {
        self.patch.as_array().is_none_or(Vec::is_empty)
    }
}

impl Merge<'_> {
    /// The tasks of the new document.
    pub fn tasks(&self) -> impl Iterator<Item = &Json> {
        let old = self
            .old
            .iter()
            .zip(&self.fates)
            .filter_map(|(old, fate)| match fate {
                Fate::Stays => Some(old),
                Fate::Becomes(task, _) => Some(task),
                Fate::Goes => None,
            });
        let new = self.added.iter().map(|entry| &self.proposal.entries[*entry]);
        old.chain(new)
    }

    /// New and changed tasks.
    pub fn reshaped(&self) -> impl Iterator<Item = &Json> {
        let changed = self.fates.iter().filter_map(|fate| match fate {
            Fate::Becomes(task, fields) if !fields.is_empty() => Some(task),
            Fate::Becomes(..) | Fate::Stays | Fate::Goes => None,
        });
        let new = self.added.iter().map(|entry| &self.proposal.entries[*entry]);
        changed.chain(new)
    }

    /// Whether tasks go and none is left that could still run.
    pub fn leaves_nothing(&self) -> bool {
        let has_gone = self.fates.iter().any(|fate| matches!(fate, Fate::Goes));
        let mut left = self.fates.iter().zip(&self.standing);
        let is_left = left.any(|(fate, standing)| match (fate, standing) {
            (Fate::Goes, _) | (Fate::Stays, Standing::Settled | Standing::Pruned | Standing::Failed) => false,
            (Fate::Stays, Standing::Untouched | Standing::Touched) => true,
            (Fate::Becomes(_, fields), _) => !fields.is_empty(),
        });
        has_gone && !is_left && self.added.is_empty()
    }

    pub fn replanned(
        &self,
        document: DraftPlan,
        accepted: Accepted,
        rewritten: Rewritten,
        plan_fields: Vec<String>,
        asks: Vec<Ask>,
    ) -> Replanned {
        let mut diff = Replanned {
            document,
            plan: accepted.plan,
            warnings: accepted.warnings,
            patch: rewritten.patch,
            inverse: rewritten.inverse,
            added: Vec::new(),
            changed: Vec::new(),
            retitled: Vec::new(),
            pruned: Vec::new(),
            kept: Vec::new(),
            still_failed: Vec::new(),
            plan_fields,
            ignored: self.proposal.unknown(),
            asks,
        };
        for (ix, fate) in self.fates.iter().enumerate() {
            diff.note(
                TaskId::from(id_of(&self.old[ix]).unwrap_or_default()),
                fate,
                self.standing[ix],
            );
        }
        let new = self.added.iter().map(|entry| &self.proposal.entries[*entry]);
        diff.added = new.filter_map(id_of).map(TaskId::from).collect();
        diff
    }
}

impl Replanned {
    fn note(&mut self, task: TaskId, fate: &Fate, was: Standing) {
        match fate {
            Fate::Goes => return self.pruned.push(task),
            Fate::Becomes(_, fields) if !fields.is_empty() => {
                let fields = fields.clone();
                return self.changed.push(Changed { task, fields, was });
            }
            Fate::Becomes(..) => self.retitled.push(task.clone()),
            Fate::Stays => {}
        }
        if was == Standing::Failed {
            self.still_failed.push(task.clone());
        }
        self.kept.push(task);
    }
}
