//! What one task may come to: from earlier runs of equal tasks, else by rule of thumb. It must not know plans, nor who asks.

use crate::llm::{Cost, Models, Price};
use crate::model::estimate::{Basis, Guess, Sample, Samples, Span, key};
use crate::model::money::Usd;
use crate::model::plan::{Input, Task, TaskKind};
use crate::run::chain_of;

/// Rules of thumb for a model's tokens where no equal task has run: rather too wide than wrong.
mod thumb {
    /// What is said around an instruction.
    pub const AROUND: u64 = 300;
    /// An input that is read from elsewhere: usually, and at most.
    pub const READ: (u64, u64) = (1_000, 4_000);
    /// An answer: the shortest, a usual one, the longest.
    pub const ANSWER: (u64, u64, u64) = (20, 300, 2_000);
    /// What a step of an agent says, and what it hears.
    pub const STEP: u64 = 800;
    pub const HEARD: u64 = 1_500;
    /// Steps that an agent usually takes.
    pub const STEPS: u64 = 4;
    pub const BYTES: u64 = 3;
}

/// Input and output, each from the least over what is usual to the most.
type Tokens = (Three, Three);
type Three = (u64, u64, u64);

pub(super) fn guess(task: &Task, models: &Models, samples: &Samples) -> Guess {
    let past = samples.get(&key(task)).map(Vec::as_slice).unwrap_or_default();
    let basis = match past.len() {
        0 => Basis::Rule,
        count => Basis::Past(u32::try_from(count).unwrap_or(u32::MAX)),
    };
    let ms = Span::over(past.iter().map(|sample| sample.ms));
    let timed = |guess: Guess| Guess { ms, basis, ..guess };
    match &task.kind {
        // A person takes as long as a person takes.
        TaskKind::Human { .. } => Guess::nothing(),
        TaskKind::Agent { .. } | TaskKind::Model => {
            let price = match chain_of(models, task) {
                Ok(chain) => chain.first().map_or(Price::Unknown, |entry| entry.price),
                Err(_) => Price::Unknown,
            };
            timed(match past.is_empty() {
                false => by_past(&price, past),
                true => by_rule(&price, task),
            })
        }
        TaskKind::Tool { .. } | TaskKind::Code { .. } | TaskKind::Map { .. } | TaskKind::Subplan { .. } => {
            timed(Guess::nothing())
        }
    }
}

fn by_past(price: &Price, past: &[Sample]) -> Guess {
    let tokens = past
        .iter()
        .map(|s| s.input_tokens.saturating_add(s.output_tokens));
    let usd = past
        .iter()
        .map(|s| price.at_most(s.input_tokens, s.output_tokens));
    Guess {
        tokens: Span::over(tokens),
        usd: costs(usd),
        ..Guess::nothing()
    }
    .asking(Span::over(past.iter().map(|sample| sample.calls)))
}

fn by_rule(price: &Price, task: &Task) -> Guess {
    let (tokens, calls) = tokens_by_rule(task);
    Guess {
        tokens: total(tokens),
        usd: cost(price, tokens),
        ..Guess::nothing()
    }
    .asking(calls)
}

/// Tokens and questions.
fn tokens_by_rule(task: &Task) -> (Tokens, Span<u64>) {
    let literal = |input: &Input| {
        input
            .as_literal()
            .map_or(0, |value| value.to_string().len() as u64)
    };
    let given: u64 = task.inputs.iter().map(|(_, input)| literal(input)).sum();
    let read = task
        .inputs
        .iter()
        .filter(|(_, input)| input.as_literal().is_none())
        .count() as u64;
    let schema = task
        .output_schema
        .as_ref()
        .map_or(0, |schema| schema.to_string().len() as u64);
    let first = asked(task.instruction.len() as u64 + given + schema, read);
    let TaskKind::Agent { max_steps, .. } = &task.kind else {
        return (first, Span::exactly(1));
    };
    let most_steps = u64::from(*max_steps).max(1);
    let steps = thumb::STEPS.min(most_steps);
    let ((least, usual, most), (answer, _, _)) = first;
    let input = (least, heard(usual, steps), heard(most, most_steps));
    let said = |steps: u64| steps.saturating_mul(thumb::STEP);
    (
        (input, (answer, said(steps), said(most_steps))),
        Span::between(1, steps, most_steps),
    )
}

/// Each step hears all that was said before it.
fn heard(first: u64, steps: u64) -> u64 {
    let talk = (thumb::STEP + thumb::HEARD).saturating_mul(steps.saturating_mul(steps - 1) / 2);
    first.saturating_mul(steps).saturating_add(talk)
}

/// One question of so many bytes that reads so many values from elsewhere.
pub(super) fn asked(bytes: u64, read: u64) -> Tokens {
    let input = bytes.div_ceil(thumb::BYTES) + thumb::AROUND;
    let with = |each: u64| input.saturating_add(read.saturating_mul(each));
    let (usual, most) = thumb::READ;
    ((input, with(usual), with(most)), thumb::ANSWER)
}

pub(super) fn total((input, output): Tokens) -> Span<u64> {
    Span::between(
        input.0.saturating_add(output.0),
        input.1.saturating_add(output.1),
        input.2.saturating_add(output.2),
    )
}

pub(super) fn cost(price: &Price, (input, output): Tokens) -> Span<Usd> {
    let all = [(input.0, output.0), (input.1, output.1), (input.2, output.2)];
    costs(
        all.into_iter()
            .map(|(input, output)| price.at_most(input, output)),
    )
}

/// Unknown as soon as one of them is.
fn costs(all: impl Iterator<Item = Cost>) -> Span<Usd> {
    let known = all.map(|cost| match cost {
        Cost::Zero => Some(Usd::ZERO),
        Cost::Estimated(usd) => Some(usd),
        Cost::Unknown => None,
    });
    known
        .collect::<Option<Vec<Usd>>>()
        .map_or(Span::default(), Span::over)
}
