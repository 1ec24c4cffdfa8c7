//! What came of an agent's question or call: a fact in the log, and the next step is due. It takes no step itself.

use std::time::Duration;

use super::agent::timed_out;
use super::attempt::{Came, Flight};
use super::billing::{lost, usage_of};
use super::breakers::Word;
use super::chain::{TIMED_OUT, chain_of, is_of_one_call};
use super::driver::{DriveError, Driver};
use super::outcome::{Outcome, classify};
use super::talk::Retry;
use crate::agents::executor::failure_of;
use crate::llm::{Answer, Fault, Outcome as Said, Reply, Thought, ToolCall};
use crate::model::Json;
use crate::model::backoff::{LOADING, LONG_WAIT, PATIENCE, RATE_LIMITED};
use crate::model::events::{CallFinished, CallOutcome, Failure, FailureClass};
use crate::model::grants::Labels;
use crate::model::ledger::{Reserve, Usage};
use crate::model::moment::moment;
use crate::model::plan::TaskIx;
use crate::model::sentence;
use crate::tools::ToolError;

impl Driver {
    /// The model's reply, without secrets. It may have cost money, so it is on disk before anything follows.
    pub(super) fn take_reply(
        &mut self,
        ix: TaskIx,
        call: u32,
        flight: &Flight,
        result: Result<Came, ToolError>,
    ) -> Result<(), DriveError> {
        self.barrier();
        self.stirred.insert(ix);
        let reserve = self.state.task(ix).calls[call as usize].started.reserve;
        let reserve = reserve.unwrap_or_default();
        let (outcome, usage, asked) = match result {
            Ok(Came::Reply(reply)) => self.read_reply(*reply, reserve),
            Ok(Came::Value(_)) => return Ok(()),
            Err(error) => match classify(Err(error), flight, &self.redactor) {
                // It stays open, and is asked again when the task goes on.
                Outcome::Cancelled | Outcome::Done(_) => return self.hear_of_endpoint(flight, Word::Nothing),
                Outcome::Retry { error, .. }
                | Outcome::Doubt(error)
                | Outcome::Fail(error)
                | Outcome::NotGranted { error, .. } => {
                    let error = self.as_timeout(ix, error);
                    // Nobody knows what it cost.
                    (CallOutcome::Error(error), Some(lost(reserve)), None)
                }
            },
        };
        let mut outcome = outcome;
        if let (CallOutcome::Error(error), Some(asked)) = (&mut outcome, asked) {
            self.tell_long_wait(ix, call, error, asked);
        }
        let error = match &outcome {
            CallOutcome::Error(error) => Some(error.clone()),
            CallOutcome::Result(_) => None,
        };
        let finished = CallFinished {
            call: Some(call),
            outcome,
            labels: Labels::default(),
            usage,
        };
        let is_loading = error.as_ref().is_some_and(|error| error.code == LOADING);
        let is_full = error.as_ref().is_some_and(|error| error.code == RATE_LIMITED);
        let is_its_own = error.as_ref().is_some_and(|error| is_of_one_call(&error.code));
        if let Some(error) = &error {
            self.note_failure(flight, &error.message);
        }
        let word = match error.as_ref().map(|error| error.class) {
            // It is there, and says when it can't yet: that is no sign of a provider that is down.
            Some(FailureClass::Transient) if is_loading || is_full => Word::Nothing,
            Some(FailureClass::Transient | FailureClass::Unknown) if is_its_own => Word::Nothing,
            Some(FailureClass::Transient | FailureClass::Unknown) => Word::Down,
            Some(FailureClass::Permanent | FailureClass::NotGranted | FailureClass::Cancelled) | None => {
                Word::Answered
            }
        };
        self.emit(Some(ix), finished)?;
        self.hear_of_endpoint(flight, word)?;
        if let Some(error) = error {
            let until_ms = self.when_next(ix, self.fails_of_next(ix).max(1), &error, asked);
            self.let_rest(flight, &error, until_ms);
            self.rest_after(ix, error, asked);
        }
        Ok(())
    }

    /// A provider that wants to be left alone for long: until when is said, and who stands in for it is asked at once.
    fn tell_long_wait(&self, ix: TaskIx, call: u32, error: &mut Failure, asked: Duration) {
        if asked <= PATIENCE || error.class != FailureClass::Transient {
            return;
        }
        let ms = i64::try_from(asked.as_millis()).unwrap_or(i64::MAX);
        let until = moment(self.clock.now_ms().saturating_add(ms));
        let wait = format!("It asks to be left alone until {until}");
        error.message = sentence([error.message.as_str(), wait.as_str()]);
        let whom = &self.state.task(ix).calls[call as usize].started.tool;
        let chain = chain_of(&self.models, self.state.def(ix)).unwrap_or_default();
        let is_last = chain.last().is_none_or(|entry| *entry.name == **whom);
        if !is_last {
            LONG_WAIT.clone_into(&mut error.code);
            error.message.push_str(" Another model is asked instead.");
        }
    }

    fn read_reply(
        &mut self,
        reply: Reply,
        reserve: Reserve,
    ) -> (CallOutcome, Option<Usage>, Option<Duration>) {
        let reply = self.clean(reply);
        let usage = Some(usage_of(&reply, reserve));
        match failure_of(&reply) {
            Some(failed) => {
                let asked = failed.retry_after_ms.map(Duration::from_millis);
                (CallOutcome::Error(failed.error), usage, asked)
            }
            None => {
                let value = serde_json::to_value(&reply).unwrap_or(Json::Null);
                (CallOutcome::Result(self.store_value(&value)), usage, None)
            }
        }
    }

