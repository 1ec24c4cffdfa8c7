//! Maps and nested plans: they get their tasks when they start, and their output when the last of these is settled.

use std::collections::VecDeque;

use super::asides::Purpose;
use super::driver::{DriveError, Driver};
use super::inputs::Resolved;
use super::synthesis::FinalAnswer;
use crate::model::Json;
use crate::model::events::{
    Failure, FailureClass, TaskCancelled, TaskCompleted, TaskExpanded, TaskFailed, TaskStarted,
};
use crate::model::grants::{Labels, Place};
use crate::model::plan::{Over, Plan, TaskIx, TaskKind};
use crate::model::state::CallIntent;
use crate::model::status::TaskStatus;

/// The most items of one map (DESIGN §2 bounds a plan to as many tasks).
const MOST_ITEMS: usize = 100_000;

/// Items of one map that wait for its own cap.
#[derive(Default)]
pub struct Held {
    in_flight: u32,
    waiting: VecDeque<TaskIx>,
}

impl Driver {
    /// Where the task's relative paths lie: the folder of the plan file that it was written in.
    pub(super) fn place_of(&self, ix: TaskIx) -> Place {
        let mut files = Vec::new();
        let mut at = Some(ix);
        while let Some(node) = at {
            let scope = self.state.tree.scope(node);
            at = scope.owner;
            // Only a nested plan lies beside another one, whatever the run's own plan says of itself.
            files.extend(scope.plan.file.as_deref().filter(|_| at.is_some()));
        }
        let mut place = self.place.clone();
        for file in files.into_iter().rev() {
            place = place.beside(file);
        }
        place
    }

    /// Whether the node may start now; an item beyond its map's cap is held until another one of it has ended.
    pub(super) fn may_start_item(&mut self, ix: TaskIx) -> bool {
        let Some((map, most)) = self.cap_of(ix) else {
            return true;
        };
        let held = self.held.entry(map).or_default();
        if held.in_flight < most {
            return true;
        }
        held.waiting.push_back(ix);
        false
    }

    fn cap_of(&self, ix: TaskIx) -> Option<(TaskIx, u32)> {
        let (map, _) = self.state.tree.item(ix)?;
        match self.state.def(map).kind {
            TaskKind::Map {
                max_parallel: Some(most),
                ..
            } => Some((map, most)),
            TaskKind::Map { .. }
            | TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { .. } => None,
        }
    }

    /// Keeps count of the items that are running, and lets the next one go.
    pub(super) fn count_item(&mut self, ix: TaskIx, was: TaskStatus) {
        let is = self.state.task(ix).status;
        let (was, is) = (was == TaskStatus::Running, is == TaskStatus::Running);
        let Some((map, _)) = self.cap_of(ix).filter(|_| was != is) else {
            return;
        };
        let held = self.held.entry(map).or_default();
        if is {
            held.in_flight += 1;
        } else {
            held.in_flight = held.in_flight.saturating_sub(1);
            self.release(map);
        }
    }

    /// The item did not take its place after all, for example because it waits for a person.
    pub(super) fn release_next(&mut self, ix: TaskIx) {
        if let Some((map, _)) = self.cap_of(ix)
            && self.state.task(ix).status != TaskStatus::Running
        {
            self.release(map);
        }
    }

    fn release(&mut self, map: TaskIx) {
        if let Some(next) = self.held.get_mut(&map).and_then(|h| h.waiting.pop_front()) {
            self.push_ready(next);
        }
    }

    pub(super) async fn start_map(
        &mut self,
        ix: TaskIx,
        over: &Over,
        resolved: Resolved,
    ) -> Result<(), DriveError> {
        let list = match self.resolve_over(ix, over, &resolved.shown).await? {
            Ok(list) => list,
            Err(message) => return self.refuse(ix, "bad_input", format!("over: {message}")),
        };
        let count = match &list {
            Json::Array(items) if items.len() <= MOST_ITEMS => items.len() as u32,
            Json::Array(items) => {
                let message = format!(
                    "the map has {} items; at most {MOST_ITEMS} can be taken",
                    items.len()
                );
                return self.refuse(ix, "too_large", message);
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => {
                let message = "what the map runs over is not a list".to_owned();
                return self.refuse(ix, "bad_input", message);
            }
        };
        self.expand(ix, count, &list, resolved.labels)
    }

    /// Its inputs become the inner plan's parameters, each checked against its schema.
    pub(super) fn start_subplan(
        &mut self,
        ix: TaskIx,
        plan: &Plan,
        resolved: Resolved,
    ) -> Result<(), DriveError> {
        for (name, schema) in &plan.parameters {
            let Some(value) = resolved.shown.get(name) else {
                continue;
            };
            let wrong = match jsonschema::validator_for(schema) {
                Ok(validator) => validator.validate(value).err().map(|e| e.to_string()),
                Err(error) => Some(error.to_string()),
            };
            if let Some(wrong) = wrong {
                let message = format!("the parameter \"{name}\" of the nested plan: {wrong}");
                return self.refuse(ix, "bad_input", message);
            }
        }
        self.expand(ix, plan.tasks.len() as u32, &resolved.shown, resolved.labels)
    }

    fn expand(&mut self, ix: TaskIx, count: u32, value: &Json, labels: Labels) -> Result<(), DriveError> {
        let attempt = self.state.task(ix).attempts + 1;
        let goes_on = false;
        self.emit(Some(ix), TaskStarted { attempt, goes_on })?;
        let value = self.store_value(value);
        let expanded = TaskExpanded { count, value, labels };
        self.emit(Some(ix), expanded)
    }

    /// Maps and nested plans whose last task is settled have their output.
    pub(super) async fn join_settled(&mut self) -> Result<(), DriveError> {
        // Joining one may settle the one around it.
        while !self.state.joined.is_empty() {
            for ix in std::mem::take(&mut self.state.joined) {
                if self.state.task(ix).status == TaskStatus::Running {
                    self.join(ix).await?;
                }
            }
        }
        Ok(())
    }

    async fn join(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        let Some(inner) = self.state.task(ix).inner.clone() else {
            return Ok(());
        };
        let def = self.state.def(ix).clone();
        let nodes = inner.first..inner.first + inner.count;
        let labels = nodes.clone().fold(inner.labels, |labels, node| {
            labels.join(self.state.task(node).labels)
        });
        let output = match &def.kind {
            TaskKind::Subplan { plan: Some(plan), .. } => self.answer_of(ix, plan, inner.first).await?,
            TaskKind::Map { .. }
            | TaskKind::Subplan { .. }
            | TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. } => {
                let mut list = Vec::with_capacity(inner.count as usize);
                for node in nodes {
                    list.push(self.output_of(node).await?);
                }
                FinalAnswer::Made(Json::Array(list))
            }
        };
        let output = match output {
            FinalAnswer::Made(output) => output,
            FinalAnswer::Failed(message) => return self.fail(ix, "synthesis", message),
            FinalAnswer::Asked | FinalAnswer::Held => return Ok(()),
        };
        self.lists.drop_of(ix);
        let inputs = match (&def.check, self.resolve(ix).await?) {
            (Some(_), Ok(resolved)) => resolved.shown,
            (_, _) => Json::Null,
        };
        if let Err(error) = self.check_output(ix, &inputs, &output) {
            return self.emit(Some(ix), TaskFailed { error });
        }
        let output = Some(self.store_value(&output));
        self.emit(
            Some(ix),
            TaskCompleted {
                output,
                labels,
                ..TaskCompleted::default()
            },
        )
    }

