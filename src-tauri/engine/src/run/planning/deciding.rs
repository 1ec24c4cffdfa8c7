//! What a person has to say about a planning: questions, its budget, and whether it goes on. It must not know what is
//! asked of the planner.

use super::super::budget::{raised, wanted};
use super::super::inputs::load;
use super::{Driver, PlanRest, PlanningError};
use crate::model::decision::word;
use crate::model::events::{DecisionOpened, EventBody, PlanningOutcome, RunFinished};
use crate::model::grants::Labels;
use crate::model::ledger::{Cap, Reserve};
use crate::model::state::{Call, Decision};
use crate::model::status::{DecisionKind, RunStatus};
use crate::model::value::ValueRef;
use crate::model::{Digest, Json};

impl Driver {
    pub(super) fn question_about(&self, call: Digest) -> Option<&Decision> {
        let decisions = self.launch.state.decisions.iter();
        let mut about = decisions.filter(|d| d.kind == DecisionKind::Question && d.task.is_none());
        about.find(|d| d.binds == Some(call))
    }

    /// Bound to the reply that it is asked in.
    pub(super) async fn question(
        &mut self,
        calls: &[Call],
        question: String,
        form: Json,
    ) -> Result<PlanRest, PlanningError> {
        let answered = calls.iter().rev().find(|call| call.has_result());
        let key = answered.map(|call| call.started.key);
        if key.is_some_and(|key| self.question_about(key).is_some()) {
            return Ok(PlanRest::Asks);
        }
        let opened = DecisionOpened {
            form: Some(form),
            binds: key,
            ..self.decision(DecisionKind::Question, question)
        };
        self.append(vec![opened.into()], Vec::new()).await?;
        Ok(PlanRest::Asks)
    }

    fn decision(&self, kind: DecisionKind, question: String) -> DecisionOpened {
        DecisionOpened {
            decision: self.launch.state.next_decision(),
            kind,
            question,
            form: None,
            binds: None,
            needs: Vec::new(),
            about: None,
            provenance: None,
            may_replan: false,
        }
    }

    /// Takes in what a person has said in the meantime, and what becomes of the planning then.
    pub(super) async fn heed(&mut self) -> Result<Option<PlanRest>, PlanningError> {
        let Some(planning) = self.planning() else {
            return Ok(Some(PlanRest::Stopped));
        };
        if planning.epoch != self.epoch {
            return Ok(Some(PlanRest::Interrupted));
        }
        if self.launch.state.cancel_requested {
            let finished = RunFinished {
                state: RunStatus::Cancelled,
                output: None,
                error: None,
                labels: Labels::default(),
            };
            self.append(vec![finished.into()], Vec::new()).await?;
            return Ok(Some(PlanRest::Stopped));
        }
        let is_ending = self.launch.shutdown.is_cancelled();
        Ok(is_ending.then_some(PlanRest::Interrupted))
    }

    /// Whether the call may be made; else a person is asked, once.
    pub(super) async fn can_afford(&mut self, next: Reserve) -> Result<bool, PlanningError> {
        let state = &self.launch.state;
        if state.ledger.asked.is_some() {
            return Ok(false);
        }
        let Some(wanted) = wanted(state, next, 0) else {
            return Ok(true);
        };
        let (about, payload) = ValueRef::of(&wanted.about);
        let opened = DecisionOpened {
            binds: Some(wanted.binds),
            about: Some(about),
            ..self.decision(DecisionKind::Budget, wanted.question)
        };
        self.append(vec![opened.into()], payload.into_iter().collect())
            .await?;
        Ok(false)
    }

    /// The consequence of an answer about the budget. True: something has changed.
    pub(super) async fn settle_budget(&mut self) -> Result<bool, PlanningError> {
        let state = &self.launch.state;
        let asked = state.ledger.asked.as_ref().and_then(|id| state.decision(id));
        let Some((about, answer)) = asked.and_then(|d| Some((d.about.clone(), d.answer.clone()?))) else {
            return Ok(false);
        };
        let body: EventBody = if word(&answer).as_deref() == Some("stop") {
            self.ended(PlanningOutcome::Stopped, Vec::new())
        } else {
            let cap: Cap = state.cap();
            let answer = load(&self.launch.store, &answer).await?;
            let about = match &about {
                Some(about) => load(&self.launch.store, about).await?,
                None => Json::Null,
            };
            raised(cap, &about, &answer).into()
        };
        self.append(vec![body], Vec::new()).await?;
        Ok(true)
    }
}
