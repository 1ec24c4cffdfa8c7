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
    let drafting = Drafting::fold(store, &events).await?;
    let is_approved = events.iter().any(|e| matches!(e.body, EventBody::Approved(_)));
    let plan = match plan_of(&drafting.plan, around, &place) {
        Ok(plan) => plan,
        // A draft may have problems; it then has no tasks to be in any state.
        Err(_) if !is_approved => Plan::empty(),
        Err(error) => return Err(error),
    };
    let mut state = RunState::new(Arc::new(plan));
    for event in &events {
        state.apply(event)?;
    }
    Ok(Loaded {
        record,
        state,
        drafting,
        events,
        place,
    })
}

fn plan_of(draft: &DraftPlan, around: &Surroundings, place: &Place) -> Result<Plan, LoadError> {
    let accepted = draft.to_plan(&around.catalog, place);
    accepted.map(|a| a.plan).map_err(|problems| {
        let messages: Vec<String> = problems.iter().take(3).map(|p| p.message.clone()).collect();
        LoadError::Plan(messages.join("; "))
    })
}