    pub(super) fn fail(&mut self, ix: TaskIx, code: &str, message: String) -> Result<(), DriveError> {
        let error = Failure {
            class: FailureClass::Permanent,
            code: code.to_owned(),
            message,
        };
        self.emit(Some(ix), TaskFailed { error })
    }

    /// The final answer of a nested plan, by its own synthesis.
    async fn answer_of(&mut self, ix: TaskIx, plan: &Plan, first: TaskIx) -> Result<FinalAnswer, DriveError> {
        let nodes: Vec<_> = plan.leaves().map(|leaf| (leaf, Some(first + leaf))).collect();
        let leaves = self.leaves(plan, &nodes).await?;
        let bound = match &self.state.task(ix).inner {
            Some(inner) => super::inputs::load_recent(&self.store, &self.recent, &inner.value).await?,
            None => Json::Null,
        };
        let given = bound.as_object().cloned().unwrap_or_default();
        self.answer(Purpose::Answer(Some(ix)), plan, &leaves, &given)
            .await
    }

    /// Only its answer could not be made: what it has inside is not run again.
    pub(super) fn start_answer(&mut self, ix: TaskIx) -> Result<bool, DriveError> {
        let task = self.state.task(ix);
        let is_unanswered = task.inner.as_ref().is_some_and(|inner| inner.open == 0)
            && task.error.as_ref().is_some_and(|error| error.code == "synthesis");
        if is_unanswered {
            let attempt = task.attempts + 1;
            self.emit(
                Some(ix),
                TaskStarted {
                    attempt,
                    goes_on: false,
                },
            )?;
            self.state.joined.push(ix);
        }
        Ok(is_unanswered)
    }

    /// A failure inside a map or plan that may fail as a whole fails it: the nearest such one around the task.
    pub(super) fn optional_around(&self, ix: TaskIx) -> Option<TaskIx> {
        let mut at = self.state.tree.owner(ix);
        while let Some(owner) = at {
            if self.state.def(owner).is_optional {
                return Some(owner);
            }
            at = self.state.tree.owner(owner);
        }
        None
    }

    /// Passes over a map or plan of which a task has failed for good. What of it has not run never will.
    pub(super) fn give_up(&mut self, owner: TaskIx, failed: TaskIx) -> Result<(), DriveError> {
        let address = self.state.tree.address(failed);
        let message = match &self.state.task(failed).error {
            Some(error) => format!("{address}: {}", error.message),
            None => format!("{address} failed"),
        };
        self.cancel_inner(owner)?;
        self.state.joined.retain(|&ix| ix != owner);
        self.fail(owner, "inner_failed", message)
    }

    pub(super) fn cancel_inner(&mut self, owner: TaskIx) -> Result<(), DriveError> {
        let mut open = vec![owner];
        while let Some(around) = open.pop() {
            let Some(inner) = self.state.task(around).inner.clone() else {
                continue;
            };
            for node in inner.first..inner.first + inner.count {
                open.push(node);
                let task = self.state.task(node);
                let outcome_unknown = self.state.intent(task) == CallIntent::Unrepeatable;
                match task.status {
                    TaskStatus::Pending
                    | TaskStatus::Ready
                    | TaskStatus::Running
                    | TaskStatus::Retrying
                    | TaskStatus::Waiting
                    | TaskStatus::InDoubt => self.emit(Some(node), TaskCancelled { outcome_unknown })?,
                    TaskStatus::Completed
                    | TaskStatus::Failed
                    | TaskStatus::Skipped
                    | TaskStatus::Cancelled
                    | TaskStatus::Pruned => {}
                }
            }
        }
        Ok(())
    }
}
