//! Live runs: who drives them, and the few things that a person can tell them.

use std::sync::Arc;

use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::model::decision::{ReplanAnswer, changed_arguments, check_answer, choice_of, read_replan, word};
use crate::model::events::{
    CancelRequested, DecisionAnswered, Event, EventBody, NewEvent, PauseRequested, RunFinished,
};
use crate::model::grants::{Labels, Place};
use crate::model::state::{Decision, RunState};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};
use crate::model::value::ValueRef;
use crate::model::{DecisionId, Json, RunId, sentence, title};
use crate::run::{END, Ended, Handle, Launch, WhenIdle, drive, fits, resolve_shown, summary_of};
use crate::store::{Append, Durability, Guard, StoreError};

/// How often a request is made anew when the log moves under it.
const TRIES: u32 = 20;

/// How a run stood when this process stopped driving it.
#[derive(Clone, Debug)]
pub struct RunEnd {
    pub status: RunStatus,
    /// The store or the machine failed: what happened and what was kept.
    pub trouble: Option<Arc<str>>,
}

impl Engine {
    /// Drives the run in this process, from where its log ends. A run that this process drives already is left alone.
    pub async fn resume(&self, run: &RunId) -> Result<(), Error> {
        self.resume_with(run, self.max_parallel(), false).await
    }

    /// The same with a cap of its own; by force, a live but stopped owner loses the run.
    pub async fn resume_with(&self, run: &RunId, max_parallel: usize, by_force: bool) -> Result<(), Error> {
        for _ in 0..TRIES {
            if self.is_driving(run) {
                return Ok(());
            }
            // Reading a run and claiming it holds much at once.
            match Box::pin(self.try_resume(run, max_parallel, by_force)).await {
                Err(Error::Conflict { code: "moved", .. }) => {}
                other => return other,
            }
        }
        Err(Error::conflict(
            "moved",
            "the run keeps changing under this request; try again",
        ))
    }

    async fn try_resume(&self, run: &RunId, max_parallel: usize, by_force: bool) -> Result<(), Error> {
        if self.inner.is_closing.is_cancelled() {
            return Err(Error::conflict(
                "closing",
                "Planloom is closing; the run is left as it is",
            ));
        }
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let mut state = loaded.state;
        super::carrying::refuse_imported(run, &state)?;
        if state.status == RunStatus::AwaitingApproval {
            return Err(Error::invalid(
                "not_approved",
                "the plan has not been approved; approve it first",
            ));
        }
        if state.status.is_over() {
            return Err(Error::invalid(
                "over",
                format!("the run is over: {}", state.status),
            ));
        }
        self.check_signed(run, &state, &loaded.place)?;
        let head = state.seq;
        let claim = self
            .inner
            .store
            .claim(run, head, &self.inner.owner, self.now_ms(), by_force)
            .await?;
        let claimed = self.inner.store.events(run, head, claim.seq, 1).await?;
        take_in(&mut state, &claimed)?;
        let launch = Launch {
            run: run.clone(),
            key: loaded.record.key,
            claim,
            title: title::of(state.path.as_deref(), state.plan.goal.as_deref()),
            state,
            store: self.inner.store.clone(),
            tools: self.tools_now(),
            models: (*self.models()).clone(),
            replan: self.inner.replan,
            place: loaded.place,
            clock: self.inner.clock,
            max_parallel,
            caps: self.caps(),
            when_idle: self.inner.when_idle,
            own_work: self.inner.around.own_work.clone(),
            secrets: self.inner.secrets.clone(),
            growing: self.inner.growing.clone(),
        };
        let handle = drive(launch);
        if let Ok(mut handles) = self.inner.handles.lock() {
            handles.insert(run.clone(), handle);
        }
        Ok(())
    }

