//! The planner: from a goal in plain words to a checked draft, as a pure function of what was said so far. The same
//! past gives the same next step, so planning goes on after a crash without asking again. It must not know the store.

mod choose;
mod convert;
mod edges;
mod prompt;
mod restate;
mod schema;
mod talk;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use super::faults::{Failed, failed};
use crate::llm::{Fault, Outcome, Reply, Request};
use crate::model::problem::Problem;
use crate::model::tool::ToolSpec;
use crate::model::{DraftPlan, Json, Setting};

pub use choose::SEVERAL;
pub use schema::{Form, MOST_TUPLES, of as schema_of};

/// Rounds in which the planner may ask back.
pub const MOST_ROUNDS: usize = 2;
/// Answers that may be cut at the limit of output; each is asked for with a higher one and for a smaller plan.
pub const MOST_CUT: usize = 2;

/// A plan that is there, and what shall be otherwise about it.
#[derive(Clone, Copy)]
pub struct Revising<'a> {
    pub base: &'a DraftPlan,
    pub wanted: &'a str,
}

/// What a plan is wanted for, and what it may be made of.
#[derive(Clone, Copy)]
pub struct Brief<'a> {
    /// A role or `provider/model`.
    pub model: &'a str,
    pub goal: &'a str,
    /// The tools that may be used, sorted by name.
    pub tools: &'a [Arc<ToolSpec>],
    /// As in a plan, or null: name → JSON Schema.
    pub parameters: &'a Json,
    /// What is granted whatever the planner asks for, as in a plan, or null.
    pub grants: &'a Json,
    /// As in a plan, or null.
    pub budget: &'a Json,
    /// Set where no new plan is wanted but this one changed: what the person gave stands in it then.
    pub revising: Option<Revising<'a>>,
    /// Whether questions may be asked back.
    pub may_ask: bool,
    pub form: Form,
    /// What the plan is judged against; its catalog has the tools above and no others.
    pub setting: &'a Setting<'a>,
    /// The most that the model can write, where that is known.
    pub most_output: Option<u32>,
    /// Whether the question has to be as small as it can be: a larger one did not fit into the model's context.
    pub is_small: bool,
}

/// One answer of the planner, whole or cut, with what a person answered where it asked.
#[derive(Clone, Debug)]
pub struct Turn {
    pub reply: Reply,
    pub answers: Option<Json>,
}

/// What follows.
#[derive(Clone, Debug)]
pub enum Step {
    Ask(Box<Request>),
    /// A person has to answer first: what is asked in one sentence, and the JSON Schema of the answer.
    Question {
        question: String,
        form: Json,
    },
    Planned(Box<Planned>),
    Failed(Failed),
}

/// A plan that came out.
#[derive(Clone, Debug)]
pub struct Planned {
    pub draft: DraftPlan,
    /// All of them; errors only where the planner did not mend them.
    pub problems: Vec<Problem>,
    /// What a person should know of how it came out, in sentences.
    pub notes: Vec<String>,
}

/// What follows from the goal and the answers so far, oldest first.
pub fn next(brief: &Brief<'_>, turns: &[Turn]) -> Step {
    let mut talk = talk::Talk::default();
    for turn in turns {
        if let Some(step) = talk.take(brief, turn) {
            return step;
        }
    }
    Step::Ask(Box::new(prompt::request(brief, &talk)))
}

/// The failure that a reply means; `None` where it is a turn: a whole answer, or one that was cut or
/// came as a call that nobody can read.
pub fn failure_of(reply: &Reply) -> Option<Failed> {
    match &reply.outcome {
        Outcome::Complete(answer) if answer.is_empty() => Some(Failed::empty()),
        Outcome::Complete(_) | Outcome::Cut(_) => None,
        // It is told what was wrong with it.
        Outcome::Transient(fault) if fault.code == Fault::MALFORMED_CALL => None,
        other @ (Outcome::Rate(_)
        | Outcome::Quota(_)
        | Outcome::Overflow(_)
        | Outcome::Auth(_)
        | Outcome::Transient(_)
        | Outcome::Permanent(_)
        | Outcome::Unknown(_)) => failed(other),
    }
}
