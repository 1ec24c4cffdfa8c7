//! Budgets (rule 10): before the call that would pass a cap nothing more begins, and a person is asked.

use serde_json::json;

use super::attempt::Part;
use super::driver::{DriveError, Driver, Mode};
use super::inputs::load;
use crate::model::decision::{raise_of, word};
use crate::model::events::BudgetRaised;
use crate::model::json::canonical;
use crate::model::ledger::{Cap, Ledger, Reserve, Total, seconds_of};
use crate::model::plan::TaskIx;
use crate::model::state::RunState;
use crate::model::status::{DecisionKind, RunStatus};
use crate::model::value::ValueRef;
use crate::model::{Digest, Json};

/// Whether the caps leave room for a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Room {
    Enough,
    /// There may be enough once calls that are under way have come to what they come to.
    Later,
    None,
}

impl Driver {
    /// A person has been asked and has not answered yet: nothing new begins.
    pub(super) fn is_held_by_budget(&self) -> bool {
        self.state.ledger.asked.is_some()
    }

    /// Whether a next task may begin at all. Asks if it may not.
    pub(super) fn may_go_on(&mut self) -> Result<bool, DriveError> {
        // What waits for room goes first.
        if self.is_held_by_budget() || !self.short.is_empty() {
            return Ok(false);
        }
        if self.ready.is_empty() {
            return Ok(true);
        }
        Ok(self.can_afford(Reserve::default())? == Room::Enough)
    }

    /// Whether a call may begin that comes to at most so much. If not, a person is asked; the caller puts its task
    /// back among the ready ones. Nobody is asked while calls are under way that may come to less than is held for them.
    pub(super) fn can_afford(&mut self, next: Reserve) -> Result<Room, DriveError> {
        if self.is_held_by_budget() {
            return Ok(Room::None);
        }
        let ran_ms = self.state.ran_until(self.clock.now_ms()).max(0).unsigned_abs();
        let Some(wanted) = wanted(&self.state, next, ran_ms) else {
            return Ok(Room::Enough);
        };
        if self.is_asking_models() && fits_without_held(&self.state, next, ran_ms) {
            return Ok(Room::Later);
        }
        self.ask_budget(&wanted)?;
        Ok(Room::None)
    }

    fn is_asking_models(&self) -> bool {
        self.asides.is_asking() || self.flights.values().any(|flight| flight.part == Part::Question)
    }

    /// The task waits, in the midst of its attempt, until a call under way has come to what it comes to.
    pub(super) fn wait_for_room(&mut self, ix: TaskIx) {
        self.short.insert(ix);
        self.short_at.clone_from(&self.state.ledger);
    }

    /// Those that waited for a call to be settled, once one is.
    pub(super) fn wake_short(&mut self) -> Vec<TaskIx> {
        if self.short.is_empty() || (self.short_at == self.state.ledger && self.is_asking_models()) {
            return Vec::new();
        }
        std::mem::take(&mut self.short).into_iter().collect()
    }

    /// Whether a call that comes to at most so much passes no cap; asks nobody.
    pub(super) fn may_spend(&self, next: Reserve) -> bool {
        let ran_ms = self.state.ran_until(self.clock.now_ms()).max(0).unsigned_abs();
        wanted(&self.state, next, ran_ms).is_none()
    }

    pub(super) fn total_with(&self, next: Reserve) -> Total {
        let ran_ms = self.state.ran_until(self.clock.now_ms());
        self.state.ledger.total_with(next, ran_ms.max(0).unsigned_abs())
    }

    fn ask_budget(&mut self, wanted: &Wanted) -> Result<(), DriveError> {
        let about = Some(self.store_value(&wanted.about));
        let opened = crate::model::events::DecisionOpened {
            binds: Some(wanted.binds),
            about,
            ..self.draft(DecisionKind::Budget, wanted.question.clone())
        };
        self.undecided.insert(self.state.decisions.len());
        self.barrier();
        self.emit(None, opened)
    }

