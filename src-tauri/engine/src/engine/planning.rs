//! From a goal to a draft: opens the run that its log begins with, and plans on where that log ends.

use std::path::PathBuf;

use serde::Serialize;
use tokio_util::sync::CancellationToken;

use super::drafts::{CachedDraft, Opening};
use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::llm::{Outcome, Reply, Role, Usage};
use crate::model::events::{
    CallOutcome, GoalGiven, NewEvent, PlanningEnded, PlanningOutcome, PlanningResumed,
};
use crate::model::problem::{Code, Problem, Severity};
use crate::model::state::{Call, Planning, RunState};
use crate::model::status::RunStatus;
use crate::model::tool::Catalog;
use crate::model::{DraftPlan, Json, RunId, Setting, digest};
use crate::run::{END, PlanLaunch, PlanRest, PlanningError, first_document, summary_of};
use crate::store::{Append, Durability, Guard, StoreError};

/// The largest goal, in bytes.
const LARGEST_GOAL: usize = 256 * 1024;
/// How often planning is taken up anew when the log moves under it.
const TRIES: u32 = 20;

/// What a plan is wanted for.
#[derive(Clone, Debug)]
pub struct Goal {
    pub text: String,
    /// Names of the tools that the plan may use; `None`: all.
    pub tools: Option<Vec<String>>,
    /// As in a plan: name → JSON Schema. Null: none.
    pub parameters: Json,
    /// As in a plan; what is granted whatever the planner asks for. Null: nothing.
    pub grants: Json,
    /// As in a plan; planning counts too. Null: none.
    pub budget: Json,
    /// Whether the planner may ask back.
    pub may_ask: bool,
    /// A role or `provider/model`; `None`: the role `planner`.
    pub model: Option<String>,
    /// The plan file that is to be: relative paths of the plan lie in its folder. It is not written here.
    pub path: Option<PathBuf>,
}

impl Goal {
    /// With all tools, asking back where it is unclear.
    pub fn new(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            tools: None,
            parameters: Json::Null,
            grants: Json::Null,
            budget: Json::Null,
            may_ask: true,
            model: None,
            path: None,
        }
    }
}

/// How the plan of a run came to be.
#[derive(Clone, Debug, Serialize)]
pub struct PlanningShown {
    pub goal: String,
    /// `open`, `planned`, `unmended`, `failed` or `stopped`.
    pub state: &'static str,
    /// Why there is no plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub notes: Vec<String>,
    /// Every question to the planner with its answer as it came, oldest first.
    pub calls: Vec<PlannerCall>,
}

#[derive(Clone, Debug, Serialize)]
pub struct PlannerCall {
    pub model: String,
    /// The word of its outcome, such as `complete` or `cut`; `error`, or `open`.
    pub outcome: &'static str,
    /// Raw, as the planner gave it; the arguments where it called something.
    pub answer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    pub usage: Usage,
}

impl Engine {
    /// Opens the run whose log begins with the goal. Nothing is asked yet, and without a model nothing is opened.
    pub async fn open_goal(&self, goal: Goal) -> Result<RunId, Error> {
        let given = self.given(&goal)?;
        let first = first_document(&given);
        let path = goal.path.map(|path| std::path::absolute(&path).unwrap_or(path));
        let shown = path.map(|path| path.to_string_lossy().into_owned());
        let place = self.inner.around.place(&RunId::from("new"), shown.as_deref());
        let problems = first.problems_in(&self.inner.around.setting(&place));
        let wrong: Vec<Problem> = problems.into_iter().filter(is_of_the_person).collect();
        if !wrong.is_empty() {
            return Err(Error::Problems { problems: wrong });
        }
        let mut opening = self
            .begin(first.to_text(), digest::of_document(&first), shown)
            .await?;
        let at_ms = self.now_ms();
        opening.events.insert(
            1,
            NewEvent {
                at_ms,
                task: None,
                body: given.into(),
            },
        );
        self.commit_goal(opening, &first).await
    }

