//! What a plan may cost and how long it may take, before it runs: from what each of its tasks may come to. Pure; it
//! must not know where that is known from. What is not known stays unknown, and makes the whole open upwards.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde_json::{Map, json};

use super::json::canonical;
use super::money::Usd;
use super::plan::{Input, Over, Plan, Task, TaskIx, TaskKind};
use super::{Digest, Json, TaskId};

pub mod schedule;

/// From the least over what is likely to the most. Without a most, nobody knows how much it can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Span<T> {
    pub low: T,
    pub likely: Option<T>,
    pub high: Option<T>,
}

/// What an estimate rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// So many earlier runs of an equal task.
    Past(u32),
    /// A rule of thumb: no run of an equal task is known.
    Rule,
    #[default]
    Nothing,
}

/// What one task may come to. The default: nothing is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Guess {
    pub tokens: Span<u64>,
    pub usd: Span<Usd>,
    pub ms: Span<u64>,
    /// Questions to models, and those of them that cost nothing.
    pub calls: Span<u64>,
    pub free_calls: Span<u64>,
    pub basis: Basis,
}

/// What the plan may come to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimate {
    /// The tasks of the plan itself, in its order.
    pub tasks: Vec<(TaskId, Guess)>,
    pub tokens: Span<u64>,
    pub usd: Span<Usd>,
    /// With so many tasks at once as was said; waits for people are not in it.
    pub ms: Span<u64>,
    pub calls: Span<u64>,
    pub free_calls: Span<u64>,
    /// The tasks that the time of the whole depends on, by what is known.
    pub critical_path: Vec<TaskId>,
    /// Tasks that wait for a person, for as long as that takes.
    pub asks: Vec<TaskId>,
    /// By the task's place in the plan: it will not run, so that it is in none of these.
    pub is_out: Vec<bool>,
}

/// One finished task of an earlier run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    pub input_tokens: u64,
    pub output_tokens: u64,
    pub calls: u64,
    pub ms: u64,
}

/// What a plan is estimated with.
#[derive(Clone, Copy)]
pub struct Around<'a> {
    /// How many tasks run at once.
    pub at_once: usize,
    /// Values of the plan's parameters; a default counts where there is none.
    pub given: &'a Map<String, Json>,
    /// Tasks whose output is held, by address: they are not executed. `inside` is the address of the plan, with its `/`.
    pub held: &'a BTreeSet<TaskId>,
    pub inside: &'a str,
    /// Tasks of the plan itself that will not run, with all that come after them.
    pub left_out: &'a BTreeSet<TaskId>,
    /// What one task may come to that has none inside it.
    pub guess: &'a dyn Fn(&Task) -> Guess,
}

/// In a nested plan every task runs, or the whole of it does not.
static NONE_OUT: BTreeSet<TaskId> = BTreeSet::new();

impl Around<'_> {
    /// Whether the task's output is held, so that it costs nothing and takes no time.
    fn holds(&self, task: &Task) -> bool {
        match (self.held.is_empty(), self.inside.is_empty()) {
            (true, _) => false,
            (false, true) => self.held.contains(&task.id),
            (false, false) => self
                .held
                .contains(&TaskId::from(format!("{}{}", self.inside, task.id))),
        }
    }
}

/// Amounts that can be added up.
pub trait Amount: Copy + Default + Ord {
    fn plus(self, other: Self) -> Self;
    fn times(self, count: u64) -> Self;
}

impl Amount for u64 {
    fn plus(self, other: Self) -> Self {
        self.saturating_add(other)
    }
    fn times(self, count: u64) -> Self {
        self.saturating_mul(count)
    }
}

impl Amount for Usd {
    fn plus(self, other: Self) -> Self {
        Self::plus(self, other)
    }
    fn times(self, count: u64) -> Self {
        // A million times what a million costs.
        self.per_million(count.saturating_mul(1_000_000))
    }
}

