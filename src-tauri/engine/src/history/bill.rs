//! What a run was billed: each question to a model, summed up by task, model and role. What was set aside has been paid
//! all the same. It must not know prices.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::model::TaskId;
use crate::model::events::{CallFinished, CallStarted, Event, EventBody};
use crate::model::ledger::{CostKind, Counted, Reserve, Usage};
use crate::model::money::Usd;
use crate::model::state::RunState;
use crate::views::{BillRow, BillView, CostView, TurnRow};

/// Calls that are told one by one, the newest.
const MOST_TURNS: usize = 2_000;

/// Sums of calls, exact.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cost {
    calls: u32,
    input_tokens: u64,
    output_tokens: u64,
    usd: Usd,
    unknown: u32,
    guessed: u32,
}

/// One question to a model.
struct Turn {
    row: TurnRow,
    cost: Cost,
    /// The most that it may come to, as long as nobody has answered.
    most: Reserve,
    is_open: bool,
}

/// What was asked, in the order of asking.
#[derive(Default)]
pub struct Bill {
    turns: Vec<Turn>,
    /// The calls of the attempt under way, by task: the place of each in `turns`, if it asks a model.
    calls: HashMap<Option<TaskId>, Vec<Option<usize>>>,
    asked: HashMap<(Option<TaskId>, String), u32>,
    phase: Phase,
}

/// Whom a question belongs to that belongs to no task.
#[derive(Clone, Copy, Default)]
enum Phase {
    Planning,
    Replanning,
    #[default]
    Answer,
}