    async fn commit_goal(&self, opening: Opening, first: &DraftPlan) -> Result<RunId, Error> {
        let run = opening.run.clone();
        self.commit_opening(opening, first).await?;
        Ok(run)
    }

    fn given(&self, goal: &Goal) -> Result<GoalGiven, Error> {
        let text = goal.text.trim();
        if text.is_empty() {
            return Err(Error::invalid("no_goal", "a goal needs words; nothing was asked"));
        }
        if text.len() > LARGEST_GOAL {
            let message = format!("the goal is longer than {LARGEST_GOAL} bytes; nothing was asked");
            return Err(Error::invalid("too_large", message));
        }
        let model = goal
            .model
            .clone()
            .unwrap_or_else(|| Role::Planner.word().to_owned());
        if let Err(error) = self.models().find(&model) {
            return Err(Error::invalid("no_model", error.to_string()));
        }
        let is_known = |name: &&String| self.inner.around.catalog.get(name).is_none();
        if let Some(name) = goal.tools.iter().flatten().find(is_known) {
            let known: Vec<&str> = self
                .inner
                .around
                .catalog
                .iter()
                .map(|t| t.name.as_str())
                .collect();
            let message = format!("there is no tool {name}; there are: {}", known.join(", "));
            return Err(Error::invalid("unknown_tool", message));
        }
        Ok(GoalGiven {
            goal: text.to_owned(),
            by: self.face(),
            tools: goal.tools.clone(),
            may_ask: goal.may_ask,
            model,
            parameters: goal.parameters.clone(),
            grants: goal.grants.clone(),
            budget: goal.budget.clone(),
        })
    }

    /// Opens and plans. The run is there whatever comes of it.
    pub async fn plan(&self, goal: Goal, cancel: &CancellationToken) -> Result<(RunId, PlanRest), Error> {
        let run = self.open_goal(goal).await?;
        let rest = Box::pin(self.plan_on(&run, cancel)).await?;
        Ok((run, rest))
    }

    /// Plans on where the log ends, until the plan is there or a person has to answer. Nothing is asked twice, and
    /// nothing happens where no planning is open. With `cancel` it is left to be gone on with.
    pub async fn plan_on(&self, run: &RunId, cancel: &CancellationToken) -> Result<PlanRest, Error> {
        self.plan_on_with(run, cancel, false).await
    }

    /// The same; planning that failed is taken up again too, with all answers that it got. Only its failure is forgotten.
    pub async fn plan_again(
        &self,
        run: &RunId,
        cancel: &CancellationToken,
        by_force: bool,
    ) -> Result<PlanRest, Error> {
        self.keep_planning(run, cancel, by_force, true).await
    }

    /// The same; by force, a live but stopped owner loses the planning, and what it still asks comes to nothing.
    pub async fn plan_on_with(
        &self,
        run: &RunId,
        cancel: &CancellationToken,
        by_force: bool,
    ) -> Result<PlanRest, Error> {
        self.keep_planning(run, cancel, by_force, false).await
    }

    async fn keep_planning(
        &self,
        run: &RunId,
        cancel: &CancellationToken,
        by_force: bool,
        after_failure: bool,
    ) -> Result<PlanRest, Error> {
        for _ in 0..TRIES {
            match Box::pin(self.try_plan(run, cancel, by_force, after_failure)).await {
                Err(Error::Conflict { code: "moved", .. }) => {}
                other => return other,
            }
        }
        Err(Error::conflict(
            "moved",
            "the plan keeps changing under this request; try again",
        ))
    }

