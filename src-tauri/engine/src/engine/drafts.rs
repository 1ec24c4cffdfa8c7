//! Drafts: opening plan files, editing, undo, and writing the plan back.

use std::path::PathBuf;

use super::draft_rows::Costs;
use super::plan_files::{read_plan_file, write_whole};
use super::{Engine, Error};
use crate::history::drafting::{Drafting, Step, flipped};
use crate::history::laid::Laid;
use crate::history::load::TakenBack;
use crate::model::document::DraftPlan;
use crate::model::draft_view;
use crate::model::edit::{self, PlanEdit};
use crate::model::events::{Change, EventBody, NewEvent, PlanRevised, Revision, RunOpened, Turn};
use crate::model::grants::Place;
use crate::model::json::Json;
use crate::model::status::RunStatus;
use crate::model::tags::Tags;
use crate::model::value::{NewPayload, ValueRef};
use crate::model::{Digest, RunId, Seq, digest, title};
use crate::run::END;
use crate::store::{Append, Durability, Guard, RunKey, Summary};
use crate::views::{ConnectVerdict, DraftView};

/// How many recent runs are looked through for a draft of the same file.
const RECENT: u32 = 200;

/// A draft at the end of its log.
#[derive(Clone)]
pub(super) struct CachedDraft {
    pub run: RunId,
    pub key: RunKey,
    pub head: Seq,
    pub path: Option<String>,
    pub is_draft: bool,
    /// It has been approved before: a fork, or a run that is to go again by another plan.
    pub has_begun: bool,
    /// A planner is still to give its plan.
    pub is_planning: bool,
    pub place: Place,
    pub drafting: Drafting,
    pub laid: Laid,
    pub open_decisions: u32,
    pub costs: Costs,
    /// What a person calls it.
    pub name: Option<String>,
    /// By which a person finds it again.
    pub tags: Tags,
}

impl CachedDraft {
    /// The line with what a person calls it and sorts it by.
    pub fn told(&self, summary: Summary) -> Summary {
        Summary {
            title: self.title(),
            tags: self.tags.to_vec(),
            ..summary
        }
    }

    /// Under which lists show it.
    pub fn title(&self) -> String {
        let plain = || title::of(self.path.as_deref(), self.drafting.plan.goal());
        self.name.clone().unwrap_or_else(plain)
    }
}

/// What a new run is opened with.
pub(super) struct Opening {
    pub run: RunId,
    pub key: RunKey,
    pub events: Vec<NewEvent>,
    pub payloads: Vec<NewPayload>,
    pub path: Option<String>,
}

impl Opening {
    /// Says whose plan it began as.
    pub(super) fn made_from(mut self, run: &RunId) -> Self {
        for event in &mut self.events {
            if let EventBody::RunOpened(opened) = &mut event.body {
                opened.made_from = Some(run.to_string());
            }
        }
        self
    }
}

impl Engine {
    /// Opens a plan file as a draft; the newest draft of the same file and content is taken up again.
    pub async fn open_plan(&self, path: PathBuf) -> Result<DraftView, Error> {
        let path = std::path::absolute(&path).unwrap_or(path);
        let text = read_plan_file(path.clone()).await?;
        let shown = path.to_string_lossy().into_owned();
        if let Some(run) = self.draft_of(&shown, &text).await? {
            return self.draft(&run).await;
        }
        let plan = parse(&text)?;
        let opening = self.begin(text, digest::of_document(&plan), Some(shown)).await?;
        self.commit_opening(opening, &plan).await
    }

    /// An empty plan, to be drawn by a person.
    pub async fn new_plan(&self) -> Result<DraftView, Error> {
        let plan = DraftPlan::empty();
        let opening = self
            .begin(plan.to_text(), digest::of_document(&plan), None)
            .await?;
        self.commit_opening(opening, &plan).await
    }

