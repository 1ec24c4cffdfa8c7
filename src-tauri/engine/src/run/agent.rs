//! Tasks that ask models, step by step: each question and each call is one call in the log, and after each the next
//! step follows from the log alone. So a loop goes on anywhere, after whatever has cut it short.

use std::sync::Arc;

use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::attempt::{Flight, Job, Part, Work};
use super::billing::{bound, reserve_of};
use super::budget::Room;
use super::chain::{EXECUTOR, Place, TIMED_OUT, UNREACHABLE, chain_of, place};
use super::driver::{DriveError, Driver};
use super::growing::Voice;
use super::inputs::Resolved;
use super::slots::Slots;
use super::talk::{Retry, Talk};
use crate::agents::executor::{Finished, Flag, Step};
use crate::llm::{Entry, Request};
use crate::model::backoff::LOADING;
use crate::model::breaker::Admission;
use crate::model::events::{
    Again, CallStarted, Failure, FailureClass, TaskCompleted, TaskFailed, TaskRetrying, TaskStarted,
};
use crate::model::grants::Labels;
use crate::model::ledger::Reserve;
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::status::TaskStatus;
use crate::model::tool::Effect;

/// What follows a step.
pub(super) enum Next {
    /// Whether the task goes on shows in its state.
    Look,
    /// It is up again when there is room for its call.
    Wait,
}

/// Who is asked next.
enum Ask {
    Now {
        entry: Entry,
        is_probe: bool,
    },
    /// All that are left are down for a while.
    Hold(Arc<str>, i64),
    Nobody(Failure),
}

impl Driver {
    pub(super) async fn start_agent(&mut self, ix: TaskIx, resolved: Resolved) -> Result<(), DriveError> {
        let task = self.state.def(ix).clone();
        let names: &[Arc<str>] = match &task.kind {
            TaskKind::Agent { tools, .. } => tools,
            TaskKind::Model
            | TaskKind::Tool { .. }
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Map { .. }
            | TaskKind::Subplan { .. } => &[],
        };
        if let Some(name) = names.iter().find(|name| self.tools.get(name).is_none()) {
            return self.refuse(ix, "unknown_tool", format!("there is no tool {name} here"));
        }
        let tools = names.iter().filter_map(|name| self.tools.get(name).cloned());
        let fresh = Talk::new(resolved, tools.collect());
        let state = self.state.task(ix);
        let is_retry = state.status == TaskStatus::Retrying;
        let is_loading = state.error.as_ref().is_some_and(|error| error.code == LOADING);
        let is_held = (state.held_by.is_some() || is_loading) && state.has_asked();
        let started = TaskStarted {
            // A task that was only held back, or waited for a model to be loaded, has not ended an attempt.
            attempt: state.attempts + u32::from(!is_held),
            goes_on: state.has_asked(),
        };
        let mut talk = self.talks.remove(&ix).filter(|_| is_retry).unwrap_or(fresh);
        talk.deadline = task.timeout.map(|limit| Instant::now() + limit);
        self.emit(Some(ix), started)?;
        self.talks.insert(ix, talk);
        self.advance(ix).await
    }

    /// Takes the next step of every agent of which something has ended.
    pub(super) async fn advance_stirred(&mut self) -> Result<(), DriveError> {
        // A run that comes to a breakpoint begins no call any more.
        while !self.stirred.is_empty() && !self.stops_after() {
            let Some(ix) = self.stirred.pop_first() else { break };
            self.advance(ix).await?;
        }
        Ok(())
    }

    /// The run rests: those that would have gone on do so when it does.
    pub(super) fn interrupt_stirred(&mut self) -> Result<(), DriveError> {
        while let Some(ix) = self.stirred.pop_first() {
            self.talks.remove(&ix);
            if self.state.task(ix).status == TaskStatus::Running {
                self.ready_again(ix, Again::Interrupted)?;
            }
        }
        Ok(())
    }

    async fn advance(&mut self, ix: TaskIx) -> Result<(), DriveError> {
        while self.state.task(ix).status == TaskStatus::Running && !self.flights.has(ix) {
            match self.take_step(ix).await? {
                Next::Look => {}
                Next::Wait => return Ok(()),
            }
        }
        let status = self.state.task(ix).status;
        if !matches!(status, TaskStatus::Running | TaskStatus::Retrying) {
            self.talks.remove(&ix);
        }
        Ok(())
    }

