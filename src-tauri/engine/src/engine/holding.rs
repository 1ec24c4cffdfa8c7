//! What a person lays on a run's tasks: outputs that are held, and breakpoints.

use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::model::events::{
    Again, BreakpointSet, DecisionClosed, EventBody, NewEvent, OutputPinned, OutputUnpinned, TaskReady,
};
use crate::model::grants::Labels;
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::state::{Inner, RunState};
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Json, RunId, TaskId};
use crate::run::END;
use crate::views::BreakpointView;

impl Engine {
    /// Holds the task's output for the next runs: the one that it has, or a value that a person gives. The run must
    /// be at rest.
    pub async fn pin(&self, run: &RunId, task: &str, value: Option<Json>) -> Result<(), Error> {
        let loaded = self.at_rest(run).await?;
        let state = &loaded.state;
        let address = addressed(state, run, task)?;
        let ix = state.find(task);
        let (output, labels, payload) = match value {
            Some(value) => {
                check_value(state, ix, task, &value)?;
                let (output, payload) = ValueRef::of(&value);
                (output, Labels::default(), payload)
            }
            None => {
                let (output, labels) = present(state, ix, task)?;
                (output, labels, None)
            }
        };
        let by = self.face();
        let pinned = OutputPinned {
            output,
            labels,
            by,
            turn: None,
        };
        let mut events = vec![self.event(Some(address), pinned)];
        if let Some(ix) = ix {
            events.extend(self.bring_up(state, ix));
        }
        self.append_held(&loaded, events, payload.into_iter().collect())
            .await
    }

    /// The task runs again as any other does.
    pub async fn unpin(&self, run: &RunId, task: &str) -> Result<(), Error> {
        let loaded = self.at_rest(run).await?;
        let address = TaskId::from(task);
        if !loaded.state.pins.contains_key(&address) {
            addressed(&loaded.state, run, task)?;
            let message = format!("the output of {task} is not pinned; nothing was recorded");
            return Err(Error::invalid("not_pinned", message));
        }
        let events = vec![self.event(
            Some(address),
            OutputUnpinned {
                by: self.face(),
                turn: None,
            },
        )];
        self.append_held(&loaded, events, Vec::new()).await
    }

    /// Lets the run stop at the task from now on, whether it is a draft, at rest or alive; `None` clears that.
    pub async fn set_breakpoint(
        &self,
        run: &RunId,
        task: &str,
        at: Option<BreakpointView>,
    ) -> Result<(), Error> {
        let state = load::load(&self.inner.store, &self.inner.around, run, END)
            .await?
            .state;
        let address = addressed(&state, run, task)?;
        let (before, after) = BreakpointView::sides(at);
        let by = self.face();
        self.append_request_of(run, Some(address), Vec::new(), move |_| {
            let by = by.clone();
            Ok(Some(
                BreakpointSet {
                    before,
                    after,
                    by,
                    turn: None,
                }
                .into(),
            ))
        })
        .await
    }

    async fn append_held(
        &self,
        loaded: &Loaded,
        events: Vec<NewEvent>,
        payloads: Vec<NewPayload>,
    ) -> Result<(), Error> {
        let after = self.after(&loaded.state, &events)?;
        self.append_at_rest(loaded, events, payloads, &after).await
    }

    /// What waits for a person, or has failed, need not: its output is there now.
    fn bring_up(&self, state: &RunState, ix: TaskIx) -> Vec<NewEvent> {
        let task = state.task(ix);
        let is_stuck = match task.status {
            TaskStatus::Waiting | TaskStatus::InDoubt => true,
            TaskStatus::Failed => !state.is_settled(ix),
            TaskStatus::Pending
            | TaskStatus::Ready
            | TaskStatus::Running
            | TaskStatus::Retrying
            | TaskStatus::Completed
            | TaskStatus::Skipped
            | TaskStatus::Cancelled
            | TaskStatus::Pruned => false,
        };
        if !is_stuck || state.status.is_over() || state.status == RunStatus::AwaitingApproval {
            return Vec::new();
        }
        let closed = task.decision.clone().map(|decision| DecisionClosed { decision });
        let again = Some(Again::Allowed);
        let ready = self.event(Some(state.tree.address(ix)), TaskReady { again });
        let closed = closed.map(|closed| self.event(None, closed));
        closed.into_iter().chain([ready]).collect()
    }

