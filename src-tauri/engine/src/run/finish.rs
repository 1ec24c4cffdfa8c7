//! What follows from an attempt's report: done, tried again, in doubt, asked, or failed (rules 4 and 13).

use std::cmp::Ordering;
use std::time::Duration;

use tokio::task::JoinError;

use super::attempt::{Came, Flight, Part, Report};
use super::driver::{DriveError, Driver};
use super::fitting::fits;
use super::outcome::{Outcome, classify};
use crate::model::Json;
use crate::model::backoff::{self, LOADING, LONG_WAIT, PATIENCE, RATE_LIMITED};
use crate::model::events::{
    Again, CallFinished, CallOutcome, Failure, FailureClass, TaskCompleted, TaskFailed, TaskRetrying,
};
use crate::model::grants::Labels;
use crate::model::plan::TaskIx;
use crate::tools::ToolError;

impl Driver {
    pub(super) fn take_report(&mut self, joined: Result<Report, JoinError>) -> Result<(), DriveError> {
        match joined {
            Ok(report) => self.take_result(report),
            // A panicking tool is a fault of ours; the run must not hang on it.
            Err(error) if error.is_panic() => self.take_panic(error.id()),
            Err(_) => Ok(()),
        }
    }

    fn take_panic(&mut self, job: tokio::task::Id) -> Result<(), DriveError> {
        let Some((ix, call)) = self.flights.of_job(job) else {
            return Ok(());
        };
        let message = "the call stopped unexpectedly; this is a fault of Planloom".to_owned();
        let result = Err(ToolError::Unknown {
            code: "panic",
            message,
            retry_after: None,
        });
        self.take_result(Report { ix, call, result })
    }

    fn take_result(&mut self, report: Report) -> Result<(), DriveError> {
        let (ix, call) = (report.ix, report.call);
        let Some(flight) = self.flights.remove(ix, call) else {
            return Ok(());
        };
        self.close_midcall(ix, call)?;
        if let Some(slot) = flight.slot.clone() {
            self.slots.free(slot);
        }
        let result = match (flight.part, report.result) {
            (Part::Question, result) => return self.take_reply(ix, call, &flight, result),
            (Part::Whole | Part::Call, Ok(Came::Reply(_))) => return Ok(()),
            (Part::Whole | Part::Call, Ok(Came::Value(value))) => Ok(value),
            (Part::Whole | Part::Call, Err(error)) => Err(error),
        };
        match flight.part {
            Part::Whole => self.finish_whole(ix, &flight, result),
            Part::Call | Part::Question => self.take_observation(ix, call, &flight, result),
        }
    }

    fn finish_whole(
        &mut self,
        ix: TaskIx,
        flight: &Flight,
        result: Result<Json, ToolError>,
    ) -> Result<(), DriveError> {
        let outcome = classify(result, flight, &self.redactor);
        if flight.is_effect {
            self.barrier();
        }
        let word = outcome.word();
        self.follow(ix, flight, outcome)?;
        self.hear_of_endpoint(flight, word)
    }

    /// What was approved can't be called any more: the way on is another approval.
    fn with_way_on(&self, mut error: Failure) -> Failure {
        if error.code == "definition_changed" {
            let way = format!(
                " After that, approve the plan anew with `planloom fork {} --run`.",
                self.run
            );
            error.message.push_str(&way);
        }
        error
    }

    fn follow(&mut self, ix: TaskIx, flight: &Flight, outcome: Outcome) -> Result<(), DriveError> {
        match outcome {
            Outcome::Done(value) => self.finish_well(ix, flight, &value),
            Outcome::Retry { error, asked } => {
                self.record_error(ix, flight, &error)?;
                let until_ms = self.when_next(ix, self.state.task(ix).tries + 1, &error, asked);
                self.let_rest(flight, &error, until_ms);
                self.retry_or_fail(ix, error, asked)
            }
            Outcome::Doubt(error) => {
                self.record_error(ix, flight, &error)?;
                self.doubt(ix, error)
            }
            Outcome::Fail(error) => {
                let error = self.with_way_on(error);
                self.record_error(ix, flight, &error)?;
                self.emit(Some(ix), TaskFailed { error })
            }
            Outcome::NotGranted { error, needs } => {
                self.record_error(ix, flight, &error)?;
                self.ask_grant(ix, needs)
            }
            Outcome::Cancelled if flight.is_effect && !flight.is_repeatable => self.doubt(ix, lost()),
            Outcome::Cancelled => self.ready_again(ix, Again::Interrupted),
        }
    }

