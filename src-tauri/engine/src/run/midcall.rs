//! Questions that calls put to the person in their midst: each is a decision of the run, and outlasts the call. A call that
//! can't be kept waiting is made again with the answer. It must not know what is asked.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};
use tokio::time::Instant;

use super::attempt::Part;
use super::driver::{DriveError, Driver};
use super::inputs::load_recent;
use crate::model::events::{DecisionClosed, DecisionOpened, TaskWaiting};
use crate::model::plan::TaskIx;
use crate::model::state::Decision;
use crate::model::status::{DecisionKind, TaskStatus};
use crate::model::{DecisionId, Digest, Json};
use crate::tools::Ask;

/// Questions on their way to the driver.
const ROOM: usize = 16;
/// What is said of every question, since nobody knows yet how long the person will think.
const LATER: &str = "(Where the call can't be kept waiting for you, as after `planloom run` has ended, your answer makes it again, from \
                     its beginning, and is handed over then.";
/// The same of a call that can't be known to have done nothing so far.
const TWICE: &str = " What it has done before it asked may then happen twice.";

/// Who waits for which answer.
pub(super) struct MidCall {
    ask: mpsc::Sender<Question>,
    pub questions: mpsc::Receiver<Question>,
    open: BTreeMap<DecisionId, Waiting>,
    /// What calls under way have been told already: the same question again wants another answer.
    told: BTreeSet<(TaskIx, u32, DecisionId)>,
}

pub(super) struct Question {
    ix: TaskIx,
    call: u32,
    text: String,
    form: Json,
    answer: oneshot::Sender<Json>,
}

struct Waiting {
    ix: TaskIx,
    call: u32,
    since: Instant,
    answer: oneshot::Sender<Json>,
}

/// Asks for one call.
struct Asker {
    ix: TaskIx,
    call: u32,
    ask: mpsc::Sender<Question>,
    thinking: Mutex<Thinking>,
}

/// How long a person has been waited for.
#[derive(Default)]
struct Thinking {
    questions: u32,
    since: Option<Instant>,
    before: Duration,
}

impl Thinking {
    fn so_far(&self) -> Duration {
        self.before + self.since.map_or(Duration::ZERO, |since| since.elapsed())
    }
}

impl Asker {
    fn thinking(&self) -> std::sync::MutexGuard<'_, Thinking> {
        self.thinking.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// As long as one question is open.
struct Asking<'a>(&'a Asker);

impl<'a> Asking<'a> {
    fn begin(asker: &'a Asker) -> Self {
        let mut thinking = asker.thinking();
        thinking.questions += 1;
        thinking.since.get_or_insert_with(Instant::now);
        Self(asker)
    }
}

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        let mut thinking = self.0.thinking();
        thinking.questions -= 1;
        if thinking.questions == 0 {
            thinking.before = thinking.so_far();
            thinking.since = None;
        }
    }
}

#[async_trait]
impl Ask for Asker {
    async fn ask(&self, text: String, form: Json) -> Option<Json> {
        let _asking = Asking::begin(self);
        let (answer, come) = oneshot::channel();
        let (ix, call) = (self.ix, self.call);
        let question = Question {
            ix,
            call,
            text,
            form,
            answer,
        };
        self.ask.send(question).await.ok()?;
        come.await.ok()
    }

    fn thought(&self) -> Duration {
        self.thinking().so_far()
    }
}

impl Default for MidCall {
    fn default() -> Self {
        let (ask, questions) = mpsc::channel(ROOM);
        Self {
            ask,
            questions,
            open: BTreeMap::new(),
            told: BTreeSet::new(),
        }
    }
}

impl MidCall {
    /// For the call at this place of the task's log.
    pub fn asker(&self, ix: TaskIx, call: u32) -> Arc<dyn Ask> {
        let ask = self.ask.clone();
        let thinking = Mutex::default();
        Arc::new(Asker {
            ix,
            call,
            ask,
            thinking,
        })
    }

    fn is_asking(&self, ix: TaskIx, call: u32) -> bool {
        self.open
            .values()
            .any(|waiting| waiting.ix == ix && waiting.call == call)
    }
}

/// Whether the decision is a question of a call: what is answered is told to the call, and is no output of its task.
pub(super) fn is_of_call(decision: &Decision) -> bool {
    decision.kind == DecisionKind::Question && decision.binds.is_some()
}

impl Driver {
    /// The question is durable before anybody sees it. One of a call that is over has nobody to hear the answer; one that
    /// a person has answered while the call could not wait is answered at once.
    pub(super) async fn take_midcall(&mut self, question: Question) -> Result<(), DriveError> {
        let (ix, call) = (question.ix, question.call);
        let Some(flight) = self.flights.get_mut(ix, call) else {
            return Ok(());
        };
        if self.state.task(ix).status != TaskStatus::Running {
            return Ok(());
        }
        let is_harmless = !flight.is_effect || flight.is_repeatable;
        let part = flight.part;
        let binds = self.key_of_flight(ix, call, part);
        let twice = if is_harmless { "" } else { TWICE };
        let text = self.redactor.text(&format!("{}\n{LATER}{twice})", question.text));
        let form = self.redactor.value(question.form);
        if let Some(decision) = self.answered_before(ix, call, binds, &text, &form) {
            let answer = decision.answer.clone();
            self.midcall.told.insert((ix, call, decision.id.clone()));
            if let Some(answer) = answer {
                let answer = load_recent(&self.store, &self.recent, &answer).await?;
                let _ = question.answer.send(answer);
            }
            return Ok(());
        }
        let opened = DecisionOpened {
            form: Some(form),
            binds,
            ..self.draft(DecisionKind::Question, text)
        };
        let waiting = Waiting {
            ix,
            call,
            since: Instant::now(),
            answer: question.answer,
        };
        self.midcall.open.insert(opened.decision.clone(), waiting);
        self.undecided.insert(self.state.decisions.len());
        self.barrier();
        self.emit(Some(ix), opened)
    }

