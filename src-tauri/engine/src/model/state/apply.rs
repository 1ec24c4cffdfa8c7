//! The fold: one event after the other.

use super::super::TaskId;
use super::super::events::{
    Again, Approved, CallFinished, CallStarted, Event, EventBody, RunClaimed, RunFinished, TaskReady,
};
use super::super::grants::Labels;
use super::super::plan::TaskIx;
use super::super::status::{RunStatus, TaskStatus};
use super::transition::{run_may, task_may};
use super::{Call, Illegal, RunState};

impl RunState {
    /// Takes the next event. On `Err` nothing has changed.
    pub fn apply(&mut self, event: &Event) -> Result<(), Illegal> {
        if event.seq != self.seq + 1 {
            return Err(Illegal::Order {
                head: self.seq,
                got: event.seq,
            });
        }
        let may_follow_import = matches!(event.body, EventBody::RunImported(_) | EventBody::RunForked(_));
        if self.is_imported && !may_follow_import {
            return Err(Illegal::Imported {
                kind: event.body.kind(),
            });
        }
        self.apply_body(event.task.as_ref(), event.at_ms, &event.body)?;
        self.seq = event.seq;
        self.changed_ms = event.at_ms;
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "a line for each kind, and nothing else")]
    fn apply_body(&mut self, task: Option<&TaskId>, at: i64, body: &EventBody) -> Result<(), Illegal> {
        match body {
            EventBody::RunOpened(opened) => {
                self.opened_ms = at;
                self.path = opened.path.as_deref().map(Into::into);
                Ok(())
            }
            EventBody::PlanRevised(revised) => self.revise(revised),
            EventBody::RevisionNamed(_) => Ok(()),
            EventBody::RunNamed(named) => {
                self.name = named.name.as_deref().map(Into::into);
                Ok(())
            }
            EventBody::RunTagged(tagged) => {
                self.tags.take(tagged);
                Ok(())
            }
            EventBody::GoalGiven(_)
            | EventBody::PlanningResumed(_)
            | EventBody::PlanningWaiting(_)
            | EventBody::PlanningEnded(_) => self.apply_planning(body),
            EventBody::EditAsked(_)
            | EventBody::EditResumed(_)
            | EventBody::EditSettled(_)
            | EventBody::EditDropped(_) => self.apply_edit(body),
            EventBody::ReplanAsked(asked) => self.ask_replan(asked),
            EventBody::ReplanProposed(proposed) => self.propose_replan(proposed),
            EventBody::DecisionOpened(opened) => self.open_decision(task, at, opened),
            EventBody::DecisionAnswered(answered) => self.answer(answered),
            EventBody::DecisionClosed(closed) => self.close(&closed.decision),
            EventBody::CallStarted(started) => {
                let ix = self.caller(task, body)?;
                self.start_call(ix, at, started);
                Ok(())
            }
            EventBody::CallFinished(finished) => self.finish_call(task, body, finished),
            EventBody::ClockJumped(_)
            | EventBody::BreakerOpened(_)
            | EventBody::BreakerClosed(_)
            | EventBody::BudgetRaised(_) => self.apply_limit(body),
            EventBody::OutputPinned(_)
            | EventBody::OutputUnpinned(_)
            | EventBody::BreakpointSet(_)
            | EventBody::FilesRestored(_) => {
                self.hold(task, body);
                Ok(())
            }
            EventBody::Approved(_)
            | EventBody::RunClaimed(_)
            | EventBody::RunPaused(_)
            | EventBody::RunWaiting(_)
            | EventBody::RunBlocked(_)
            | EventBody::RunWentOn(_)
            | EventBody::RunFinished(_)
            | EventBody::RunRejected(_)
            | EventBody::RunRewound(_)
            | EventBody::RunForked(_)
            | EventBody::RunReopened(_)
            | EventBody::RunImported(_)
            | EventBody::PauseRequested(_)
            | EventBody::CancelRequested(_) => self.apply_to_run(at, body),
            EventBody::TaskReady(_)
            | EventBody::TaskStarted(_)
            | EventBody::TaskRetrying(_)
            | EventBody::TaskWaiting(_)
            | EventBody::TaskCompleted(_)
            | EventBody::TaskFailed(_)
            | EventBody::TaskSkipped(_)
            | EventBody::TaskCancelled(_)
            | EventBody::TaskPruned(_)
            | EventBody::TaskInDoubt(_) => {
                let ix = self.expect_named(task, body)?;
                self.apply_to_task(ix, at, body)
            }
            EventBody::TaskExpanded(expanded) => {
                let ix = self.expect_running(task, body)?;
                self.expand(ix, expanded)
            }
            EventBody::TaskReset(reset) => {
                let ix = self.expect_named(task, body)?;
                self.reset(ix, reset)
            }
        }
    }

    /// What was going on ended with the last event before, and what was asked can't be answered here.
    fn end_elsewhere(&mut self) {
        self.is_imported = true;
        self.distrust();
        self.leave_planning();
        self.ledger.asked = None;
        self.stop_interrupted_clock();
        for decision in self.decisions.iter_mut().filter(|d| d.is_open()) {
            decision.is_closed = true;
        }
        self.open_count = 0;
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what `apply_body` sends here")]
    fn apply_to_run(&mut self, at: i64, body: &EventBody) -> Result<(), Illegal> {
        match body {
            EventBody::Approved(approved) => self.approve(at, approved),
            EventBody::RunClaimed(claimed) => {
                self.stop_interrupted_clock();
                self.lose_all_questions();
                self.go(RunStatus::Running, at, body)?;
                self.claim(claimed);
                Ok(())
            }
            EventBody::RunPaused(paused) => {
                self.pause_requested = false;
                self.go(RunStatus::Paused, at, body)?;
                self.stop_at(paused.at.clone());
                Ok(())
            }
            EventBody::RunWaiting(_) => self.go(RunStatus::Waiting, at, body),
            EventBody::RunBlocked(_) => self.go(RunStatus::Blocked, at, body),
            EventBody::RunWentOn(_) => self.go(RunStatus::Running, at, body),
            EventBody::RunRejected(_) => self.reject(at, body),
            EventBody::RunRewound(rewound) => {
                self.stop_interrupted_clock();
                self.come_to_rest(at, body)?;
                self.lose_taken_back();
                if rewound.unsigned {
                    self.unsign();
                    self.forget_allowances();
                }
                Ok(())
            }
            EventBody::RunReopened(reopened) => {
                self.come_to_rest(at, body)?;
                self.reopen();
                if reopened.unsigned {
                    self.unsign();
                }
                Ok(())
            }
            EventBody::RunForked(forked) => self.begin_fork(at, forked.imported),
            EventBody::RunImported(_) => {
                self.end_elsewhere();
                Ok(())
            }
            EventBody::RunFinished(finished) => {
                self.go(finished.state, at, body)?;
                self.finish(finished);
                Ok(())
            }
            EventBody::PauseRequested(_) => {
                self.pause_requested = true;
                Ok(())
            }
            EventBody::CancelRequested(_) => {
                self.cancel_requested = true;
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn claim(&mut self, claimed: &RunClaimed) {
        self.epoch = claimed.epoch;
        self.owner = Some(claimed.owner.as_str().into());
        self.pause_requested = false;
    }

    fn reject(&mut self, at: i64, body: &EventBody) -> Result<(), Illegal> {
        self.go(RunStatus::Cancelled, at, body)?;
        self.close_all();
        Ok(())
    }

    fn finish(&mut self, finished: &RunFinished) {
        self.close_all();
        self.ledger.asked = None;
        self.output.clone_from(&finished.output);
        self.error.clone_from(&finished.error);
        self.output_labels = finished.labels;
        let asked = self.aside.last().filter(|call| call.has_result());
        let answer = asked.map(|call| call.started.key).zip(finished.output.clone());
        if finished.state == RunStatus::Succeeded && answer.is_some() {
            self.answered = answer;
        }
        self.aside.clear();
    }

    fn approve(&mut self, at: i64, approved: &Approved) -> Result<(), Illegal> {
        if self.approved.is_some() {
            return Err(Illegal::Run {
                kind: "approved",
                status: self.status,
            });
        }
        let body = EventBody::Approved(approved.clone());
        self.go(RunStatus::Running, at, &body)?;
        self.approved = Some(approved.clone());
        self.has_begun = true;
        Ok(())
    }

    pub(super) fn go(&mut self, to: RunStatus, at: i64, body: &EventBody) -> Result<(), Illegal> {
        if !run_may(self.status, to) {
            return Err(Illegal::Run {
                kind: body.kind(),
                status: self.status,
            });
        }
        self.set_clock(at, to == RunStatus::Running);
        self.paused_at = None;
        self.status = to;
        self.leave_planning();
        Ok(())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what `apply_body` sends here")]
    fn apply_to_task(&mut self, ix: TaskIx, at: i64, body: &EventBody) -> Result<(), Illegal> {
        let to = match body {
            EventBody::TaskReady(_) => TaskStatus::Ready,
            EventBody::TaskStarted(_) => TaskStatus::Running,
            EventBody::TaskRetrying(_) => TaskStatus::Retrying,
            EventBody::TaskWaiting(_) => TaskStatus::Waiting,
            EventBody::TaskCompleted(_) => TaskStatus::Completed,
            EventBody::TaskFailed(_) => TaskStatus::Failed,
            EventBody::TaskSkipped(_) => TaskStatus::Skipped,
            EventBody::TaskCancelled(_) => TaskStatus::Cancelled,
            EventBody::TaskInDoubt(_) => TaskStatus::InDoubt,
            EventBody::TaskPruned(_) => TaskStatus::Pruned,
            _ => return Ok(()),
        };
        let was_settled = self.is_settled(ix);
        let has_failed = self.task(ix).status == TaskStatus::Failed;
        self.turn(ix, to)?;
        if !matches!(body, EventBody::TaskReady(_)) || has_failed {
            self.lose_questions_of(ix);
        }
        let asked = self.decisions.len() as u32;
        let most = self.def(ix).retry.max_attempts;
        let task = &mut self.tasks[ix as usize];
        task.ended_ms = at;
        match body {
            EventBody::TaskReady(ready) => {
                self.make_ready(ix, ready, has_failed);
            }
            EventBody::TaskStarted(started) => {
                task.begin(started, at);
                if !started.goes_on {
                    task.asked_from = asked;
                }
            }
            EventBody::TaskRetrying(retrying) => {
                task.retry(retrying, most);
            }
            EventBody::TaskWaiting(waiting) => task.decision = Some(waiting.decision.clone()),
            EventBody::TaskCompleted(completed) => self.complete(ix, completed),
            EventBody::TaskFailed(failed) => task.fail(&failed.error),
            EventBody::TaskInDoubt(doubt) => task.fail(&doubt.error),
            EventBody::TaskSkipped(_) | EventBody::TaskCancelled(_) => task.end_well(),
            EventBody::TaskPruned(_) => {
                self.close_decision_of(ix);
                self.drop_inner(ix);
                self.tasks[ix as usize].end_well();
                self.replans.carried_through(&self.tree.address(ix));
            }
            _ => {}
        }
        if !was_settled && self.is_settled(ix) {
            self.settle(ix);
        }
        Ok(())
    }

    fn make_ready(&mut self, ix: TaskIx, ready: &TaskReady, has_failed: bool) {
        let task = &mut self.tasks[ix as usize];
        let decision = task.decision.take();
        task.ready_again(ready);
        if has_failed {
            task.calls.clear();
            self.past.begin_anew(&self.tree.address(ix));
        }
        if ready.again == Some(Again::Retry) {
            self.forget_intent(decision.as_ref());
        }
    }

    /// Tells the dependents, and the map or plan around it, that this node is out of the way.
    fn settle(&mut self, ix: TaskIx) {
        let is_skipped = self.task(ix).status == TaskStatus::Skipped;
        for child in self.tree.children(ix) {
            let state = &mut self.tasks[child as usize];
            state.open = state.open.saturating_sub(1);
            state.skipped += u32::from(is_skipped);
            if state.open == 0 && state.status == TaskStatus::Pending {
                self.unlocked.push(child);
            }
        }
        self.settle_in_owner(ix);
    }

    fn turn(&mut self, ix: TaskIx, to: TaskStatus) -> Result<(), Illegal> {
        let from = self.tasks[ix as usize].status;
        let is_settled_failure = from == TaskStatus::Failed && self.is_settled(ix);
        if !task_may(from, to) || (is_settled_failure && to != TaskStatus::Pruned) {
            return Err(Illegal::Task {
                task: self.tree.address(ix),
                from,
                to,
            });
        }
        self.counts[from.index()] -= 1;
        self.counts[to.index()] += 1;
        self.tasks[ix as usize].status = to;
        Ok(())
    }

    pub(super) fn expect(&self, id: &TaskId) -> Result<TaskIx, Illegal> {
        self.find(id.as_str())
            .ok_or_else(|| Illegal::UnknownTask(id.to_string()))
    }

    fn expect_named(&self, task: Option<&TaskId>, body: &EventBody) -> Result<TaskIx, Illegal> {
        self.expect(task.ok_or(Illegal::NoTask { kind: body.kind() })?)
    }

    pub(super) fn expect_running(&self, task: Option<&TaskId>, body: &EventBody) -> Result<TaskIx, Illegal> {
        let id = task.ok_or(Illegal::NoTask { kind: body.kind() })?;
        let ix = self.expect(id)?;
        let from = self.task(ix).status;
        if from == TaskStatus::Running {
            return Ok(ix);
        }
        Err(Illegal::Task {
            task: id.clone(),
            from,
            to: TaskStatus::Running,
        })
    }

    fn start_call(&mut self, ix: Option<TaskIx>, at: i64, started: &CallStarted) {
        if started.effect.is_effect() {
            self.begin_effect(started.key);
        }
        if let Some(ix) = ix.filter(|_| !started.model) {
            let address = self.tree.address(ix);
            if started.effect.is_effect() {
                self.past.note(&address, at, started, false);
            } else if started.call.is_some() {
                // An agent's call that is not made: what came of it before stands in for it.
                self.past.take_over(&address, started.key);
            }
        }
        self.end_planners_wait();
        self.note_writes(started);
        self.ledger.reserve(started.reserve.unwrap_or_default());
        let calls = self.calls_of(ix);
        calls.reserve_exact(1);
        calls.push(Call {
            started: started.clone(),
            outcome: None,
            labels: Labels::default(),
            is_lost: false,
        });
    }

    fn finish_call(
        &mut self,
        task: Option<&TaskId>,
        body: &EventBody,
        finished: &CallFinished,
    ) -> Result<(), Illegal> {
        // Of a call in doubt a person may tell what came of it.
        let in_doubt = self.in_doubt(task);
        let ix = match in_doubt {
            Some(ix) => Some(ix),
            None => self.caller(task, body)?,
        };
        let wrong = match ix {
            Some(ix) => Illegal::Task {
                task: self.tree.address(ix),
                from: TaskStatus::Running,
                to: TaskStatus::Running,
            },
            None => Illegal::Run {
                kind: body.kind(),
                status: self.status,
            },
        };
        let calls = self.calls_of(ix);
        let call = match finished.call {
            Some(number) => calls.get_mut(number as usize),
            None => calls.last_mut(),
        };
        let is_told = |c: &Call| in_doubt.is_some() && c.is_unknown();
        let call = call.filter(|c| c.outcome.is_none() || is_told(c)).ok_or(wrong)?;
        call.outcome = Some(finished.outcome.clone());
        call.labels = finished.labels;
        let started = call.started.clone();
        // What was allowed once has been used.
        if let Some(allowed) = ix.and_then(|ix| self.tasks[ix as usize].allowed.as_mut()) {
            allowed.once.clear();
            allowed.once_for = None;
            allowed.effect = None;
        }
        if started.effect.is_effect() {
            self.end_effect(started.key, &finished.outcome);
        }
        self.ledger
            .settle(started.reserve.unwrap_or_default(), finished.usage);
        Ok(())
    }
}
