//! One question to the planner: its intent, the reply, and what a person says meanwhile.

use std::time::Duration;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::super::aloud::{self, Words};
use super::super::asides::{LONGEST, failure, key_of};
use super::super::billing::{lost, priced, reserve_of, usage_of};
use super::super::breakers::Word;
use super::super::chain::{NO_ROOM, OVERFLOW};
use super::super::growing::Voice;
use super::doors::word_of;
use super::waiting::LOOK;
use super::{Driver, Entry, PlanRest, PlanningError, Request};
use crate::agents::planner::failure_of;
use crate::llm::{Cancelled, Reply};
use crate::model::backoff::{LONG_WAIT, PATIENCE};
use crate::model::events::{CallFinished, CallOutcome, CallStarted, Failure, FailureClass};
use crate::model::grants::Labels;
use crate::model::ledger::{Reserve, Usage};
use crate::model::tool::Effect;
use crate::model::value::{NewPayload, ValueRef};

/// What became of a question.
enum Came {
    Reply(Box<Reply>),
    Failed(Failure),
    /// It was given up; what it cost is not known.
    GivenUp,
}

impl Driver {
    /// Write ahead: the intent is on disk before the question goes out, and after `fails` failures that pass by
    /// themselves a wait is before both.
    pub(super) async fn ask(
        &mut self,
        entry: &Entry,
        request: Request,
        fails: u32,
    ) -> Result<Option<PlanRest>, PlanningError> {
        if !self.wait_out(fails).await? {
            return Ok(None);
        }
        let provider = entry.provider().to_owned();
        let Some(_place) = self.place_at(&provider).await? else {
            return Ok(None);
        };
        let reserve = reserve_of(entry, &request);
        if !self.can_afford(reserve).await? {
            return Ok(Some(PlanRest::Asks));
        }
        let arguments = serde_json::to_value(&request).unwrap_or_default();
        let (arguments, payload) = ValueRef::of(&arguments);
        let started = CallStarted {
            tool: entry.name.to_string(),
            effect: Effect::ReadExternal,
            repeatable: true,
            key: key_of(&request),
            arguments: Some(arguments),
            reserve: Some(reserve),
            before: Vec::new(),
            model: true,
            call: None,
            labels: Labels::default(),
            touches: Vec::new(),
        };
        if !self
            .append(vec![started.into()], payload.into_iter().collect())
            .await?
        {
            return Ok(None);
        }
        let doors = self.launch.doors.clone();
        let is_probe = doors.begin(&provider);
        let came = self.hear(entry, request).await;
        let word = match &came {
            Ok(Came::Reply(reply)) => failure_of(reply).map_or(Word::Answered, |f| word_of(&f.error)),
            Ok(Came::Failed(error)) => word_of(error),
            Ok(Came::GivenUp) | Err(_) => Word::Nothing,
        };
        doors.heard(&provider, self.launch.clock.now_ms(), is_probe, word);
        match came? {
            Came::Reply(reply) => self.take_reply(entry, *reply, reserve).await?,
            Came::Failed(error) => {
                self.note(CallOutcome::Error(error), lost(reserve), None).await?;
            }
            Came::GivenUp if self.launch.state.cancel_requested => {
                let error = failure(FailureClass::Cancelled, "cancelled", "the question was given up");
                self.note(CallOutcome::Error(error), lost(reserve), None).await?;
            }
            // It stays open, and is asked again by whoever goes on.
            Came::GivenUp => return Ok(Some(PlanRest::Interrupted)),
        }
        Ok(None)
    }

