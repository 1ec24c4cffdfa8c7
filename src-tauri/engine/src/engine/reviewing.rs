//! Looking back on a run: its time axis, any moment of it, and what going on from there would mean. Nothing is recorded.

use std::collections::{HashSet, VecDeque};

use super::again::{completed, expect_plan};
use super::carrying::refuse_imported;
use super::draft_rows::Costs;
use super::drafts::CachedDraft;
use super::forking::behind_outcome;
use super::made::effects_since;
use super::restoring::behind_files;
use super::seen::summary_seen;
use super::{Again, Engine, Error};
use crate::history::bill::Bill;
use crate::history::crowd::Crowd;
use crate::history::drafting::Drafting;
use crate::history::laid::Laid;
use crate::history::load::{self, Loaded};
use crate::history::timeline::Timeline;
use crate::history::{detail, rows, sentences, tasks};
use crate::model::events::Event;
use crate::model::state::RunState;
use crate::model::status::TaskStatus;
use crate::model::value::ValueRef;
use crate::model::{Json, RunId, Seq, title};
use crate::run::END;
use crate::store::RunRecord;
use crate::views::{
    CostView, DraftView, GoingBackView, ItemsView, MomentView, OutputLine, RunRow, TimelineView,
};

/// Letters of an output that are told.
const LINE: usize = 160;

impl Engine {
    /// The whole history of a run. The work grows with its events and tasks and with nothing else.
    pub async fn timeline(&self, run: &RunId) -> Result<TimelineView, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let state = &loaded.state;
        let bill = Bill::of(&loaded.events, state);
        let told = Timeline::of(&loaded.events, state, bill.by_task());
        let is_driven = self.inner.store.holder(run).is_some();
        let (record, goal) = (&loaded.record, loaded.goal.as_deref());
        Ok(TimelineView {
            row: self.row_at(record, state, goal, is_driven, self.now_ms()),
            head: u32::try_from(state.seq).unwrap_or(u32::MAX),
            origin: told.origin_ms as f64,
            at: told.at,
            tracks: told.tracks,
            spans: told.spans,
            ticks: told.ticks,
            lanes: told.lanes,
            left_off: told.left_off,
            set_aside: told.set_aside,
            bill: bill.view(),
        })
    }

    /// The run as it was right after event `seq`. The work does not grow with the log, once it was looked at.
    pub async fn moment(&self, run: &RunId, seq: Seq) -> Result<MomentView, Error> {
        let loaded = load::see(&self.inner.store, &self.inner.around, run, seq).await?;
        let (state, head) = (&loaded.state, loaded.record.head);
        let event = self.event_at(run, seq, head).await?;
        // The past was driven by somebody; only the present can be left alone.
        let is_driven = seq < head || self.inner.store.holder(run).is_some();
        let crowd = Crowd::of(state, &self.caps());
        let root = || state.tree.root().nodes.iter().copied();
        let output = match &state.output {
            Some(value) => Some(detail::text(&self.inner.store, value).await?),
            None => None,
        };
        let goal = loaded.goal.as_deref();
        Ok(MomentView {
            row: self.row_at(&loaded.record, state, goal, is_driven, event.at_ms),
            seq: u32::try_from(seq).unwrap_or(u32::MAX),
            event: sentences::view(&event, state),
            document: state.document.map_or_else(String::new, |d| d.to_string()),
            tasks: root()
                .map(|ix| tasks::view(state, ix, is_driven, &crowd))
                .collect(),
            items: items(state),
            outputs: root()
                .filter_map(|ix| {
                    let line = first_line(state.task(ix).output.as_ref()?)?;
                    let task = state.tree.address(ix).to_string();
                    Some(OutputLine { task, line })
                })
                .collect(),
            decisions: self.decisions_of(state, run).await?,
            output,
        })
    }

    /// The plan as it was right after event `seq`, to be looked at.
    pub async fn plan_at(&self, run: &RunId, seq: Seq) -> Result<DraftView, Error> {
        let seen = load::see(&self.inner.store, &self.inner.around, run, seq).await?;
        let then = CachedDraft {
            run: run.clone(),
            key: seen.record.key,
            head: seen.record.head,
            path: seen.state.path.as_deref().map(str::to_owned),
            is_draft: false,
            has_begun: true,
            is_planning: false,
            place: seen.place.clone(),
            // What is laid on tasks is told with the tasks of the moment.
            laid: Laid::default(),
            open_decisions: 0,
            costs: Costs::of(None),
            tags: seen.state.tags.clone(),
            name: seen.record.summary.as_ref().map(|summary| summary.title.clone()),
            drafting: Drafting {
                undo: VecDeque::new(),
                redo: Vec::new(),
                ..seen.drafting(&self.inner.store).await?
            },
        };
        self.draft_view(&then).await
    }

    /// What [`Engine::rewind`] would do.
    pub async fn rewind_preview(&self, run: &RunId, to: Seq) -> Result<GoingBackView, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let to = behind_files(&loaded.events, to);
        let mut view = self.going_back(run, &loaded, to).await?;
        let owner = self.inner.store.holder(run);
        let driven =
            owner.map(|owner| format!("The run is driven by {owner}. Pause it first; then it can go back."));
        let is_end = to >= loaded.state.seq;
        let end = is_end.then(|| "This is where the run is now. Choose an earlier moment.".to_owned());
        let imported = refuse_imported(run, &loaded.state).err().map(|e| e.to_string());
        view.why_not = view.why_not.or(end).or(driven).or(imported);
        Ok(view)
    }

    /// What [`Engine::fork`] would share, and what it would do again.
    pub async fn fork_preview(&self, run: &RunId, at: Seq) -> Result<GoingBackView, Error> {
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        self.going_back(run, &loaded, behind_outcome(&loaded.events, at))
            .await
    }

    async fn going_back(&self, run: &RunId, loaded: &Loaded, seq: Seq) -> Result<GoingBackView, Error> {
        if seq == 0 || seq > loaded.state.seq {
            return Err(Error::no_event(run, loaded.state.seq));
        }
        let then = load::see(&self.inner.store, &self.inner.around, run, seq)
            .await?
            .state;
        let again = unsettled(&then);
        let bill = Bill::of(&loaded.events, &loaded.state);
        let files = self.written(loaded, &loaded.place, seq).await;
        Ok(GoingBackView {
            seq: u32::try_from(seq).unwrap_or(u32::MAX),
            reused: completed(&then),
            paid: paid(&bill, &again, seq),
            again,
            effects: effects_since(&loaded.events, &then, &loaded.state),
            files: files.into_iter().map(|found| found.view).collect(),
            why_not: expect_plan(&then).err().map(|error| error.to_string()),
        })
    }

    /// What [`Engine::rerun`] of a task and all behind it would do, with what these came to.
    pub async fn rerun_view(&self, run: &RunId, from: &str) -> Result<GoingBackView, Error> {
        let told = self.rerun_preview(run, Some(from)).await?;
        let loaded = load::load(&self.inner.store, &self.inner.around, run, END).await?;
        let bill = Bill::of(&loaded.events, &loaded.state);
        let owner = self.inner.store.holder(run);
        let driven = owner
            .map(|owner| format!("The run is driven by {owner}. Pause it first; then it can run again."));
        let imported = refuse_imported(run, &loaded.state).err().map(|e| e.to_string());
        let Again {
            tasks,
            reused,
            effects,
            ..
        } = told;
        Ok(GoingBackView {
            seq: u32::try_from(loaded.state.seq).unwrap_or(u32::MAX),
            paid: paid(&bill, &tasks, 0),
            reused,
            again: tasks,
            effects,
            files: Vec::new(),
            why_not: driven.or(imported),
        })
    }

    async fn event_at(&self, run: &RunId, seq: Seq, head: Seq) -> Result<Event, Error> {
        let no_event = || Error::no_event(run, head);
        let before = seq.checked_sub(1).ok_or_else(no_event)?;
        let found = self.inner.store.events(run, before, seq, 1).await?;
        found.into_iter().next().ok_or_else(no_event)
    }

    pub(super) fn row_at(
        &self,
        record: &RunRecord,
        state: &RunState,
        goal: Option<&str>,
        is_driven: bool,
        now_ms: i64,
    ) -> RunRow {
        let summary = summary_seen(state, goal, is_driven);
        let owner = is_driven.then(|| state.owner.as_deref().unwrap_or("").to_owned());
        rows::row(record, &summary, owner, now_ms, self.trouble(&record.id))
    }
}

