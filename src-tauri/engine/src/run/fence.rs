//! The last look before an effect: whether this driver still owns the run. Its process may have been stopped between
//! the commit of the intent and the call, and someone else may have taken the run over meanwhile.

use super::attempt::{Job, Report};
use crate::store::{RunKey, Store, death};
use crate::tools::ToolError;

pub(super) struct Fence {
    pub store: Store,
    pub run: RunKey,
    pub epoch: u64,
}

impl Fence {
    /// Runs the attempt, unless it would change something in the name of an owner that is none any more.
    pub async fn run(self, job: Job) -> Report {
        death::may_come("intent");
        if job.is_effect()
            && let Some(message) = self.refusal().await
        {
            // Nothing was called, so nothing is in doubt.
            return Report {
                ix: job.ix,
                call: job.call,
                result: Err(ToolError::Transient {
                    code: "not_owner",
                    message,
                    retry_after: None,
                }),
            };
        }
        death::may_come("dispatch");
        job.run().await
    }

    async fn refusal(&self) -> Option<String> {
        match self.store.is_owner(self.run, self.epoch).await {
            Ok(true) => None,
            Ok(false) => Some("another owner has taken the run over; the call was not made".to_owned()),
            Err(error) => Some(format!(
                "the call was not made, since its run can't be read: {error}"
            )),
        }
    }
}
