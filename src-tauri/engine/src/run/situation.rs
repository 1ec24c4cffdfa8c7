//! What the replanner is told: the plan, where each task stands, what came out and what went wrong, with whether any
//! of it came from outside. It must not know what is proposed.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use super::amending::made_in;
use super::driver::{DriveError, Driver};
use super::strands::{joined, strands_of};
use crate::agents::SentBack;
use crate::agents::replanner::{self, Earlier, Situation, Trouble};
use crate::history::drafting::Drafting;
use crate::history::load::TakenBack;
use crate::llm::Request;
use crate::model::events::{Event, EventBody, Failure};
use crate::model::plan::{Task, TaskIx, TaskKind};
use crate::model::status::TaskStatus;
use crate::model::taint;
use crate::model::tool::ToolSpec;
use crate::model::{DraftPlan, Json, Seq, TaskId};

/// Errors that are told, the newest.
const TOLD: usize = 200;

/// Read once for each step of a replan.
pub(super) struct Given {
    /// The plan's document as it holds now.
    pub draft: DraftPlan,
    states: Vec<(TaskId, TaskStatus)>,
    outputs: Vec<(TaskId, Json)>,
    errors: Vec<OwnTrouble>,
    tools: Vec<Arc<ToolSpec>>,
    /// Tasks of the run's own plan that have made an effect, or may have.
    pub made: HashSet<TaskId>,
    /// What was proposed before, and what became of it.
    earlier: Vec<Earlier>,
    pub is_untrusted: bool,
}

struct OwnTrouble {
    task: TaskId,
    attempt: u32,
    error: Failure,
}

impl Given {
    pub fn request(&self, model: &str, sent_back: &[SentBack]) -> Request {
        let states: Vec<_> = self.states.iter().map(|(id, s)| (id.as_str(), *s)).collect();
        let outputs: Vec<_> = self
            .outputs
            .iter()
            .map(|(id, output)| (id.as_str(), output.clone()))
            .collect();
        let errors: Vec<_> = self
            .errors
            .iter()
            .map(|trouble| Trouble {
                task: trouble.task.as_str(),
                attempt: trouble.attempt,
                code: &trouble.error.code,
                message: &trouble.error.message,
            })
            .collect();
        let situation = Situation {
            model,
            plan: &self.draft,
            states: &states,
            outputs: &outputs,
            errors: &errors,
            tools: &self.tools,
            earlier: &self.earlier,
        };
        replanner::request(&situation, sent_back)
    }
}

impl Driver {
    /// The plan's document as it holds now, with the whole log.
    pub(super) async fn document(&mut self) -> Result<(DraftPlan, Vec<Event>), DriveError> {
        // What is read from the log must be in it.
        self.commit().await?;
        let events = self.store.events(&self.run, 0, Seq::MAX, usize::MAX).await?;
        let drafting = Drafting::fold(&self.store, &events).await?;
        Ok((drafting.plan, events))
    }

    pub(super) async fn situation(&mut self) -> Result<Given, DriveError> {
        let (draft, events) = self.document().await?;
        let mut given = Given {
            draft,
            states: Vec::new(),
            outputs: Vec::new(),
            errors: self.errors_in(&events),
            tools: self.tools.catalog().iter().cloned().collect(),
            made: made_in(&self.state, &events),
            earlier: self.earlier_replans(&events).await?,
            is_untrusted: false,
        };
        for ix in self.state.tree.root().nodes.clone() {
            let id = self.state.tree.address(ix);
            let task = self.state.task(ix);
            let is_stuck = task.status == TaskStatus::Running && self.state.is_stuck_inside(ix);
            let status = if is_stuck { TaskStatus::Failed } else { task.status };
            given.states.push((id.clone(), status));
            if status == TaskStatus::Completed && task.output.is_some() {
                given.is_untrusted |= task.labels.untrusted;
                given.outputs.push((id, self.output_of(ix).await?));
            }
        }
        let troubled = given
            .errors
            .iter()
            .filter_map(|e| self.state.find(e.task.as_str()));
        given.is_untrusted |= troubled.into_iter().any(|ix| self.is_error_untrusted(ix));
        Ok(given)
    }

    /// Tasks that the run has no more are left out.
    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds tell of no error")]
    fn errors_in(&self, events: &[Event]) -> Vec<OwnTrouble> {
        let taken_back = TakenBack::of(events);
        let mut attempts: HashMap<&TaskId, u32> = HashMap::new();
        let mut errors = Vec::new();
        for event in events.iter().filter(|e| !taken_back.has(e.seq)) {
            let Some(task) = &event.task else { continue };
            let error = match &event.body {
                EventBody::TaskStarted(started) => {
                    attempts.insert(task, started.attempt);
                    continue;
                }
                EventBody::TaskRetrying(retrying) => &retrying.error,
                EventBody::TaskFailed(failed) => &failed.error,
                _ => continue,
            };
            if self.state.find(task.as_str()).is_some() {
                errors.push(OwnTrouble {
                    task: task.clone(),
                    attempt: attempts.get(task).copied().unwrap_or(0),
                    error: error.clone(),
                });
            }
        }
        errors.drain(..errors.len().saturating_sub(TOLD));
        errors
    }

    /// Whether the words of its error may come from outside: from its tool, or from what it was given.
    fn is_error_untrusted(&self, ix: TaskIx) -> bool {
        let def = self.state.def(ix);
        joined(&strands_of(&self.state, ix, def, |_| None)).untrusted || self.has_untrusted_source(def)
    }

    fn has_untrusted_source(&self, task: &Task) -> bool {
        let is_source = |name: &str| {
            let tool = self.tools.get(name);
            tool.is_some_and(|tool| taint::may_be_foreign(tool.spec()))
        };
        let own = match &task.kind {
            TaskKind::Tool { tool } => is_source(tool),
            TaskKind::Agent { tools, .. } => tools.iter().any(|tool| is_source(tool)),
            TaskKind::Map { task, .. } => self.has_untrusted_source(task),
            TaskKind::Subplan { plan: Some(plan), .. } => {
                plan.tasks.iter().any(|task| self.has_untrusted_source(task))
            }
            TaskKind::Subplan { plan: None, .. }
            | TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. } => false,
        };
        own || task.fallback.as_deref().is_some_and(is_source)
    }
}
