//! What a plan may cost and how long it may take: from the models' prices and from earlier runs of equal tasks.

use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, json};

use super::{Engine, Error};
use crate::history::past;
use crate::llm::{Cost, Models, Price};
use crate::model::estimate::{Basis, Estimate, Guess, Samples, Span, estimate, key};
use crate::model::grants::Place;
use crate::model::money::Usd;
use crate::model::plan::{Input, Plan, Synthesis, Task, TaskKind};
use crate::model::{Json, RunId};
use crate::run::chain_of;

/// What an estimate says, for faces: `null` where nobody knows the most.
#[derive(Clone, Debug, Serialize)]
pub struct EstimateShown {
    pub tokens: Json,
    /// Decimal dollars, as text.
    pub usd: Json,
    /// Without waits for people.
    pub seconds: Json,
    pub critical_path: Vec<String>,
    /// Tasks of which nobody knows what they cost, and how long they take.
    pub unpriced: Vec<String>,
    pub untimed: Vec<String>,
    /// Tasks that wait for a person.
    pub asks: Vec<String>,
    /// By id: the same three, and what they rest on.
    pub tasks: Json,
}

/// Rules of thumb for a model's tokens where no equal task has run: rather too wide than wrong.
mod thumb {
    /// What is said around an instruction.
    pub const AROUND: u64 = 300;
    /// An input that is read from elsewhere, at most.
    pub const READ: u64 = 4_000;
    pub const ANSWER: (u64, u64) = (20, 2_000);
    /// What a step of an agent says, and what it hears.
    pub const STEP: u64 = 800;
    pub const HEARD: u64 = 1_500;
    pub const BYTES: u64 = 3;
}

impl Engine {
    /// Of a run's plan as it is now; `None` where it has errors, so that nobody can say.
    pub async fn estimate(&self, run: &RunId) -> Result<Option<EstimateShown>, Error> {
        let cached = self.cached(run).await?;
        let document = self.whole(&cached).await.ok().flatten();
        let document = document.as_ref().unwrap_or(&cached.drafting.plan);
        match self.plan_of(document, &cached.place) {
            Ok(plan) => self.estimate_of(&plan).await.map(Some),
            Err(_) => Ok(None),
        }
    }

    /// The same of a plan file.
    pub async fn estimate_file(&self, path: PathBuf) -> Result<Option<EstimateShown>, Error> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let text = super::nested_files::read_whole(path.clone()).await?;
        let place: Place = self
            .inner
            .around
            .place(&RunId::from("new"), Some(&*path.to_string_lossy()));
        match super::drafts::parse(&text).and_then(|draft| self.plan_of(&draft, &place)) {
            Ok(plan) => self.estimate_of(&plan).await.map(Some),
            Err(_) => Ok(None),
        }
    }

    async fn estimate_of(&self, plan: &Plan) -> Result<EstimateShown, Error> {
        let samples = past::samples(&self.inner.store, &self.inner.around.apart()).await?;
        let models = &self.models();
        let mut whole = estimate(plan, self.inner.max_parallel, &|task| {
            guess(task, models, &samples)
        });
        if let Synthesis::Model { model, instruction } = &plan.synthesis {
            let leaves = plan.leaves().count() as u64;
            let price = models.find(model).map_or(Price::Unknown, |entry| entry.price);
            let tokens = asked(instruction.len() as u64, leaves);
            whole.tokens = whole.tokens.and(total(tokens));
            whole.usd = whole.usd.and(cost(&price, tokens));
            whole.ms.high = None;
        }
        Ok(shown(&whole))
    }
}

/// Input and output, from the least to the most.
type Tokens = ((u64, u64), (u64, u64));

fn guess(task: &Task, models: &Models, samples: &Samples) -> Guess {
    let past = samples.get(&key(task)).map(Vec::as_slice).unwrap_or_default();
    let price = match chain_of(models, task) {
        Ok(chain) => chain.first().map_or(Price::Unknown, |entry| entry.price),
        Err(_) => Price::Unknown,
    };
    let basis = match past.len() {
        0 => Basis::Rule,
        count => Basis::Past(u32::try_from(count).unwrap_or(u32::MAX)),
    };
    let ms = Span::over(past.iter().map(|sample| sample.ms));
    match &task.kind {
        // A person takes as long as a person takes.
        TaskKind::Human { .. } => Guess::nothing(),
        TaskKind::Agent { .. } | TaskKind::Model if !past.is_empty() => Guess {
            tokens: Span::over(
                past.iter()
                    .map(|s| s.input_tokens.saturating_add(s.output_tokens)),
            ),
            usd: costs(
                past.iter()
                    .map(|s| price.at_most(s.input_tokens, s.output_tokens)),
            ),
            ms,
            basis,
        },
        TaskKind::Agent { .. } | TaskKind::Model => {
            let tokens = by_rule(task);
            Guess {
                tokens: total(tokens),
                usd: cost(&price, tokens),
                ms,
                basis,
            }
        }
        TaskKind::Tool { .. } | TaskKind::Code { .. } | TaskKind::Map { .. } | TaskKind::Subplan { .. } => {
            Guess {
                ms,
                basis,
                ..Guess::nothing()
            }
        }
    }
}

fn by_rule(task: &Task) -> Tokens {
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
        return first;
    };
    // Each step hears all that was said before it.
    let steps = u64::from(*max_steps).max(1);
    let ((least, most), (answer, _)) = first;
    let heard = (thumb::STEP + thumb::HEARD).saturating_mul(steps.saturating_mul(steps - 1) / 2);
    let most = most.saturating_mul(steps).saturating_add(heard);
    ((least, most), (answer, steps.saturating_mul(thumb::STEP)))
}

/// One question of so many bytes that reads so many values from elsewhere.
fn asked(bytes: u64, read: u64) -> Tokens {
    let input = bytes.div_ceil(thumb::BYTES) + thumb::AROUND;
    (
        (input, input.saturating_add(read.saturating_mul(thumb::READ))),
        thumb::ANSWER,
    )
}

fn total(((least, most), (short, long)): Tokens) -> Span<u64> {
    Span {
        low: least + short,
        high: Some(most.saturating_add(long)),
    }
}

fn cost(price: &Price, ((least, most), (short, long)): Tokens) -> Span<Usd> {
    costs([price.at_most(least, short), price.at_most(most, long)].into_iter())
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

fn shown(whole: &Estimate) -> EstimateShown {
    let ids = |is_open: &dyn Fn(&Guess) -> bool| {
        let open = whole.tasks.iter().filter(|(_, guess)| is_open(guess));
        open.map(|(id, _)| id.to_string()).collect()
    };
    let tasks: Map<String, Json> = whole
        .tasks
        .iter()
        .map(|(id, guess)| {
            let value = json!({
                "tokens": guess.tokens, "usd": guess.usd, "seconds": seconds(guess.ms), "basis": guess.basis,
            });
            (id.to_string(), value)
        })
        .collect();
    EstimateShown {
        tokens: json!(whole.tokens),
        usd: json!(whole.usd),
        seconds: seconds(whole.ms),
        critical_path: whole.critical_path.iter().map(ToString::to_string).collect(),
        unpriced: ids(&|guess| guess.usd.high.is_none()),
        untimed: ids(&|guess| guess.ms.high.is_none()),
        asks: whole.asks.iter().map(ToString::to_string).collect(),
        tasks: Json::Object(tasks),
    }
}

fn seconds(ms: Span<u64>) -> Json {
    let of = |ms: u64| ms as f64 / 1000.0;
    json!({ "low": of(ms.low), "high": ms.high.map(of) })
}
