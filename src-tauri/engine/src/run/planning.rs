//! Drives the planning of one draft: asks the planner, records each question before it is asked and each reply before
//! anything follows from it, and goes on where the log ends. It must not know what a planner's answer looks like.

mod asking;
mod deciding;
mod doors;
mod editing;
mod log;
mod waiting;

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

pub use doors::Doors;

use super::asides::failure;
use super::chain::{Place, place};
use super::clock::Clock;
use super::growing::Growing;
use super::inputs::load;
use super::redact::add_keys;
use crate::agents::planner::{self, Brief, Form, Planned, Revising, Step, Turn};
use crate::llm::{Entry, Models, Outcome, Reply, Request};
use crate::model::counted;
use crate::model::events::{
    CallOutcome, Change, Failure, FailureClass, GoalGiven, PlanRevised, PlanningOutcome,
};
use crate::model::grants;
use crate::model::plan::RetryPolicy;
use crate::model::problem::Severity;
use crate::model::redactor::Redactor;
use crate::model::state::{Call, Illegal, Planning, RunState};
use crate::model::tool::{Catalog, ToolSpec};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{DraftPlan, Json, RunId, Setting, digest};
use crate::store::{Lease, RunKey, Store, StoreError};
use doors::Way;

/// What planning needs to begin, or to go on.
pub struct PlanLaunch {
    pub run: RunId,
    pub key: RunKey,
    /// Held as long as this process plans.
    pub lease: Lease,
    /// At the end of the log, which somebody of this process has just resumed.
    pub state: RunState,
    pub store: Store,
    pub models: Models,
    /// All tools that there are.
    pub catalog: Catalog,
    pub place: grants::Place,
    pub clock: Clock,
    pub doors: Doors,
    /// Where the answer is told of while it grows.
    pub growing: Growing,
    /// Lets the planning be, to be gone on with later.
    pub shutdown: CancellationToken,
}

/// Why the planner is not asked any more for now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlanRest {
    /// The plan is there; whether it has errors, the draft says.
    Planned,
    /// A person has to answer first.
    Asks,
    Failed(Failure),
    /// A person stopped it.
    Stopped,
    /// This process is to end, or another one goes on with it.
    Interrupted,
}

/// Why planning could not go on. What was recorded is kept.
#[derive(Debug, thiserror::Error)]
pub enum PlanningError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the log does not fit the planning: {0}. Nothing was recorded.")]
    Illegal(#[from] Illegal),
}

/// Questions after which planning ends whatever came of them; what can come of answers that help needs far fewer.
const MOST_ASKED: usize = 64;

struct Driver {
    launch: PlanLaunch,
    given: GoalGiven,
    /// Set where no new plan is wanted but this one changed; what is given says how.
    base: Option<DraftPlan>,
    tools: Vec<Arc<ToolSpec>>,
    /// Of the tools that may be used, and no others.
    catalog: Catalog,
    /// How often the planning had been resumed when this process took it up.
    epoch: u32,
    /// Takes secrets out of what comes back, before it is stored.
    redactor: Redactor,
    /// How long the provider asked to wait, by its last reply.
    asked: Option<std::time::Duration>,
    /// Tasks of the newest revision.
    tasks: usize,
}

/// Plans until nothing more can go on without a person, or the plan is there.
pub async fn plan(launch: PlanLaunch) -> Result<PlanRest, PlanningError> {
    let Some(planning) = launch.state.open_planning() else {
        return Ok(PlanRest::Planned);
    };
    let (given, epoch) = (planning.given.clone(), planning.epoch);
    let tools = tools_of(&launch.catalog, given.tools.as_deref());
    let mut redactor = Redactor::default();
    add_keys(&mut redactor, &launch.models);
    let chain = launch.models.chain(&given.model).unwrap_or_default();
    let chain: Vec<Entry> = chain.into_iter().cloned().collect();
    launch.doors.knock(&chain, launch.clock.now_ms());
    let base = editing::base(&launch).await?;
    let mut driver = Driver {
        tasks: base.as_ref().map_or(0, DraftPlan::task_count),
        base,
        catalog: launch.catalog.only(tools.iter().cloned()),
        tools,
        given,
        epoch,
        launch,
        redactor,
        asked: None,
    };
    driver.drive().await
}

