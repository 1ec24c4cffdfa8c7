//! The final answer of a run or of a nested plan (rule 9): the leaves' outputs, a template over them, or a model's
//! words about them. It must not know how a run ends.

use serde_json::Map;

use super::asides::{Purpose, key_of};
use super::driver::{DriveError, Driver};
use super::inputs::load_recent;
use super::stand_ins::{Line, Rest};
use crate::agents::Failed;
use crate::agents::synthesizer::{self, Leaf, Material};
use crate::llm::Entry;
use crate::model::events::DecisionOpened;
use crate::model::expr;
use crate::model::grants::Labels;
use crate::model::plan::{Plan, Synthesis, TaskIx};
use crate::model::status::DecisionKind;
use crate::model::{Digest, Json, sentence, unstopped};

/// Tasks that a message about the final answer names.
const NAMED: usize = 12;

pub(super) enum FinalAnswer {
    Made(Json),
    /// In words for people; every task's output is kept.
    Failed(String),
    /// A model has been asked, or will be when there is room; what it says comes later.
    Asked,
    /// It would pass the budget; a person says whether it may.
    Held,
}

/// The leaves of a plan, in its order.
pub(super) struct Leaves {
    outputs: Vec<(String, Option<Json>)>,
    /// How many answers of its model were sent back before each of them.
    rejections: Vec<u32>,
    pub labels: Labels,
}

impl Leaves {
    fn object(&self) -> Map<String, Json> {
        let all = self.outputs.iter();
        all.map(|(id, output)| (id.clone(), output.clone().unwrap_or(Json::Null)))
            .collect()
    }
}

impl Driver {
    /// The answer of the run.
    pub(super) async fn final_answer(&mut self) -> Result<(FinalAnswer, Labels), DriveError> {
        let plan = self.state.plan.clone();
        let nodes: Vec<(TaskIx, Option<TaskIx>)> = plan
            .leaves()
            .map(|leaf| (leaf, self.state.find(plan.task(leaf).id.as_str())))
            .collect();
        let leaves = self.leaves(&plan, &nodes).await?;
        let labels = leaves.labels;
        if self.state.skips_answer {
            return Ok((FinalAnswer::Made(Json::Object(leaves.object())), labels));
        }
        let given = self.state.approved.as_ref().map(|a| a.parameters.clone());
        let given = given.unwrap_or_default();
        let answer = self.answer(Purpose::Answer(None), &plan, &leaves, &given).await?;
        Ok((answer, labels))
    }

    /// Each leaf of the plan with its node.
    pub(super) async fn leaves(
        &mut self,
        plan: &Plan,
        nodes: &[(TaskIx, Option<TaskIx>)],
    ) -> Result<Leaves, DriveError> {
        let mut leaves = Leaves {
            outputs: Vec::new(),
            rejections: Vec::new(),
            labels: Labels::default(),
        };
        for &(leaf, node) in nodes {
            let mut output = None;
            let rejections = node.map_or(0, |ix| self.state.task(ix).rejections);
            leaves.rejections.push(rejections);
            if let Some(ix) = node {
                leaves.labels = leaves.labels.join(self.state.task(ix).labels);
                if self.state.task(ix).output.is_some() {
                    output = Some(self.output_of(ix).await?);
                }
            }
            leaves.outputs.push((plan.task(leaf).id.to_string(), output));
        }
        Ok(leaves)
    }

    pub(super) async fn answer(
        &mut self,
        purpose: Purpose,
        plan: &Plan,
        leaves: &Leaves,
        given: &Map<String, Json>,
    ) -> Result<FinalAnswer, DriveError> {
        match &plan.synthesis {
            Synthesis::Leaves => Ok(FinalAnswer::Made(Json::Object(leaves.object()))),
            Synthesis::Template(source) => Ok(rendered(source, plan, leaves.object(), given)),
            Synthesis::Model { model, instruction } => {
                self.written_answer(purpose, plan, leaves, model, instruction)
                    .await
            }
        }
    }