impl Bill {
    pub fn of(events: &[Event], state: &RunState) -> Self {
        let mut bill = Self::default();
        for event in events {
            bill.take(event, state);
        }
        bill
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds ask nobody")]
    fn take(&mut self, event: &Event, state: &RunState) {
        match &event.body {
            EventBody::GoalGiven(_) | EventBody::PlanningResumed(_) | EventBody::EditAsked(_) => {
                self.phase = Phase::Planning;
            }
            EventBody::ReplanAsked(_) => self.phase = Phase::Replanning,
            EventBody::PlanningEnded(_) | EventBody::EditSettled(_) | EventBody::ReplanProposed(_) => {
                self.phase = Phase::Answer;
            }
            EventBody::TaskStarted(started) if !started.goes_on => {
                self.calls.remove(&event.task);
            }
            EventBody::CallStarted(started) => self.ask(event, started, state),
            EventBody::CallFinished(finished) => self.answer(event, finished),
            _ => {}
        }
    }

    fn ask(&mut self, event: &Event, started: &CallStarted, state: &RunState) {
        let place = started.model.then_some(self.turns.len());
        self.calls.entry(event.task.clone()).or_default().push(place);
        if !started.model {
            return;
        }
        let role = self.role(event.task.as_ref(), state);
        let turn = self.asked.entry((event.task.clone(), role.clone())).or_default();
        *turn += 1;
        self.turns.push(Turn {
            row: TurnRow {
                seq: u32::try_from(event.seq).unwrap_or(u32::MAX),
                task: event.task.as_ref().map(ToString::to_string),
                role,
                model: started.tool.clone(),
                turn: *turn,
                cost: CostView::default(),
            },
            cost: Cost::default(),
            most: started.reserve.unwrap_or_default(),
            is_open: true,
        });
    }

    fn answer(&mut self, event: &Event, finished: &CallFinished) {
        let calls = self.calls.get(&event.task).map_or(&[][..], Vec::as_slice);
        let which = finished.call.map_or(calls.len().wrapping_sub(1), |n| n as usize);
        let Some(turn) = calls.get(which).copied().flatten() else {
            return;
        };
        let turn = &mut self.turns[turn];
        turn.is_open = false;
        turn.cost = Cost::of(finished.usage.as_ref());
    }

    fn role(&self, task: Option<&TaskId>, state: &RunState) -> String {
        let Some(task) = task else {
            return match self.phase {
                Phase::Planning => "planner",
                Phase::Replanning => "replanner",
                Phase::Answer => "synthesizer",
            }
            .to_owned();
        };
        let named = state
            .find(task.as_str())
            .and_then(|ix| state.def(ix).model.as_deref());
        // A model that is named by its provider is an executor like any other.
        let role = named.filter(|name| !name.contains('/'));
        role.unwrap_or("executor").to_owned()
    }

    /// By the addresses of the tasks.
    pub fn by_task(&self) -> HashMap<String, CostView> {
        let mut sums: HashMap<&str, Cost> = HashMap::new();
        for turn in &self.turns {
            if let Some(task) = turn.row.task.as_deref() {
                let sum = sums.entry(task).or_default();
                *sum = sum.plus(turn.whole());
            }
        }
        let shown = sums
            .into_iter()
            .map(|(task, cost)| (task.to_owned(), cost.view()));
        shown.collect()
    }

    /// The roles of the questions that belong to no task, in the order of asking.
    pub fn asides(&self) -> Vec<String> {
        let asides = self.turns.iter().filter(|turn| turn.row.task.is_none());
        asides.map(|turn| turn.row.role.clone()).collect()
    }

    /// Of these calls alone.
    pub fn sum(&self, which: impl Fn(&TurnRow) -> bool) -> CostView {
        let those = self.turns.iter().filter(|turn| which(&turn.row));
        those
            .fold(Cost::default(), |sum, turn| sum.plus(turn.whole()))
            .view()
    }

    /// The models that were asked for tasks, each once, in the order of asking.
    pub fn executors(&self) -> Vec<String> {
        let mut known = HashSet::new();
        let asked = self.turns.iter().filter(|turn| turn.row.task.is_some());
        let asked = asked.map(|turn| &turn.row.model);
        asked.filter(|model| known.insert(*model)).cloned().collect()
    }

    pub fn view(&self) -> BillView {
        let from = self.turns.len().saturating_sub(MOST_TURNS);
        let turns = self.turns[from..].iter().map(|turn| TurnRow {
            cost: turn.whole().view(),
            ..turn.row.clone()
        });
        BillView {
            whole: self.sum(|_| true),
            models: self.grouped(|row| &row.model),
            roles: self.grouped(|row| &row.role),
            turns: turns.collect(),
            turns_left_off: u32::try_from(from).unwrap_or(u32::MAX),
        }
    }

    fn grouped(&self, by: impl Fn(&TurnRow) -> &String) -> Vec<BillRow> {
        let mut sums: BTreeMap<&str, Cost> = BTreeMap::new();
        for turn in &self.turns {
            let sum = sums.entry(by(&turn.row)).or_default();
            *sum = sum.plus(turn.whole());
        }
        let mut rows: Vec<(&str, Cost)> = sums.into_iter().collect();
        rows.sort_by_key(|&(_, cost)| std::cmp::Reverse((cost.usd, cost.calls)));
        let row = |(name, cost): (&str, Cost)| BillRow {
            name: name.to_owned(),
            cost: cost.view(),
        };
        rows.into_iter().map(row).collect()
    }
}

impl Turn {
    /// One that nobody has answered may have come to its most.
    fn whole(&self) -> Cost {
        if !self.is_open {
            return self.cost;
        }
        Cost {
            calls: 1,
            unknown: 1,
            guessed: u32::from(self.most.tokens > 0),
            ..Cost::default()
        }
    }
}

impl Cost {
    fn of(usage: Option<&Usage>) -> Self {
        let once = Self {
            calls: 1,
            ..Self::default()
        };
        let Some(usage) = usage else { return once };
        let is_lost = usage.counted == Counted::Lost;
        let is_known = usage.kind != CostKind::Unknown && !is_lost;
        Self {
            input_tokens: if is_lost { 0 } else { usage.input_tokens },
            output_tokens: if is_lost { 0 } else { usage.output_tokens },
            usd: if is_known { usage.usd } else { Usd::ZERO },
            unknown: u32::from(!is_known),
            guessed: u32::from(usage.counted != Counted::Told),
            ..once
        }
    }

    fn plus(self, more: Self) -> Self {
        Self {
            calls: self.calls.saturating_add(more.calls),
            input_tokens: self.input_tokens.saturating_add(more.input_tokens),
            output_tokens: self.output_tokens.saturating_add(more.output_tokens),
            usd: self.usd.plus(more.usd),
            unknown: self.unknown.saturating_add(more.unknown),
            guessed: self.guessed.saturating_add(more.guessed),
        }
    }

    fn view(self) -> CostView {
        CostView {
            calls: self.calls,
            input_tokens: self.input_tokens as f64,
            output_tokens: self.output_tokens as f64,
            usd: self.usd.to_string(),
            unknown: self.unknown,
            guessed: self.guessed,
        }
    }
}
