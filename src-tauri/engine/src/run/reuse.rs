//! Effects that were made before: what came of them is taken over, or is in doubt. Nothing is called here.

use super::choice::Choice;
use super::driver::{DriveError, Driver};
use super::fitting::has_to_fit;
use super::inputs::load_recent;
use crate::model::events::{Failure, FailureClass, TaskCompleted, TaskFailed, TaskStarted};
use crate::model::grants::Labels;
use crate::model::plan::TaskIx;
use crate::model::state::Made;
use crate::model::{Digest, Json};

impl Driver {
    /// The same effect is never made twice: what came of it is taken over if it can be the output, or is in doubt.
    pub(super) async fn reuse(
        &mut self,
        ix: TaskIx,
        choice: &Choice,
        (key, made, labels): (Digest, Made, Labels),
        inputs: &Json,
    ) -> Result<(), DriveError> {
        let brought = self.brought(ix, choice.tool.spec(), choice.effect, &choice.needs);
        let labels = labels.join(brought.await);
        let attempt = self.state.task(ix).attempts + 1;
        self.emit(
            Some(ix),
            TaskStarted {
                attempt,
                goes_on: false,
            },
        )?;
        self.barrier();
        match made {
            Made::Begun => self.doubt_of(ix, Some(key), super::finish::lost()),
            Made::Done(value) => {
                if has_to_fit(self.state.def(ix)) {
                    let output = load_recent(&self.store, &self.recent, &value).await?;
                    if let Err(error) = self.check_output(ix, inputs, &output) {
                        return self.emit(Some(ix), TaskFailed { error });
                    }
                }
                let completed = TaskCompleted {
                    output: Some(value),
                    labels,
                    reused: Some(key),
                    ..TaskCompleted::default()
                };
                self.emit(Some(ix), completed)
            }
        }
    }

    /// What has gone out may have arrived, and what is left to call is another tool: it is not sent, a person decides.
    pub(super) fn doubt_unsent(&mut self, ix: TaskIx, key: Digest) -> Result<(), DriveError> {
        let attempt = self.state.task(ix).attempts + 1;
        let goes_on = false;
        self.emit(Some(ix), TaskStarted { attempt, goes_on })?;
        self.barrier();
        let error = Failure {
            class: FailureClass::Unknown,
            code: "interrupted".to_owned(),
            message: "an earlier call may have arrived, so that the fallback was not sent.".to_owned(),
        };
        self.doubt_of(ix, Some(key), error)
    }
}
