//! Questions to models that belong to no attempt of a task: another way after a failure, a final answer. Each is a
//! call in the log: its intent is recorded before it is asked, its reply before anything follows from it. This file
//! must not know what the replies are for.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use tokio::task::{JoinError, JoinSet};
use tokio_util::sync::CancellationToken;

use super::billing::{bound, lost, priced, reserve_of, usage_of};
use super::breakers::Word;
use super::budget::Room;
use super::chain::is_of_one_call;
use super::driver::{DriveError, Driver};
use super::inputs::load_recent;
use super::slots::Slots;
use super::stand_ins::{Chosen, Rest};
use crate::agents::executor::failure_of;
use crate::llm::{Entry, Reply, Request};
use crate::model::events::{CallFinished, CallOutcome, CallStarted, Failure, FailureClass};
use crate::model::grants::Labels;
use crate::model::json::canonical;
use crate::model::plan::{RetryPolicy, TaskIx};
use crate::model::state::Call;
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::tool::Effect;
use crate::model::{Digest, backoff};

/// A model that has not answered by then never will.
pub(super) const LONGEST: Duration = Duration::from_secs(600);

/// What a question is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Purpose {
    Replan,
    /// The final answer of the run, or of a nested plan.
    Answer(Option<TaskIx>),
}

impl Purpose {
    /// The task whose call it is.
    fn task(self) -> Option<TaskIx> {
        match self {
            Self::Replan | Self::Answer(None) => None,
            Self::Answer(Some(ix)) => Some(ix),
        }
    }
}

struct Question {
    purpose: Purpose,
    entry: Entry,
    request: Request,
    /// Before it is asked again.
    wait: Duration,
    cancel: CancellationToken,
}

/// What came back.
pub(super) struct Said {
    purpose: Purpose,
    /// Nothing, where it was given up.
    reply: Option<Result<Reply, Failure>>,
}

#[derive(Default)]
pub(super) struct Asides {
    pub jobs: JoinSet<Said>,
    asked: HashMap<Purpose, Asked>,
    launches: Vec<Question>,
    /// Nested plans whose answer is asked for when others have theirs.
    later: VecDeque<TaskIx>,
    /// Their provider had no place left when so many had been given back.
    full_at: Option<u64>,
}

/// A question on its way.
struct Asked {
    cancel: CancellationToken,
    job: Option<tokio::task::Id>,
    endpoint: Arc<str>,
    is_probe: bool,
}

