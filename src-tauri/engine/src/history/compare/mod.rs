//! Two runs side by side: what differs task by task, in numbers and in values. It reads what was loaded; it must not know
//! where payloads lie.

mod family;
mod numbers;
mod sequence;
mod text;
mod values;

use std::collections::{HashMap, HashSet};

pub use family::family;
pub use numbers::{numbers, ran_ms};
pub use text::Spaces;

use self::text::narrow;
use super::crowd::Crowd;
use super::tasks;
use super::timeline::Timeline;
use crate::model::Json;
use crate::model::diff::{Change, PlanDiff};
use crate::model::state::RunState;
use crate::model::value::ValueRef;
use crate::views::{
    ComparedTask, CostView, Difference, OutputDiff, TaskFacts, TrackView, ValueSide, Verdict,
};

/// Tasks that are told.
const MOST_TASKS: usize = 2_000;
/// Bytes of a value beyond which it is not looked into: read as a tree it takes some ten times as much.
pub const LARGEST: u64 = 8 << 20;

/// One run, as far as its tasks are compared.
pub struct Side<'s> {
    pub state: &'s RunState,
    pub timeline: &'s Timeline,
    pub crowd: &'s Crowd,
    pub is_driven: bool,
}

/// The tasks of both.
#[derive(Default)]
pub struct Tasks {
    pub differing: Vec<ComparedTask>,
    pub left_off: u32,
    pub same: u32,
    pub same_but_time: u32,
}

/// One task of one run.
struct Found<'s> {
    facts: TaskFacts,
    track: &'s TrackView,
    output: Option<&'s ValueRef>,
}

/// What differs from the tasks of A to those of B. Linear in both.
pub fn tasks(a: &Side<'_>, b: &Side<'_>, plan: Option<&PlanDiff>) -> Tasks {
    let changes: HashMap<&str, Change> = match plan {
        Some(plan) => plan
            .tasks
            .iter()
            .map(|task| (task.task.as_str(), task.change))
            .collect(),
        None => HashMap::new(),
    };
    let of_a: HashSet<&str> = a
        .timeline
        .tracks
        .iter()
        .map(|track| track.task.as_str())
        .collect();
    let in_a = a.timeline.tracks.iter();
    let only_b = b
        .timeline
        .tracks
        .iter()
        .filter(|track| !of_a.contains(track.task.as_str()));
    let (by_a, by_b) = (by_address(a), by_address(b));
    let mut found = Tasks::default();
    for track in in_a.chain(only_b) {
        let address = track.task.as_str();
        let change = changes.get(address).copied().unwrap_or(Change::Kept);
        let sides = (
            by_a.get(address).and_then(|track| facts(a, track)),
            by_b.get(address).and_then(|track| facts(b, track)),
        );
        found.take(address, change, sides);
    }
    found
}

fn by_address<'s>(side: &Side<'s>) -> HashMap<&'s str, &'s TrackView> {
    let tracks = side.timeline.tracks.iter();
    tracks.map(|track| (track.task.as_str(), track)).collect()
}

fn facts<'s>(side: &Side<'s>, track: &'s TrackView) -> Option<Found<'s>> {
    let ix = side.state.find(&track.task)?;
    let view = tasks::view(side.state, ix, side.is_driven, side.crowd);
    Some(Found {
        facts: TaskFacts {
            status: view.status,
            attempts: view.attempts,
            work_ms: track.work_ms,
            cost: track.cost.clone(),
            error: view.error,
            summary: view.summary,
        },
        track,
        output: side.state.task(ix).output.as_ref(),
    })
}

