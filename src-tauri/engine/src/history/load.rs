//! From a log to a state: the one fold, at any position.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::catalogs::{Catalogs, with_gone};
use super::drafting::{Drafting, DraftingError, document_text, unreadable};
use super::folds::{Folds, SPACING};
use super::numbers::Numbers;
use super::plans::Plans;
use crate::model::document::{Accepted, DraftPlan};
use crate::model::events::{Change, Event, EventBody, PlanRevised};
use crate::model::grants::Place;
use crate::model::plan::Plan;
use crate::model::state::{Illegal, RunState};
use crate::model::tool::Catalog;
use crate::model::{Digest, Json, Problem, RunId, Seq, Setting, WrittenPlan};
use crate::store::{RunKey, RunRecord, Store, StoreError};

/// Whether a person has signed the plan that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    Signed,
    Draft,
}

/// Reads a document as a plan, against what it is judged by.
type Reads<'r> = &'r dyn Fn(&Setting<'_>) -> Result<Accepted, Vec<Problem>>;

/// A run, read whole.
pub struct Loaded {
    pub record: RunRecord,
    /// The plan that was signed last, where another one waits for its signature.
    pub signed: Option<Arc<DraftPlan>>,
    pub state: RunState,
    /// The goal at the end of these events, also of a draft that is no plan yet.
    pub goal: Option<String>,
    /// The plan's revision at the end of these events.
    pub revision: u32,
    pub events: Vec<Event>,
    pub place: Place,
    document: Document,
}

/// Why a run can't be read. The log itself is as it was.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Drafting(#[from] DraftingError),
    #[error("the approved plan does not fit this version: {0}. The log is kept as it is.")]
    Plan(String),
    #[error("the log breaks its own rules: {0}. The log is kept as it is.")]
    Illegal(#[from] Illegal),
}

/// Where runs have their own folders, what tools there are, and the plan that was needed last.
#[derive(Clone)]
pub struct Surroundings {
    pub workspaces: PathBuf,
    pub catalog: Catalogs,
    /// Whether models are set up, so that plans that need one can run.
    pub has_models: Arc<AtomicBool>,
    pub plans: Plans,
    /// Folders of the person's own work, by the settings, in their normal form.
    pub own_work: Arc<[String]>,
    pub folds: Folds<RunKey, Folded>,
}

/// The folder without `..`, which only the disk can tell: what lies above a link is not what stands before its name.
fn without_up(folder: &Path) -> PathBuf {
    let has_up = folder
        .components()
        .any(|part| part == std::path::Component::ParentDir);
    let real = has_up.then(|| folder.canonicalize().ok()).flatten();
    real.unwrap_or_else(|| folder.to_owned())
}

impl Surroundings {
    /// What a plan at this place is judged against, with these tools.
    pub fn setting<'a>(&self, catalog: &'a Catalog, place: &'a Place) -> Setting<'a> {
        Setting {
            catalog,
            place,
            has_models: self.has_models.load(Ordering::Relaxed),
        }
    }

    /// The same for a log that nobody vouches for: what it says of itself must not be taken for what we know. Also for
    /// looking at many runs, so that the one that is needed stays at hand.
    pub fn apart(&self) -> Self {
        Self {
            plans: Plans::default(),
            folds: Folds::spaced(SPACING),
            ..self.clone()
        }
    }

    /// The place of a run: the folder of its plan file, and its own.
    pub fn place(&self, run: &RunId, path: Option<&str>) -> Place {
        let folder = path.and_then(|p| Path::new(p).parent()).map(without_up);
        Place {
            folder,
            workspace: self.workspaces.join(run.as_str()),
        }
    }
}

/// Reads the run up to and with `upto`.
pub async fn load(store: &Store, around: &Surroundings, run: &RunId, upto: Seq) -> Result<Loaded, LoadError> {
    let record = store.run(run).await?;
    let events = store.events(run, 0, upto, usize::MAX).await?;
    let path = events
        .iter()
        .find_map(|e| e.body.opened_path())
        .map(str::to_owned);
    let place = around.place(run, path.as_deref());
    let mut fold = Fold::begin(store, around, (run, record.key), place);
    fold.take_all(&events, &TakenBack::of(&events)).await?;
    fold.show().await?;
    let Fold { place, folded, .. } = fold;
    Ok(Loaded {
        record,
        signed: folded.signed,
        state: folded.state,
        goal: folded.goal,
        revision: folded.revision,
        events,
        place,
        document: folded.document,
    })
}

impl Loaded {
    /// The plan's document at the end of these events.
    pub async fn drafting(&self, store: &Store) -> Result<Drafting, LoadError> {
        tree_of(self.document.clone(), store).await
    }
}

/// A run at one position, without its events.
pub struct Seen {
    pub record: RunRecord,
    pub state: RunState,
    pub goal: Option<String>,
    pub place: Place,
    document: Document,
}

impl Seen {
    /// The plan's document as it was there.
    pub async fn drafting(self, store: &Store) -> Result<Drafting, LoadError> {
        tree_of(self.document, store).await
    }
}

/// Of more events than the first number, the fold before the last so many is kept: who looks here looks near here next.
const FAR: usize = 128;
const NEAR: usize = 64;

/// The same as [`load`], from the nearest fold that is still kept: the work does not grow with the log.
pub async fn see(store: &Store, around: &Surroundings, run: &RunId, upto: Seq) -> Result<Seen, LoadError> {
    let record = store.run(run).await?;
    let mut limit = upto.min(record.head);
    loop {
        let Some((at, kept)) = around.folds.before(record.key, limit) else {
            return see_from_zero(store, around, record, upto).await;
        };
        let events = store.events(run, at, upto, usize::MAX).await?;
        let taken_back = TakenBack::of(&events);
        if let Some(to) = taken_back.earliest().filter(|&to| to < at) {
            // The fold lies in a stretch that was taken back; one before it is needed.
            limit = to;
            continue;
        }
        let place = around.place(run, kept.state.path.as_deref());
        let mut fold = Fold {
            folded: (*kept).clone(),
            kept_at: at,
            ..Fold::begin(store, around, (run, record.key), place)
        };
        let is_far = events.len() > FAR && taken_back.stretches.is_empty();
        let (before, near) = events.split_at(if is_far { events.len() - NEAR } else { 0 });
        fold.take_all(before, &taken_back).await?;
        if is_far {
            let seq = fold.folded.state.seq;
            around.folds.keep_near(record.key, seq, fold.folded.clone());
        }
        fold.take_all(near, &taken_back).await?;
        fold.show().await?;
        let Fold { place, folded, .. } = fold;
        return Ok(Seen {
            record,
            state: folded.state,
            goal: folded.goal,
            place,
            document: folded.document,
        });
    }
}

async fn see_from_zero(
    store: &Store,
    around: &Surroundings,
    record: RunRecord,
    upto: Seq,
) -> Result<Seen, LoadError> {
    let loaded = load(store, around, &record.id, upto).await?;
    Ok(Seen {
        record: loaded.record,
        state: loaded.state,
        goal: loaded.goal,
        place: loaded.place,
        document: loaded.document,
    })
}

/// The document and the state at one position, folded side by side.
#[derive(Clone)]
pub struct Folded {
    document: Document,
    /// The document's identity.
    digest: Option<Digest>,
    goal: Option<String>,
    revision: u32,
    state: RunState,
    signed: Option<Arc<DraftPlan>>,
}

/// A document as it stands in the log while nothing edits it, so that it can be read task by task; else its tree.
#[derive(Clone)]
enum Document {
    Stored(Arc<PlanRevised>),
    Folded(Arc<Drafting>),
}

async fn tree_of(document: Document, store: &Store) -> Result<Drafting, LoadError> {
    match document {
        Document::Folded(drafting) => Ok(Arc::unwrap_or_clone(drafting)),
        Document::Stored(revised) => {
            let mut drafting = Drafting::default();
            drafting.take_event(store, &revised).await?;
            Ok(drafting)
        }
    }
}

/// A fold on its way.
struct Fold<'f> {
    store: &'f Store,
    around: &'f Surroundings,
    run: &'f RunId,
    key: RunKey,
    place: Place,
    folded: Folded,
    /// Where the last fold was kept.
    kept_at: Seq,
}

