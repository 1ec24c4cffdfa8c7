//! From a log to a state: the one fold, at any position.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::drafting::{Drafting, DraftingError, document_text, unreadable};
use super::plans::Plans;
use crate::model::document::DraftPlan;
use crate::model::events::{Change, Event, EventBody, PlanRevised};
use crate::model::grants::Place;
use crate::model::plan::Plan;
use crate::model::state::{Illegal, RunState};
use crate::model::tool::Catalog;
use crate::model::value::ValueRef;
use crate::model::{Digest, Problem, RunId, Seq, Setting, WrittenPlan};
use crate::store::{RunRecord, Store, StoreError};

/// A run, read whole.
pub struct Loaded {
    pub record: RunRecord,
    /// The plan that was signed last, where another one waits for its signature.
    pub signed: Option<DraftPlan>,
    pub state: RunState,
    /// The goal at the end of these events, also of a draft that is no plan yet.
    pub goal: Option<String>,
    /// The plan's revision at the end of these events.
    pub revision: u32,
    pub events: Vec<Event>,
    pub place: Place,
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
    pub catalog: Catalog,
    pub plans: Plans,
}

impl Surroundings {
    /// The same for a log that nobody vouches for: what it says of itself must not be taken for what we know.
    pub fn apart(&self) -> Self {
        Self {
            plans: Plans::default(),
            ..self.clone()
        }
    }

    /// The place of a run: the folder of its plan file, and its own.
    pub fn place(&self, run: &RunId, path: Option<&str>) -> Place {
        let folder = path.and_then(|p| Path::new(p).parent()).map(Path::to_owned);
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
    let mut fold = Fold {
        store,
        around,
        run,
        place: &place,
        document: Document::Folded(Drafting::default()),
        digest: None,
        goal: None,
        revision: 0,
        state: RunState::new(Arc::new(Plan::empty())),
        signed: None,
    };
    let taken_back = TakenBack::of(&events);
    for event in &events {
        if taken_back.has(event.seq) {
            fold.state.absorb(event)?;
        } else {
            fold.take(event).await?;
        }
    }
    fold.show().await?;
    let Fold {
        goal,
        revision,
        state,
        signed,
        ..
    } = fold;
    Ok(Loaded {
        record,
        signed,
        state,
        goal,
        revision,
        events,
        place,
    })
}

/// The document and the state, folded side by side.
struct Fold<'f> {
    store: &'f Store,
    around: &'f Surroundings,
    run: &'f RunId,
    place: &'f Place,
    document: Document<'f>,
    /// The document's identity.
    digest: Option<Digest>,
    goal: Option<String>,
    revision: u32,
    state: RunState,
    signed: Option<DraftPlan>,
}

/// A document as it stands in the log while nothing edits it, so that it can be read task by task; else its tree.
enum Document<'f> {
    Stored(&'f PlanRevised, &'f ValueRef),
    Folded(Drafting),
}

impl<'f> Fold<'f> {
    async fn take(&mut self, event: &'f Event) -> Result<(), LoadError> {
        if let EventBody::PlanRevised(revised) = &event.body {
            self.revise(revised).await?;
        }
        if matches!(event.body, EventBody::Approved(_)) && !self.state.has_begun {
            let plan = self.plan().await?;
            self.state.set_plan(plan);
        }
        Ok(self.state.apply(event)?)
    }

    async fn revise(&mut self, revised: &'f PlanRevised) -> Result<(), LoadError> {
        if let (0, Change::Document(value)) = (self.revision, &revised.change) {
            self.document = Document::Stored(revised, value);
        } else {
            let mut drafting = self.drafting().await?;
            if self.state.has_begun && self.state.approved.is_none() {
                self.signed.get_or_insert_with(|| drafting.plan.clone());
            }
            drafting.take_event(self.store, revised).await?;
            self.document = Document::Folded(drafting);
        }
        self.digest = Some(revised.digest);
        self.revision = revised.revision;
        if self.state.has_begun {
            match self.plan().await {
                Ok(plan) => self.state.adopt(&plan),
                // An edit may leave problems; nobody has signed it.
                Err(LoadError::Plan(_)) if self.state.approved.is_none() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// The tree, for an edit. What was folded is taken out.
    async fn drafting(&mut self) -> Result<Drafting, LoadError> {
        let none = Document::Folded(Drafting::default());
        match std::mem::replace(&mut self.document, none) {
            Document::Folded(drafting) => Ok(drafting),
            Document::Stored(revised, _) => {
                let mut drafting = Drafting::default();
                drafting.take_event(self.store, revised).await?;
                Ok(drafting)
            }
        }
    }

    /// The document as a plan: the one that is at hand, else read and judged.
    async fn plan(&mut self) -> Result<Arc<Plan>, LoadError> {
        let plans = &self.around.plans;
        if let Some(plan) = self.digest.and_then(|digest| plans.find(self.run, digest)) {
            self.goal.clone_from(&plan.goal);
            return Ok(plan);
        }
        plans.forget();
        let setting = Setting {
            catalog: &self.around.catalog,
            place: self.place,
            has_models: false,
        };
        let (goal, accepted) = match &self.document {
            Document::Folded(drafting) => {
                let plan = &drafting.plan;
                (plan.goal().map(str::to_owned), plan.to_plan_in(&setting))
            }
            Document::Stored(revised, value) => {
                let text = document_text(self.store, value).await?;
                let written =
                    WrittenPlan::read(&text).map_err(|problems| unreadable(revised.revision, &problems))?;
                (written.goal().map(str::to_owned), written.to_plan_in(&setting))
            }
        };
        self.goal = goal;
        let plan = Arc::new(accepted.map_err(|problems| misfit(&problems))?.plan);
        if let Some(digest) = self.digest {
            plans.keep(self.run, digest, plan.clone());
        }
        Ok(plan)
    }

    /// A draft shows the tasks that it would have, if it has no problems.
    async fn show(&mut self) -> Result<(), LoadError> {
        if self.state.has_begun {
            return Ok(());
        }
        match self.plan().await {
            Ok(plan) => self.state.set_plan(plan),
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
        let mut stretches = Vec::new();
        let mut end = Seq::MAX;
        for (to, at) in rewinds.collect::<Vec<_>>().into_iter().rev() {
            // A rewind that was itself taken back says nothing any more.
            if at <= end {
                stretches.push((to, at));
                end = to;
            }
        }
        Self { stretches }
    }

    pub fn has(&self, seq: Seq) -> bool {
        self.stretches.iter().any(|&(to, at)| seq > to && seq < at)
    }
}

/// Why the plan of a run can't be used any more, by the first of its problems.
fn misfit(problems: &[Problem]) -> LoadError {
    let messages: Vec<String> = problems.iter().take(3).map(|p| p.message.clone()).collect();
    LoadError::Plan(messages.join("; "))
}
