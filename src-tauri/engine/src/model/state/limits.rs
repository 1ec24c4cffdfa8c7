//! What holds a run back besides its plan: endpoints that are down, and budgets.

use super::super::breaker::Open;
use super::super::events::{BudgetRaised, Clock, EventBody};
use super::super::plan::{TaskIx, TaskKind};
use super::{Illegal, RunState};

impl RunState {
    /// Whether the task has spent the attempts of its first tool, so that only its fallback is left.
    pub fn is_first_used_up(&self, ix: TaskIx) -> bool {
        let def = self.def(ix);
        def.fallback_tool().is_some() && self.task(ix).tries >= def.retry.max_attempts
    }

    /// The tool that the task would call next, if nothing is down.
    pub fn tool_of(&self, ix: TaskIx) -> Option<&str> {
        let def = self.def(ix);
        match &def.kind {
            TaskKind::Tool { .. } if self.is_first_used_up(ix) => def.fallback_tool(),
            TaskKind::Tool { tool } => Some(tool),
            TaskKind::Agent { .. }
            | TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Map { .. }
            | TaskKind::Subplan { .. } => None,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "only what `apply_body` sends here")]
    pub(super) fn apply_limit(&mut self, body: &EventBody) -> Result<(), Illegal> {
        match body {
            EventBody::BreakerOpened(opened) => {
                let times = self.breakers.get(&opened.endpoint).map_or(0, |open| open.times);
                let open = Open {
                    until_ms: opened.until_ms,
                    times: times.saturating_add(1),
                };
                self.breakers.insert(opened.endpoint.clone(), open);
            }
            EventBody::BreakerClosed(closed) => {
                self.breakers.remove(&closed.endpoint);
            }
            EventBody::BudgetRaised(raised) => self.raise(raised),
            _ => {}
        }
        Ok(())
    }

    fn raise(&mut self, raised: &BudgetRaised) {
        let caps = &mut self.ledger.raised;
        let to = raised.cap();
        caps.usd = to.usd.or(caps.usd);
        caps.tokens = to.tokens.or(caps.tokens);
        caps.ms = to.ms.or(caps.ms);
        self.ledger.may_be_unpriced |= raised.unpriced;
        self.ledger.asked = None;
    }

    /// Nobody said that the run had stopped, but its owner is gone: it was going on until the last event, no longer.
    pub(super) fn stop_interrupted_clock(&mut self) {
        self.ran_ms = self.ran_until(self.changed_ms);
        self.going_since_ms = None;
    }

    /// In a stretch that was taken back the run was going on as well, and nowhere else.
    pub(super) fn run_clock(&mut self, at: i64, body: &EventBody) {
        match Clock::of(body) {
            Clock::GoesOn => {}
            Clock::Starts => self.set_clock(at, true),
            Clock::Stops => self.set_clock(at, false),
            Clock::WasLeft => self.stop_interrupted_clock(),
            Clock::WasTakenUp => {
                self.stop_interrupted_clock();
                self.set_clock(at, true);
            }
        }
    }

    pub(super) fn set_clock(&mut self, at: i64, is_going: bool) {
        self.ran_ms = self.ran_until(at);
        self.going_since_ms = is_going.then_some(at);
    }

    /// A fork pays for itself, by the caps of its plan; nobody has been asked about them.
    pub(super) fn begin_ledger(&mut self) {
        if let Some(asked) = self.ledger.asked.take()
            && let Some(decision) = self.decisions.iter_mut().find(|d| d.id == asked)
        {
            self.open_count -= u32::from(decision.is_open());
            decision.is_closed = true;
        }
        *self.ledger = super::Ledger::default();
    }
}
