//! What a plan may cost and how long it may take, and when each task would run, as a face draws it. What nobody knows
//! is null, never nothing.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::model::estimate::schedule::Predicted;
use crate::model::estimate::{Basis, Estimate, Guess, Span};
use crate::model::money::Usd;
use crate::model::plan::Plan;

/// Decimal dollars, as text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
pub struct MoneyRange {
    pub low: String,
    pub likely: Option<String>,
    /// Null: nobody knows how much it can be.
    pub high: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, specta::Type)]
pub struct NumberRange {
    // Named so that it is no nullable number to TypeScript: it is always finite.
    #[specta(type = u32)]
    pub low: f64,
    pub likely: Option<f64>,
    /// Null: nobody knows how much it can be.
    pub high: Option<f64>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EstimateView {
    pub usd: MoneyRange,
    pub tokens: NumberRange,
    /// Without waits for people.
    pub seconds: NumberRange,
    /// Questions to models, and those of them that cost nothing.
    pub calls: NumberRange,
    pub free_calls: NumberRange,
    /// The tasks that the time of the whole depends on, in order.
    pub critical: Vec<String>,
    /// Tasks of which nobody knows what they cost, and how long they take.
    pub unpriced: Vec<String>,
    pub untimed: Vec<String>,
    /// Those that run, in the plan's order.
    pub tasks: Vec<TaskEstimateView>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TaskEstimateView {
    pub task: String,
    pub usd: MoneyRange,
    pub seconds: NumberRange,
    pub tokens: NumberRange,
    pub calls: NumberRange,
    /// How many earlier runs of an equal task it rests on; 0: a rule of thumb.
    pub runs: u32,
    /// It waits for a person, which is not in its time.
    pub asks: bool,
}

/// When each task would run, without a call.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct DryRunView {
    /// Those that run.
    pub tasks: Vec<PredictedView>,
    /// Those that would not, by what is switched off.
    pub left_out: Vec<String>,
    /// As in [`EstimateView`].
    pub seconds: NumberRange,
    pub critical: Vec<String>,
    pub lanes: u32,
    /// How many tasks may run at once.
    pub at_once: u32,
    pub untimed: Vec<String>,
}

/// Seconds from the start of the run.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PredictedView {
    pub task: String,
    pub start: NumberRange,
    pub end: NumberRange,
    /// Which of those that run at once it is, from 0.
    pub lane: u32,
    /// Where it is drawn.
    #[specta(type = u32)]
    pub drawn_from: f64,
    #[specta(type = u32)]
    pub drawn_to: f64,
    /// How long it takes is not known: it is drawn as long as others are.
    pub is_assumed: bool,
    /// It waits for a person, which is in no time here.
    pub asks: bool,
}

impl MoneyRange {
    fn of(span: Span<Usd>) -> Self {
        Self {
            low: span.low.to_string(),
            likely: span.likely.map(|usd| usd.to_string()),
            high: span.high.map(|usd| usd.to_string()),
        }
    }
}

impl NumberRange {
    fn of(span: Span<u64>, per: f64) -> Self {
        let number = |amount: u64| amount as f64 / per;
        Self {
            low: number(span.low),
            likely: span.likely.map(number),
            high: span.high.map(number),
        }
    }

    fn count(span: Span<u64>) -> Self {
        Self::of(span, 1.0)
    }

    fn seconds(ms: Span<u64>) -> Self {
        Self::of(ms, 1000.0)
    }
}

impl EstimateView {
    pub(crate) fn of(whole: &Estimate) -> Self {
        let asks: BTreeSet<_> = whole.asks.iter().collect();
        Self {
            usd: MoneyRange::of(whole.usd),
            tokens: NumberRange::count(whole.tokens),
            seconds: NumberRange::seconds(whole.ms),
            calls: NumberRange::count(whole.calls),
            free_calls: NumberRange::count(whole.free_calls),
            critical: whole.critical_path.iter().map(ToString::to_string).collect(),
            unpriced: open(whole, &|guess| guess.usd.high.is_none()),
            untimed: open(whole, &|guess| guess.ms.high.is_none()),
            tasks: whole
                .tasks
                .iter()
                .zip(&whole.is_out)
                .filter(|(_, is_out)| !**is_out)
                .map(|((id, guess), _)| TaskEstimateView {
                    task: id.to_string(),
                    usd: MoneyRange::of(guess.usd),
                    seconds: NumberRange::seconds(guess.ms),
                    tokens: NumberRange::count(guess.tokens),
                    calls: NumberRange::count(guess.calls),
                    runs: match guess.basis {
                        Basis::Past(runs) => runs,
                        Basis::Rule | Basis::Nothing => 0,
                    },
                    asks: asks.contains(id),
                })
                .collect(),
        }
    }
}

impl DryRunView {
    pub(crate) fn of(plan: &Plan, whole: &Estimate, predicted: &[Predicted], at_once: usize) -> Self {
        let asking: BTreeSet<_> = whole.asks.iter().collect();
        let runs = |(ix, _): &(usize, &Predicted)| !whole.is_out[*ix];
        let task = |(ix, at): (usize, &Predicted)| PredictedView {
            task: plan.tasks[ix].id.to_string(),
            start: NumberRange::seconds(at.start),
            end: NumberRange::seconds(at.end),
            lane: at.lane,
            drawn_from: at.drawn.0 as f64 / 1000.0,
            drawn_to: at.drawn.1 as f64 / 1000.0,
            is_assumed: at.is_assumed,
            asks: asking.contains(&plan.tasks[ix].id),
        };
        let tasks: Vec<PredictedView> = predicted.iter().enumerate().filter(runs).map(task).collect();
        let out = plan
            .tasks
            .iter()
            .zip(&whole.is_out)
            .filter(|(_, is_out)| **is_out);
        Self {
            lanes: tasks.iter().map(|at| at.lane + 1).max().unwrap_or(0),
            left_out: out.map(|(task, _)| task.id.to_string()).collect(),
            tasks,
            seconds: NumberRange::seconds(whole.ms),
            critical: whole.critical_path.iter().map(ToString::to_string).collect(),
            at_once: u32::try_from(at_once).unwrap_or(u32::MAX),
            untimed: open(whole, &|guess| guess.ms.high.is_none()),
        }
    }
}

fn open(whole: &Estimate, is_open: &dyn Fn(&Guess) -> bool) -> Vec<String> {
    let open = whole.tasks.iter().filter(|(_, guess)| is_open(guess));
    open.map(|(id, _)| id.to_string()).collect()
}