    fn key_of_flight(&self, ix: TaskIx, call: u32, part: Part) -> Option<Digest> {
        let calls = &self.state.task(ix).calls;
        let call = match part {
            Part::Whole => calls.last(),
            Part::Call | Part::Question => calls.get(call as usize),
        };
        call.map(|call| call.started.key)
    }

    /// The same question of the same call, made before, that this one has not been told the answer of.
    fn answered_before(
        &self,
        ix: TaskIx,
        call: u32,
        binds: Option<Digest>,
        text: &str,
        form: &Json,
    ) -> Option<Decision> {
        let is_it = |decision: &&Decision| {
            decision.task == Some(ix)
                && is_of_call(decision)
                && decision.binds == binds
                && decision.answer.is_some()
                && decision.question == text
                && decision.form.as_ref() == Some(form)
                && !self.midcall.told.contains(&(ix, call, decision.id.clone()))
        };
        self.state.decisions.iter().find(is_it).cloned()
    }

    /// Hands the answer to the call that waits for it. False: it is no question of a call under way.
    pub(super) async fn answer_midcall(&mut self, position: usize) -> Result<bool, DriveError> {
        let decision = &self.state.decisions[position];
        let Some(waiting) = self.midcall.open.remove(&decision.id) else {
            return Ok(false);
        };
        let told = (waiting.ix, waiting.call, decision.id.clone());
        if let Some(answer) = &decision.answer {
            let answer = load_recent(&self.store, &self.recent, answer).await?;
            // A call that is over by now needs none.
            let _ = waiting.answer.send(answer);
        }
        // What a person thinks is no time of the agent's.
        let talk = self.talks.get_mut(&waiting.ix);
        if let Some(deadline) = talk.and_then(|talk| talk.deadline.as_mut()) {
            *deadline += waiting.since.elapsed();
        }
        self.midcall.told.insert(told);
        Ok(true)
    }

    /// Whether there is something in flight, and all of it waits for a person.
    pub(super) fn only_asks(&self) -> bool {
        let mut flights = self.flights.places().peekable();
        flights.peek().is_some() && flights.all(|(ix, call)| self.midcall.is_asking(ix, call))
    }

    /// Nobody stays to hear the answers: calls that wait for one are given up, and their tasks wait for the person instead.
    /// A task that has other calls under way is left to whoever ends those.
    pub(super) fn put_off_questions(&mut self) -> Result<(), DriveError> {
        let mut tasks: BTreeMap<TaskIx, DecisionId> = BTreeMap::new();
        for (id, waiting) in &self.midcall.open {
            tasks.entry(waiting.ix).or_insert_with(|| id.clone());
        }
        for (ix, decision) in tasks {
            let calls: Vec<u32> = self
                .flights
                .places()
                .filter(|place| place.0 == ix)
                .map(|place| place.1)
                .collect();
            let is_only_asking = calls.iter().all(|&call| self.midcall.is_asking(ix, call));
            if !is_only_asking || self.state.task(ix).status != TaskStatus::Running {
                continue;
            }
            for call in calls {
                self.give_up_waiting(ix, call);
            }
            self.midcall.open.remove(&decision);
            self.close_where(|waiting| waiting.ix == ix)?;
            self.talks.remove(&ix);
            self.stirred.remove(&ix);
            self.barrier();
            self.emit(Some(ix), TaskWaiting { decision })?;
        }
        Ok(())
    }

    fn give_up_waiting(&mut self, ix: TaskIx, call: u32) {
        let Some(flight) = self.flights.remove(ix, call) else {
            return;
        };
        flight.cancel.cancel();
        if let Some(slot) = flight.slot {
            self.slots.free(slot);
        }
    }

    /// Its process has ended while a call of the task waited for a person, who has not answered yet.
    pub(super) fn asks_in_call(&self, ix: TaskIx) -> Option<DecisionId> {
        let task = self.state.task(ix);
        let asked = self.state.decision(task.decision.as_ref()?)?;
        let is_running = task.status == TaskStatus::Running && !task.is_gone;
        (is_running && is_of_call(asked) && asked.is_open()).then(|| asked.id.clone())
    }

    /// The call is over: what it has asked does not matter any more.
    pub(super) fn close_midcall(&mut self, ix: TaskIx, call: u32) -> Result<(), DriveError> {
        self.midcall.told.retain(|told| (told.0, told.1) != (ix, call));
        self.close_where(|waiting| waiting.ix == ix && waiting.call == call)
    }

    /// The same of all calls.
    pub(super) fn close_all_midcall(&mut self) -> Result<(), DriveError> {
        self.close_where(|_| true)
    }

    fn close_where(&mut self, is_it: impl Fn(&Waiting) -> bool) -> Result<(), DriveError> {
        let over = self.midcall.open.iter().filter(|(_, waiting)| is_it(waiting));
        let over: Vec<DecisionId> = over.map(|(id, _)| id.clone()).collect();
        for id in over {
            self.midcall.open.remove(&id);
            if self
                .state
                .decision(&id)
                .is_some_and(|decision| decision.is_open())
            {
                self.emit(None, DecisionClosed { decision: id })?;
            }
        }
        Ok(())
    }
}
