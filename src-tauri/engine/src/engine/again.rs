//! Going again: rewind, retry, rerun. Each is appended to a log that nobody drives; nothing is deleted, and what
//! was done outside is told before it could be done again.

use std::collections::{BTreeSet, HashSet};
use std::path::PathBuf;

use super::drafts::parse;
use super::made::{effects_since, made_by, still_made};
use super::nested_files::read_whole;
use super::restoring::{Files, behind_files};
use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::model::document::DraftPlan;
use crate::model::events::{
    Again as ReadyAgain, Change, DecisionClosed, Event, EventBody, FilesRestored, NewEvent, PlanRevised,
    RunReopened, RunRewound, TaskPruned, TaskReady, TaskReset,
};
use crate::model::plan::TaskIx;
use crate::model::state::RunState;
use crate::model::status::{RunStatus, TaskStatus};
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{RunId, Seq, TaskId, digest, title};
use crate::run::{END, summary_of};
use crate::store::{Append, Durability, Guard, StoreError};
use crate::views::{EffectView, FileView};

/// What becomes of effects that were made before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effects {
    /// They stay made: their recorded results are taken over.
    Keep,
    /// They are made again, under new keys, because a person says so.
    Again,
}

/// What was set back.
#[derive(Clone, Debug)]
pub struct Again {
    /// Tasks that will run again.
    pub tasks: Vec<String>,
    /// Tasks whose outputs are taken over.
    pub reused: Vec<String>,
    /// Effects of those that will run again, made already.
    pub effects: Vec<EffectView>,
    /// Files that the run wrote since the position that it went back to.
    pub files: Vec<FileView>,
    /// What became of them, if they were to be restored.
    pub restored: Option<FilesRestored>,
}

impl Engine {
    /// Goes back to the state right after event `to`, with the files that were put back right behind it. What was recorded
    /// since stays in the log; effects stay made, but for files that are restored.
    pub async fn rewind(&self, run: &RunId, to: Seq, files: Files) -> Result<Again, Error> {
        let loaded = self.at_rest(run).await?;
        let asked = to;
        let to = behind_files(&loaded.events, asked);
        // What comes before a fork's beginning was allowed to another run.
        let unsigned = loaded.record.parent.is_some_and(|(_, fork)| to <= fork);
        let head = loaded.state.seq;
        if to == 0 || to >= head {
            let mut message = format!(
                "the run's log has events 1 to {head}, which `planloom log {run}` lists; name one before the last"
            );
            if asked < to && to == head {
                message = format!(
                    "events {asked} and {head} are one act, and the run stands right behind it; name an event before {asked}"
                );
            }
            return Err(Error::invalid("no_such_event", message));
        }
        let by = self.face();
        let events = vec![self.event(None, RunRewound { to, by, unsigned })];
        // The state cannot be worked out by going on from here: it is read again from the log as it will be.
        let mut shown = load::see(&self.inner.store, &self.inner.around, run, to)
            .await?
            .state;
        expect_plan(&shown)?;
        let effects = effects_since(&loaded.events, &shown, &loaded.state);
        let tasks = changed_since(&shown, &loaded.state);
        // How it is called and sorted is no step of the run.
        (shown.name, shown.tags) = (loaded.state.name.clone(), loaded.state.tags.clone());
        // What has run has run; since its last event nothing has.
        (shown.ran_ms, shown.going_since_ms) = (loaded.state.ran_until(loaded.state.changed_ms), None);
        if unsigned {
            shown.status = RunStatus::AwaitingApproval;
        } else if shown.status != RunStatus::AwaitingApproval {
            shown.status = RunStatus::Paused;
        }
        let found = self.written(&loaded, &loaded.place, to).await;
        self.append_at_rest(&loaded, events, Vec::new(), &shown).await?;
        let restored = self
            .restore(run, &loaded.place, &found, (to, &shown.made), files)
            .await?;
        Ok(Again {
            tasks,
            reused: completed(&shown),
            effects: still_made(effects, &loaded.events, restored.as_ref()),
            files: found.into_iter().map(|f| f.view).collect(),
            restored,
        })
    }