    /// What was approved is what runs: the plan and the tools as they are defined now.
    fn check_signed(&self, run: &RunId, state: &RunState, place: &Place) -> Result<(), Error> {
        let signed = self.signed(&state.plan, place);
        let is_signed = state.approved.as_ref().is_none_or(|a| a.digest == signed);
        // Ending a run calls nothing, so it needs no valid signature.
        if is_signed || state.cancel_requested {
            return Ok(());
        }
        // A server that is down is started again; that is no other definition.
        self.check_models(&state.plan)?;
        Err(Error::invalid(
            "definitions",
            format!(
                "a tool or a model of this plan is defined otherwise than when it was approved; the run is left as it is. \
                 A fork takes over what is done and asks for approval anew: `planloom fork {run} --run`."
            ),
        ))
    }

    /// Waits until this process no longer drives the run; at once if it doesn't.
    pub async fn until_left(&self, run: &RunId) -> Result<RunEnd, Error> {
        let handle = self.handle(run);
        match handle {
            Some(handle) => {
                let Ended { status, trouble } = handle.ended().await;
                Ok(RunEnd { status, trouble })
            }
            None => {
                let status = self.state(run, END).await?.status;
                Ok(RunEnd {
                    status,
                    trouble: None,
                })
            }
        }
    }

    /// Asks for a pause: what is in flight finishes, nothing new begins.
    pub async fn pause(&self, run: &RunId) -> Result<(), Error> {
        let (by, id) = (self.face(), run.clone());
        self.request(run, move |state| {
            if state.open_planning().is_some() {
                let message = format!(
                    "planning can't be paused; leave it with Ctrl-C where it goes on, and take it up again with `planloom \
                     resume {id}`"
                );
                return Err(Error::invalid("planning", message));
            }
            if state.status.is_over() || state.status == RunStatus::AwaitingApproval {
                return Err(Error::invalid(
                    "not_running",
                    format!("there is nothing to pause: the run is {}", state.status),
                ));
            }
            Ok((state.status != RunStatus::Paused).then(|| PauseRequested { by: by.clone() }.into()))
        })
        .await
    }

    /// Ends the run: what is done stays done, nothing more begins. Works on a run that nobody drives too.
    pub async fn cancel(&self, run: &RunId) -> Result<(), Error> {
        let by = self.face();
        self.request(run, move |state| {
            if state.status.is_over() {
                return Err(Error::invalid(
                    "over",
                    format!("the run is over: {}", state.status),
                ));
            }
            Ok(Some(CancelRequested { by: by.clone() }.into()))
        })
        .await?;
        if self.inner.store.holder(run).is_some() || self.is_driving(run) {
            return Ok(());
        }
        self.cancel_at_rest(run).await
    }

    /// Nobody drives the run: a draft is closed here, anything else is driven to its end.
    async fn cancel_at_rest(&self, run: &RunId) -> Result<(), Error> {
        let state = self.state(run, END).await?;
        if state.status != RunStatus::AwaitingApproval {
            self.resume(run).await?;
            self.until_left(run).await?;
            return Ok(());
        }
        self.request(run, |_| {
            let finished = RunFinished {
                state: RunStatus::Cancelled,
                output: None,
                error: None,
                labels: Labels::default(),
            };
            Ok(Some(finished.into()))
        })
        .await
    }

