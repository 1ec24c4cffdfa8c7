//! Drives the planning of one draft: asks the planner, records each question before it is asked and each reply before
//! anything follows from it, and goes on where the log ends. It must not know what a planner's answer looks like.

mod asking;

use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::asides::failure;
use super::budget::{raised, wanted};
use super::chain::{Place, place};
use super::clock::Clock;
use super::driver::summary_of;
use super::inputs::load;
use super::redact::Redactor;
use crate::agents::planner::{self, Brief, Form, Planned, Step, Turn};
use crate::llm::{Entry, Models, Outcome, Reply, Request};
use crate::model::decision::word;
use crate::model::events::{
    CallOutcome, Change, DecisionOpened, EventBody, Failure, FailureClass, GoalGiven, NewEvent, PlanRevised,
    PlanningEnded, PlanningOutcome, RunFinished,
};
use crate::model::grants::{self, Labels};
use crate::model::ledger::{Cap, Reserve};
use crate::model::plan::RetryPolicy;
use crate::model::problem::Severity;
use crate::model::state::{Call, Illegal, Planning, RunState};
use crate::model::status::{DecisionKind, RunStatus, TaskStatus};
use crate::model::tool::{Catalog, ToolSpec};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Digest, DraftPlan, Json, RunId, Seq, Setting, digest, title};
use crate::store::{Append, Durability, Guard, Lease, RunKey, Store, StoreError, Summary};

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

/// How often a batch is offered anew when the log moves under it.
const TRIES: u32 = 20;
/// Questions after which planning ends whatever came of them; what can come of answers that help needs far fewer.
const MOST_ASKED: usize = 64;

struct Driver {
    launch: PlanLaunch,
    given: GoalGiven,
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
    redactor.add_keys(&launch.models);
    let mut driver = Driver {
        catalog: Catalog::new(tools.iter().cloned()),
        tools,
        given,
        epoch,
        launch,
        redactor,
        asked: None,
        tasks: 0,
    };
    driver.drive().await
}

