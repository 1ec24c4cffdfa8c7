//! A run's log taken apart by task, read once however many tasks are looked at: what each attempt thought, called, saw and
//! answered, and what was asked beside the tasks. It must not know how that is shown.

use std::collections::HashMap;

use super::said;
use super::{Engine, Error};
use crate::history::bill::Bill;
use crate::history::crowd::Crowd;
use crate::history::{detail, load, sentences, tasks};
use crate::model::events::Event;
use crate::model::state::RunState;
use crate::model::{RunId, TaskId};
use crate::run::END;
use crate::views::{AsideView, TaskDetail};

/// Events shown with one task.
const TASK_EVENTS: usize = 500;

/// One run, to be looked at task by task.
pub struct TaskDetails {
    engine: Engine,
    run: RunId,
    state: RunState,
    crowd: Crowd,
    is_driven: bool,
    by_task: HashMap<Option<TaskId>, Vec<Event>>,
    /// Who asked what belongs to no task, in the order of asking.
    roles: Vec<String>,
}

impl Engine {
    /// # Errors
    /// Where there is no such run, or its log can't be read.
    pub async fn task_details(&self, run: &RunId) -> Result<TaskDetails, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let roles = Bill::of(&loaded.events, &loaded.state).asides();
        let mut by_task: HashMap<Option<TaskId>, Vec<Event>> = HashMap::new();
        for event in loaded.events {
            by_task.entry(event.task.clone()).or_default().push(event);
        }
        Ok(TaskDetails {
            engine: self.clone(),
            run: run.clone(),
            crowd: Crowd::of(&loaded.state, &self.caps()),
            state: loaded.state,
            is_driven: self.inner.store.holder(run).is_some(),
            by_task,
            roles,
        })
    }

    /// # Errors
    /// As [`Engine::task_details`], and where the run has no such task.
    pub async fn task_detail(&self, run: &RunId, task: &str) -> Result<TaskDetail, Error> {
        self.task_details(run).await?.of(task).await
    }
}

impl TaskDetails {
    /// The tasks that have begun, in the order of the plan; map items and tasks of nested plans behind it.
    pub fn begun(&self) -> Vec<String> {
        let begun = self
            .state
            .nodes()
            .filter(|&ix| self.state.task(ix).started_ms > 0);
        begun.map(|ix| self.state.tree.address(ix).to_string()).collect()
    }

    /// # Errors
    /// Where the run has no such task, or a value can't be read.
    pub async fn of(&self, task: &str) -> Result<TaskDetail, Error> {
        let (state, store) = (&self.state, &self.engine.inner.store);
        let no_task = || Error::NotFound {
            message: format!("run {} has no task {task}", self.run),
        };
        let ix = state.find(task).ok_or_else(no_task)?;
        let planned = state.def(ix);
        let is_begun = state.task(ix).open == 0;
        let resolved = if is_begun {
            crate::run::resolve_shown(store, state, ix)
                .await?
                .unwrap_or_default()
        } else {
            Vec::new()
        };
        let arguments = serde_json::Value::Object(resolved.iter().cloned().collect()).to_string();
        let own = self
            .by_task
            .get(&Some(TaskId::from(task)))
            .map_or(&[][..], Vec::as_slice);
        let from = own.len().saturating_sub(TASK_EVENTS);
        let (accepted_after_rejections, flags) = detail::doubts(own);
        let mut attempts = detail::attempts(store, own, &arguments).await?;
        said::fill_in(attempts.iter_mut().flat_map(|attempt| &mut attempt.calls));
        let view = tasks::view(state, ix, self.is_driven, &self.crowd);
        Ok(TaskDetail {
            task: self.engine.with_server(state, ix, view),
            title: state.name(ix),
            task_type: planned.kind.word().to_owned(),
            detail: detail::second_line(planned),
            instruction: planned.instruction.to_string(),
            inputs: detail::named(&state.tree.scope(ix).plan, planned, &resolved),
            output: match &state.task(ix).output {
                Some(value) => Some(detail::text(store, value).await?),
                None => None,
            },
            accepted_after_rejections,
            flags,
            attempts,
            events: own[from..].iter().map(|e| sentences::view(e, state)).collect(),
        })
    }

    /// What the planner, the replanner and the synthesizer were asked, in the order of asking.
    ///
    /// # Errors
    /// Where a value can't be read.
    pub async fn asides(&self) -> Result<Vec<AsideView>, Error> {
        let own = self.by_task.get(&None).map_or(&[][..], Vec::as_slice);
        let mut calls = detail::asides(&self.engine.inner.store, own).await?;
        said::fill_in(calls.iter_mut());
        let asked = self.roles.iter().cloned().zip(calls);
        Ok(asked.map(|(role, call)| AsideView { role, call }).collect())
    }
}