    /// Answers once. `answer` is JSON; it is checked before it is recorded.
    pub async fn decide(&self, run: &RunId, decision: &DecisionId, answer: Json) -> Result<(), Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let state = &loaded.state;
        let asked = state.decision(decision).ok_or_else(|| Error::NotFound {
            message: format!("run {run} has no decision {decision}"),
        })?;
        if !asked.is_open() {
            return Err(Error::conflict("answered", closed(&loaded, decision)));
        }
        check_answer(asked, &answer).map_err(|message| Error::invalid("bad_answer", message))?;
        self.check_becomes_output(state, asked, &answer).await?;
        if let (DecisionKind::Replan, Ok(ReplanAnswer::Accept(how))) = (asked.kind, read_replan(&answer)) {
            self.check_acceptance(&loaded, asked, &how).await?;
        }
        if let (DecisionKind::Effect, Some(arguments)) = (asked.kind, changed_arguments(&answer)) {
            self.check_changed(&loaded, asked, arguments).await?;
        }
        if asked.task.is_none() && asked.kind == DecisionKind::Approval {
            return self.answer_approval(run, decision, &answer).await;
        }
        match self.record_answer(run, decision, &answer).await {
            // Someone was faster by a moment: the log says who.
            Err(error) if error.code() == "answered" => {
                let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
                Err(Error::conflict("answered", closed(&loaded, decision)))
            }
            recorded => recorded,
        }
    }

    /// An answer that becomes a task's output has to fit what the task promises, before it is recorded.
    async fn check_becomes_output(
        &self,
        state: &RunState,
        asked: &Decision,
        answer: &Json,
    ) -> Result<(), Error> {
        let Some(ix) = asked.task else { return Ok(()) };
        // What came of an agent's call is told to the agent, and is no output.
        let is_output = match asked.kind {
            // What a call asks is told to the call.
            DecisionKind::Question => {
                asked.binds.is_none() && !asked.is_in_talk && state.task(ix).status == TaskStatus::Waiting
            }
            DecisionKind::InDoubt => !state.task(ix).has_asked(),
            DecisionKind::Approval
            | DecisionKind::Grant
            | DecisionKind::Effect
            | DecisionKind::Budget
            | DecisionKind::Replan
            | DecisionKind::Blocked => false,
        };
        let output = match (asked.kind, answer.as_str()) {
            (DecisionKind::InDoubt, Some("done")) => &Json::Null,
            (DecisionKind::InDoubt, Some(_)) => return Ok(()),
            (DecisionKind::InDoubt, None) => answer.get("done").unwrap_or(&Json::Null),
            (_, _) => answer,
        };
        if !is_output {
            return Ok(());
        }
        let inputs = resolve_shown(&self.inner.store, state, ix).await?;
        let inputs = inputs.map_or(Json::Null, |inputs| Json::Object(inputs.into_iter().collect()));
        fits(state.def(ix), &inputs, output).map_err(|wrong| {
            let message = format!("{} Nothing was recorded.", sentence([wrong.message.as_str()]));
            Error::invalid("bad_answer", message)
        })
    }

    async fn record_answer(&self, run: &RunId, decision: &DecisionId, answer: &Json) -> Result<(), Error> {
        let (value, payload) = ValueRef::of(answer);
        let (by, id) = (self.face(), decision.clone());
        self.append_request(run, payload.into_iter().collect(), move |state| {
            let Some(asked) = state.decision(&id).filter(|d| d.is_open()) else {
                let message = format!("decision {id} was answered just now; nothing more was recorded");
                return Err(Error::conflict("answered", message));
            };
            let answered = DecisionAnswered {
                decision: id.clone(),
                answer: value.clone(),
                by: by.clone(),
                choice: choice_of(asked.kind, answer),
            };
            Ok(Some(answered.into()))
        })
        .await
    }

    async fn request(
        &self,
        run: &RunId,
        make: impl Fn(&RunState) -> Result<Option<EventBody>, Error>,
    ) -> Result<(), Error> {
        self.append_request(run, Vec::new(), make).await
    }

    /// Appends what a person said to a log that an owner may be writing at the same time: compare and set, again
    /// from the start when the log has moved.
    async fn append_request(
        &self,
        run: &RunId,
        payloads: Vec<crate::model::value::NewPayload>,
        make: impl Fn(&RunState) -> Result<Option<EventBody>, Error>,
    ) -> Result<(), Error> {
        self.append_request_of(run, None, payloads, make).await
    }

    /// The same about one task.
    pub(super) async fn append_request_of(
        &self,
        run: &RunId,
        task: Option<crate::model::TaskId>,
        payloads: Vec<crate::model::value::NewPayload>,
        make: impl Fn(&RunState) -> Result<Option<EventBody>, Error>,
    ) -> Result<(), Error> {
        for _ in 0..TRIES {
            let loaded = load::see(&self.inner.store, &self.inner.around, run, END).await?;
            let mut state = loaded.state;
            super::carrying::refuse_imported(run, &state)?;
            let Some(body) = make(&state)? else { return Ok(()) };
            let event = NewEvent {
                at_ms: self.now_ms(),
                task: task.clone(),
                body,
            };
            let head = state.seq;
            state
                .apply(&event.clone().at(head + 1))
                .map_err(load::LoadError::from)?;
            let goal = loaded.goal.as_deref();
            let title = title::of(state.path.as_deref(), goal);
            let append = Append {
                run: loaded.record.key,
                guard: Guard::Head(head),
                events: vec![event],
                payloads: payloads.clone(),
                durability: Durability::Disk,
                summary: Some(summary_of(&state, &title, goal)),
            };
            match self.inner.store.append(append).await {
                Ok(_) => {
                    if let Some(handle) = self.handle(run) {
                        handle.poke();
                    }
                    return Ok(());
                }
                Err(StoreError::Moved { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::conflict(
            "moved",
            "the run keeps changing under this request; try again",
        ))
    }

    /// Leaves every run of this process paused and resumable, everything durable. Nothing is resumed after that.
    pub async fn close(&self) {
        self.inner.is_closing.cancel();
        let handles: Vec<Handle> = self
            .inner
            .handles
            .lock()
            .map(|h| h.values().cloned().collect())
            .unwrap_or_default();
        for handle in &handles {
            handle.shut_down();
        }
        for handle in handles {
            handle.ended().await;
        }
    }

    /// Lets go of a run that this process has driven.
    pub(super) fn forget(&self, run: &RunId) {
        if let Ok(mut handles) = self.inner.handles.lock() {
            handles.remove(run);
        }
    }

    fn handle(&self, run: &RunId) -> Option<Handle> {
        self.inner.handles.lock().ok()?.get(run).cloned()
    }

    pub(super) fn is_driving(&self, run: &RunId) -> bool {
        self.handle(run).is_some_and(|h| !h.is_ended())
    }

    /// What stopped this process from driving the run on, if something did.
    pub(super) fn trouble(&self, run: &RunId) -> Option<String> {
        self.handle(run)?.trouble()
    }

    pub(super) async fn state(&self, run: &RunId, upto: crate::model::Seq) -> Result<RunState, Error> {
        Ok(load::see(&self.inner.store, &self.inner.around, run, upto)
            .await?
            .state)
    }

    pub fn leaves_when_idle(&self) -> bool {
        self.inner.when_idle == WhenIdle::Leave
    }
}

/// Who was faster, when and with which word; or that nobody needs an answer any more.
fn closed(loaded: &Loaded, decision: &DecisionId) -> String {
    let asked = loaded.state.decision(decision);
    let is_answered = asked.is_some_and(|asked| asked.answer.is_some());
    let answers = loaded.events.iter().rev().filter(|_| is_answered);
    let answer = answers.into_iter().find_map(|event| {
        let EventBody::DecisionAnswered(answered) = &event.body else {
            return None;
        };
        (answered.decision == *decision).then_some((event.at_ms, answered))
    });
    let Some((at, answered)) = answer else {
        return format!("decision {decision} no longer matters; nothing was recorded");
    };
    let word = word(&answered.answer)
        .map(|word| format!(" ({word})"))
        .unwrap_or_default();
    let (by, at) = (&answered.by, super::rfc3339(at));
    format!("decision {decision} has been answered already{word}, by {by} at {at}; nothing more was recorded")
}

fn take_in(state: &mut RunState, events: &[Event]) -> Result<(), Error> {
    for event in events {
        state.apply(event).map_err(load::LoadError::from)?;
    }
    Ok(())
}