    async fn try_plan(
        &self,
        run: &RunId,
        cancel: &CancellationToken,
        by_force: bool,
        after_failure: bool,
    ) -> Result<PlanRest, Error> {
        let owner = &self.inner.owner;
        let lease = self.inner.store.take_lease(run, owner, by_force).await?;
        let mut loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        super::carrying::refuse_imported(run, &loaded.state)?;
        let is_fresh = match loaded.state.open_planning() {
            Some(planning) => planning.calls.is_empty() && planning.epoch == 0,
            None if after_failure && loaded.state.may_plan_again() => false,
            None => return Ok(rest_of(&loaded.state)),
        };
        if !is_fresh {
            self.resume_planning(&mut loaded).await?;
        }
        let shutdown = self.inner.is_closing.child_token();
        let launch = PlanLaunch {
            run: run.clone(),
            key: loaded.record.key,
            lease,
            state: loaded.state,
            store: self.inner.store.clone(),
            models: (*self.models()).clone(),
            catalog: self.inner.around.catalog.clone(),
            place: loaded.place,
            clock: self.inner.clock,
            shutdown: shutdown.clone(),
        };
        let planning = Box::pin(crate::run::plan(launch));
        tokio::pin!(planning);
        loop {
            tokio::select! {
                rest = &mut planning => return Ok(rest?),
                () = cancel.cancelled(), if !shutdown.is_cancelled() => shutdown.cancel(),
            }
        }
    }

    /// From here on it is this process's; questions that were under way are lost with whoever asked them.
    async fn resume_planning(&self, loaded: &mut Loaded) -> Result<(), Error> {
        let event = NewEvent {
            at_ms: self.now_ms(),
            task: None,
            body: PlanningResumed { by: self.face() }.into(),
        };
        let state = &mut loaded.state;
        let head = state.seq;
        state
            .apply(&event.clone().at(head + 1))
            .map_err(load::LoadError::from)?;
        let goal = loaded.goal.as_deref();
        let title = crate::model::title::of(state.path.as_deref(), goal);
        let append = Append {
            run: loaded.record.key,
            guard: Guard::Head(head),
            events: vec![event],
            payloads: Vec::new(),
            durability: Durability::Disk,
            summary: Some(summary_of(state, &title, goal)),
        };
        self.inner.store.append(append).await?;
        Ok(())
    }

    /// Who edits a plan that nobody plans on takes it into their own hands; while a planner is asked, it is the
    /// planner's.
    pub(super) fn take_from_planner(&self, cached: &mut CachedDraft) -> Result<Option<NewEvent>, Error> {
        if !cached.is_planning {
            return Ok(None);
        }
        if self.inner.store.holder(&cached.run).is_some() {
            return Err(Error::conflict(
                "planning",
                "a planner is making this plan; wait for it, or stop it first. The edit was not made.",
            ));
        }
        cached.is_planning = false;
        cached.open_decisions = 0;
        let ended = PlanningEnded {
            how: PlanningOutcome::Stopped,
            notes: vec!["A person went on by hand.".to_owned()],
        };
        Ok(Some(NewEvent {
            at_ms: self.now_ms(),
            task: None,
            body: ended.into(),
        }))
    }

    /// What speaks against the plan as the planner left it, judged by what the goal allows: with errors wherever it could
    /// not do better. Empty once a person has changed the plan, which is then judged like any other.
    pub async fn left_unmended(&self, run: &RunId) -> Result<Vec<Problem>, Error> {
        let state = self.state(run, END).await?;
        let Some((planning, PlanningOutcome::Unmended)) = state.planned_draft() else {
            return Ok(Vec::new());
        };
        let cached = self.cached(run).await?;
        let tools = crate::run::tools_of(&self.inner.around.catalog, planning.given.tools.as_deref());
        let catalog = Catalog::new(tools);
        let setting = Setting {
            catalog: &catalog,
            ..self.inner.around.setting(&cached.place)
        };
        let mut problems = cached.drafting.plan.problems_in(&setting);
        let is_missing = |p: &Problem| p.code == Code::UnknownTool;
        let whole = cached
            .drafting
            .plan
            .problems_in(&self.inner.around.setting(&cached.place));
        let is_there = |p: &&mut Problem| {
            is_missing(p) && !whole.iter().any(|w| is_missing(w) && w.pointer == p.pointer)
        };
        for problem in problems.iter_mut().filter(is_there) {
            problem.message = problem
                .message
                .replace("which is not set up", "which the goal does not allow");
        }
        if !problems.iter().any(|p| p.severity == Severity::Error) {
            problems.push(unmended());
        }
        Ok(problems)
    }