impl<T: Amount> Span<T> {
    pub fn exactly(amount: T) -> Self {
        Self::between(amount, amount, amount)
    }

    pub fn between(low: T, likely: T, high: T) -> Self {
        Self {
            low,
            likely: Some(likely),
            high: Some(high),
        }
    }

    /// From the least over the middle one to the most of these; unknown without any.
    pub fn over(amounts: impl IntoIterator<Item = T>) -> Self {
        let mut all: Vec<T> = amounts.into_iter().collect();
        all.sort_unstable();
        match (all.first(), all.last()) {
            (Some(&low), Some(&high)) => Self::between(low, all[all.len() / 2], high),
            (_, None) | (None, _) => Self::default(),
        }
    }

    #[must_use]
    pub fn and(self, other: Self) -> Self {
        let both = |one: Option<T>, two: Option<T>| one.zip(two).map(|(one, two)| one.plus(two));
        Self {
            low: self.low.plus(other.low),
            likely: both(self.likely, other.likely),
            high: both(self.high, other.high),
        }
    }

    fn times(self, count: u64) -> Self {
        Self {
            low: self.low.times(count),
            likely: self.likely.map(|likely| likely.times(count)),
            high: self.high.map(|high| high.times(count)),
        }
    }

    /// At least so much, and nobody knows how much more.
    #[must_use]
    pub fn open(self) -> Self {
        Self {
            low: self.low,
            ..Self::default()
        }
    }
}

impl Guess {
    /// Costs and takes nothing.
    pub fn nothing() -> Self {
        Self {
            tokens: Span::exactly(0),
            usd: Span::exactly(Usd::ZERO),
            ms: Span::exactly(0),
            calls: Span::exactly(0),
            free_calls: Span::exactly(0),
            basis: Basis::Rule,
        }
    }

    /// The same with so many questions, which are free where all of it is.
    #[must_use]
    pub fn asking(self, calls: Span<u64>) -> Self {
        let is_free = self.usd == Span::exactly(Usd::ZERO);
        Self {
            calls,
            free_calls: if is_free { calls } else { Span::exactly(0) },
            ..self
        }
    }

    fn times(self, count: u64) -> Self {
        Self {
            tokens: self.tokens.times(count),
            usd: self.usd.times(count),
            ms: self.ms,
            calls: self.calls.times(count),
            free_calls: self.free_calls.times(count),
            basis: self.basis,
        }
    }
}

/// Equal tasks do equal work: the same words to the same executor, whatever they are given.
pub fn key(task: &Task) -> Digest {
    let what = match &task.kind {
        TaskKind::Agent { tools, .. } => json!(tools.iter().map(|tool| &**tool).collect::<Vec<_>>()),
        TaskKind::Tool { tool } => json!(&**tool),
        TaskKind::Code { source } => json!(&**source),
        TaskKind::Model | TaskKind::Human { .. } | TaskKind::Map { .. } | TaskKind::Subplan { .. } => {
            Json::Null
        }
    };
    let model = task.model.as_deref();
    let all = json!([task.kind.word(), &*task.instruction, what, model]);
    Digest::of(canonical(&all).as_bytes())
}