/// The tools that may be used, sorted by name.
pub fn tools_of(catalog: &Catalog, allowed: Option<&[String]>) -> Vec<Arc<ToolSpec>> {
    let may = |tool: &&Arc<ToolSpec>| allowed.is_none_or(|names| names.contains(&tool.name));
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
            let (entry, fails) = match &at {
                Place::Ask { at, fails } => (&chain[(*at).min(chain.len() - 1)], *fails),
                Place::Over(_) => (&chain[0], 0),
            };
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

    fn planning(&self) -> Option<&Planning> {
        self.launch.state.open_planning()
    }

    fn next(&self, entry: &Entry, turns: &[Turn]) -> Step {
        let setting = Setting {
            catalog: &self.catalog,
            place: &self.launch.place,
            has_models: true,
        };
        let form = if entry.bears_tuples {
            Form::Tuple
        } else {
            Form::Strict
        };
        let brief = Brief {
            model: &entry.name,
            goal: &self.given.goal,
            tools: &self.tools,
            parameters: &self.given.parameters,
            grants: &self.given.grants,
            budget: &self.given.budget,
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
            // Answers that were cut are why it failed.
            if ix < forgotten && matches!(reply.outcome, Outcome::Cut(_)) {
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

    fn question_about(&self, call: Digest) -> Option<&crate::model::state::Decision> {
        let decisions = self.launch.state.decisions.iter();
        let mut about = decisions.filter(|d| d.kind == DecisionKind::Question && d.task.is_none());
        about.find(|d| d.binds == Some(call))
    }

    /// Bound to the reply that it is asked in.
    async fn question(
        &mut self,
        calls: &[Call],
        question: String,
        form: Json,
    ) -> Result<PlanRest, PlanningError> {
        let answered = calls.iter().rev().find(|call| call.has_result());
        let key = answered.map(|call| call.started.key);
        if key.is_some_and(|key| self.question_about(key).is_some()) {
            return Ok(PlanRest::Asks);
        }
        let opened = DecisionOpened {
            form: Some(form),
            binds: key,
            ..self.decision(DecisionKind::Question, question)
        };
        self.append(vec![opened.into()], Vec::new()).await?;
        Ok(PlanRest::Asks)
    }

    fn decision(&self, kind: DecisionKind, question: String) -> DecisionOpened {
        DecisionOpened {
            decision: self.launch.state.next_decision(),
            kind,
            question,
            form: None,
            binds: None,
            needs: Vec::new(),
            about: None,
            may_replan: false,
        }
    }

    /// Takes in what a person has said in the meantime, and what becomes of the planning then.
    async fn heed(&mut self) -> Result<Option<PlanRest>, PlanningError> {
        let Some(planning) = self.planning() else {
            return Ok(Some(PlanRest::Stopped));
        };
        if planning.epoch != self.epoch {
            return Ok(Some(PlanRest::Interrupted));
        }
        if self.launch.state.cancel_requested {
            let finished = RunFinished {
                state: RunStatus::Cancelled,
                output: None,
                error: None,
                labels: Labels::default(),
            };
            self.append(vec![finished.into()], Vec::new()).await?;
            return Ok(Some(PlanRest::Stopped));
        }
        let is_ending = self.launch.shutdown.is_cancelled();
        Ok(is_ending.then_some(PlanRest::Interrupted))
    }

    /// Whether the call may be made; else a person is asked, once.
    async fn can_afford(&mut self, next: Reserve) -> Result<bool, PlanningError> {
        let state = &self.launch.state;
        if state.ledger.asked.is_some() {
            return Ok(false);
        }
        let Some(wanted) = wanted(state, next, 0) else {
            return Ok(true);
        };
        let (about, payload) = ValueRef::of(&wanted.about);
        let opened = DecisionOpened {
            binds: Some(wanted.binds),
            about: Some(about),
            ..self.decision(DecisionKind::Budget, wanted.question)
        };
        self.append(vec![opened.into()], payload.into_iter().collect())
            .await?;
        Ok(false)
    }

    /// The consequence of an answer about the budget. True: something has changed.
    async fn settle_budget(&mut self) -> Result<bool, PlanningError> {
        let state = &self.launch.state;
        let asked = state.ledger.asked.as_ref().and_then(|id| state.decision(id));
        let Some((about, answer)) = asked.and_then(|d| Some((d.about.clone(), d.answer.clone()?))) else {
            return Ok(false);
        };
        let body: EventBody = if word(&answer).as_deref() == Some("stop") {
            ended(PlanningOutcome::Stopped, Vec::new()).into()
        } else {
            let cap: Cap = state.cap();
            let answer = load(&self.launch.store, &answer).await?;
            let about = match &about {
                Some(about) => load(&self.launch.store, about).await?,
                None => Json::Null,
            };
            raised(cap, &about, &answer).into()
        };
        self.append(vec![body], Vec::new()).await?;
        Ok(true)
    }

    async fn fail(&mut self, error: Failure) -> Result<PlanRest, PlanningError> {
        let how = PlanningOutcome::Failed(error.clone());
        self.append(vec![ended(how, Vec::new()).into()], Vec::new())
            .await?;
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
        let (revised, payload) = self.revised(&planned.draft);
        self.tasks = planned.draft.task_count();
        let ended = ended(how, planned.notes);
        self.append(vec![revised.into(), ended.into()], payload.into_iter().collect())
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

    /// Takes in what others have appended: answers and requests.
    async fn take_in(&mut self) -> Result<(), PlanningError> {
        let launch = &mut self.launch;
        let seq = launch.state.seq;
        let events = launch
            .store
            .events(&launch.run, seq, Seq::MAX, usize::MAX)
            .await?;
        for event in events {
            launch.state.apply(&event)?;
        }
        Ok(())
    }

    /// Appends to the log as it was seen, on disk before anything follows; anew where it has moved, as long as the
    /// planning is still this process's.
    async fn append(
        &mut self,
        bodies: Vec<EventBody>,
        payloads: Vec<NewPayload>,
    ) -> Result<bool, PlanningError> {
        let mut moved = None;
        for _ in 0..TRIES {
            let is_mine = self.planning().is_some_and(|p| p.epoch == self.epoch);
            if !is_mine {
                return Ok(false);
            }
            let at_ms = self.launch.clock.now_ms();
            let event = |body: &EventBody| NewEvent {
                at_ms,
                task: None,
                body: body.clone(),
            };
            let events: Vec<NewEvent> = bodies.iter().map(event).collect();
            let mut after = self.launch.state.clone();
            for event in &events {
                after.apply(&event.clone().at(after.seq + 1))?;
            }
            let append = Append {
                run: self.launch.key,
                guard: Guard::Head(self.launch.state.seq),
                events,
                payloads: payloads.clone(),
                durability: Durability::Disk,
                summary: Some(self.summary(&after)),
            };
            match self.launch.store.append(append).await {
                Ok(_) => {
                    self.launch.state = after;
                    return Ok(true);
                }
                Err(error @ StoreError::Moved { .. }) => {
                    moved = Some(error);
                    self.take_in().await?;
                }
                Err(error) => return Err(error.into()),
            }
        }
        Err(moved.unwrap_or(StoreError::Closed).into())
    }

    fn summary(&self, state: &RunState) -> Summary {
        let goal = self.given.goal.as_str();
        let title = title::of(state.path.as_deref(), Some(goal));
        let mut summary = summary_of(state, &title, Some(goal));
        summary.counts = vec![0; TaskStatus::ALL.len()];
        summary.counts[TaskStatus::Pending.index()] = u32::try_from(self.tasks).unwrap_or(u32::MAX);
        summary.cap = state
            .planning
            .as_ref()
            .map_or(summary.cap, |p| state.ledger.cap(&p.budget));
        summary
    }
}

/// Nothing else has ended it, so this does.
fn too_often(calls: &[Call]) -> Failure {
    let last = calls.iter().rev().find_map(|call| match &call.outcome {
        Some(CallOutcome::Error(error)) => Some(format!(" The last failure: {}", error.message)),
        Some(CallOutcome::Result(_)) | None => None,
    });
    let message = format!(
        "The planner was asked {} times and no plan came of it; it is asked no more.{}",
        calls.len(),
        last.unwrap_or_default()
    );
    failure(FailureClass::Permanent, "asked_too_often", &message)
}

fn ended(how: PlanningOutcome, notes: Vec<String>) -> PlanningEnded {
    PlanningEnded { how, notes }
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