    /// Lets a failed task run again; nothing that succeeded does.
    pub async fn retry(&self, run: &RunId, task: &str, effects: Effects) -> Result<Again, Error> {
        let loaded = self.at_rest(run).await?;
        let state = &loaded.state;
        let ix = self.task_of(state, run, task)?;
        if state.task(ix).status != TaskStatus::Failed || state.is_settled(ix) {
            let message = format!(
                "{task} is {}; only a failed task can be retried. To run it again with all behind it: \
                 `planloom rerun {run} --from={}`.",
                state.task(ix).status,
                state.tree.address(if state.goes_on_around(ix) {
                    ix
                } else {
                    outermost(state, ix)
                })
            );
            return Err(Error::invalid("not_failed", message));
        }
        let is_inner = state.tree.owner(ix).is_some();
        if is_inner && effects == Effects::Again {
            let message = "effects inside a map or a nested plan are made again by rerunning that as a whole";
            return Err(Error::invalid("not_failed", message));
        }
        let mut events = Vec::new();
        if state.status.is_over() {
            let by = self.face();
            events.push(self.event(None, RunReopened { by, unsigned: false }));
        }
        if let Some(decision) = state.task(ix).decision.clone() {
            events.push(self.event(None, DecisionClosed { decision }));
        }
        let address = Some(state.tree.address(ix));
        events.push(match (effects, is_inner) {
            (Effects::Again, false) => self.event(address, TaskReset { again: true }),
            (Effects::Again | Effects::Keep, _) => {
                let again = Some(ReadyAgain::Retry);
                self.event(address, TaskReady { again })
            }
        });
        let told = Again {
            tasks: vec![task.to_owned()],
            reused: completed(state),
            effects: made_by(&loaded.events, state, &[ix].into()),
            files: Vec::new(),
            restored: None,
        };
        let after = self.after(state, &events)?;
        self.append_at_rest(&loaded, events, Vec::new(), &after).await?;
        Ok(told)
    }

    /// Lets a task and all behind it run again, or the whole plan; with another plan, what differs and all behind
    /// that, after an approval of its own.
    pub async fn rerun(
        &self,
        run: &RunId,
        from: Option<&str>,
        plan: Option<PathBuf>,
        effects: Effects,
    ) -> Result<Again, Error> {
        let text = match plan {
            Some(path) => Some(read_whole(path).await?),
            None => None,
        };
        let loaded = self.at_rest(run).await?;
        if let Some(text) = &text {
            self.plan_of(&parse(text)?, &loaded.place)?;
        }
        let state = &loaded.state;
        if !state.has_begun {
            return Err(Error::invalid(
                "not_approved",
                "nothing of this run has run yet; approve it first",
            ));
        }
        let set = self.to_set_back(state, run, from)?;
        let again = effects == Effects::Again;
        let by = self.face();
        let unsigned = text.is_some();
        let mut events = vec![self.event(None, RunReopened { by, unsigned })];
        let begun = set.iter().filter(|&&ix| has_begun(state, ix));
        for &ix in begun.clone() {
            events.push(self.event(Some(state.tree.address(ix)), TaskReset { again }));
        }
        let told = told_of(&set, state, &loaded.events);
        let mut payloads = Vec::new();
        if let Some(text) = text {
            events.push(self.other_plan(text, loaded.revision + 1, &mut payloads)?);
        }
        let after = self.after(state, &events)?;
        self.append_at_rest(&loaded, events, payloads, &after).await?;
        Ok(told)
    }

