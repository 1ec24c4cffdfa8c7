//! When each task of a plan would run, by what is guessed of them: the dispatcher's own rule played through without a
//! call. Pure. What is not known stays unknown; a drawing is given an assumed span beside it, which says that it is.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Guess, Span};
use crate::model::plan::{Plan, TaskIx};

/// Drawn for a task of unknown time where none of the others is known.
const ASSUMED_MS: u64 = 1_000;

/// One task of a predicted run. Times are milliseconds from its start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Predicted {
    pub start: Span<u64>,
    pub end: Span<u64>,
    /// Which of those that run at once it is, from 0.
    pub lane: u32,
    /// Where a drawing puts it.
    pub drawn: (u64, u64),
    /// How long it takes is not known: it is drawn as long as the others are.
    pub is_assumed: bool,
}

#[derive(Clone, Copy, Default)]
struct Placed {
    start: u64,
    end: u64,
    lane: u32,
    /// It was ready before there was a slot.
    has_waited: bool,
}

/// The predicted run, in the order of the plan's list: O((tasks + dependencies) log tasks). What is out, with all that comes
/// after it, never starts and takes no slot.
pub fn predict(plan: &Plan, guesses: &[Guess], is_out: &[bool], at_once: usize) -> Vec<Predicted> {
    let assumed = assumed(guesses);
    let play = |of: &dyn Fn(Span<u64>) -> u64| {
        let times: Vec<u64> = guesses.iter().map(|guess| of(guess.ms)).collect();
        played(plan, &times, is_out, at_once)
    };
    let low = play(&|ms| ms.low);
    let likely = play(&|ms| ms.likely.unwrap_or(ms.low));
    let high = play(&|ms| ms.high.unwrap_or(ms.low));
    let drawn = play(&|ms| drawn_for(ms, assumed));
    let has_likely = begins_known(plan, &drawn, &|ix| guesses[ix].ms.likely.is_some());
    let has_high = begins_known(plan, &drawn, &|ix| guesses[ix].ms.high.is_some());
    let span = |ix: usize, of: &dyn Fn(&Placed) -> u64, likely_known: bool, high_known: bool| {
        let all = [of(&low[ix]), of(&likely[ix]), of(&high[ix])];
        // A longer task can let another one start earlier (R. L. Graham 1969), so the ends are looked for.
        Span {
            low: if high_known {
                all.into_iter().min().unwrap_or(0)
            } else {
                all[0]
            },
            likely: likely_known.then_some(all[1]),
            high: high_known.then(|| all.into_iter().max().unwrap_or(0)),
        }
    };
    (0..plan.tasks.len())
        .map(|ix| {
            let ms = guesses[ix].ms;
            Predicted {
                start: span(ix, &|placed| placed.start, has_likely[ix], has_high[ix]),
                end: span(
                    ix,
                    &|placed| placed.end,
                    has_likely[ix] && ms.likely.is_some(),
                    has_high[ix] && ms.high.is_some(),
                ),
                lane: drawn[ix].lane,
                drawn: (drawn[ix].start, drawn[ix].end),
                is_assumed: ms.likely.is_none(),
            }
        })
        .collect()
}

/// How long the whole likely takes; `None` where a task's time is not known.
pub(super) fn likely(plan: &Plan, guesses: &[Guess], is_out: &[bool], at_once: usize) -> Option<u64> {
    let times: Option<Vec<u64>> = guesses.iter().map(|guess| guess.ms.likely).collect();
    let placed = played(plan, &times?, is_out, at_once);
    Some(placed.iter().map(|placed| placed.end).max().unwrap_or(0))
}

/// As long as a task of the plan takes in the middle.
fn assumed(guesses: &[Guess]) -> u64 {
    let known = guesses.iter().filter_map(|guess| guess.ms.likely);
    let timed = Span::over(known.filter(|ms| *ms > 0));
    timed.likely.unwrap_or(ASSUMED_MS)
}

fn drawn_for(ms: Span<u64>, assumed: u64) -> u64 {
    ms.likely.unwrap_or_else(|| assumed.max(ms.low))
}

/// Whether the moment at which each task starts is known: all before it must be, and where it would wait for a slot, all.
fn begins_known(plan: &Plan, placed: &[Placed], is_known: &dyn Fn(usize) -> bool) -> Vec<bool> {
    let is_all_known = (0..placed.len()).all(is_known);
    let mut begins = vec![true; placed.len()];
    for &ix in plan.order() {
        let at = ix as usize;
        let is_after_known = plan
            .dependencies(ix)
            .iter()
            .all(|&d| begins[d as usize] && is_known(d as usize));
        begins[at] = is_after_known && (is_all_known || !placed[at].has_waited);
    }
    begins
}

/// The run with these times: whatever is ready starts as soon as there is a slot, the longest way to go first.
fn played(plan: &Plan, times: &[u64], is_out: &[bool], at_once: usize) -> Vec<Placed> {
    let count = plan.tasks.len();
    let mut placed = vec![Placed::default(); count];
    let rank = |ix: TaskIx| (plan.remaining(ix), Reverse(ix));
    let mut left: Vec<usize> = (0..count)
        .map(|ix| plan.dependencies(ix as TaskIx).len())
        .collect();
    let mut ready: BinaryHeap<(u32, Reverse<TaskIx>)> = (0..count)
        .filter(|&ix| left[ix] == 0 && !is_out[ix])
        .map(|ix| rank(ix as TaskIx))
        .collect();
    let mut ready_since = vec![0_u64; count];
    let mut running: BinaryHeap<Reverse<(u64, TaskIx)>> = BinaryHeap::new();
    let mut free: BinaryHeap<Reverse<u32>> = BinaryHeap::new();
    let (mut lanes, mut now) = (0_u32, 0_u64);
    loop {
        while running.len() < at_once.max(1)
            && let Some((_, Reverse(ix))) = ready.pop()
        {
            let lane = free.pop().map_or(lanes, |Reverse(lane)| lane);
            lanes = lanes.max(lane + 1);
            let at = ix as usize;
            placed[at] = Placed {
                start: now,
                end: now.saturating_add(times[at]),
                lane,
                has_waited: ready_since[at] < now,
            };
            running.push(Reverse((placed[at].end, ix)));
        }
        let Some(Reverse((end, _))) = running.peek().copied() else {
            return placed;
        };
        now = end;
        while let Some(Reverse((end, ix))) = running.peek().copied()
            && end == now
        {
            running.pop();
            free.push(Reverse(placed[ix as usize].lane));
            for &child in plan.children(ix) {
                let at = child as usize;
                left[at] -= 1;
                if left[at] == 0 && !is_out[at] {
                    ready_since[at] = now;
                    ready.push(rank(child));
                }
            }
        }
    }
}