/// Tasks of the plan itself that are not over.
fn unsettled(state: &RunState) -> Vec<String> {
    let root = state.tree.root().nodes.iter().copied();
    root.filter(|&ix| !state.is_settled(ix))
        .map(|ix| state.tree.address(ix).to_string())
        .collect()
}

/// What these tasks, with all inside them, came to in calls after that event.
fn paid(bill: &Bill, tasks: &[String], after: Seq) -> CostView {
    let those: HashSet<&str> = tasks.iter().map(String::as_str).collect();
    bill.sum(|turn| {
        let task = turn.task.as_deref().unwrap_or_default();
        let ends = task.char_indices().filter(|&(_, c)| c == '/' || c == '[');
        // Itself, or what it belongs to, however deep.
        let mut holders = ends.map(|(at, _)| &task[..at]).chain([task]);
        Seq::from(turn.seq) > after && holders.any(|holder| those.contains(holder))
    })
}

/// The items of each map of the plan itself.
fn items(state: &RunState) -> Vec<ItemsView> {
    let root = state.tree.root().nodes.iter().copied();
    root.filter_map(|ix| {
        let inner = state.task(ix).inner.as_ref()?;
        let is_map = state.tree.item(inner.first).is_some_and(|(map, _)| map == ix);
        let states = (inner.first..inner.first + inner.count).map(|item| state.task(item).status);
        (inner.count > 0 && is_map).then(|| ItemsView {
            map: state.tree.address(ix).to_string(),
            states: states.collect::<Vec<TaskStatus>>(),
        })
    })
    .collect()
}

/// How an output begins; a large one is told by its size elsewhere.
fn first_line(value: &ValueRef) -> Option<String> {
    let ValueRef::Inline(raw) = value else { return None };
    let text = match serde_json::from_str::<Json>(raw.get()) {
        Ok(Json::String(text)) => text,
        Ok(_) | Err(_) => raw.get().to_owned(),
    };
    let line = text.trim_start().lines().next().unwrap_or_default();
    Some(title::cut_at(line, LINE))
}
