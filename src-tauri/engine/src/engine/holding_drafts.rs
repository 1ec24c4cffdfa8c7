//! Pins and breakpoints on a draft, right or wrong: they hold in the run that its approval starts. What is inside of maps
//! and nested plans is laid as on a run, which needs a plan without errors.

use std::collections::BTreeSet;

use super::drafts::{CachedDraft, refuse_settled};
use super::holding::{fits, misfit};
use super::{Engine, Error};
use crate::history::detail;
use crate::history::laid::Hold;
use crate::model::edit;
use crate::model::events::{BreakpointSet, Change, EventBody, NewEvent, OutputPinned, OutputUnpinned, Turn};
use crate::model::grants::Labels;
use crate::model::problem::{Code, Problem, QuickFix, Severity};
use crate::model::value::ValueRef;
use crate::model::{Json, RunId, TaskId};
use crate::views::{BreakpointView, DraftView};

impl Engine {
    /// Holds this as the task's output for the run to come; without a value, the task is executed again.
    pub async fn hold(&self, run: &RunId, task: &str, value: Option<Json>) -> Result<DraftView, Error> {
        let cached = self.to_lay(run).await?;
        if is_inside(task) {
            match value {
                Some(value) => self.pin(run, task, Some(value)).await?,
                None => self.unpin(run, task).await?,
            }
            return self.draft(run).await;
        }
        let address = TaskId::from(task);
        let former = cached.laid.pins.get(&address);
        let Some(value) = value else {
            return match former {
                Some(_) => self.lay(run, address, Hold::Pin(None), Turn::Act).await,
                None => self.draft_view(&cached).await,
            };
        };
        let document = document_of(&cached, run, task)?;
        if let Some(schema) = document.get("output_schema") {
            fits(schema, task, &value)?;
        }
        let (output, payload) = ValueRef::of(&value);
        if former.is_some_and(|pin| pin.output.is_same(&output)) {
            return self.draft_view(&cached).await;
        }
        let pinned = OutputPinned {
            output,
            labels: Labels::default(),
            by: self.face(),
            turn: Some(Turn::Act),
        };
        let events = vec![self.event(Some(address), pinned)];
        self.note(cached, events, payload.into_iter().collect()).await
    }

    /// Lets the run to come stop at the task; `None` clears that.
    pub async fn break_at(
        &self,
        run: &RunId,
        task: &str,
        at: Option<BreakpointView>,
    ) -> Result<DraftView, Error> {
        let cached = self.to_lay(run).await?;
        if is_inside(task) {
            self.set_breakpoint(run, task, at).await?;
            return self.draft(run).await;
        }
        let address = TaskId::from(task);
        if cached.laid.points.get(&address).copied() == at {
            return self.draft_view(&cached).await;
        }
        if at.is_some() {
            document_of(&cached, run, task)?;
        }
        self.lay(run, address, Hold::Point(at), Turn::Act).await
    }

    /// Lays on a task what the step says; the output of a pin is stored already.
    pub(super) async fn lay(
        &self,
        run: &RunId,
        task: TaskId,
        hold: Hold,
        turn: Turn,
    ) -> Result<DraftView, Error> {
        let cached = self.to_lay(run).await?;
        let (by, turn) = (self.face(), Some(turn));
        let body: EventBody = match hold {
            Hold::Pin(Some(pin)) => OutputPinned { by, turn, ..pin }.into(),
            Hold::Pin(None) => OutputUnpinned { by, turn }.into(),
            Hold::Point(at) => {
                let (before, after) = BreakpointView::sides(at);
                BreakpointSet {
                    before,
                    after,
                    by,
                    turn,
                }
                .into()
            }
        };
        let events = vec![self.event(Some(task), body)];
        self.note(cached, events, Vec::new()).await
    }

    /// The output that is held for a task, as JSON text.
    pub async fn held_output(&self, run: &RunId, task: &str) -> Result<Option<String>, Error> {
        let cached = self.cached(run).await?;
        match cached.laid.output_of(task) {
            Some(value) => Ok(Some(detail::text(&self.inner.store, value).await?)),
            None => Ok(None),
        }
    }

    /// Held outputs that no longer are what the tasks behind them were promised.
    pub(super) async fn unfit_pins(&self, cached: &CachedDraft) -> Result<Vec<Problem>, Error> {
        let mut problems = Vec::new();
        if cached.laid.pins.is_empty() {
            return Ok(problems);
        }
        let tasks = cached.drafting.plan.document().get("tasks");
        for (at, document) in tasks.and_then(Json::as_array).into_iter().flatten().enumerate() {
            let id = document.get("id").and_then(Json::as_str).unwrap_or_default();
            let Some((schema, held)) = document.get("output_schema").zip(cached.laid.output_of(id)) else {
                continue;
            };
            let value = crate::run::load(&self.inner.store, held).await?;
            if let Some(why) = misfit(schema, &value) {
                problems.push(unfit(id, at, &why));
            }
        }
        Ok(problems)
    }

