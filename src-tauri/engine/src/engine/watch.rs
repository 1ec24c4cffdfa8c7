//! A live view of one run, read from its log like any review: first everything, then what is new.
//! Whoever writes the log, in this process or another, is seen alike.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::time::Instant;

use super::seen::summary_seen;
use super::{Engine, Error};
use crate::history::crowd::Crowd;
use crate::history::load::{self, LoadError};
use crate::history::{detail, rows, sentences, tasks};
use crate::model::events::{Event, EventBody};
use crate::model::plan::TaskIx;
use crate::model::state::RunState;
use crate::model::status::TaskStatus;
use crate::model::{RunId, Seq};
use crate::run::END;
use crate::store::RunRecord;
use crate::views::RunNews;

/// Messages come no closer together than one frame.
const FRAME: Duration = Duration::from_millis(16);
/// How often other processes' commits are looked for.
const LOOK: Duration = Duration::from_millis(250);
/// Events in one message; the rest of a long log is reached by review.
const SHOWN_EVENTS: usize = 1000;

/// What is watched, and up to where it has been told. [`Watch::next`] may be dropped at any await: what was read
/// and not yet handed out comes with the next message.
pub struct Watch {
    engine: Engine,
    run: RunId,
    /// The last position that has been handed out.
    since: Seq,
    told: Option<Told>,
    news: tokio::sync::watch::Receiver<u64>,
    last: Instant,
    most_events: usize,
}

struct Told {
    state: RunState,
    record: RunRecord,
    goal: Option<String>,
    folder: String,
    owner: Option<String>,
    trouble: Option<String>,
    /// Taken in, but not handed out yet.
    events: Vec<Event>,
    changed: BTreeSet<TaskIx>,
    /// What tasks wait for that stands in no log: a server that is starting here.
    waits: BTreeMap<TaskIx, String>,
    is_news: bool,
}

impl Engine {
    /// Everything after `since`, then what comes. `since` 0 starts from the beginning.
    pub async fn watch(&self, run: &RunId, since: Seq) -> Result<Watch, Error> {
        self.watch_with(run, since, SHOWN_EVENTS).await
    }

    /// The same without leaving out a single event.
    pub async fn watch_all(&self, run: &RunId, since: Seq) -> Result<Watch, Error> {
        self.watch_with(run, since, usize::MAX).await
    }

    async fn watch_with(&self, run: &RunId, since: Seq, most_events: usize) -> Result<Watch, Error> {
        self.inner.store.run(run).await?;
        Ok(Watch {
            engine: self.clone(),
            run: run.clone(),
            since,
            told: None,
            news: self.inner.store.news(),
            last: Instant::now(),
            most_events,
        })
    }
}

impl Watch {
    /// The next message; `None` when the engine is closing and all has been told.
    pub async fn next(&mut self) -> Option<Result<RunNews, Error>> {
        loop {
            if self.told.is_some() {
                tokio::time::sleep_until(self.last + FRAME).await;
            }
            self.news.mark_unchanged();
            match self.look().await {
                Ok(Some(news)) => {
                    self.last = Instant::now();
                    return Some(Ok(news));
                }
                Ok(None) if self.engine.inner.is_closing.is_cancelled() => return None,
                Ok(None) => {}
                Err(error) => return Some(Err(error)),
            }
            self.wait().await;
        }
    }

    /// The position up to which everything has been handed out.
    pub fn seq(&self) -> Seq {
        self.since
    }