/// What the plan may come to.
pub fn estimate(plan: &Plan, around: &Around<'_>) -> Estimate {
    let is_out: Vec<bool> = plan
        .tasks
        .iter()
        .map(|task| around.left_out.contains(&task.id))
        .collect();
    let guesses: Vec<Guess> = plan
        .tasks
        .iter()
        .zip(&is_out)
        .map(|(task, is_out)| match is_out {
            true => Guess::nothing(),
            false => of_task(plan, task, around),
        })
        .collect();
    let sum = |pick: &dyn Fn(&Guess) -> Span<u64>| guesses.iter().map(pick).fold(Span::exactly(0), Span::and);
    let work = sum(&|guess| guess.ms);
    let path = critical_path(plan, &guesses, &is_out);
    let asks = plan
        .tasks
        .iter()
        .filter(|task| asks(task) && !around.holds(task) && !around.left_out.contains(&task.id))
        .map(|task| task.id.clone());
    Estimate {
        tokens: sum(&|guess| guess.tokens),
        calls: sum(&|guess| guess.calls),
        free_calls: sum(&|guess| guess.free_calls),
        usd: guesses
            .iter()
            .map(|guess| guess.usd)
            .fold(Span::exactly(Usd::ZERO), Span::and),
        ms: Span {
            likely: schedule::likely(plan, &guesses, &is_out, around.at_once),
            ..time(work, &path, around.at_once)
        },
        critical_path: path.tasks.iter().map(|&ix| plan.task(ix).id.clone()).collect(),
        asks: asks.collect(),
        tasks: plan
            .tasks
            .iter()
            .map(|task| task.id.clone())
            .zip(guesses.iter().copied())
            .collect(),
        is_out,
    }
}

/// Whether a task waits for a person before it is done.
fn asks(task: &Task) -> bool {
    task.needs_approval || matches!(task.kind, TaskKind::Human { .. })
}

/// Recursion is bounded by the depth of the document.
fn of_task(plan: &Plan, task: &Task, around: &Around<'_>) -> Guess {
    if around.holds(task) {
        return Guess::nothing();
    }
    match &task.kind {
        TaskKind::Map {
            over,
            task: inner,
            max_parallel,
        } => {
            let one = of_task(plan, inner, around);
            let slots = max_parallel
                .map_or(around.at_once, |most| (most as usize).min(around.at_once))
                .max(1) as u64;
            match items(plan, task, over, around.given) {
                Some(count) => Guess {
                    ms: one.ms.times(count.div_ceil(slots)),
                    ..one.times(count)
                },
                None => open(one),
            }
        }
        TaskKind::Subplan {
            plan: Some(inner), ..
        } => {
            let given = bound(plan, task, around.given);
            let inside = match around.held.is_empty() {
                true => String::new(),
                false => format!("{}{}/", around.inside, task.id),
            };
            let inner = estimate(
                inner,
                &Around {
                    given: &given,
                    inside: &inside,
                    left_out: &NONE_OUT,
                    ..*around
                },
            );
            Guess {
                tokens: inner.tokens,
                usd: inner.usd,
                ms: inner.ms,
                calls: inner.calls,
                free_calls: inner.free_calls,
                basis: Basis::Rule,
            }
        }
        TaskKind::Agent { .. }
        | TaskKind::Model
        | TaskKind::Tool { .. }
        | TaskKind::Code { .. }
        | TaskKind::Human { .. }
        | TaskKind::Subplan { plan: None, .. } => (around.guess)(task),
    }
}

/// How many items a map runs over, where that is known before the run.
fn items(plan: &Plan, map: &Task, over: &Over, given: &Map<String, Json>) -> Option<u64> {
    let input = match over {
        Over::Value(input) => Some(input),
        Over::Input(name) => {
            let mut own = map.inputs.iter();
            own.find(|(known, _)| known == name).map(|(_, input)| input)
        }
    };
    let input = input?;
    if let Input::Array(items) = input {
        return Some(items.len() as u64);
    }
    let list = known(plan, input, given)?.as_array();
    list.map(|items| items.len() as u64)
}

/// What an input is given before the run: a literal, or a parameter.
fn known<'a>(plan: &'a Plan, input: &'a Input, given: &'a Map<String, Json>) -> Option<&'a Json> {
    match input {
        Input::Literal(value) => Some(value),
        Input::Param(name) => {
            let declared = plan.parameters.iter().find(|(known, _)| **known == **name);
            let default = || declared.and_then(|(_, schema)| schema.get("default"));
            given.get(&**name).or_else(default)
        }
        Input::From { .. }
        | Input::Secret(_)
        | Input::Template { .. }
        | Input::Item { .. }
        | Input::Index
        | Input::Object(_)
        | Input::Array(_) => None,
    }
}