    /// The same model is asked again after a while; another one, or nobody, needs no rest.
    fn rest_after(&mut self, ix: TaskIx, error: Failure, asked: Option<Duration>) {
        let fails = self.fails_of_next(ix);
        if fails > 0
            && let Some(talk) = self.talks.get_mut(&ix)
        {
            talk.retry = Some(Retry { error, asked, fails });
        }
    }

    /// What a tool gave. A transient failure is mended without a word to the model, as long as the policy goes.
    pub(super) fn take_observation(
        &mut self,
        ix: TaskIx,
        call: u32,
        flight: &Flight,
        result: Result<Json, ToolError>,
    ) -> Result<(), DriveError> {
        self.stirred.insert(ix);
        if flight.is_effect {
            self.barrier();
        }
        let outcome = classify(result, flight, &self.redactor);
        self.hear_of_endpoint(flight, outcome.word())?;
        match outcome {
            Outcome::Done(value) => {
                let outcome = CallOutcome::Result(self.store_value(&value));
                let labels = flight.labels.join(self.written_meanwhile(ix, Some(call)));
                self.note(ix, call, outcome, labels)
            }
            Outcome::Retry { error, asked } => {
                let error = self.as_timeout(ix, error);
                self.note(ix, call, CallOutcome::Error(error.clone()), flight.labels)?;
                let until_ms = self.when_next(ix, self.state.task(ix).tries + 1, &error, asked);
                self.let_rest(flight, &error, until_ms);
                self.retry_call(ix, call, error, asked);
                Ok(())
            }
            Outcome::Doubt(error) | Outcome::Fail(error) => {
                self.note(ix, call, CallOutcome::Error(error), flight.labels)
            }
            Outcome::NotGranted { error, needs } => {
                self.note(ix, call, CallOutcome::Error(error), Labels::default())?;
                let key = self.state.task(ix).calls[call as usize].started.key;
                if let Some(talk) = self.talks.get_mut(&ix) {
                    talk.wants = Some((key, needs));
                }
                Ok(())
            }
            // It stays open: what may be repeated is made again, what may not is in doubt.
            Outcome::Cancelled => Ok(()),
        }
    }

    fn note(
        &mut self,
        ix: TaskIx,
        call: u32,
        outcome: CallOutcome,
        labels: Labels,
    ) -> Result<(), DriveError> {
        let finished = CallFinished {
            call: Some(call),
            outcome,
            labels,
            usage: None,
        };
        self.emit(Some(ix), finished)
    }

    fn retry_call(&mut self, ix: TaskIx, call: u32, error: Failure, asked: Option<Duration>) {
        let at = call as usize;
        let fails = self.failures_of(ix, &self.state.task(ix).calls[at], at);
        if fails >= self.state.def(ix).retry.max_attempts {
            return;
        }
        if let Some(talk) = self.talks.get_mut(&ix) {
            // Of several that rest, the longest rest holds.
            let fails = talk.retry.as_ref().map_or(fails, |known| known.fails.max(fails));
            let asked = talk.retry.take().and_then(|known| known.asked).max(asked);
            talk.retry = Some(Retry { error, asked, fails });
        }
    }

    /// A call that was cut off because the attempt's time was up says so.
    fn as_timeout(&self, ix: TaskIx, error: Failure) -> Failure {
        let is_out = self.talks.get(&ix).is_some_and(|talk| talk.is_out_of_time());
        if !is_out || error.class != FailureClass::Unknown || error.code == TIMED_OUT {
            return error;
        }
        let limit = self.state.def(ix).timeout.unwrap_or_default();
        timed_out(limit.as_secs_f64())
    }

    fn clean(&self, reply: Reply) -> Reply {
        let text = |text: String| self.redactor.text(&text);
        let answer = |answer: Answer| Answer {
            text: text(answer.text),
            calls: answer
                .calls
                .into_iter()
                .map(|call| self.clean_call(call))
                .collect(),
            thoughts: answer
                .thoughts
                .into_iter()
                .map(|thought| Thought {
                    text: text(thought.text),
                    ..thought
                })
                .collect(),
            stop: answer.stop.map(text),
        };
        let fault = |fault: Fault| Fault {
            code: text(fault.code),
            message: text(fault.message),
            ..fault
        };
        let outcome = match reply.outcome {
            Said::Complete(said) => Said::Complete(answer(said)),
            Said::Cut(said) => Said::Cut(answer(said)),
            Said::Rate(said) => Said::Rate(fault(said)),
            Said::Quota(said) => Said::Quota(fault(said)),
            Said::Overflow(said) => Said::Overflow(fault(said)),
            Said::Auth(said) => Said::Auth(fault(said)),
            Said::Transient(said) => Said::Transient(fault(said)),
            Said::Permanent(said) => Said::Permanent(fault(said)),
            Said::Unknown(said) => Said::Unknown(fault(said)),
        };
        Reply { outcome, ..reply }
    }

    fn clean_call(&self, call: ToolCall) -> ToolCall {
        ToolCall {
            id: self.redactor.text(&call.id),
            name: self.redactor.text(&call.name),
            arguments: self.redactor.text(&call.arguments),
            sealed: call.sealed,
        }
    }
}