    /// The events that give a fork the pins which its parent has now.
    pub(super) fn pins_as_in(&self, parent: &RunState, fork: &RunState) -> Vec<NewEvent> {
        let is_new = |(task, pin): &(&TaskId, &crate::model::state::Pin)| {
            !fork
                .pins
                .get(*task)
                .is_some_and(|p| p.output.is_same(&pin.output))
        };
        let pinned = parent.pins.iter().filter(is_new).map(|(task, pin)| {
            let (output, labels, by) = (pin.output.clone(), pin.labels, self.face());
            let body: EventBody = OutputPinned {
                output,
                labels,
                by,
                turn: None,
            }
            .into();
            self.event(Some(task.clone()), body)
        });
        let gone = fork.pins.keys().filter(|task| !parent.pins.contains_key(*task));
        let unpinned = gone.map(|task| {
            self.event(
                Some(task.clone()),
                OutputUnpinned {
                    by: self.face(),
                    turn: None,
                },
            )
        });
        pinned.chain(unpinned).collect()
    }
}

/// The address, if the run has such a task, or may come to have it inside a map or a nested plan.
fn addressed(state: &RunState, run: &RunId, task: &str) -> Result<TaskId, Error> {
    if let Some(ix) = state.find(task) {
        return Ok(state.tree.address(ix));
    }
    let end = task.find(['/', '[']).unwrap_or(task.len());
    let (head, rest) = task.split_at(end);
    let owner = state.find(head).filter(|_| !rest.is_empty());
    match owner {
        Some(ix) if may_come(state.def(ix), state.task(ix).inner.as_deref(), rest) => Ok(TaskId::from(task)),
        Some(_) | None => Err(Error::NotFound {
            message: format!("run {run} has no task {task}"),
        }),
    }
}

/// Whether the rest of an address may name something inside the task. How many items a map has is known once it has them.
fn may_come(task: &Task, inner: Option<&Inner>, rest: &str) -> bool {
    if rest.is_empty() {
        return true;
    }
    match &task.kind {
        TaskKind::Map { task, .. } => {
            let item = rest.strip_prefix('[').and_then(|rest| rest.split_once(']'));
            let number = item.and_then(|(number, tail)| Some((number.parse::<u32>().ok()?, tail)));
            number.is_some_and(|(number, tail)| {
                inner.is_none_or(|inner| number < inner.count) && may_come(task, None, tail)
            })
        }
        TaskKind::Subplan { plan: Some(plan), .. } => {
            let Some(rest) = rest.strip_prefix('/') else {
                return false;
            };
            let (name, tail) = rest.split_at(rest.find(['/', '[']).unwrap_or(rest.len()));
            plan.find(name)
                .is_some_and(|ix| may_come(plan.task(ix), None, tail))
        }
        TaskKind::Subplan { plan: None, .. }
        | TaskKind::Agent { .. }
        | TaskKind::Model
        | TaskKind::Tool { .. }
        | TaskKind::Code { .. }
        | TaskKind::Human { .. } => false,
    }
}

fn present(state: &RunState, ix: Option<TaskIx>, task: &str) -> Result<(ValueRef, Labels), Error> {
    let found = ix.map(|ix| state.task(ix));
    let done = found.filter(|t| t.status == TaskStatus::Completed);
    done.and_then(|t| Some((t.output.clone()?, t.labels)))
        .ok_or_else(|| {
            let message = format!("{task} has no output to hold yet; run it first, or give a value");
            Error::invalid("no_output", message)
        })
}

/// What a person gives must be what the tasks behind it were promised.
fn check_value(state: &RunState, ix: Option<TaskIx>, task: &str, value: &Json) -> Result<(), Error> {
    match ix.and_then(|ix| state.def(ix).output_schema.clone()) {
        Some(schema) => fits(&schema, task, value),
        None => Ok(()),
    }
}

/// What is wrong with the value by this schema, if anything.
pub(super) fn misfit(schema: &Json, value: &Json) -> Option<String> {
    match jsonschema::validator_for(schema) {
        Ok(validator) => validator.validate(value).err().map(|e| e.to_string()),
        Err(error) => Some(error.to_string()),
    }
}

pub(super) fn fits(schema: &Json, task: &str, value: &Json) -> Result<(), Error> {
    match misfit(schema, value) {
        None => Ok(()),
        Some(wrong) => {
            let message = format!("the value does not fit the output schema of {task}: {wrong}");
            Err(Error::invalid("bad_output", message))
        }
    }
}