/// The tools that may be used, sorted by name. Programs are run only where a person has named the tool for it, and only
/// where it can be.
pub fn tools_of(catalog: &Catalog, allowed: Option<&[String]>) -> Vec<Arc<ToolSpec>> {
    let may = |tool: &&Arc<ToolSpec>| match allowed {
        None => !tool.runs_programs(),
        Some(names) => names.contains(&tool.name) && catalog.why_off(&tool.name).is_none(),
    };
    catalog.iter().filter(may).cloned().collect()
}

impl Driver {
    async fn drive(&mut self) -> Result<PlanRest, PlanningError> {
        loop {
            self.take_in().await?;
            if let Some(rest) = self.heed().await? {
                return Ok(rest);
            }
            if self.settle_budget().await? {
                continue;
            }
            let Some(planning) = self.planning() else {
                return Ok(PlanRest::Stopped);
            };
            let (calls, forgotten) = (planning.calls.clone(), planning.forgotten);
            let chain: Vec<Entry> = match self.launch.models.chain(&self.given.model) {
                Ok(chain) => chain.into_iter().cloned().collect(),
                Err(error) => {
                    let error = failure(FailureClass::Permanent, "unknown_model", &error.to_string());
                    return self.fail(error).await;
                }
            };
            let turns = self.turns(&calls, forgotten).await?;
            let recent = &calls[forgotten..];
            let at = place(recent, &chain, RetryPolicy::default().max_attempts);
            let (mut entry, mut fails) = match &at {
                Place::Ask { at, fails } => (&chain[(*at).min(chain.len() - 1)], *fails),
                Place::Over(_) => (&chain[0], 0),
            };
            let way = self.way_from(&at, &chain);
            match &way {
                Some(Way::Ask {
                    entry: other,
                    is_other: true,
                }) => (entry, fails) = (other, 0),
                Some(Way::Wait { provider, until_ms }) => {
                    self.wait_at_door(provider, *until_ms).await?;
                    continue;
                }
                Some(Way::Ask { .. }) | None => {}
            }
            let step = self.next(entry, &turns);
            let rest = match (step, at) {
                (Step::Ask(_), Place::Over(error)) => Some(self.fail(error).await?),
                (Step::Ask(_), Place::Ask { .. }) if recent.len() >= MOST_ASKED => {
                    Some(self.fail(too_often(recent)).await?)
                }
                (Step::Ask(request), Place::Ask { .. }) => self.ask(entry, *request, fails).await?,
                (Step::Question { question, form }, _) => Some(self.question(&calls, question, form).await?),
                (Step::Planned(planned), _) => Some(self.finish(*planned).await?),
                (Step::Failed(failed), _) => Some(self.fail(failed.error).await?),
            };
            if let Some(rest) = rest {
                return Ok(rest);
            }
        }
    }

    /// Whom of those that are left the providers let be asked.
    fn way_from(&self, at: &Place, chain: &[Entry]) -> Option<Way> {
        match at {
            Place::Ask { at, .. } => {
                let left = &chain[(*at).min(chain.len() - 1)..];
                self.launch.doors.way(left, self.launch.clock.now_ms())
            }
            Place::Over(_) => None,
        }
    }

    fn planning(&self) -> Option<&Planning> {
        self.launch.state.open_planning()
    }

    fn next(&self, entry: &Entry, turns: &[Turn]) -> Step {
        let setting = Setting {
            catalog: &self.catalog,
            place: &self.launch.place,
            has_models: true,
        };
        // The small form can't name the tasks of a plan that is there.
        let form = if entry.bears_tuples && self.base.is_none() {
            Form::Tuple
        } else {
            Form::Strict
        };
        let brief = Brief {
            model: &entry.name,
            goal: self.goal().unwrap_or_default(),
            tools: &self.tools,
            parameters: match &self.base {
                Some(base) => base.document().get("parameters").unwrap_or(&Json::Null),
                None => &self.given.parameters,
            },
            grants: &self.given.grants,
            budget: &self.given.budget,
            revising: self.base.as_ref().map(|base| Revising {
                base,
                wanted: &self.given.goal,
            }),
            may_ask: self.given.may_ask,
            form,
            setting: &setting,
            most_output: entry.limits.max_output_tokens,
            is_small: self.is_too_large_for(entry),
        };
        planner::next(&brief, turns)
    }