impl<'f> Fold<'f> {
    fn begin(
        store: &'f Store,
        around: &'f Surroundings,
        (run, key): (&'f RunId, RunKey),
        place: Place,
    ) -> Self {
        Self {
            store,
            around,
            run,
            key,
            place,
            folded: Folded {
                document: Document::Folded(Arc::default()),
                digest: None,
                goal: None,
                revision: 0,
                state: RunState::new(Arc::new(Plan::empty())),
                signed: None,
            },
            kept_at: 0,
        }
    }

    async fn take_all(&mut self, events: &[Event], taken_back: &TakenBack) -> Result<(), LoadError> {
        let numbers = if taken_back.stretches.is_empty() {
            Numbers::default()
        } else {
            Numbers::of(events, &self.folded.state, |seq| taken_back.has(seq))
        };
        for event in events {
            if taken_back.has(event.seq) {
                // Not what the run was then, so nothing to keep.
                let ended = numbers.key_at(event.seq);
                self.folded.state.absorb(event, ended)?;
            } else {
                self.take(event).await?;
                self.keep();
            }
        }
        Ok(())
    }

    /// Keeps the fold where the last one that was kept is far enough away.
    fn keep(&mut self) {
        let folds = &self.around.folds;
        let (seq, tasks) = (self.folded.state.seq, self.folded.state.tasks.len());
        if seq - self.kept_at >= folds.spacing(tasks) {
            folds.keep(self.key, seq, tasks, self.folded.clone());
            self.kept_at = seq;
        }
    }

    async fn take(&mut self, event: &Event) -> Result<(), LoadError> {
        if let EventBody::PlanRevised(revised) = &event.body
            && let Some(plan) = self.revise(revised).await?
        {
            return Ok(self.folded.state.take_revision(&plan, event)?);
        }
        if matches!(event.body, EventBody::Approved(_)) && !self.folded.state.has_begun {
            let plan = self.plan(Standing::Signed).await?;
            self.folded.state.set_plan(plan);
        }
        Ok(self.folded.state.apply(event)?)
    }

    /// The plan, where it is another version in the midst of the run.
    async fn revise(&mut self, revised: &PlanRevised) -> Result<Option<Arc<Plan>>, LoadError> {
        if let (0, Change::Document(_)) = (self.folded.revision, &revised.change) {
            self.folded.document = Document::Stored(Arc::new(revised.clone()));
        } else {
            let mut drafting = self.drafting().await?;
            if self.folded.state.has_begun && self.folded.state.approved.is_none() {
                self.folded
                    .signed
                    .get_or_insert_with(|| Arc::new(drafting.plan.clone()));
            }
            drafting.take_event(self.store, revised).await?;
            self.folded.document = Document::Folded(Arc::new(drafting));
        }
        self.folded.digest = Some(revised.digest);
        self.folded.revision = revised.revision;
        if !self.folded.state.has_begun {
            return Ok(None);
        }
        let standing = match self.folded.state.approved {
            Some(_) => Standing::Signed,
            None => Standing::Draft,
        };
        match self.plan(standing).await {
            Ok(plan) => Ok(Some(plan)),
            // An edit may leave problems; nobody has signed it.
            Err(LoadError::Plan(_)) if self.folded.state.approved.is_none() => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The tree, for an edit. What was folded is taken out.
    async fn drafting(&mut self) -> Result<Drafting, LoadError> {
        let none = Document::Folded(Arc::default());
        tree_of(std::mem::replace(&mut self.folded.document, none), self.store).await
    }

    /// The document as a plan: the one that is at hand, else read and judged.
    async fn plan(&mut self, standing: Standing) -> Result<Arc<Plan>, LoadError> {
        let plans = &self.around.plans;
        if let Some(plan) = self.folded.digest.and_then(|digest| plans.find(self.run, digest)) {
            self.folded.goal.clone_from(&plan.goal);
            return Ok(plan);
        }
        plans.forget();
        let tools = match standing {
            // An earlier version may have let it pass; what became of it, the log says.
            Standing::Signed => Arc::new(self.around.catalog.now().of_signed()),
            Standing::Draft => self.around.catalog.now(),
        };
        let judge = |read: Reads<'_>, document: &dyn Fn() -> Json| {
            let problems = match read(&self.around.setting(&tools, &self.place)) {
                Ok(accepted) => return Ok(accepted),
                Err(problems) => problems,
            };
            // What was signed can be looked at though its server is set up no more. It can't be gone on with.
            let known = match standing {
                Standing::Signed => with_gone(&tools, &problems, &document()),
                Standing::Draft => None,
            };
            match known {
                Some(known) => read(&self.around.setting(&known, &self.place)),
                None => Err(problems),
            }
        };
        let (goal, accepted) = match &self.folded.document {
            Document::Folded(drafting) => {
                let plan = &drafting.plan;
                let document = || plan.document().clone();
                (
                    plan.goal().map(str::to_owned),
                    judge(&|setting| plan.to_plan_in(setting), &document),
                )
            }
            Document::Stored(revised) => {
                let text = match &revised.change {
                    Change::Document(value) => document_text(self.store, value).await?,
                    Change::Edit(_) | Change::Undo(_) | Change::Redo(_) | Change::Replan(_) => String::new(),
                };
                let written =
                    WrittenPlan::read(&text).map_err(|problems| unreadable(revised.revision, &problems))?;
                let document = || serde_json::from_str(&text).unwrap_or_default();
                let goal = written.goal().map(str::to_owned);
                (goal, judge(&|setting| written.to_plan_in(setting), &document))
            }
        };
        self.folded.goal = goal;
        let plan = Arc::new(accepted.map_err(|problems| misfit(&problems))?.plan);
        if let Some(digest) = self.folded.digest {
            plans.keep(self.run, digest, plan.clone());
        }
        Ok(plan)
    }

    /// A draft shows the tasks that it would have, if it has no problems.
    async fn show(&mut self) -> Result<(), LoadError> {
        if self.folded.state.has_begun {
            return Ok(());
        }
        match self.plan(Standing::Draft).await {
            Ok(plan) => self.folded.state.set_plan(plan),
            Err(LoadError::Plan(_)) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The stretches of a log that a later rewind took back.
#[derive(Debug, Default)]
pub struct TakenBack {
    /// Each without its ends: after the position that was gone back to, before the rewind. Newest first.
    stretches: Vec<(Seq, Seq)>,
    earliest: Option<Seq>,
}

impl TakenBack {
    /// Events from the beginning of a log, without a gap.
    pub fn of(events: &[Event]) -> Self {
        let rewinds = events.iter().filter_map(|e| {
            if let EventBody::RunRewound(rewound) = &e.body {
                Some((rewound.to, e.seq))
            } else {
                None
            }
        });
        let rewinds: Vec<(Seq, Seq)> = rewinds.collect();
        let earliest = rewinds.iter().map(|&(to, _)| to).min();
        let mut stretches = Vec::new();
        let mut end = Seq::MAX;
        for (to, at) in rewinds.into_iter().rev() {
            // A rewind that was itself taken back says nothing any more.
            if at <= end {
                stretches.push((to, at));
                end = to;
            }
        }
        Self { stretches, earliest }
    }

    pub fn has(&self, seq: Seq) -> bool {
        // They lie apart from each other, the newest first.
        let next = self.stretches.partition_point(|&(to, _)| to >= seq);
        self.stretches
            .get(next)
            .is_some_and(|&(to, at)| seq > to && seq < at)
    }

    /// Each without its ends, the newest first.
    pub fn stretches(&self) -> impl Iterator<Item = (Seq, Seq)> + '_ {
        self.stretches.iter().copied()
    }

    /// The earliest position that was gone back to, also by a rewind that was itself taken back.
    pub fn earliest(&self) -> Option<Seq> {
        self.earliest
    }
}

/// Why the plan of a run can't be used any more, by the first of its problems.
fn misfit(problems: &[Problem]) -> LoadError {
    let messages: Vec<String> = problems.iter().take(3).map(|p| p.message.clone()).collect();
    LoadError::Plan(messages.join("; "))
}