impl Asides {
    pub fn is_asking(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Whether answers of nested plans are still to be asked for.
    pub fn has_waiting(&self) -> bool {
        !self.later.is_empty()
    }

    pub fn count(&self) -> usize {
        self.asked.len()
    }

    /// The nested plan's answer is asked for when there is room.
    pub fn put_off(&mut self, ix: TaskIx) {
        if !self.later.contains(&ix) {
            self.later.push_back(ix);
        }
    }

    pub fn is_asked(&self, purpose: Purpose) -> bool {
        self.asked.contains_key(&purpose)
    }

    /// Gives all of them up; those that are still wanted are asked again at the next resume.
    pub async fn stop(&mut self) {
        for asked in self.asked.values() {
            asked.cancel.cancel();
        }
        self.jobs.shutdown().await;
        self.asked.clear();
        self.launches.clear();
        self.later.clear();
    }

    /// After the commit that holds the intents.
    pub fn launch(&mut self) {
        for question in std::mem::take(&mut self.launches) {
            let purpose = question.purpose;
            let id = self.jobs.spawn(question.ask()).id();
            if let Some(asked) = self.asked.get_mut(&purpose) {
                asked.job = Some(id);
            }
        }
    }

    /// A model's wire that panics is a fault of ours; the run must not hang on it.
    fn read(&self, joined: Result<Said, JoinError>) -> Option<Said> {
        let error = match joined {
            Ok(said) => return Some(said),
            Err(error) if error.is_panic() => error,
            Err(_) => return None,
        };
        let asked = self.asked.iter().find(|(_, asked)| asked.job == Some(error.id()));
        let reply = failure(
            FailureClass::Permanent,
            "panic",
            "the model's connection stopped unexpectedly; this is a fault of Planloom",
        );
        asked.map(|(&purpose, _)| Said {
            purpose,
            reply: Some(Err(reply)),
        })
    }
}

impl Question {
    async fn ask(self) -> Said {
        let purpose = self.purpose;
        let asking = async {
            tokio::time::sleep(self.wait).await;
            let asked = async {
                let reply = self.entry.model.ask(&self.request, &self.cancel).await?;
                Ok(priced(&self.entry, &self.request, reply))
            };
            tokio::time::timeout(LONGEST, asked).await
        };
        let reply = tokio::select! {
            answered = asking => match answered {
                Ok(Ok(reply)) => Some(Ok(reply)),
                Ok(Err(crate::llm::Cancelled)) => None,
                Err(_) => Some(Err(failure(
                    FailureClass::Transient,
                    "timeout",
                    &format!("the model gave no answer within {} s", LONGEST.as_secs()),
                ))),
            },
            () = self.cancel.cancelled() => None,
        };
        Said { purpose, reply }
    }
}

pub(super) fn failure(class: FailureClass, code: &str, message: &str) -> Failure {
    Failure {
        class,
        code: code.to_owned(),
        message: message.to_owned(),
    }
}

/// What it says of the provider's health.
fn word_of(said: &Said) -> Word {
    let is_down = |error: &Failure| {
        let may_pass = matches!(error.class, FailureClass::Transient | FailureClass::Unknown);
        may_pass && !is_of_one_call(&error.code)
    };
    match &said.reply {
        None => Word::Nothing,
        Some(Err(error)) if is_down(error) => Word::Down,
        Some(Ok(reply)) if failure_of(reply).is_some_and(|failed| is_down(&failed.error)) => Word::Down,
        Some(Ok(_) | Err(_)) => Word::Answered,
    }
}

/// Equal questions have equal keys.
pub(super) fn key_of(request: &Request) -> Digest {
    Digest::of(canonical(&serde_json::to_value(request).unwrap_or_default()).as_bytes())
}

impl Driver {
    /// Nested plans whose answers were put off come up again as far as there is room.
    pub(super) fn wake_answers(&mut self) {
        if self.asides.full_at == Some(self.slots.freed) {
            return;
        }
        self.asides.full_at = None;
        while !self.is_held_by_budget() && self.asides.count() < self.max_parallel {
            let Some(ix) = self.asides.later.pop_front() else {
                return;
            };
            self.state.joined.push(ix);
            self.is_restless = true;
        }
    }

    /// Gives one question up; its intent stays without an outcome.
    pub(super) fn give_up_asking(&mut self, purpose: Purpose) -> Result<(), DriveError> {
        match self.asides.asked.remove(&purpose) {
            Some(asked) => {
                asked.cancel.cancel();
                self.let_go(&asked, Word::Nothing)
            }
            None => Ok(()),
        }
    }

    /// Its place is free, and its endpoint has been heard of.
    fn let_go(&mut self, asked: &Asked, word: Word) -> Result<(), DriveError> {
        self.slots.free(Slots::of_provider(&asked.endpoint));
        self.hear_of(&asked.endpoint, asked.is_probe, word)
    }

    /// A nested plan's answer waits while its provider has no place left. The others are asked when nothing else is.
    pub(super) fn has_place_for(&mut self, rest: &Rest) -> bool {
        let first = rest.chain.first();
        let has = first.is_none_or(|entry| self.slots.has_room(&Slots::of_provider(entry.provider())));
        if !has {
            self.asides.full_at = Some(self.slots.freed);
        }
        has
    }