    /// A new draft from the plan of any run, as it ran, at the place of the same plan file, with what is held and where it
    /// stops.
    pub async fn draft_from_run(&self, run: &RunId) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        let laid = self.laid_again(&cached);
        let plan = cached.drafting.plan;
        let mut opening = self
            .begin(plan.to_text(), digest::of_document(&plan), cached.path)
            .await?
            .made_from(run);
        opening.events.extend(laid);
        self.commit_opening(opening, &plan).await
    }

    pub async fn draft(&self, run: &RunId) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        self.draft_view(&cached).await
    }

    /// Applies edits to the revision that the face has seen; another one is a `Conflict` and changes nothing.
    /// All edits of one request are one undo step.
    pub async fn edit_draft(
        &self,
        run: &RunId,
        revision: u32,
        edits: Vec<PlanEdit>,
    ) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        if cached.drafting.revision != revision {
            let message = format!(
                "the plan has changed: it is at revision {}, not {revision}. The edit was not made.",
                cached.drafting.revision
            );
            return Err(Error::conflict("revised", message));
        }
        match combine(&cached.drafting.plan, &edits)? {
            Some(change) => self.revise(cached, change).await,
            None => self.draft_view(&cached).await,
        }
    }

    /// The newest step taken back, be it an edit or something laid on a task.
    pub async fn undo(&self, run: &RunId) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        match cached.drafting.undo.back().cloned() {
            Some(Step::Edit(edit)) => self.revise(cached, Change::Undo(flipped(&edit))).await,
            Some(Step::Laid(step)) => self.lay(run, step.task, step.before, Turn::Undo).await,
            None => Err(Error::invalid("nothing_to_undo", "there is nothing to undo")),
        }
    }

    pub async fn redo(&self, run: &RunId) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        match cached.drafting.redo.last().cloned() {
            Some(Step::Edit(edit)) => self.revise(cached, Change::Redo(edit)).await,
            Some(Step::Laid(step)) => self.lay(run, step.task, step.after, Turn::Redo).await,
            None => Err(Error::invalid("nothing_to_redo", "there is nothing to redo")),
        }
    }

    /// For every task, whether an edge from `from` to it may be drawn.
    pub async fn connect_verdicts(&self, run: &RunId, from: &str) -> Result<Vec<ConnectVerdict>, Error> {
        let cached = self.cached(run).await?;
        Ok(edit::connect_verdicts(&cached.drafting.plan, from))
    }

    /// Writes the plan document to a file, whole or not at all; without a path, to the file it was opened from.
    pub async fn save_plan(&self, run: &RunId, path: Option<PathBuf>) -> Result<PathBuf, Error> {
        let cached = self.cached(run).await?;
        let path = path
            .or_else(|| cached.path.as_ref().map(PathBuf::from))
            .ok_or_else(|| {
                Error::invalid(
                    "no_path",
                    "this plan was not opened from a file; name one to save it to",
                )
            })?;
        let text = cached.drafting.plan.to_text();
        let target = path.clone();
        let written = tokio::task::spawn_blocking(move || write_whole(&target, text.as_bytes())).await;
        let failed = |e: &dyn std::fmt::Display| Error::Store {
            code: "save",
            message: format!("{} was not written: {e}. It is as it was.", path.display()),
        };
        written.map_err(|e| failed(&e))?.map_err(|e| failed(&e))?;
        Ok(path)
    }

    /// The newest draft that was opened from this file and holds, or began with, this very text.
    async fn draft_of(&self, path: &str, text: &str) -> Result<Option<RunId>, Error> {
        for record in self.inner.store.runs(RECENT).await? {
            let is_draft = record.summary.as_ref().is_some_and(|s| {
                s.status == Some(RunStatus::AwaitingApproval)
                    && s.path.as_deref() == Some(path)
                    && s.open_decisions == 0
            });
            if !is_draft {
                continue;
            }
            let Ok(cached) = self.cached(&record.id).await else {
                continue;
            };
            // One that was imported is only looked at.
            if !cached.is_draft {
                continue;
            }
            if cached.drafting.plan.to_text() == text || self.begins_with(&record.id, text).await? {
                return Ok(Some(record.id));
            }
        }
        Ok(None)
    }

    async fn begins_with(&self, run: &RunId, text: &str) -> Result<bool, Error> {
        let events = self.inner.store.events(run, 0, 2, 2).await?;
        let first = events.iter().find_map(|e| e.body.as_revision());
        let Some(PlanRevised {
            change: Change::Document(value),
            ..
        }) = first
        else {
            return Ok(false);
        };
        let stored = crate::history::detail::text(&self.inner.store, value).await?;
        Ok(serde_json::from_str::<String>(&stored).is_ok_and(|stored| stored == text))
    }

    /// A new run whose log begins with this document; nothing is committed yet.
    pub(super) async fn begin(
        &self,
        text: String,
        digest: Digest,
        path: Option<String>,
    ) -> Result<Opening, Error> {
        let at_ms = self.now_ms();
        let run = self.inner.ids.next();
        let key = self.inner.store.create_run(run.clone(), at_ms).await?;
        let (document, payload) = ValueRef::of_text(text);
        let opened = RunOpened {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            face: self.face(),
            path: path.clone(),
            made_from: None,
        };
        let revised = PlanRevised {
            revision: 1,
            digest,
            change: Change::Document(document),
            signed: None,
        };
        let events = [EventBody::from(opened), EventBody::from(revised)];
        let events = events
            .into_iter()
            .map(|body| NewEvent {
                at_ms,
                task: None,
                body,
            })
            .collect();
        Ok(Opening {
            run,
            key,
            events,
            payloads: payload.into_iter().collect(),
            path,
        })
    }

    pub(super) async fn commit_opening(
        &self,
        opening: Opening,
        plan: &DraftPlan,
    ) -> Result<DraftView, Error> {
        let summary = Costs::default().summary(plan, opening.path.as_deref(), 1);
        let append = Append {
            run: opening.key,
            guard: Guard::Head(0),
            events: opening.events,
            payloads: opening.payloads,
            durability: Durability::Disk,
            summary: Some(summary),
        };
        self.inner.store.append(append).await?;
        self.draft(&opening.run).await
    }

    pub(super) async fn revise(&self, mut cached: CachedDraft, change: Change) -> Result<DraftView, Error> {
        refuse_settled(&cached)?;
        let by_hand = self.take_from_planner(&mut cached)?;
        let followed = self.follow_renames(&cached, &change);
        let revision = cached.drafting.revision + 1;
        cached.drafting.take(revision, &change, None)?;
        let revised = PlanRevised {
            revision,
            digest: cached.drafting.digest(),
            change,
            signed: None,
        };
        let events = by_hand.into_iter().chain([self.event(None, revised)]);
        self.note(cached, events.chain(followed).collect(), Vec::new())
            .await
    }

    /// Appends what a person says to the draft that was seen; another one since is a conflict.
    pub(super) async fn note(
        &self,
        mut cached: CachedDraft,
        events: Vec<NewEvent>,
        payloads: Vec<NewPayload>,
    ) -> Result<DraftView, Error> {
        for event in &events {
            if let Some((turn, step)) = cached.laid.step(event.task.as_ref(), &event.body) {
                cached.drafting.take_step(turn, step);
            }
            if let Some(name) = event.body.names_run() {
                cached.name = name.map(str::to_owned);
            }
            if let Some(tagged) = event.body.tags_run() {
                cached.tags.take(tagged);
            }
        }
        let summary = cached.costs.summary(
            &cached.drafting.plan,
            cached.path.as_deref(),
            cached.drafting.revision,
        );
        let summary = cached.told(Summary {
            open_decisions: cached.open_decisions,
            ..summary
        });
        let append = Append {
            run: cached.key,
            guard: Guard::Head(cached.head),
            events,
            payloads,
            durability: Durability::Disk,
            summary: Some(summary),
        };
        let count = append.events.len() as Seq;
        let appended = self.inner.store.append(append).await?;
        cached.head = appended.first + count - 1;
        let view = self.draft_view(&cached).await?;
        self.remember(cached);
        Ok(view)
    }

    /// The draft at the end of its log: the remembered one if the log has not moved, else read again.
    pub(super) async fn cached(&self, run: &RunId) -> Result<CachedDraft, Error> {
        let record = self.inner.store.run(run).await?;
        let known = self.inner.draft.lock().ok().and_then(|d| d.clone());
        if let Some(known) = known.filter(|d| d.run == *run && d.head == record.head) {
            return Ok(known);
        }
        let events = self.inner.store.events(run, 0, END, usize::MAX).await?;
        let path = events
            .iter()
            .find_map(|e| e.body.opened_path())
            .map(str::to_owned);
        let taken_back = TakenBack::of(&events);
        // A fork is nobody's word yet, whatever its parent was.
        let mut counts = events.iter().rev().filter(|e| !taken_back.has(e.seq));
        let is_over = counts.find_map(|e| e.body.settles_draft()).unwrap_or(false);
        let name = events.iter().rev().find_map(|e| e.body.names_run()).flatten();
        let name = name.map(str::to_owned);
        let mut tags = Tags::default();
        events
            .iter()
            .filter_map(|e| e.body.tags_run())
            .for_each(|tagged| tags.take(tagged));
        let has_begun = events.iter().any(|e| matches!(e.body, EventBody::Approved(_)));
        let mut kept = events.iter().rev().filter(|e| !taken_back.has(e.seq));
        let is_planning = kept.find_map(|e| e.body.opens_planning()) == Some(true);
        let open_decisions = record.summary.as_ref().map_or(0, |s| s.open_decisions);
        let cached = CachedDraft {
            costs: Costs::of(record.summary.as_ref()),
            run: run.clone(),
            key: record.key,
            head: events.last().map_or(0, |e| e.seq),
            place: self.inner.around.place(run, path.as_deref()),
            path,
            is_draft: !is_over,
            has_begun,
            is_planning,
            drafting: Drafting::fold(&self.inner.store, &events).await?,
            laid: Laid::of(&events),
            open_decisions,
            name,
            tags,
        };
        self.remember(cached.clone());
        Ok(cached)
    }

    fn remember(&self, cached: CachedDraft) {
        if let Ok(mut slot) = self.inner.draft.lock() {
            *slot = Some(cached);
        }
    }

    pub(super) async fn draft_view(&self, cached: &CachedDraft) -> Result<DraftView, Error> {
        let plan = &cached.drafting.plan;
        let catalog = self.catalog();
        let mut problems = self.unfit_pins(cached).await?;
        problems.extend(plan.problems_in(&self.inner.around.setting(&catalog, &cached.place)));
        let mut parts = draft_view::parts(plan, &catalog, &cached.place);
        for task in &mut parts.tasks {
            task.pinned = cached.laid.pins.contains_key(task.id.as_str());
            task.breakpoint = cached.laid.points.get(task.id.as_str()).copied();
        }
        let label = |step: Option<&Step>| step.map(Step::label);
        Ok(DraftView {
            run: cached.run.to_string(),
            title: cached.title(),
            revision: cached.drafting.revision,
            is_draft: cached.is_draft,
            path: cached.path.clone(),
            document: plan.to_text(),
            tasks: parts.tasks,
            edges: parts.edges,
            problems,
            can_undo: cached.is_draft && !cached.drafting.undo.is_empty(),
            can_redo: cached.is_draft && !cached.drafting.redo.is_empty(),
            undo_label: label(cached.drafting.undo.back()),
            redo_label: label(cached.drafting.redo.last()),
        })
    }
}