    async fn wait(&mut self) {
        let closing = self.engine.inner.is_closing.clone();
        tokio::select! {
            _ = self.news.changed() => {}
            () = closing.cancelled() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
    }

    fn owner(&self) -> Option<String> {
        self.engine.inner.store.holder(&self.run).map(|o| o.to_string())
    }

    /// What has happened since the last message, if anything that a face would show.
    async fn look(&mut self) -> Result<Option<RunNews>, Error> {
        if self.told.is_none() || !self.take_in().await? {
            // The first look, or a plan that is only known now: read the whole log, tell all of it.
            self.told = Some(self.read().await?);
        }
        let Some(told) = self.told.as_ref().filter(|t| t.is_news) else {
            return Ok(None);
        };
        let news = self.tell(told).await?;
        self.since = told.state.seq;
        if let Some(told) = &mut self.told {
            told.events.clear();
            told.changed.clear();
            told.is_news = false;
        }
        Ok(Some(news))
    }

    async fn read(&self) -> Result<Told, Error> {
        let inner = &self.engine.inner;
        let loaded = load::load(&inner.store, &inner.around, &self.run, END).await?;
        Ok(Told {
            goal: loaded.goal,
            changed: (0..loaded.state.tasks.len() as TaskIx).collect(),
            waits: waits_of(&self.engine, &loaded.state, false),
            events: loaded.events.into_iter().filter(|e| e.seq > self.since).collect(),
            owner: self.owner(),
            trouble: self.engine.trouble(&self.run),
            folder: loaded.place.workspace.to_string_lossy().into_owned(),
            state: loaded.state,
            record: loaded.record,
            is_news: true,
        })
    }

    /// Takes in the newest events. False: the plan has changed, and the whole log must be read anew.
    async fn take_in(&mut self) -> Result<bool, Error> {
        let (owner, trouble) = (self.owner(), self.engine.trouble(&self.run));
        let store = self.engine.inner.store.clone();
        let Some(told) = &mut self.told else {
            return Ok(false);
        };
        let events = store.events(&self.run, told.state.seq, END, usize::MAX).await?;
        if !events.is_empty() {
            told.record = store.run(&self.run).await?;
        }
        // From here on nothing waits, so that nothing is taken in by half.
        for event in events {
            if matches!(
                event.body,
                EventBody::Approved(_)
                    | EventBody::PlanRevised(_)
                    | EventBody::RunRewound(_)
                    | EventBody::RunReopened(_)
                    | EventBody::TaskReset(_)
            ) {
                return Ok(false);
            }
            let before = told.state.status;
            told.state.apply(&event).map_err(LoadError::from)?;
            touched(
                &told.state,
                &event,
                before != told.state.status,
                &mut told.changed,
            );
            told.events.push(event);
            told.is_news = true;
        }
        let waits = waits_of(&self.engine, &told.state, !told.waits.is_empty());
        if waits != told.waits {
            told.changed.extend(waits.keys().chain(told.waits.keys()));
            told.waits = waits;
            told.is_news = true;
        }
        let is_handed_over = owner.is_some() != told.owner.is_some();
        if is_handed_over {
            told.changed.extend(0..told.state.tasks.len() as TaskIx);
        }
        told.is_news |= is_handed_over || trouble != told.trouble;
        (told.owner, told.trouble) = (owner, trouble);
        Ok(true)
    }

    async fn tell(&self, told: &Told) -> Result<RunNews, Error> {
        let (events, changed) = (&told.events, &told.changed);
        let state = &told.state;
        let is_driven = told.owner.is_some();
        let summary = summary_seen(state, told.goal.as_deref(), is_driven);
        let output = match &state.output {
            Some(value) => Some(detail::text(&self.engine.inner.store, value).await?),
            None => None,
        };
        let shown = &events[events.len().saturating_sub(self.most_events)..];
        let now = self.engine.now_ms();
        let crowd = Crowd::of(state, &self.engine.caps());
        Ok(RunNews {
            run: rows::row(
                &told.record,
                &summary,
                told.owner.clone(),
                now,
                told.trouble.clone(),
            ),
            seq: u32::try_from(state.seq).unwrap_or(u32::MAX),
            digest: state
                .approved
                .as_ref()
                .map(|a| a.digest.to_string())
                .unwrap_or_default(),
            events: shown.iter().map(|e| sentences::view(e, state)).collect(),
            tasks: changed
                .iter()
                .map(|&ix| {
                    self.engine
                        .with_server(state, ix, tasks::view(state, ix, is_driven, &crowd))
                })
                .collect(),
            decisions: self.engine.decisions_of(state, &self.run).await?,
            output,
            folder: Some(told.folder.clone()),
        })
    }
}

/// Looks at every task only where a server is starting, or was when it was last looked.
fn waits_of(engine: &Engine, state: &RunState, was_waiting: bool) -> BTreeMap<TaskIx, String> {
    if !was_waiting && !engine.servers().is_any_starting() {
        return BTreeMap::new();
    }
    let nodes = state.nodes();
    nodes
        .filter_map(|ix| Some((ix, engine.waits_for_server(state, ix)?)))
        .collect()
}

/// The tasks whose picture an event changes: its own, those that wait for it, and all when the run itself turns.
fn touched(state: &RunState, event: &Event, is_turn: bool, changed: &mut BTreeSet<TaskIx>) {
    if is_turn {
        changed.extend(0..state.tasks.len() as TaskIx);
        return;
    }
    changed.extend(held_back(state, event));
    let decided = event
        .body
        .settled_decision()
        .and_then(|id| state.decision(id))
        .and_then(|d| d.task);
    changed.extend(decided);
    let Some(ix) = event.task.as_ref().and_then(|id| state.find(id.as_str())) else {
        return;
    };
    changed.insert(ix);
    let status = state.task(ix).status;
    if state.is_settled(ix) || status == TaskStatus::Failed || matches!(event.body, EventBody::TaskReady(_)) {
        changed.extend(state.tree.children(ix));
        changed.extend(state.tree.owner(ix));
    }
}

/// The tasks that wait for what the event is about: an endpoint that opens or closes, or a budget.
fn held_back(state: &RunState, event: &Event) -> Vec<TaskIx> {
    let endpoint = event.body.endpoint();
    let is_budget = event.body.is_about_budget();
    if endpoint.is_none() && !is_budget {
        return Vec::new();
    }
    let is_held = |&ix: &TaskIx| {
        let task = state.task(ix);
        match task.status {
            TaskStatus::Ready => is_budget,
            TaskStatus::Retrying => is_budget || task.held_by.as_deref() == endpoint,
            TaskStatus::Pending
            | TaskStatus::Running
            | TaskStatus::Waiting
            | TaskStatus::InDoubt
            | TaskStatus::Completed
            | TaskStatus::Failed
            | TaskStatus::Skipped
            | TaskStatus::Cancelled
            | TaskStatus::Pruned => false,
        }
    };
    state.nodes().filter(is_held).collect()
}