    /// One step: something is in flight after it, or the task has left its attempt, or its past has grown.
    async fn take_step(&mut self, ix: TaskIx) -> Result<Next, DriveError> {
        self.catch_up(ix).await?;
        let task = self.state.def(ix).clone();
        let Some(talk) = self.talks.get_mut(&ix) else {
            self.ready_again(ix, Again::Interrupted)?;
            return Ok(Next::Look);
        };
        if let Some((key, needs)) = talk.wants.take() {
            self.ask_grant_for(ix, Some(key), needs)?;
            return Ok(Next::Look);
        }
        if let Some(retry) = talk.retry.take() {
            self.rest_attempt(ix, retry)?;
            return Ok(Next::Look);
        }
        let is_out_of_time = talk.is_out_of_time();
        let context_tokens = self.context_of_next(ix);
        let Some(talk) = self.talks.get(&ix) else {
            return Ok(Next::Look);
        };
        match talk.next(&task, self.tools.catalog(), context_tokens) {
            Step::Ask(request) if !is_out_of_time => return self.ask_question(ix, request),
            Step::Call(wanted) if !is_out_of_time => return self.make_calls(ix, wanted).await,
            Step::Finish(finished) => self.finish_talk(ix, finished),
            Step::Fail(failed) => self.emit(Some(ix), TaskFailed { error: failed.error }),
            Step::Ask(_) | Step::Call(_) => {
                let seconds = task.timeout.unwrap_or_default().as_secs_f64();
                self.retry_or_fail(ix, timed_out(seconds), None)
            }
        }?;
        Ok(Next::Look)
    }

    fn ask_question(&mut self, ix: TaskIx, mut request: Box<Request>) -> Result<Next, DriveError> {
        let (entry, is_probe) = match self.whom_to_ask(ix) {
            Ask::Now { entry, is_probe } => (entry, is_probe),
            Ask::Hold(provider, until_ms) => {
                self.hold_behind(ix, &provider, until_ms)?;
                return Ok(Next::Look);
            }
            Ask::Nobody(error) => {
                self.emit(Some(ix), TaskFailed { error })?;
                return Ok(Next::Look);
            }
        };
        let slot = Slots::of_provider(entry.provider());
        if self.queues_for(ix, Some(&slot)) {
            return Ok(Next::Wait);
        }
        request.model = entry.name.to_string();
        bound(&entry, &mut request, self.state.cap(), |next| {
            self.may_spend(next)
        });
        let reserve = reserve_of(&entry, &request);
        match self.can_afford(reserve)? {
            Room::Enough => {}
            Room::Later => {
                self.wait_for_room(ix);
                return Ok(Next::Wait);
            }
            Room::None => {
                // It stays with the ready ones until a person has answered.
                self.ready_again(ix, Again::Budget)?;
                return Ok(Next::Look);
            }
        }
        self.begin_question(ix, &entry, reserve)?;
        let call = self.state.task(ix).calls.len() as u32 - 1;
        let cancel = CancellationToken::new();
        let endpoint: Arc<str> = entry.provider().into();
        self.take_place(Some(&endpoint), is_probe, Some(&slot));
        let voice = Voice::of_task(&self.run, self.state.tree.address(ix));
        let told = (self.growing.begin(voice), self.redactor.clone());
        self.launch(Job {
            ix,
            call,
            work: Work::Model { entry, request, told },
            timeout: self.talks.get(&ix).and_then(Talk::time_left),
            cancel: cancel.clone(),
        });
        let flight = Flight {
            endpoint: Some(endpoint),
            is_probe,
            slot: Some(slot),
            ..Flight::of_agent(Part::Question, cancel)
        };
        self.flights.insert(ix, call, flight);
        Ok(Next::Look)
    }

    fn begin_question(&mut self, ix: TaskIx, entry: &Entry, reserve: Reserve) -> Result<(), DriveError> {
        let calls = &self.state.task(ix).calls;
        let replies = calls.iter().filter(|c| c.started.model && c.has_result()).count();
        // The same question has the same key, whoever answers it and however often it is asked.
        let key = self.key_of_nth(ix, EXECUTOR, &serde_json::json!({ "question": replies }), 0);
        self.emit(
            Some(ix),
            CallStarted {
                tool: entry.name.to_string(),
                effect: Effect::ReadExternal,
                repeatable: true,
                key,
                arguments: None,
                before: Vec::new(),
                reserve: (reserve != Reserve::default()).then_some(reserve),
                model: true,
                call: None,
                labels: Labels::default(),
                touches: Vec::new(),
            },
        )
    }