impl Tasks {
    fn take(&mut self, address: &str, plan: Change, (a, b): (Option<Found<'_>>, Option<Found<'_>>)) {
        let Some(named) = b.as_ref().or(a.as_ref()).map(|found| found.track) else {
            return;
        };
        let output = verdict(
            a.as_ref().and_then(|found| found.output),
            b.as_ref().and_then(|found| found.output),
        );
        let differs = differences(plan, output, a.as_ref(), b.as_ref());
        if differs.is_empty() {
            let times = [&a, &b].map(|side| side.as_ref().map(|found| found.facts.work_ms));
            let count = if times[0] == times[1] {
                &mut self.same
            } else {
                &mut self.same_but_time
            };
            *count += 1;
            return;
        }
        if self.differing.len() >= MOST_TASKS {
            self.left_off += 1;
            return;
        }
        self.differing.push(ComparedTask {
            task: address.to_owned(),
            title: named.title.clone(),
            task_type: named.task_type.clone(),
            plan,
            a: a.map(|found| found.facts),
            b: b.map(|found| found.facts),
            output,
            differs,
        });
    }
}

fn differences(
    plan: Change,
    output: Verdict,
    a: Option<&Found<'_>>,
    b: Option<&Found<'_>>,
) -> Vec<Difference> {
    let (a, b) = (a.map(|found| &found.facts), b.map(|found| &found.facts));
    let free = CostView::default();
    let cost = |facts: Option<&'_ TaskFacts>| facts.map_or_else(|| free.clone(), |facts| facts.cost.clone());
    let error = |facts: Option<&'_ TaskFacts>| facts.and_then(|facts| facts.error.clone());
    let found = [
        (Difference::Plan, plan != Change::Kept),
        (
            Difference::State,
            a.map(|facts| facts.status) != b.map(|facts| facts.status),
        ),
        (
            Difference::Output,
            !matches!(output, Verdict::Same | Verdict::None),
        ),
        (Difference::Error, error(a) != error(b)),
        (
            Difference::Attempts,
            a.map(|facts| facts.attempts) != b.map(|facts| facts.attempts),
        ),
        (Difference::Cost, cost(a) != cost(b)),
    ];
    let those = found.into_iter().filter(|(_, differs)| *differs);
    those.map(|(which, _)| which).collect()
}

/// Large values have the same name where they are the same text; what is small is compared as a value.
pub fn verdict(a: Option<&ValueRef>, b: Option<&ValueRef>) -> Verdict {
    match (a, b) {
        (None, None) => Verdict::None,
        (Some(_), None) => Verdict::OnlyA,
        (None, Some(_)) => Verdict::OnlyB,
        (Some(a), Some(b)) if is_same(a, b) => Verdict::Same,
        (Some(_), Some(_)) => Verdict::Differs,
    }
}

fn is_same(a: &ValueRef, b: &ValueRef) -> bool {
    if a.is_same(b) {
        return true;
    }
    let (ValueRef::Inline(a), ValueRef::Inline(b)) = (a, b) else {
        return false;
    };
    // In another order of keys it is the same value.
    let parsed = |raw: &str| serde_json::from_str::<Json>(raw).ok();
    let (a, b) = (parsed(a.get()), parsed(b.get()));
    a.is_some() && a == b
}

/// What is known of a value without reading it.
pub fn side(value: Option<&ValueRef>) -> ValueSide {
    ValueSide {
        bytes: value.map(|value| value.bytes() as f64),
        digest: match value {
            Some(ValueRef::Payload { hash, .. }) => Some(hash.to_string()),
            Some(ValueRef::Inline(_)) | None => None,
        },
        trouble: None,
    }
}

/// Two values in detail. Texts are JSON; one that can't be read says so on its side.
pub fn detail(mut diff: OutputDiff, a: &str, b: &str, spaces: Spaces) -> OutputDiff {
    let read = |text: &str, side: &mut ValueSide| match serde_json::from_str::<Json>(text) {
        Ok(value) => Some(value),
        Err(error) => {
            side.trouble = Some(format!("it is no JSON any more: {error}"));
            None
        }
    };
    let (Some(a), Some(b)) = (read(a, &mut diff.a), read(b, &mut diff.b)) else {
        return diff;
    };
    let found = values::compare(&a, &b, spaces);
    let is_equal = found.texts.is_empty() && found.values.is_empty() && found.values_left_off == 0;
    OutputDiff {
        verdict: if is_equal { Verdict::Same } else { Verdict::Differs },
        texts: found.texts,
        values: found.values,
        values_left_off: found.values_left_off,
        equal_values: found.equal,
        ..diff
    }
}
