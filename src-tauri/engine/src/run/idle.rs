//! Nothing is in flight and nothing is ready: the run is over, or a person must act.

use super::driver::{DriveError, Driver};
use super::launch::WhenIdle;
use super::synthesis::FinalAnswer;
use crate::model::events::{RunBlocked, RunFinished, RunWaiting, RunWentOn};
use crate::model::plan::TaskIx;
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};

impl Driver {
    /// True: there is nothing left to drive.
    pub(super) async fn idle(&mut self) -> Result<bool, DriveError> {
        self.wake_answers();
        let is_held = self.is_held_by_budget();
        let only_asks = self.only_asks();
        let is_going = (!self.flights.is_empty() && !only_asks)
            || self.asides.is_asking()
            || (!is_held && (self.has_more_to_start() || self.asides.has_waiting()));
        if is_going {
            self.go_on()?;
            return Ok(false);
        }
        if only_asks {
            if !self.undecided_answers().is_empty() {
                return Ok(false);
            }
            if self.when_idle == WhenIdle::Stay {
                return self.rest_for_now();
            }
            self.put_off_questions()?;
        }
        let (mut is_given_up, mut left) = (false, Vec::new());
        for ix in self.unasked_failures() {
            match self.optional_around(ix) {
                Some(owner) if self.state.task(owner).status == TaskStatus::Running => {
                    self.give_up(owner, ix)?;
                    is_given_up = true;
                }
                Some(_) => {}
                None => left.push(ix),
            }
        }
        if is_given_up {
            // What waited for it may begin.
            return Ok(false);
        }
        self.begin_replan(&mut left)?;
        if self.go_on_replanning().await? {
            return Ok(false);
        }
        for ix in left {
            self.ask_blocked(ix)?;
        }
        if self.state.open_count == 0 && self.undecided_answers().is_empty() {
            self.expect_all_settled()?;
            return self.succeed().await;
        }
        if !self.undecided_answers().is_empty() {
            return Ok(false);
        }
        self.rest_for_now()
    }

    /// Waits for a person. True: without holding the run.
    fn rest_for_now(&mut self) -> Result<bool, DriveError> {
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

    /// Ends the run with its answer. False: a model is asked for it, or a person whether to end without one.
    async fn succeed(&mut self) -> Result<bool, DriveError> {
        let (output, labels) = match self.final_answer().await? {
            (FinalAnswer::Made(output), labels) => (output, labels),
            (FinalAnswer::Asked, _) => return Ok(false),
            (FinalAnswer::Held, _) => return self.rest_for_now(),
            (FinalAnswer::Failed(message), _) => {
                self.ask_unanswered(&message)?;
                return self.rest_for_now();
            }
        };
        self.go_on()?;
        self.barrier();
        let output = Some(self.store_value(&output));
        let finished = RunFinished {
            state: RunStatus::Succeeded,
            output,
            error: None,
            labels,
        };
        self.emit(None, finished)?;
        Ok(true)
    }

    /// Something goes on again.
    pub(super) fn go_on(&mut self) -> Result<(), DriveError> {
        if matches!(self.state.status, RunStatus::Waiting | RunStatus::Blocked) {
            self.emit(None, RunWentOn {})?;
        }
        Ok(())
    }
}