    fn record_error(&mut self, ix: TaskIx, flight: &Flight, error: &Failure) -> Result<(), DriveError> {
        if !flight.is_call {
            return Ok(());
        }
        self.emit(
            Some(ix),
            CallFinished {
                call: None,
                outcome: CallOutcome::Error(error.clone()),
                labels: Labels::default(),
                usage: None,
            },
        )
    }

    fn finish_well(&mut self, ix: TaskIx, flight: &Flight, value: &Json) -> Result<(), DriveError> {
        let reference = self.store_value(value);
        if flight.is_call {
            self.emit(
                Some(ix),
                CallFinished {
                    call: None,
                    outcome: CallOutcome::Result(reference.clone()),
                    labels: Labels::default(),
                    usage: None,
                },
            )?;
        }
        if let Err(error) = self.check_output(ix, &flight.inputs, value) {
            return self.emit(Some(ix), TaskFailed { error });
        }
        let meanwhile = self.written_meanwhile(ix, None);
        // Each fact once: the output of a call is its result.
        let output = (!flight.is_call).then_some(reference);
        self.emit(
            Some(ix),
            TaskCompleted {
                output,
                labels: flight.labels.join(meanwhile),
                ..TaskCompleted::default()
            },
        )
    }

    /// The output must fit its schema, and `check` must hold.
    pub(super) fn check_output(&self, ix: TaskIx, inputs: &Json, value: &Json) -> Result<(), Failure> {
        fits(self.state.def(ix), inputs, value)
    }

    pub(super) fn retry_or_fail(
        &mut self,
        ix: TaskIx,
        mut error: Failure,
        asked: Option<Duration>,
    ) -> Result<(), DriveError> {
        let mut tried = self.state.task(ix).tries + 1;
        let task = self.state.def(ix).clone();
        if asked.is_some_and(|asked| asked > PATIENCE) {
            let is_first = task.fallback_tool().is_some() && tried < task.retry.max_attempts;
            if is_first {
                // What stands in is called at once.
                LONG_WAIT.clone_into(&mut error.code);
                tried = task.retry.max_attempts;
            }
        }
        if tried >= task.most_attempts() {
            return self.emit(Some(ix), TaskFailed { error });
        }
        let most = task.retry.max_attempts;
        let not_before_ms = match tried.cmp(&most) {
            Ordering::Less => self.when_next(ix, tried, &error, asked),
            // The fallback is another one: it has not asked for patience.
            Ordering::Equal => self.clock.now_ms(),
            Ordering::Greater => self.when_next(ix, tried - most, &error, asked),
        };
        let retrying = TaskRetrying {
            error,
            not_before_ms,
            breaker: None,
        };
        self.emit(Some(ix), retrying)?;
        self.retries.insert((not_before_ms, ix));
        Ok(())
    }
}

impl Driver {
    /// The moment of the next try after so many that failed (rule 4).
    pub(super) fn when_next(&self, ix: TaskIx, tried: u32, error: &Failure, asked: Option<Duration>) -> i64 {
        let seed = format!("{}/{}", self.run, self.state.tree.address(ix));
        let policy = &self.state.def(ix).retry;
        let wait = match (error.code.as_str(), asked) {
            (RATE_LIMITED | LOADING, None) => backoff::outlasting(policy, tried + 1, &seed),
            (_, asked) => backoff::delay(policy, tried + 1, asked, &seed),
        };
        let wait_ms = i64::try_from(wait.as_millis()).unwrap_or(i64::MAX / 4);
        self.clock.now_ms().saturating_add(wait_ms)
    }
}

pub(super) fn lost() -> Failure {
    Failure {
        class: FailureClass::Unknown,
        code: "interrupted".to_owned(),
        message: "the call was cut off while it was under way; whether it happened is not known.".to_owned(),
    }
}