    /// The first of those that are left whose provider may be called; a probe if need be.
    fn whom_to_ask(&self, ix: TaskIx) -> Ask {
        let task = self.state.def(ix);
        let nobody = |message: String| {
            Ask::Nobody(Failure {
                class: FailureClass::Permanent,
                code: "unknown_model".to_owned(),
                message,
            })
        };
        let chain = match chain_of(&self.models, task) {
            Ok(chain) => chain,
            Err(error) => return nobody(error.to_string()),
        };
        let at = match place(&self.state.task(ix).calls, &chain, task.retry.max_attempts) {
            Place::Ask { at, .. } => at,
            Place::Over(error) => return Ask::Nobody(error),
        };
        let now = self.clock.now_ms();
        let mut held = None;
        let (mut hopeless, left) = (Vec::new(), chain.len() - at.min(chain.len()));
        for entry in chain.into_iter().skip(at) {
            match self.breakers.admit(entry.provider(), now) {
                // It is there, and soon lets itself be asked again.
                Admission::Wait(until) if self.breakers.rests_shortly(entry.provider(), now) => {
                    return Ask::Hold(entry.provider().into(), until);
                }
                Admission::Wait(until) => {
                    if self.breakers.is_hopeless(entry.provider()) {
                        hopeless.push(entry.name.to_string());
                    }
                    held.get_or_insert((Arc::from(entry.provider()), until));
                }
                admission @ (Admission::Pass | Admission::Probe) => {
                    let is_probe = admission == Admission::Probe;
                    return Ask::Now { entry, is_probe };
                }
            }
        }
        match held {
            Some((provider, _)) if hopeless.len() == left => {
                Ask::Nobody(self.unreachable(ix, &provider, &hopeless))
            }
            Some((provider, until)) => Ask::Hold(provider, until),
            None => nobody("no model is left to ask".to_owned()),
        }
    }

    /// Nobody answers for any model of the task, and nobody has for so long that a person must see to it.
    fn unreachable(&self, ix: TaskIx, provider: &str, names: &[String]) -> Failure {
        let own = self
            .state
            .task(ix)
            .error
            .as_ref()
            .map(|error| error.message.as_str());
        let last = self.breakers.last(provider).or(own);
        let last = last.map_or(String::new(), |last| format!(" The last call: {last}."));
        let message = format!(
            "{} could not be reached for minutes, by one call after the other.{last} Start its server, or see to the \
             connection, and answer retry; or name another model in the settings first.",
            names.join(" and ")
        );
        Failure {
            class: FailureClass::Transient,
            code: UNREACHABLE.to_owned(),
            message: message.replace("..", "."),
        }
    }

    /// A person wants the task tried again: those that were given up may be asked.
    pub(super) fn allow_probes(&mut self, ix: TaskIx) {
        let chain = chain_of(&self.models, self.state.def(ix)).unwrap_or_default();
        let providers: Vec<Arc<str>> = chain.iter().map(|entry| entry.provider().into()).collect();
        let now = self.clock.now_ms();
        self.breakers.allow_probes(providers.into_iter(), now);
    }

    /// What the model that would be asked now can take in at once, if that is known.
    fn context_of_next(&self, ix: TaskIx) -> Option<u64> {
        match self.whom_to_ask(ix) {
            Ask::Now { entry, .. } => entry.limits.context_tokens,
            Ask::Hold(..) | Ask::Nobody(_) => None,
        }
    }

    /// How often in a row the model that is next has failed; none when another one is up, or nobody.
    pub(super) fn fails_of_next(&self, ix: TaskIx) -> u32 {
        let task = self.state.def(ix);
        let Ok(chain) = chain_of(&self.models, task) else {
            return 0;
        };
        match place(&self.state.task(ix).calls, &chain, task.retry.max_attempts) {
            Place::Ask { fails, .. } => fails,
            Place::Over(_) => 0,
        }
    }

    /// The attempt ends; the next one goes on where it stopped, after a while.
    fn rest_attempt(&mut self, ix: TaskIx, retry: Retry) -> Result<(), DriveError> {
        let not_before_ms = self.when_next(ix, retry.fails, &retry.error, retry.asked);
        let error = retry.error;
        let retrying = TaskRetrying {
            error,
            not_before_ms,
            breaker: None,
        };
        self.emit(Some(ix), retrying)?;
        self.retries.insert((not_before_ms, ix));
        Ok(())
    }

    fn finish_talk(&mut self, ix: TaskIx, finished: Finished) -> Result<(), DriveError> {
        let labels = self.talks.get(&ix).map(Talk::labels).unwrap_or_default();
        let output = Some(self.store_value(&finished.output));
        self.emit(
            Some(ix),
            TaskCompleted {
                output,
                labels,
                accepted_after_rejections: finished.accepted_after_rejections,
                flags: finished.flags.iter().copied().map(Flag::word).collect(),
                ..TaskCompleted::default()
            },
        )
    }
}

/// The task's own limit of time for one attempt.
pub(super) fn timed_out(seconds: f64) -> Failure {
    Failure {
        class: FailureClass::Unknown,
        code: TIMED_OUT.to_owned(),
        message: format!("the attempt was not through within {seconds} s"),
    }
}