/// What was signed, rejected or imported is nobody's draft.
pub(super) fn refuse_settled(cached: &CachedDraft) -> Result<(), Error> {
    if cached.is_draft {
        return Ok(());
    }
    Err(Error::conflict(
        "approved",
        "this plan has been approved or imported and can't be changed any more; edit it as a new draft",
    ))
}

/// All edits of one request as one change, or nothing if they change nothing.
fn combine(plan: &DraftPlan, edits: &[PlanEdit]) -> Result<Option<Change>, Error> {
    let mut plan = std::borrow::Cow::Borrowed(plan);
    let mut label = None;
    let (mut patch, mut inverse): (Vec<Json>, Vec<Vec<Json>>) = (Vec::new(), Vec::new());
    for edit in edits {
        let applied = edit::apply(&plan, edit).map_err(|e| Error::invalid("edit", e.to_string()))?;
        label.get_or_insert(applied.label);
        patch.extend(operations(applied.patch));
        inverse.push(operations(applied.inverse));
        plan = std::borrow::Cow::Owned(applied.plan);
    }
    // Taken back in the opposite order.
    let inverse: Vec<Json> = inverse.into_iter().rev().flatten().collect();
    let label = label.unwrap_or_default();
    Ok((!patch.is_empty()).then(|| {
        Change::Edit(Revision {
            label,
            patch: Json::Array(patch),
            inverse: Json::Array(inverse),
        })
    }))
}

fn operations(patch: Json) -> Vec<Json> {
    if let Json::Array(operations) = patch {
        operations
    } else {
        vec![patch]
    }
}

pub(super) fn parse(text: &str) -> Result<DraftPlan, Error> {
    DraftPlan::parse(text).map_err(|problems| Error::Problems { problems })
}