    /// The whole and the cut answers, each with what a person answered to it.
    async fn turns(&self, calls: &[Call], forgotten: usize) -> Result<Vec<Turn>, PlanningError> {
        let mut turns = Vec::new();
        for (ix, call) in calls.iter().enumerate() {
            let Some(CallOutcome::Result(value)) = &call.outcome else {
                continue;
            };
            let value = load(&self.launch.store, value).await?;
            let Ok(reply) = serde_json::from_value::<Reply>(value) else {
                continue;
            };
            // Answers that were cut or could not be read are why it failed.
            let has_answer = matches!(reply.outcome, Outcome::Complete(_));
            if ix < forgotten && !has_answer {
                continue;
            }
            let answers = match self
                .question_about(call.started.key)
                .and_then(|d| d.answer.as_ref())
            {
                Some(answer) => Some(load(&self.launch.store, answer).await?),
                None => None,
            };
            turns.push(Turn { reply, answers });
        }
        Ok(turns)
    }

    async fn fail(&mut self, error: Failure) -> Result<PlanRest, PlanningError> {
        let ended = self.ended(PlanningOutcome::Failed(error.clone()), Vec::new());
        self.append(vec![ended], Vec::new()).await?;
        Ok(PlanRest::Failed(error))
    }

    /// The plan becomes the draft's newest revision.
    async fn finish(&mut self, planned: Planned) -> Result<PlanRest, PlanningError> {
        let has_errors = planned.problems.iter().any(|p| p.severity == Severity::Error);
        let how = if has_errors {
            PlanningOutcome::Unmended
        } else {
            PlanningOutcome::Planned
        };
        if self.base.is_some() {
            return self.propose(how, planned).await;
        }
        let (revised, payload) = self.revised(&planned.draft);
        self.tasks = planned.draft.task_count();
        let ended = self.ended(how, planned.notes);
        self.append(vec![revised.into(), ended], payload.into_iter().collect())
            .await?;
        Ok(PlanRest::Planned)
    }

    fn revised(&self, draft: &DraftPlan) -> (PlanRevised, Option<NewPayload>) {
        let (document, payload) = ValueRef::of_text(draft.to_text());
        let revised = PlanRevised {
            revision: self.launch.state.revision + 1,
            digest: digest::of_document(draft),
            change: Change::Document(document),
            signed: None,
        };
        (revised, payload)
    }
}

/// Nothing else has ended it, so this does.
fn too_often(calls: &[Call]) -> Failure {
    let last = calls.iter().rev().find_map(|call| match &call.outcome {
        Some(CallOutcome::Error(error)) => Some(format!(" The last failure: {}", error.message)),
        Some(CallOutcome::Result(_)) | None => None,
    });
    let message = format!(
        "The planner was asked {} and no plan came of it; it is asked no more.{}",
        counted(calls.len(), "time"),
        last.unwrap_or_default()
    );
    failure(FailureClass::Permanent, "asked_too_often", &message)
}

/// The document that a log with a goal begins with: everything that the person gave, and no task.
pub fn first_document(given: &GoalGiven) -> DraftPlan {
    let mut document = json!({ "version": 1, "goal": given.goal });
    for (name, value) in [
        ("parameters", &given.parameters),
        ("grants", &given.grants),
        ("budget", &given.budget),
    ] {
        if !value.is_null() {
            document[name] = value.clone();
        }
    }
    document["tasks"] = json!([]);
    DraftPlan::parse(&document.to_string()).unwrap_or_else(|_| DraftPlan::empty())
}