    pub(super) async fn refuse_unfit_pins(&self, cached: &CachedDraft) -> Result<(), Error> {
        let problems = self.unfit_pins(cached).await?;
        if problems.is_empty() {
            return Ok(());
        }
        Err(Error::Problems { problems })
    }

    /// The events that lay the same on another draft of this plan, as far as it has such tasks.
    pub(super) fn laid_again(&self, cached: &CachedDraft) -> Vec<NewEvent> {
        let tasks = cached
            .drafting
            .plan
            .document()
            .get("tasks")
            .and_then(Json::as_array);
        let ids = tasks
            .into_iter()
            .flatten()
            .filter_map(|task| task.get("id").and_then(Json::as_str));
        let ids: BTreeSet<&str> = ids.collect();
        let is_there = |task: &TaskId| {
            let task = task.as_str();
            ids.contains(&task[..task.find(['/', '[']).unwrap_or(task.len())])
        };
        let pins = cached.laid.pins.iter().filter(|(task, _)| is_there(task));
        let pins = pins.map(|(task, pin)| {
            let pin = OutputPinned {
                by: self.face(),
                turn: None,
                ..pin.clone()
            };
            self.event(Some(task.clone()), pin)
        });
        let points = cached.laid.points.iter().filter(|(task, _)| is_there(task));
        let points = points.map(|(task, point)| {
            let (before, after) = BreakpointView::sides(Some(*point));
            let by = self.face();
            let turn = None;
            self.event(
                Some(task.clone()),
                BreakpointSet {
                    before,
                    after,
                    by,
                    turn,
                },
            )
        });
        pins.chain(points).collect()
    }

    async fn to_lay(&self, run: &RunId) -> Result<CachedDraft, Error> {
        let cached = self.cached(run).await?;
        refuse_settled(&cached)?;
        if cached.is_planning {
            let message =
                "the plan is still being made; nothing was recorded. Wait for it, or stop the planning";
            return Err(Error::conflict("planning", message));
        }
        Ok(cached)
    }

    /// What lies on a task that is renamed goes with it, however it is renamed.
    pub(super) fn follow_renames(&self, cached: &CachedDraft, change: &Change) -> Vec<NewEvent> {
        let patch = match change {
            Change::Document(_) => return Vec::new(),
            Change::Edit(edit) | Change::Undo(edit) | Change::Redo(edit) | Change::Replan(edit) => {
                &edit.patch
            }
        };
        if cached.laid.is_empty() {
            return Vec::new();
        }
        let mut events = Vec::new();
        for (old, new) in edit::renames(cached.drafting.plan.document(), patch) {
            let (old, new, by) = (TaskId::from(old), TaskId::from(new), self.face());
            let mut say = |task: &TaskId, body: EventBody| events.push(self.event(Some(task.clone()), body));
            if let Some(pin) = cached.laid.pins.get(&old) {
                let (by, turn) = (by.clone(), None);
                say(&old, OutputUnpinned { by, turn }.into());
                say(&new, OutputPinned { turn, ..pin.clone() }.into());
            }
            if let Some(&point) = cached.laid.points.get(&old) {
                let (before, after) = BreakpointView::sides(Some(point));
                let gone = BreakpointSet {
                    before: false,
                    after: false,
                    by: by.clone(),
                    turn: None,
                };
                say(&old, gone.clone().into());
                say(
                    &new,
                    BreakpointSet {
                        before,
                        after,
                        ..gone
                    }
                    .into(),
                );
            }
        }
        events
    }
}

/// What speaks against a held output, as a problem that letting go of it mends.
fn unfit(task: &str, at: usize, why: &str) -> Problem {
    Problem {
        code: Code::HeldOutput,
        severity: Severity::Error,
        message: format!(
            "The output that is held for `{task}` does not fit its output schema any more: {why}. It is kept; remove the \
             pin, pin another output, or mend the schema."
        ),
        pointer: format!("/tasks/{at}/output_schema"),
        tasks: vec![TaskId::from(task)],
        fix: Some(QuickFix {
            label: "Remove the pin".to_owned(),
            edits: Vec::new(),
            unpins: Some(task.to_owned()),
        }),
    }
}

/// An item of a map, or a task of a nested plan.
fn is_inside(task: &str) -> bool {
    task.contains(['/', '['])
}

fn document_of<'d>(cached: &'d CachedDraft, run: &RunId, task: &str) -> Result<&'d Json, Error> {
    let tasks = cached
        .drafting
        .plan
        .document()
        .get("tasks")
        .and_then(Json::as_array);
    let mut tasks = tasks.into_iter().flatten();
    let found = tasks.find(|t| t.get("id").and_then(Json::as_str) == Some(task));
    found.ok_or_else(|| Error::NotFound {
        message: format!("the plan of run {run} has no task {task}; nothing was recorded"),
    })
}
