//! One task's ReAct loop (rule 3) as a pure function: from what has happened in this attempt to the next step.
//! It sees its instruction, inputs, tools and output schema only (rule 1): never the goal, the plan or another task.

mod assignment;
mod calls;
mod finals;
mod guarded;
mod offers;
mod step;
mod talk;

pub use super::suspicion::Flag;
pub use assignment::{Assignment, Bounds, Kind};
pub use offers::SUBMIT;
pub use step::{CallId, Finished, Happened, Step, Wanted};

use talk::Talk;

use super::Failed;
use super::faults::failed;
use crate::llm::{Outcome, Reply};

/// The next step of an attempt, given all its finished calls in the order in which they finished.
///
/// - Replies that are not complete and are followed by another reply were asked again, and are passed over; as the
///   last one they fail the attempt. They count as no step.
/// - [`Step::Call`] names every call of the last reply without a recorded result, also one that is under way.
/// - An empty answer fails the attempt as transient; followed by another reply, it was asked again and only counts as
///   a step.
/// - The same assignment and past give the same step. Any other end of the attempt stands, whatever happens after it.
pub fn next(assignment: &Assignment<'_>, past: &[Happened]) -> Step {
    let (turns, fault) = turns(past);
    let mut talk = match Talk::new(assignment) {
        Ok(talk) => talk,
        Err(step) => return step,
    };
    let last = turns.len();
    for (ix, turn) in turns.iter().enumerate() {
        let is_open = ix + 1 == last && fault.is_none();
        if let Some(step) = talk.take(turn, is_open) {
            return step;
        }
    }
    match fault.and_then(failed) {
        Some(failed) => Step::Fail(failed),
        None => talk.ask(),
    }
}

/// The failure that a reply means: any outcome but a whole answer, or an answer in which nothing is said. A reply
/// without one is a turn.
pub fn failure_of(reply: &Reply) -> Option<Failed> {
    match reply.outcome.answer() {
        Some(answer) if answer.is_empty() => Some(Failed::empty()),
        Some(_) => None,
        None => failed(&reply.outcome),
    }
}

/// The complete replies, each with the results of its calls, and the failed reply that stands last.
fn turns(past: &[Happened]) -> (Vec<step::Turn<'_>>, Option<&Outcome>) {
    let mut turns: Vec<step::Turn<'_>> = Vec::new();
    let mut fault = None;
    for happened in past {
        match happened {
            Happened::Replied(reply) => {
                if let Some(answer) = reply.outcome.answer() {
                    fault = None;
                    turns.push(step::Turn::of(answer));
                } else {
                    fault = Some(&reply.outcome);
                }
            }
            Happened::Called { call, result } => {
                let turn = usize::try_from(call.turn).unwrap_or(usize::MAX);
                if let Some(turn) = turn.checked_sub(1).and_then(|ix| turns.get_mut(ix)) {
                    turn.results.entry(call.index).or_insert(result);
                }
            }
        }
    }
    (turns, fault)
}