    /// How the plan came to be; `None` where the log does not begin with a goal.
    pub async fn planning(&self, run: &RunId) -> Result<Option<PlanningShown>, Error> {
        let state = self.state(run, END).await?;
        let Some(planning) = &state.planning else {
            return Ok(None);
        };
        let mut calls = Vec::new();
        for call in &planning.calls {
            calls.push(self.planner_call(call).await?);
        }
        let (word, error, notes) = how(planning, state.status);
        Ok(Some(PlanningShown {
            goal: planning.given.goal.clone(),
            state: word,
            error,
            notes,
            calls,
        }))
    }

    async fn planner_call(&self, call: &Call) -> Result<PlannerCall, Error> {
        let mut shown = PlannerCall {
            model: call.started.tool.clone(),
            outcome: "open",
            answer: String::new(),
            error: None,
            usage: Usage::default(),
        };
        match &call.outcome {
            None => {}
            Some(CallOutcome::Error(error)) => {
                shown.outcome = "error";
                shown.error = Some(error.message.clone());
            }
            Some(CallOutcome::Result(value)) => {
                let value = crate::run::load(&self.inner.store, value).await?;
                if let Ok(reply) = serde_json::from_value::<Reply>(value) {
                    shown.outcome = reply.outcome.word();
                    shown.usage = reply.usage;
                    shown.answer = said(&reply.outcome);
                }
            }
        }
        Ok(shown)
    }
}

/// The raw text, or the arguments of what was called instead.
fn said(outcome: &Outcome) -> String {
    let (Outcome::Complete(answer) | Outcome::Cut(answer)) = outcome else {
        return String::new();
    };
    if !answer.text.is_empty() {
        return answer.text.clone();
    }
    let calls: Vec<&str> = answer.calls.iter().map(|call| call.arguments.as_str()).collect();
    calls.join("\n")
}

fn how(planning: &Planning, status: RunStatus) -> (&'static str, Option<String>, Vec<String>) {
    let Some(ended) = &planning.ended else {
        let is_open = planning.is_open() && status == RunStatus::AwaitingApproval;
        return (if is_open { "open" } else { "stopped" }, None, Vec::new());
    };
    let notes = ended.notes.clone();
    match &ended.how {
        PlanningOutcome::Planned => ("planned", None, notes),
        PlanningOutcome::Unmended => ("unmended", None, notes),
        PlanningOutcome::Failed(error) => ("failed", Some(error.message.clone()), notes),
        PlanningOutcome::Stopped => ("stopped", None, notes),
    }
}

fn rest_of(state: &RunState) -> PlanRest {
    let ended = state
        .planning
        .as_ref()
        .and_then(|planning| planning.ended.as_ref());
    match ended.map(|ended| &ended.how) {
        // A person has gone on by hand: the plan is there, and is judged as it is.
        Some(PlanningOutcome::Failed(_)) if state.planned_draft().is_none() => PlanRest::Planned,
        Some(PlanningOutcome::Failed(error)) => PlanRest::Failed(error.clone()),
        Some(PlanningOutcome::Stopped) => PlanRest::Stopped,
        Some(PlanningOutcome::Planned | PlanningOutcome::Unmended) | None => PlanRest::Planned,
    }
}

/// The planner's own faults are gone with its answer, such as a document that could not be read.
fn unmended() -> Problem {
    Problem {
        code: Code::Syntax,
        severity: Severity::Error,
        message: "The planner gave no plan without problems; this is what could be taken of it.".to_owned(),
        pointer: String::new(),
        tasks: Vec::new(),
        fix: None,
    }
}

/// What is wrong about what a person gave, and no planner can mend.
fn is_of_the_person(problem: &Problem) -> bool {
    problem.severity == Severity::Error && problem.code != Code::EmptyPlan
}

impl From<PlanningError> for Error {
    fn from(error: PlanningError) -> Self {
        match error {
            PlanningError::Store(error @ StoreError::Moved { .. }) => {
                Self::conflict("moved", error.to_string())
            }
            PlanningError::Store(error) => error.into(),
            PlanningError::Illegal(error) => load::LoadError::from(error).into(),
        }
    }
}
