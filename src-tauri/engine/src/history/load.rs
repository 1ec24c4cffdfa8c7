//! From a log to a state: the one fold, at any position.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::drafting::{Drafting, DraftingError};
use crate::model::document::DraftPlan;
use crate::model::events::{Event, EventBody};
use crate::model::grants::Place;
use crate::model::plan::Plan;
use crate::model::state::{Illegal, RunState};
use crate::model::tool::Catalog;
use crate::model::{RunId, Seq};
use crate::store::{RunRecord, Store, StoreError};

/// A run, read whole.
pub struct Loaded {
    pub record: RunRecord,
    /// The plan that was signed last, where another one waits for its signature.
    pub signed: Option<DraftPlan>,
    pub state: RunState,
    pub drafting: Drafting,
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

/// Where runs have their own folders, and what tools there are.
#[derive(Clone)]
pub struct Surroundings {
    pub workspaces: PathBuf,
    pub catalog: Catalog,
}

impl Surroundings {
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
        place: &place,
        drafting: Drafting::default(),
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
    let Fold {
        drafting,
        state,
        signed,
        ..
    } = fold.shown();
    Ok(Loaded {
        record,
        signed,
        state,
        drafting,
        events,
        place,
    })
}

/// The document and the state, folded side by side.
struct Fold<'f> {
    store: &'f Store,
    around: &'f Surroundings,
    place: &'f Place,
    drafting: Drafting,
    state: RunState,
    signed: Option<DraftPlan>,
}

impl Fold<'_> {
    async fn take(&mut self, event: &Event) -> Result<(), LoadError> {
        match &event.body {
            EventBody::PlanRevised(revised) => {
                if self.state.has_begun && self.state.approved.is_none() {
                    self.signed.get_or_insert_with(|| self.drafting.plan.clone());
                }
                self.drafting.take_event(self.store, revised).await?;
                if self.state.has_begun {
                    match plan_of(&self.drafting.plan, self.around, self.place) {
                        Ok(plan) => self.state.adopt(&Arc::new(plan)),
                        // An edit may leave problems; nobody has signed it.
                        Err(_) if self.state.approved.is_none() => {}
                        Err(error) => return Err(error),
                    }
                }
            }
            EventBody::Approved(_) if !self.state.has_begun => {
                let plan = plan_of(&self.drafting.plan, self.around, self.place)?;
                self.state.set_plan(Arc::new(plan));
            }
            _ => {}
        }
        Ok(self.state.apply(event)?)
    }

    /// A draft shows the tasks that it would have, if it has no problems.
    fn shown(mut self) -> Self {
        if !self.state.has_begun
            && let Ok(plan) = plan_of(&self.drafting.plan, self.around, self.place)
        {
            self.state.set_plan(Arc::new(plan));
        }
        self
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
        let rewinds = events.iter().filter_map(|e| match &e.body {
            EventBody::RunRewound(rewound) => Some((rewound.to, e.seq)),
            _ => None,
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

fn plan_of(draft: &DraftPlan, around: &Surroundings, place: &Place) -> Result<Plan, LoadError> {
    let accepted = draft.to_plan(&around.catalog, place);
    accepted.map(|a| a.plan).map_err(|problems| {
        let messages: Vec<String> = problems.iter().take(3).map(|p| p.message.clone()).collect();
        LoadError::Plan(messages.join("; "))
    })
}
