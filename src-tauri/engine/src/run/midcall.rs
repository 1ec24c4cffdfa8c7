//! Questions that calls put to the person in their midst: each is a decision of the run, open as long as its call is under
//! way. It must not know what is asked.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::{mpsc, oneshot};

use super::driver::{DriveError, Driver};
use super::inputs::load_recent;
use crate::model::events::{DecisionClosed, DecisionOpened};
use crate::model::plan::TaskIx;
use crate::model::status::{DecisionKind, TaskStatus};
use crate::model::{DecisionId, Json};
use crate::tools::Ask;

/// Questions on their way to the driver.
const ROOM: usize = 16;

/// Who waits for which answer.
pub(super) struct MidCall {
    ask: mpsc::Sender<Question>,
    pub questions: mpsc::Receiver<Question>,
    open: BTreeMap<DecisionId, Waiting>,
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
    answer: oneshot::Sender<Json>,
}

/// Asks for one call.
struct Asker {
    ix: TaskIx,
    call: u32,
    ask: mpsc::Sender<Question>,
}

#[async_trait]
impl Ask for Asker {
    async fn ask(&self, text: String, form: Json) -> Option<Json> {
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
}

impl Default for MidCall {
    fn default() -> Self {
        let (ask, questions) = mpsc::channel(ROOM);
        Self {
            ask,
            questions,
            open: BTreeMap::new(),
        }
    }
}

impl MidCall {
    /// For the call at this place of the task's log.
    pub fn asker(&self, ix: TaskIx, call: u32) -> Arc<dyn Ask> {
        let ask = self.ask.clone();
        Arc::new(Asker { ix, call, ask })
    }
}

impl Driver {
    /// The question is durable before anybody sees it. One of a call that is over has nobody to hear the answer.
    pub(super) fn take_midcall(&mut self, question: Question) -> Result<(), DriveError> {
        let is_going = self.flights.get_mut(question.ix, question.call).is_some();
        if !is_going || self.state.task(question.ix).status != TaskStatus::Running {
            return Ok(());
        }
        let text = self.redactor.text(&question.text);
        let opened = DecisionOpened {
            form: Some(self.redactor.value(question.form)),
            ..self.draft(DecisionKind::Question, text)
        };
        let waiting = Waiting {
            ix: question.ix,
            call: question.call,
            answer: question.answer,
        };
        self.midcall.open.insert(opened.decision.clone(), waiting);
        self.undecided.insert(self.state.decisions.len());
        self.barrier();
        self.emit(Some(question.ix), opened)
    }

    /// Hands the answer to the call that waits for it. False: it is no question of a call.
    pub(super) async fn answer_midcall(&mut self, position: usize) -> Result<bool, DriveError> {
        let decision = &self.state.decisions[position];
        let Some(waiting) = self.midcall.open.remove(&decision.id) else {
            return Ok(false);
        };
        if let Some(answer) = &decision.answer {
            let answer = load_recent(&self.store, &self.recent, answer).await?;
            // A call that is over by now needs none.
            let _ = waiting.answer.send(answer);
        }
        Ok(true)
    }

    /// The call is over: what it has asked does not matter any more.
    pub(super) fn close_midcall(&mut self, ix: TaskIx, call: u32) -> Result<(), DriveError> {
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