    /// What a model wrote from the leaves; asks it if it has not said anything that can be taken.
    async fn written_answer(
        &mut self,
        purpose: Purpose,
        plan: &Plan,
        leaves: &Leaves,
        model: &str,
        instruction: &str,
    ) -> Result<FinalAnswer, DriveError> {
        if self.asides.is_asked(purpose) {
            return Ok(FinalAnswer::Asked);
        }
        let chain = match self.models.chain(model) {
            Ok(chain) => chain.into_iter().cloned().collect(),
            Err(error) => return Ok(FinalAnswer::Failed(error.to_string())),
        };
        let told: Vec<Leaf<'_>> = leaves
            .outputs
            .iter()
            .zip(&leaves.rejections)
            .map(|((task, output), &accepted_after_rejections)| Leaf {
                task,
                output: output.as_ref(),
                accepted_after_rejections,
            })
            .collect();
        let request = synthesizer::request(&Material {
            model,
            goal: plan.goal.as_deref(),
            instruction,
            leaves: &told,
        });
        if let (Purpose::Answer(None), Some((key, answer))) = (purpose, self.state.answered.clone())
            && key == key_of(&request)
        {
            // Nothing has changed since it was answered, in this run or in the one that it was forked from.
            let answer = load_recent(&self.store, &self.recent, &answer).await?;
            return Ok(FinalAnswer::Made(answer));
        }
        let rest = match self.tries_of(purpose, key_of(&request), chain).await? {
            Ok(answer) => return Ok(answer),
            Err(rest) => rest,
        };
        if let Purpose::Answer(Some(ix)) = purpose
            && (self.is_held_by_budget()
                || self.asides.count() >= self.max_parallel
                || !self.has_place_for(&rest))
        {
            self.asides.put_off(ix);
            return Ok(FinalAnswer::Asked);
        }
        match (self.ask_model(purpose, rest, request)?, purpose) {
            (true, _) => Ok(FinalAnswer::Asked),
            (false, Purpose::Answer(Some(ix))) => {
                self.asides.put_off(ix);
                Ok(FinalAnswer::Asked)
            }
            (false, Purpose::Answer(None) | Purpose::Replan) => Ok(FinalAnswer::Held),
        }
    }

    /// What came of asking the same before; else who is left to ask.
    async fn tries_of(
        &self,
        purpose: Purpose,
        key: Digest,
        chain: Vec<Entry>,
    ) -> Result<Result<FinalAnswer, Rest>, DriveError> {
        let calls = self.calls_for(purpose);
        let others = calls.iter().rev().take_while(|call| call.started.key == key);
        let first = calls.len() - others.count();
        let mut line = Line::new(chain);
        for call in &calls[first..] {
            let failed = match self.reply_of(call).await? {
                None => continue,
                Some(Err(error)) => Failed {
                    error,
                    retry_after_ms: None,
                },
                Some(Ok(reply)) => match synthesizer::read(&reply) {
                    Ok(text) => return Ok(Ok(FinalAnswer::Made(Json::String(text)))),
                    Err(failed) => failed,
                },
            };
            line.failed(&call.started.tool, failed);
        }
        Ok(line
            .rest()
            .map_or_else(|failed| Ok(FinalAnswer::Failed(failed.error.message)), Err))
    }

    /// All tasks are done, but there is no answer: a person says how the run ends.
    pub(super) fn ask_unanswered(&mut self, message: &str) -> Result<(), DriveError> {
        let question = sentence([
            format!("The final answer could not be made: {message}").as_str(),
            "Every task's output is kept",
        ]);
        let opened: DecisionOpened = self.draft(DecisionKind::Blocked, question);
        self.open_of_run(opened)
    }
}

fn rendered(source: &str, plan: &Plan, leaves: Map<String, Json>, given: &Map<String, Json>) -> FinalAnswer {
    let mut known = leaves.clone();
    let names: Vec<String> = leaves
        .keys()
        .take(NAMED)
        .map(|name| format!("`{name}`"))
        .collect();
    known.insert("outputs".to_owned(), Json::Object(leaves));
    let goal = plan.goal.clone().map_or(Json::Null, Json::String);
    known.insert("goal".to_owned(), goal);
    known.insert("parameters".to_owned(), parameters(plan, given));
    match expr::render(source, known.iter().map(|(n, v)| (n.as_str(), v))) {
        Ok(text) => FinalAnswer::Made(Json::String(text)),
        Err(error) => FinalAnswer::Failed(format!(
            "the synthesis template failed: {}; `outputs` holds the tasks that nothing depends on: {}",
            unstopped(&error.to_string()),
            names.join(", ")
        )),
    }
}

/// Every parameter of the plan: as given, else its default.
fn parameters(plan: &Plan, given: &Map<String, Json>) -> Json {
    let mut all = Map::new();
    for (name, schema) in &plan.parameters {
        let value = given.get(name).or_else(|| schema.get("default")).cloned();
        all.insert(name.clone(), value.unwrap_or(Json::Null));
    }
    Json::Object(all)
}