/// The parameters of a nested plan, as far as they are known; one that only the run knows is no list.
fn bound(plan: &Plan, subplan: &Task, given: &Map<String, Json>) -> Map<String, Json> {
    let value = |input| known(plan, input, given).cloned().unwrap_or(Json::Null);
    subplan
        .inputs
        .iter()
        .map(|(name, input)| (name.to_string(), value(input)))
        .collect()
}

/// How often is not known before it runs; what costs nothing costs nothing however often.
fn open(one: Guess) -> Guess {
    Guess {
        tokens: if_nothing(one.tokens),
        usd: if_nothing(one.usd),
        ms: Span::default(),
        calls: if_nothing(one.calls),
        free_calls: if_nothing(one.free_calls),
        basis: one.basis,
    }
}

fn if_nothing<T: Amount>(span: Span<T>) -> Span<T> {
    match span == Span::exactly(T::default()) {
        true => span,
        false => Span::default(),
    }
}

/// The longest way through the plan.
struct Path {
    tasks: Vec<TaskIx>,
    low: u64,
    high: Option<u64>,
}

/// By the most that is known of each task, hops where nothing is. One pass over the plan's own order.
fn critical_path(plan: &Plan, guesses: &[Guess], is_out: &[bool]) -> Path {
    let count = plan.tasks.len();
    let weight = |ix: TaskIx| {
        let ms = guesses[ix as usize].ms;
        (ms.high.unwrap_or(ms.low), 1_u64)
    };
    let (mut best, mut before) = (vec![(0_u64, 0_u64); count], vec![None; count]);
    let (mut low, mut high) = (vec![0_u64; count], vec![Some(0_u64); count]);
    for &ix in plan.order() {
        let at = ix as usize;
        let longest = |&&d: &&TaskIx| (best[d as usize], std::cmp::Reverse(d));
        let parent = plan.dependencies(ix).iter().max_by_key(longest).copied();
        let from = parent.map_or((0, 0), |p| best[p as usize]);
        let own = weight(ix);
        best[at] = (from.0.saturating_add(own.0), from.1 + own.1);
        before[at] = parent;
        let parents = plan.dependencies(ix);
        let ms = guesses[at].ms;
        low[at] = parents
            .iter()
            .map(|&p| low[p as usize])
            .max()
            .unwrap_or(0)
            .saturating_add(ms.low);
        let most = parents
            .iter()
            .map(|&p| high[p as usize])
            .try_fold(0, |most, h| Some(h?.max(most)));
        high[at] = most
            .zip(ms.high)
            .map(|(most, own): (u64, u64)| most.saturating_add(own));
    }
    let mut tasks = Vec::new();
    let mut at = plan
        .order()
        .iter()
        .copied()
        .filter(|&ix| !is_out[ix as usize])
        .max_by_key(|&ix| (best[ix as usize], std::cmp::Reverse(ix)));
    while let Some(ix) = at {
        tasks.push(ix);
        at = before[ix as usize];
    }
    tasks.reverse();
    Path {
        tasks,
        low: low.into_iter().max().unwrap_or(0),
        high: high.into_iter().try_fold(0, |most, h| Some(h?.max(most))),
    }
}

/// No schedule is faster than its longest way or than all slots busy; a greedy one is never slower than R. L. Graham's
/// bound (1969): the work spread over the slots, and of the longest way what the others then wait for.
fn time(work: Span<u64>, path: &Path, at_once: usize) -> Span<u64> {
    let slots = at_once.max(1) as u64;
    let high = work.high.zip(path.high);
    Span {
        likely: None,
        low: path.low.max(work.low.div_ceil(slots)),
        high: high.map(|(work, path)| path.saturating_add(work.saturating_sub(path).div_ceil(slots))),
    }
}

/// Earlier runs by the key of their tasks.
pub type Samples = BTreeMap<Digest, Vec<Sample>>;

#[cfg(test)]
mod tests;
