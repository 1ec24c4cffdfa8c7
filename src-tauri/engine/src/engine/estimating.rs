//! What a plan may cost and how long it may take: from the models' prices and from earlier runs of equal tasks.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::Serialize;
use serde_json::{Map, json};

use super::guessing::{asked, cost, guess, total};
use super::{Engine, Error};
use crate::history::laid::Laid;
use crate::llm::{Models, Price};
use crate::model::estimate::{Around, Estimate, Guess, Samples, Span, estimate, schedule};
use crate::model::grants::{Place, Withheld};
use crate::model::plan::{Plan, Synthesis};
use crate::model::{Json, RunId, TaskId};
use crate::views::{DryRunView, EstimateView};

/// What an estimate says, for faces: `null` where nobody knows the most.
#[derive(Clone, Debug, Serialize)]
pub struct EstimateShown {
    pub tokens: Json,
    /// Decimal dollars, as text.
    pub usd: Json,
    /// Without waits for people.
    pub seconds: Json,
    /// Questions to models.
    pub calls: Json,
    pub critical_path: Vec<String>,
    /// Tasks of which nobody knows what they cost, and how long they take.
    pub unpriced: Vec<String>,
    pub untimed: Vec<String>,
    /// Tasks that wait for a person.
    pub asks: Vec<String>,
    /// By id: the same three, and what they rest on.
    pub tasks: Json,
}

impl Engine {
    /// Of a run's plan as it is now; `None` where it has errors, so that nobody can say.
    pub async fn estimate(&self, run: &RunId) -> Result<Option<EstimateShown>, Error> {
        let Some((plan, laid)) = self.plan_now(run).await? else {
            return Ok(None);
        };
        Ok(Some(shown(&self.estimated(&plan, &laid, &Map::new()).await?)))
    }

    /// The same as a window shows it.
    pub async fn estimate_view(&self, run: &RunId) -> Result<Option<EstimateView>, Error> {
        let Some((plan, laid)) = self.plan_now(run).await? else {
            return Ok(None);
        };
        self.estimate_of(&plan, &laid, &BTreeSet::new()).await.map(Some)
    }

    /// Of what is left of it without the tasks that will not run.
    pub(super) async fn estimate_of(
        &self,
        plan: &Plan,
        laid: &Laid,
        left_out: &BTreeSet<TaskId>,
    ) -> Result<EstimateView, Error> {
        let whole = self.estimated_without(plan, laid, &Map::new(), left_out).await?;
        Ok(EstimateView::of(&whole))
    }

    /// What is left to spend and to wait for, where these tasks are over and cost nothing more.
    pub(super) async fn estimate_rest(
        &self,
        plan: &Plan,
        laid: &Laid,
        over: &BTreeSet<TaskId>,
    ) -> Result<EstimateView, Error> {
        let around = self.inner.around.apart();
        let samples = self.inner.past.samples(&self.inner.store, &around).await?;
        let held = laid.pins.keys().chain(over).cloned().collect();
        let whole = estimate_with(
            (plan, &held),
            (&Map::new(), &BTreeSet::new()),
            (&self.models(), &samples),
            self.max_parallel(),
        );
        Ok(EstimateView::of(&whole))
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
            Ok(plan) => {
                let laid = Laid::default();
                Ok(Some(shown(&self.estimated(&plan, &laid, &Map::new()).await?)))
            }
            Err(_) => Ok(None),
        }
    }

    /// When each task would run with these parameters and without what is switched off, without a call. The plan must be
    /// without errors.
    pub async fn dry_run(
        &self,
        run: &RunId,
        parameters: &Json,
        off: &[Withheld],
    ) -> Result<DryRunView, Error> {
        let cached = self.cached(run).await?;
        let whole = self.whole(&cached).await?;
        let document = whole.as_ref().unwrap_or(&cached.drafting.plan);
        let plan = self.plan_of(document, &cached.place)?;
        // One that is still missing leaves open what hangs on it; the signature is what refuses it.
        let given = parameters.as_object().cloned().unwrap_or_default();
        let left_out = self.left_out_of(&plan, document, &cached.place, off)?;
        let whole = self
            .estimated_without(&plan, &cached.laid, &given, &left_out)
            .await?;
        let guesses: Vec<Guess> = whole.tasks.iter().map(|(_, guess)| *guess).collect();
        let predicted = schedule::predict(&plan, &guesses, &whole.is_out, self.max_parallel());
        Ok(DryRunView::of(&plan, &whole, &predicted, self.max_parallel()))
    }

    async fn plan_now(&self, run: &RunId) -> Result<Option<(Plan, Laid)>, Error> {
        let cached = self.cached(run).await?;
        let document = self.whole(&cached).await.ok().flatten();
        let document = document.as_ref().unwrap_or(&cached.drafting.plan);
        let plan = self.plan_of(document, &cached.place).ok();
        Ok(plan.map(|plan| (plan, cached.laid)))
    }

    pub(super) async fn estimated(
        &self,
        plan: &Plan,
        laid: &Laid,
        given: &Map<String, Json>,
    ) -> Result<Estimate, Error> {
        self.estimated_without(plan, laid, given, &BTreeSet::new()).await
    }

    async fn estimated_without(
        &self,
        plan: &Plan,
        laid: &Laid,
        given: &Map<String, Json>,
        left_out: &BTreeSet<TaskId>,
    ) -> Result<Estimate, Error> {
        let around = self.inner.around.apart();
        let samples = self.inner.past.samples(&self.inner.store, &around).await?;
        let held = laid.pins.keys().cloned().collect();
        Ok(estimate_with(
            (plan, &held),
            (given, left_out),
            (&self.models(), &samples),
            self.max_parallel(),
        ))
    }
}

fn estimate_with(
    (plan, held): (&Plan, &BTreeSet<TaskId>),
    (given, left_out): (&Map<String, Json>, &BTreeSet<TaskId>),
    (models, samples): (&Models, &Samples),
    at_once: usize,
) -> Estimate {
    let around = Around {
        at_once,
        given,
        held,
        inside: "",
        left_out,
        guess: &|task| guess(task, models, samples),
    };
    let mut whole = estimate(plan, &around);
    if let Synthesis::Model { model, instruction } = &plan.synthesis {
        let leaves = plan.leaves().filter(|&ix| !whole.is_out[ix as usize]).count() as u64;
        let price = models.find(model).map_or(Price::Unknown, |entry| entry.price);
        let tokens = asked(instruction.len() as u64, leaves);
        let answer = Guess {
            tokens: total(tokens),
            usd: cost(&price, tokens),
            ..Guess::nothing()
        }
        .asking(Span::exactly(1));
        whole.tokens = whole.tokens.and(answer.tokens);
        whole.usd = whole.usd.and(answer.usd);
        whole.calls = whole.calls.and(answer.calls);
        whole.free_calls = whole.free_calls.and(answer.free_calls);
        whole.ms = whole.ms.open();
    }
    whole
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
                "tokens": guess.tokens, "usd": guess.usd, "seconds": seconds(guess.ms),
                "calls": guess.calls, "basis": guess.basis,
            });
            (id.to_string(), value)
        })
        .collect();
    EstimateShown {
        tokens: json!(whole.tokens),
        usd: json!(whole.usd),
        calls: json!(whole.calls),
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
    json!({ "low": of(ms.low), "likely": ms.likely.map(of), "high": ms.high.map(of) })
}
