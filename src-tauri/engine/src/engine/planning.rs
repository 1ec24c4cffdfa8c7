//! From a goal to a draft: plans on where the log ends.

mod goal;
mod shown;

use tokio_util::sync::CancellationToken;

use super::drafts::CachedDraft;
use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::model::events::{EditResumed, NewEvent, PlanningEnded, PlanningOutcome, PlanningResumed};
use crate::model::problem::{Code, Problem, Severity};
use crate::model::state::RunState;
use crate::model::{RunId, Setting};
use crate::run::{END, PlanLaunch, PlanRest, PlanningError, summary_of};
use crate::store::{Append, Durability, Guard, StoreError};

pub use goal::Goal;
pub use shown::{PlannerCall, PlanningShown};

/// How often planning is taken up anew when the log moves under it.
const TRIES: u32 = 20;

impl Engine {
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
            catalog: (*self.catalog()).clone(),
            place: loaded.place,
            clock: self.inner.clock,
            doors: self.inner.doors.clone(),
            growing: self.inner.growing.clone(),
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
        let by = self.face();
        let body = match loaded.state.open_edit() {
            Some(_) => EditResumed { by }.into(),
            None => PlanningResumed { by }.into(),
        };
        let event = NewEvent {
            at_ms: self.now_ms(),
            task: None,
            body,
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
        let every = self.catalog();
        let tools = crate::run::tools_of(&every, planning.given.tools.as_deref());
        let catalog = every.only(tools);
        let setting = Setting {
            catalog: &catalog,
            ..self.inner.around.setting(&catalog, &cached.place)
        };
        let mut problems = cached.drafting.plan.problems_in(&setting);
        let is_missing = |p: &Problem| p.code == Code::UnknownTool;
        let whole = cached
            .drafting
            .plan
            .problems_in(&self.inner.around.setting(&every, &cached.place));
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
