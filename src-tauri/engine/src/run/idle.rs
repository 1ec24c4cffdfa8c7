//! Nothing is in flight and nothing is ready: the run is over, or a person must act.

use super::driver::{DriveError, Driver};
use super::launch::WhenIdle;
use crate::model::Json;
use crate::model::events::{Failure, FailureClass, RunBlocked, RunFinished, RunWaiting, RunWentOn};
use crate::model::expr;
use crate::model::plan::{Plan, Synthesis, TaskIx};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};

impl Driver {
    /// True: there is nothing left to drive.
    pub(super) async fn idle(&mut self) -> Result<bool, DriveError> {
        let is_going = !self.flights.is_empty() || (!self.is_held_by_budget() && self.has_more_to_start());
        if is_going {
            if matches!(self.state.status, RunStatus::Waiting | RunStatus::Blocked) {
                self.emit(None, RunWentOn {})?;
            }
            return Ok(false);
        }
        let mut is_given_up = false;
        for ix in self.unasked_failures() {
            match self.optional_around(ix) {
                Some(owner) if self.state.task(owner).status == TaskStatus::Running => {
                    self.give_up(owner, ix)?;
                    is_given_up = true;
                }
                Some(_) => {}
                None => self.ask_blocked(ix)?,
            }
        }
        if is_given_up {
            // What waited for it may begin.
            return Ok(false);
        }
        if self.state.open_count == 0 && self.undecided_answers().is_empty() {
            self.expect_all_settled()?;
            self.succeed().await?;
            return Ok(true);
        }
        if !self.undecided_answers().is_empty() {
            return Ok(false);
        }
        self.rest()?;
        Ok(self.when_idle == WhenIdle::Leave)
    }

    /// Nothing is done by default: a task that neither runs nor waits for anything is a fault, told and not passed over.
    fn expect_all_settled(&self) -> Result<(), DriveError> {
        let is_over = |ix| self.state.is_settled(ix) || self.is_passed_over(ix);
        let stuck = self.state.nodes().find(|&ix| !is_over(ix));
        match stuck {
            Some(ix) => Err(DriveError::Stuck(self.state.tree.address(ix))),
            None => Ok(()),
        }
    }

    /// A map or plan around the task is settled without it.
    fn is_passed_over(&self, ix: TaskIx) -> bool {
        let mut at = self.state.tree.owner(ix);
        while let Some(owner) = at {
            if self.state.is_settled(owner) {
                return true;
            }
            at = self.state.tree.owner(owner);
        }
        false
    }

    fn has_more_to_start(&self) -> bool {
        !self.ready.is_empty() || !self.retries.is_empty() || self.breakers.has_waiting()
    }

    /// Says what the run waits for.
    fn rest(&mut self) -> Result<(), DriveError> {
        let is_blocked = self
            .state
            .open_decisions()
            .all(|d| d.kind == DecisionKind::Blocked);
        let status = if is_blocked {
            RunStatus::Blocked
        } else {
            RunStatus::Waiting
        };
        if self.state.status == status {
            return Ok(());
        }
        self.barrier();
        if is_blocked {
            self.emit(None, RunBlocked {})
        } else {
            self.emit(None, RunWaiting {})
        }
    }

    async fn succeed(&mut self) -> Result<(), DriveError> {
        if matches!(self.state.status, RunStatus::Waiting | RunStatus::Blocked) {
            self.emit(None, RunWentOn {})?;
        }
        self.barrier();
        match self.synthesize().await? {
            Ok(output) => {
                let output = Some(self.store_value(&output));
                self.emit(
                    None,
                    RunFinished {
                        state: RunStatus::Succeeded,
                        output,
                        error: None,
                    },
                )
            }
            Err(message) => {
                let message = format!("{message}. Every task's output is kept.");
                let error = Failure {
                    class: FailureClass::Permanent,
                    code: "synthesis".to_owned(),
                    message,
                };
                self.emit(
                    None,
                    RunFinished {
                        state: RunStatus::Failed,
                        output: None,
                        error: Some(error),
                    },
                )
            }
        }
    }

    /// The final answer (rule 9): the leaves' outputs by id, or a template over them.
    async fn synthesize(&mut self) -> Result<Result<Json, String>, DriveError> {
        let plan = self.state.plan.clone();
        let mut leaves = serde_json::Map::new();
        for leaf in plan.leaves() {
            let task = plan.task(leaf);
            let output = match self.state.find(task.id.as_str()) {
                Some(ix) => self.output_of(ix).await?,
                None => Json::Null,
            };
            leaves.insert(task.id.to_string(), output);
        }
        let given = self.state.approved.as_ref().map(|a| a.parameters.clone());
        Ok(answer(
            &plan,
            leaves,
            &parameters(&plan, &given.unwrap_or_default()),
        ))
    }
}

/// The answer of a plan from its leaves' outputs.
pub(super) fn answer(
    plan: &Plan,
    leaves: serde_json::Map<String, Json>,
    parameters: &Json,
) -> Result<Json, String> {
    match &plan.synthesis {
        Synthesis::Leaves => Ok(Json::Object(leaves)),
        Synthesis::Template(source) => {
            let mut known = leaves.clone();
            known.insert("outputs".to_owned(), Json::Object(leaves));
            known.insert(
                "goal".to_owned(),
                plan.goal.clone().map_or(Json::Null, Json::String),
            );
            known.insert("parameters".to_owned(), parameters.clone());
            expr::render(source, known.iter().map(|(n, v)| (n.as_str(), v)))
                .map(Json::String)
                .map_err(|e| format!("the synthesis template failed: {e}"))
        }
        Synthesis::Model { .. } => Err("a model can't write the final answer yet".to_owned()),
    }
}

/// Every parameter of the plan: as given, else its default.
pub(super) fn parameters(plan: &Plan, given: &serde_json::Map<String, Json>) -> Json {
    let mut all = serde_json::Map::new();
    for (name, schema) in &plan.parameters {
        let value = given.get(name).or_else(|| schema.get("default")).cloned();
        all.insert(name.clone(), value.unwrap_or(Json::Null));
    }
    Json::Object(all)
}