    /// The answer to what was asked about a budget.
    pub(super) async fn settle_budget(
        &mut self,
        about: Option<&ValueRef>,
        answer: &ValueRef,
    ) -> Result<(), DriveError> {
        if word(answer).as_deref() == Some("stop") {
            self.mode = Mode::Ending(RunStatus::Failed);
            return Ok(());
        }
        let answer = load(&self.store, answer).await?;
        let asked = match about {
            Some(about) => load(&self.store, about).await?,
            None => Json::Null,
        };
        self.emit(None, raised(self.state.cap(), &asked, &answer))
    }
}

/// What a person is asked before a cap is passed.
pub(super) struct Wanted {
    pub question: String,
    pub binds: Digest,
    pub about: Json,
}

/// It is only what is held for calls under way that leaves no room.
fn fits_without_held(state: &RunState, next: Reserve, ran_ms: u64) -> bool {
    let (ledger, cap) = (&state.ledger, state.cap());
    let settled = Ledger {
        reserved: Reserve::default(),
        ..(**ledger).clone()
    };
    cap.passed_by(settled.total_with(next, ran_ms)).is_none() && !ledger.is_blind(next, cap)
}

/// What has to be asked before a call that comes to at most so much; `None`: it may be made.
pub(super) fn wanted(state: &RunState, next: Reserve, ran_ms: u64) -> Option<Wanted> {
    let cap = state.cap();
    if cap.is_none() {
        return None;
    }
    let total = state.ledger.total_with(next, ran_ms);
    let passed = cap.passed_by(total);
    let is_blind = state.ledger.is_blind(next, cap);
    if passed.is_none() && !is_blind {
        return None;
    }
    let spent = state.ledger.total_with(Reserve::default(), ran_ms);
    let bound = json!({ "cap": cap.to_json(), "spent": spent.to_json() });
    Some(Wanted {
        question: if passed.is_none() {
            blind_question(cap)
        } else {
            question(passed, total, cap.passed_by(spent).is_none())
        },
        binds: Digest::of(canonical(&bound).as_bytes()),
        about: json!({
            "passed": passed.to_json(), "would_come_to": total.to_json(), "unpriced": is_blind,
            "cap": cap.to_json(), "spent": spent.to_json(),
        }),
    })
}

/// What the answer to it raises the caps to.
pub(super) fn raised(cap: Cap, asked: &Json, answer: &Json) -> BudgetRaised {
    let raised = match raise_of(answer).map(Cap::read) {
        // Answers are checked before they are recorded.
        Some(more) => cap.plus(more.unwrap_or_default()),
        None => Cap::raised_by_word(asked),
    };
    BudgetRaised {
        usd: raised.usd,
        tokens: raised.tokens,
        seconds: raised.ms.map(seconds_of),
        unpriced: asked.get("unpriced").and_then(Json::as_bool).unwrap_or(false),
    }
}

fn blind_question(cap: Cap) -> String {
    let usd = cap.usd.unwrap_or_default();
    format!(
        "What the next step costs is not known, so the budget of ${usd} can't be held. Go on without counting it?"
    )
}

/// `is_first`: it is the next step alone that would pass a cap, not what has been spent.
fn question(passed: Cap, total: Total, is_first: bool) -> String {
    let mut parts = Vec::new();
    if let Some(cap) = passed.usd {
        parts.push(format!(
            "the next step would cost up to ${} of ${cap} in all",
            total.usd
        ));
    }
    if let Some(cap) = passed.tokens {
        parts.push(format!(
            "the next step would take up to {} of {cap} tokens in all",
            total.tokens
        ));
    }
    if let Some(cap) = passed.ms {
        parts.push(format!(
            "the run has run for {} of {} s",
            seconds_of(total.ms),
            seconds_of(cap)
        ));
    }
    let what = if is_first {
        "The budget has no room for the next step"
    } else {
        "The budget is used up"
    };
    let to = Cap::doubled(passed, total).in_words();
    format!("{what}: {}. Raise it to {to}?", parts.join(", and "))
}