    /// Write ahead: the intent is part of the commit that the question waits for. After failures that pass by
    /// themselves it waits the longer, and never shorter than the provider asked. False: the budget does not allow it,
    /// and a person is asked.
    pub(super) fn ask_model(
        &mut self,
        purpose: Purpose,
        rest: Rest,
        mut request: Request,
    ) -> Result<bool, DriveError> {
        let Some(chosen) = self.whom(rest) else {
            return Ok(false);
        };
        let entry = &chosen.entry;
        // Equal questions have equal keys, whatever room the caps leave for the answer.
        let key = key_of(&request);
        bound(entry, &mut request, self.state.cap(), |next| self.may_spend(next));
        let reserve = reserve_of(entry, &request);
        let room = self.can_afford(reserve)?;
        if room == Room::Later {
            self.asides.full_at = Some(self.slots.freed);
        }
        if room != Room::Enough {
            return Ok(false);
        }
        self.go_on()?;
        let arguments = serde_json::to_value(&request).unwrap_or_default();
        let started = CallStarted {
            tool: entry.name.to_string(),
            effect: Effect::ReadExternal,
            repeatable: true,
            key,
            arguments: Some(self.store_value(&arguments)),
            reserve: Some(reserve),
            before: Vec::new(),
            model: true,
            call: None,
            labels: Labels::default(),
            touches: Vec::new(),
        };
        self.emit(purpose.task(), started)?;
        self.begin_asking(purpose, chosen, request);
        Ok(true)
    }

    fn begin_asking(&mut self, purpose: Purpose, chosen: Chosen, request: Request) {
        let wait = match chosen.fails {
            0 => chosen.wait.unwrap_or_default(),
            tries => {
                let seed = format!("{}/{purpose:?}", self.run);
                backoff::delay(&RetryPolicy::default(), tries + 1, chosen.wait, &seed)
            }
        };
        let cancel = CancellationToken::new();
        let slot = Slots::of_provider(&chosen.endpoint);
        self.take_place(Some(&chosen.endpoint), chosen.is_probe, Some(&slot));
        let asked = Asked {
            cancel: cancel.clone(),
            job: None,
            endpoint: chosen.endpoint,
            is_probe: chosen.is_probe,
        };
        self.asides.asked.insert(purpose, asked);
        self.asides.launches.push(Question {
            purpose,
            entry: chosen.entry,
            request,
            wait,
            cancel,
        });
    }

    /// The calls that were made for it, oldest first.
    pub(super) fn calls_for(&self, purpose: Purpose) -> &[Call] {
        match purpose.task() {
            Some(ix) => &self.state.task(ix).calls,
            None => &self.state.aside,
        }
    }

    /// Takes in what a model said. It cost money, so it is on disk before anything follows.
    pub(super) fn take_said(&mut self, joined: Result<Said, JoinError>) -> Result<(), DriveError> {
        let Some(said) = self.asides.read(joined) else {
            return Ok(());
        };
        let purpose = said.purpose;
        let Some(asked) = self.asides.asked.remove(&purpose) else {
            return Ok(());
        };
        self.let_go(&asked, word_of(&said))?;
        let last = self.calls_for(purpose).last();
        let is_open = last.is_some_and(|call| call.outcome.is_none());
        let reserve = last.and_then(|call| call.started.reserve).unwrap_or_default();
        let is_running = match purpose.task() {
            Some(ix) => self.state.task(ix).status == TaskStatus::Running,
            None => self.state.status == RunStatus::Running,
        };
        if let (Some(reply), true, true) = (said.reply, is_open, is_running) {
            let (outcome, usage) = match reply {
                Ok(reply) => {
                    let value = serde_json::to_value(&reply).unwrap_or_default();
                    let value = self.redactor.value(value);
                    let usage = usage_of(&reply, reserve);
                    (CallOutcome::Result(self.store_value(&value)), usage)
                }
                Err(error) => (CallOutcome::Error(error), lost(reserve)),
            };
            self.barrier();
            let finished = CallFinished {
                call: None,
                outcome,
                labels: Labels::default(),
                usage: Some(usage),
            };
            self.emit(purpose.task(), finished)?;
        }
        if let Purpose::Answer(Some(ix)) = purpose {
            self.state.joined.push(ix);
        }
        Ok(())
    }

    /// What an ended call gave; `None` while it is open.
    pub(super) async fn reply_of(&self, call: &Call) -> Result<Option<Result<Reply, Failure>>, DriveError> {
        Ok(match &call.outcome {
            None => None,
            Some(CallOutcome::Error(error)) => Some(Err(error.clone())),
            Some(CallOutcome::Result(value)) => {
                let value = load_recent(&self.store, &self.recent, value).await?;
                let reply = serde_json::from_value(value);
                Some(
                    reply.map_err(|error| failure(FailureClass::Permanent, "unreadable", &error.to_string())),
                )
            }
        })
    }
}
