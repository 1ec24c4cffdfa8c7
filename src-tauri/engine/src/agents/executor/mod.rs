//! One task's ReAct loop (rule 3) as a pure function: from what has happened in this attempt to the next step.
//! It sees its instruction, inputs, tools and output schema only (rule 1): never the goal, the plan or another task.

mod assignment;
mod calls;
mod finals;
mod guarded;
mod offers;
mod shown;
mod squeeze;
mod step;
mod talk;

pub use super::suspicion::Flag;
pub use assignment::{Assignment, Bounds, Kind};
pub use offers::SUBMIT;
pub use shown::READ_ON;
pub use step::{CallId, Finished, Happened, Step, Wanted};

use talk::Talk;

use super::Failed;
use super::faults::failed;
use crate::llm::{Outcome, Reply};

/// The next step of an attempt, given all its finished calls in the order in which they finished.
///
/// - Replies that are not complete and are followed by another reply were asked again, and are passed over; as the
///   last one they fail the attempt. They count as no step.
/// - After an overflow the question is asked again with less of what was observed, after a cut answer with the word to
///   be brief; each a few times.
/// - [`Step::Call`] names every call of the last reply without a recorded result, also one that is under way.
/// - An empty answer fails the attempt as transient; followed by another reply, it was asked again and only counts as
///   a step.
/// - The same assignment and past give the same step. Any other end of the attempt stands, whatever happens after it.
pub fn next(assignment: &Assignment<'_>, past: &[Happened]) -> Step {
    let (turns, faults) = turns(past);
    let mut talk = match Talk::new(assignment, &faults) {
        Ok(talk) => talk,
        Err(step) => return step,
    };
    let last = turns.len();
    for (ix, turn) in turns.iter().enumerate() {
        let is_open = ix + 1 == last && faults.last.is_none();
        if let Some(step) = talk.take(turn, is_open) {
            return step;
        }
    }
    match faults.last.and_then(|outcome| talk.gives_up_after(outcome)) {
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

/// What went wrong with questions.
#[derive(Default)]
struct Faults<'p> {
    /// The failed reply that stands last.
    last: Option<&'p Outcome>,
    /// In the whole attempt: what did not fit once does not fit later.
    overflows: u32,
    /// Since the last whole answer.
    cuts: u32,
}

/// The complete replies, each with the results of its calls, and what went wrong.
fn turns(past: &[Happened]) -> (Vec<step::Turn<'_>>, Faults<'_>) {
    let mut turns: Vec<step::Turn<'_>> = Vec::new();
    let mut faults = Faults::default();
    for happened in past {
        match happened {
            Happened::Replied(reply) => {
                if let Some(answer) = reply.outcome.answer() {
                    (faults.last, faults.cuts) = (None, 0);
                    turns.push(step::Turn::of(answer));
                } else {
                    faults.last = Some(&reply.outcome);
                    faults.overflows += u32::from(matches!(reply.outcome, Outcome::Overflow(_)));
                    faults.cuts += u32::from(matches!(reply.outcome, Outcome::Cut(_)));
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
    (turns, faults)
}