    /// What a rerun would set back, and which effects would be concerned; nothing is recorded.
    pub async fn rerun_preview(&self, run: &RunId, from: Option<&str>) -> Result<Again, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let state = &loaded.state;
        let set = self.to_set_back(state, run, from)?;
        Ok(told_of(&set, state, &loaded.events))
    }

    fn to_set_back(
        &self,
        state: &RunState,
        run: &RunId,
        from: Option<&str>,
    ) -> Result<BTreeSet<TaskIx>, Error> {
        let Some(from) = from else {
            return Ok(root_of(state).filter(|&ix| !state.is_held(ix)).collect());
        };
        let ix = self.task_of(state, run, from)?;
        let around: Vec<TaskIx> = around(state, ix).collect();
        if let Some(&pinned) = around.iter().find(|&&owner| state.pin_of(owner).is_some()) {
            let pinned = state.tree.address(pinned);
            let message = format!(
                "{from} belongs to {pinned}, whose output is pinned and stands for it; take the pin off first. \
                 Nothing was recorded."
            );
            return Err(Error::invalid("inner_task", message));
        }
        if !state.goes_on_around(ix) {
            let message = format!(
                "{from} belongs to {0}, which did not end well and runs again only as a whole: \
                 `planloom rerun {run} --from={0}`",
                state.tree.address(outermost(state, ix))
            );
            return Err(Error::invalid("inner_task", message));
        }
        // A map or a nested plan goes on with its task; what waits for it waits again.
        let behind_those: Vec<TaskIx> = around
            .iter()
            .flat_map(|&owner| state.tree.children(owner))
            .collect();
        // What was cut off with the run has never run, and does so now.
        let cut = root_of(state).filter(|&ix| state.task(ix).status == TaskStatus::Cancelled);
        let mut behind = with_all_behind(state, cut.chain([ix]).chain(behind_those));
        // A pinned task that has its output keeps it.
        behind.retain(|&ix| !state.is_held(ix));
        Ok(behind)
    }

    fn task_of(&self, state: &RunState, run: &RunId, task: &str) -> Result<TaskIx, Error> {
        state.find(task).ok_or_else(|| Error::NotFound {
            message: format!("run {run} has no task {task}"),
        })
    }

    pub(super) fn event(&self, task: Option<TaskId>, body: impl Into<EventBody>) -> NewEvent {
        NewEvent {
            at_ms: self.now_ms(),
            task,
            body: body.into(),
        }
    }

    /// The run, read whole, if nobody drives it.
    pub(super) async fn at_rest(&self, run: &RunId) -> Result<Loaded, Error> {
        if let Some(owner) = self.inner.store.holder(run) {
            let message = format!(
                "the run is driven by {owner}; pause it first, or take it over with `planloom resume {run} --take-over`. \
                 Nothing was recorded."
            );
            return Err(Error::conflict("owned", message));
        }
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        super::carrying::refuse_imported(run, &loaded.state)?;
        Ok(loaded)
    }

    pub(super) fn after(&self, state: &RunState, events: &[NewEvent]) -> Result<RunState, Error> {
        let mut after = state.clone();
        for event in events {
            let seq = after.seq + 1;
            after
                .apply(&event.clone().at(seq))
                .map_err(load::LoadError::from)?;
        }
        Ok(after)
    }

    pub(super) fn summary_at(&self, loaded: &Loaded, state: &RunState) -> crate::store::Summary {
        let goal = loaded.goal.as_deref();
        summary_of(state, &title::of(state.path.as_deref(), goal), goal)
    }

    /// Compare and set: whoever saw the same log and came second hears of it.
    pub(super) async fn append_at_rest(
        &self,
        loaded: &Loaded,
        events: Vec<NewEvent>,
        payloads: Vec<NewPayload>,
        after: &RunState,
    ) -> Result<(), Error> {
        let append = Append {
            run: loaded.record.key,
            guard: Guard::Head(loaded.record.head),
            events,
            payloads,
            durability: Durability::Disk,
            summary: Some(self.summary_at(loaded, after)),
        };
        match self.inner.store.append(append).await {
            Ok(_) => Ok(()),
            Err(StoreError::Moved { .. }) => Err(Error::conflict(
                "moved",
                "the run has moved on in the meantime; look at it again. Nothing was recorded.",
            )),
            Err(error) => Err(error.into()),
        }
    }

    /// Another document for a run that waits for its approval.
    pub(super) fn other_plan(
        &self,
        text: String,
        revision: u32,
        payloads: &mut Vec<NewPayload>,
    ) -> Result<NewEvent, Error> {
        let digest = digest::of_document(&parse(&text)?);
        let (document, payload) = ValueRef::of_text(text);
        payloads.extend(payload);
        let revised = PlanRevised {
            revision,
            digest,
            change: Change::Document(document),
            signed: None,
        };
        Ok(self.event(None, revised))
    }

    /// The tasks that another plan changes or leaves out, told as events before its signature: those that differ run
    /// again with all behind them.
    pub(super) fn taken_over(&self, state: &RunState, old: &DraftPlan, new: &DraftPlan) -> Vec<NewEvent> {
        let differing: BTreeSet<String> = digest::differences(old, new)
            .into_iter()
            .filter_map(|d| d.task)
            .collect();
        let changed = differing.iter().filter_map(|id| state.find(id));
        let mut events = Vec::new();
        let (mut kept, mut gone) = (Vec::new(), Vec::new());
        for ix in changed {
            let id = state.tree.address(ix);
            let is_in_plan = state.plan.find(id.as_str()).is_some();
            if is_in_plan {
                kept.push(ix)
            } else {
                gone.push((ix, id))
            }
        }
        for ix in with_all_behind(state, kept) {
            if has_begun(state, ix) && !state.is_held(ix) {
                events.push(self.event(Some(state.tree.address(ix)), TaskReset { again: false }));
            }
        }
        for (ix, id) in gone {
            let may_go = match state.task(ix).status {
                TaskStatus::Pending
                | TaskStatus::Ready
                | TaskStatus::Retrying
                | TaskStatus::Waiting
                | TaskStatus::Failed => true,
                TaskStatus::Running
                | TaskStatus::InDoubt
                | TaskStatus::Completed
                | TaskStatus::Skipped
                | TaskStatus::Cancelled
                | TaskStatus::Pruned => false,
            };
            if may_go {
                events.push(self.event(Some(id), TaskPruned {}));
            }
        }
        events
    }
}

