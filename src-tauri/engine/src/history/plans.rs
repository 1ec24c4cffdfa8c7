//! The plan that was needed last: a run that has just been signed begins with it, and each look at a run need not
//! read and judge its document again. It must not know how a plan is made.

use std::sync::{Arc, Mutex};

use crate::model::plan::Plan;
use crate::model::{Digest, RunId};

/// One plan, by its run and its document's digest; a log's plan never changes under both.
#[derive(Clone, Default)]
pub struct Plans(Arc<Mutex<Option<Known>>>);

struct Known {
    run: RunId,
    document: Digest,
    plan: Arc<Plan>,
}

impl Plans {
    pub fn find(&self, run: &RunId, document: Digest) -> Option<Arc<Plan>> {
        let slot = self.0.lock().ok()?;
        let known = slot.as_ref()?;
        (known.run == *run && known.document == document).then(|| known.plan.clone())
    }

    pub fn keep(&self, run: &RunId, document: Digest, plan: Arc<Plan>) {
        if let Ok(mut slot) = self.0.lock() {
            *slot = Some(Known {
                run: run.clone(),
                document,
                plan,
            });
        }
    }

    /// Lets it go, so that a large plan does not stand beside the next one.
    pub fn forget(&self) {
        if let Ok(mut slot) = self.0.lock() {
            *slot = None;
        }
    }
}