    /// Waits for the reply, and looks meanwhile whether a person wants it to stop.
    async fn hear(&mut self, entry: &Entry, request: Request) -> Result<Came, PlanningError> {
        let cancel = CancellationToken::new();
        let mut jobs = JoinSet::new();
        let (entry, token) = (entry.clone(), cancel.clone());
        let teller = self.launch.growing.begin(Voice::of_planner(&self.launch.run));
        let redactor = self.redactor.clone();
        jobs.spawn(async move {
            let asked = async {
                let told = (&teller, &redactor, Words::Answer);
                let reply = aloud::ask((&entry, &request), told, &token).await?;
                Ok(priced(&entry, &request, reply))
            };
            tokio::time::timeout(LONGEST, asked).await
        });
        let shutdown = self.launch.shutdown.clone();
        loop {
            let joined = tokio::select! {
                biased;
                () = shutdown.cancelled() => None,
                joined = jobs.join_next() => joined,
                () = tokio::time::sleep(LOOK) => {
                    self.take_in().await?;
                    let is_mine = self.planning().is_some_and(|p| p.epoch == self.epoch);
                    if is_mine && !self.launch.state.cancel_requested {
                        continue;
                    }
                    None
                }
            };
            let Some(joined) = joined else {
                cancel.cancel();
                jobs.shutdown().await;
                return Ok(Came::GivenUp);
            };
            return Ok(match joined {
                Ok(Ok(Ok(reply))) => Came::Reply(Box::new(reply)),
                Ok(Ok(Err(Cancelled))) => Came::GivenUp,
                Ok(Err(_)) => Came::Failed(failure(
                    FailureClass::Transient,
                    "timeout",
                    &format!("the planner gave no answer within {} s", LONGEST.as_secs()),
                )),
                Err(_) => Came::Failed(failure(
                    FailureClass::Permanent,
                    "panic",
                    "the model's connection stopped unexpectedly; this is a fault of Planloom",
                )),
            });
        }
    }

    /// It may have cost money, so it is on disk before anything follows. Kept as it came, but for secrets.
    async fn take_reply(
        &mut self,
        entry: &Entry,
        reply: Reply,
        reserve: Reserve,
    ) -> Result<(), PlanningError> {
        let usage = usage_of(&reply, reserve);
        match failure_of(&reply) {
            Some(failed) => {
                self.asked = failed.retry_after_ms.map(Duration::from_millis);
                let mut error = failed.error;
                error.message = self.redactor.text(&error.message);
                let error = self.with_room(entry, self.with_patience(entry, error));
                self.note(CallOutcome::Error(error), usage, None).await
            }
            None => {
                let value = self
                    .redactor
                    .value(serde_json::to_value(&reply).unwrap_or_default());
                let (value, payload) = ValueRef::of(&value);
                self.note(CallOutcome::Result(value), usage, payload).await
            }
        }
    }

    /// Who asks to be left alone for long is not waited for while another one stands in.
    fn with_patience(&self, entry: &Entry, error: Failure) -> Failure {
        let is_long = self.asked.is_some_and(|asked| asked > PATIENCE);
        let chain = self.launch.models.chain(&self.given.model).unwrap_or_default();
        let is_last = chain.last().is_none_or(|last| last.name == entry.name);
        if !is_long || is_last || error.class != FailureClass::Transient {
            return error;
        }
        Failure {
            code: LONG_WAIT.to_owned(),
            ..error
        }
    }

    /// What did not fit is asked once more in a smaller form, and no more than that.
    fn with_room(&self, entry: &Entry, error: Failure) -> Failure {
        if error.code != OVERFLOW || !self.is_too_large_for(entry) {
            return error;
        }
        let message = format!(
            "The goal with all that a planner must know does not fit into the context of {}, in a smaller form neither: {} \
             Give a shorter goal, allow fewer tools, or choose a model with more context.",
            entry.name, error.message
        );
        failure(FailureClass::Permanent, NO_ROOM, &message)
    }

    /// Whether a question has been too large for it before.
    pub(super) fn is_too_large_for(&self, entry: &Entry) -> bool {
        let calls = self.planning().map_or(&[][..], |p| &p.calls[p.forgotten..]);
        calls.iter().any(|call| {
            let error = call.outcome.as_ref().and_then(|outcome| match outcome {
                CallOutcome::Error(error) => Some(error),
                CallOutcome::Result(_) => None,
            });
            *entry.name == *call.started.tool && error.is_some_and(|error| error.code == OVERFLOW)
        })
    }

    async fn note(
        &mut self,
        outcome: CallOutcome,
        usage: Usage,
        payload: Option<NewPayload>,
    ) -> Result<(), PlanningError> {
        let finished = CallFinished {
            call: None,
            outcome,
            labels: Labels::default(),
            usage: Some(usage),
        };
        self.append(vec![finished.into()], payload.into_iter().collect())
            .await?;
        Ok(())
    }
}