pub(super) fn expect_plan(state: &RunState) -> Result<(), Error> {
    if state.revision > 0 {
        return Ok(());
    }
    let message = "there was no plan yet at that event; name a later one";
    Err(Error::invalid("no_such_event", message))
}

/// The task of the plan itself that holds this one, however deep.
fn outermost(state: &RunState, ix: TaskIx) -> TaskIx {
    around(state, ix).last().unwrap_or(ix)
}

/// What is told of tasks that are set back.
fn told_of(set: &BTreeSet<TaskIx>, state: &RunState, events: &[Event]) -> Again {
    // Of what goes on with a task inside of it, the output is not taken over either.
    let mut touched = set.clone();
    touched.extend(set.iter().flat_map(|&ix| around(state, ix)));
    Again {
        tasks: set.iter().map(|&ix| state.tree.address(ix).to_string()).collect(),
        reused: completed(state)
            .into_iter()
            .filter(|id| !state.find(id).is_some_and(|ix| touched.contains(&ix)))
            .collect(),
        effects: made_by(events, state, set),
        files: Vec::new(),
        restored: None,
    }
}

/// The maps and nested plans around a task, from the nearest on.
fn around(state: &RunState, ix: TaskIx) -> impl Iterator<Item = TaskIx> + '_ {
    std::iter::successors(state.tree.owner(ix), |&owner| state.tree.owner(owner))
}

fn has_begun(state: &RunState, ix: TaskIx) -> bool {
    state.task(ix).status != TaskStatus::Pending && state.task(ix).status != TaskStatus::Pruned
}

fn with_all_behind(state: &RunState, from: impl IntoIterator<Item = TaskIx>) -> BTreeSet<TaskIx> {
    let mut found = BTreeSet::new();
    let mut open: Vec<TaskIx> = from.into_iter().collect();
    while let Some(ix) = open.pop() {
        if found.insert(ix) {
            open.extend(state.tree.children(ix));
        }
    }
    found
}

/// The tasks of the run's own plan.
fn root_of(state: &RunState) -> impl Iterator<Item = TaskIx> + '_ {
    state.tree.root().nodes.iter().copied()
}

pub(super) fn completed(state: &RunState) -> Vec<String> {
    let is_done = |&ix: &TaskIx| state.task(ix).status == TaskStatus::Completed;
    root_of(state)
        .filter(is_done)
        .map(|ix| state.tree.address(ix).to_string())
        .collect()
}

/// Tasks that are no longer where they were.
fn changed_since(past: &RunState, now: &RunState) -> Vec<String> {
    // A task that another plan has replaced has two nodes of one address.
    let mut told = HashSet::new();
    root_of(now)
        .filter(|&ix| {
            let id = now.tree.address(ix);
            let before = past.find(id.as_str()).map(|ix| past.task(ix).status);
            before != Some(now.task(ix).status)
        })
        .map(|ix| now.tree.address(ix).to_string())
        .filter(|id| told.insert(id.clone()))
        .collect()
}
