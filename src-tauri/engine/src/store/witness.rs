//! For tests: somebody who hears of each commit right after it, before anything can follow from it. It must not know
//! what the events mean, and nothing in the engine hangs on it.

use std::sync::Arc;

use super::commit::Durability;
use super::runs::RunKey;
use super::{Store, StoreError, Worker, open};
use crate::model::Seq;
use crate::model::events::NewEvent;

/// What was committed; no events where only a row has changed.
#[derive(Clone, Debug)]
pub struct Committed {
    pub run: RunKey,
    /// Position of the first event.
    pub first: Seq,
    pub events: Vec<NewEvent>,
    pub durability: Durability,
}

/// Called on the thread that has committed.
pub type Witness = Arc<dyn Fn(Committed) + Send + Sync>;

impl Store {
    /// A store on a file that does everything on the caller's thread, at once, as one in memory does: so that a test
    /// with a paused clock can take the file's power away. It takes no locks beside the file.
    #[doc(hidden)]
    pub fn inline_on(path: &std::path::Path) -> Result<Self, StoreError> {
        Ok(Self::of(Worker::inline(open::writer(path)?), None, None, None))
    }

    /// From now on this witness hears of each commit of this handle. The first one stays.
    #[doc(hidden)]
    pub fn set_witness(&self, witness: Witness) {
        let _ = self.inner.witness.set(witness);
    }

    /// What is to be told of a batch once it is committed, where somebody listens.
    pub(super) fn testimony(
        &self,
        run: RunKey,
        events: &[NewEvent],
        durability: Durability,
    ) -> Option<Committed> {
        self.inner.witness.get().map(|_| Committed {
            run,
            first: 0,
            events: events.to_vec(),
            durability,
        })
    }

    pub(super) fn testify(&self, told: Option<Committed>, first: Seq) {
        if let (Some(witness), Some(told)) = (self.inner.witness.get(), told) {
            witness(Committed { first, ..told });
        }
    }
}
