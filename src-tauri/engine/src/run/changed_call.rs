//! A call that a person was shown, with other arguments in their place by the person's word: found again for that very call,
//! and for no other. What it may touch is asked of the gate anew. It must not know what was changed, nor why.

use super::choice::{Choice, Chosen};
use super::driver::{DriveError, Driver};
use super::inputs::{Resolved, load};
use super::start::bound_to;
use crate::model::decision::changed_arguments;
use crate::model::plan::TaskIx;
use crate::model::secret_places::with_secrets;
use crate::model::{Digest, Json};

/// One call, by what it is known.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    /// Of the call as it is made.
    pub key: Digest,
    /// Of the call as the plan has it: what a person's word is about.
    pub shown: Digest,
}

impl Driver {
    /// Whether a person has put other arguments in the place of those of a call of this task.
    pub(super) fn is_changed_by_person(&self, ix: TaskIx) -> bool {
        let allowed = self.state.task(ix).allowed.as_ref();
        allowed.is_some_and(|allowed| allowed.changed_in.is_some())
    }

    /// The arguments that a person wants instead, if their word is about this very call.
    async fn changed(&self, ix: TaskIx, bound: Digest) -> Result<Option<Json>, DriveError> {
        let allowed = self.state.task(ix).allowed.as_ref();
        let decision = allowed
            .and_then(|allowed| allowed.changed_in.as_ref())
            .and_then(|id| self.state.decision(id))
            .filter(|decision| decision.binds == Some(bound));
        let Some(answer) = decision.and_then(|decision| decision.answer.as_ref()) else {
            return Ok(None);
        };
        let answer = load(&self.store, answer).await?;
        Ok(changed_arguments(&answer).cloned())
    }

    /// The call that would be made now, with what a person has changed of it.
    pub(super) async fn choose_as_changed(
        &self,
        ix: TaskIx,
        name: &str,
        resolved: Resolved,
    ) -> Result<(Chosen, Keys, Resolved), DriveError> {
        let shown = self.key_of(ix, name, &resolved.shown);
        let own = Keys { key: shown, shown };
        let chosen = self.choose(ix, shown, &resolved);
        let Chosen::Call(choice) = &chosen else {
            return Ok((chosen, own, resolved));
        };
        let Some(arguments) = self.changed(ix, bound_to(choice, shown)).await? else {
            return Ok((chosen, own, resolved));
        };
        let which = choice.which;
        let changed = match with_secrets(&resolved.shown, resolved.real.as_ref(), &arguments) {
            Ok(real) => Resolved {
                real: resolved.real.is_some().then_some(real),
                shown: arguments,
                secrets: resolved.secrets.clone(),
                labels: resolved.labels,
                strands: resolved.strands.clone(),
            },
            Err(message) => {
                let code = "bad_arguments";
                return Ok((Chosen::Refuse { code, message }, own, resolved));
            }
        };
        let key = self.key_of(ix, name, &changed.shown);
        match self.choose(ix, key, &changed) {
            // What the person has changed is a call of this tool; by another one they are asked anew.
            Chosen::Call(Choice { which: other, .. }) if other != which => Ok((chosen, own, resolved)),
            chosen @ (Chosen::Call(_) | Chosen::Hold { .. } | Chosen::Doubt | Chosen::Refuse { .. }) => {
                Ok((chosen, Keys { key, shown }, changed))
            }
        }
    }
}
