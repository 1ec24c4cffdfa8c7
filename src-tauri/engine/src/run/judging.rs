//! Whether a proposal can be taken as the run stands now: when it comes, when a person accepts it, and when it
//! applies. One judgement for all three. It must not know models, nor record anything.

use serde_json::json;

use crate::model::json::canonical;
use crate::model::replan::{self, Replanned, Standing, Standings};
use crate::model::state::RunState;
use crate::model::{Digest, DraftPlan, Json, Setting, TaskId};

/// Sentences of what is wrong that are told; a model needs no more to mend it.
const TOLD: usize = 40;

/// The proposal against the plan as it is and the tasks as they stand. `Err`: what is wrong, in sentences.
pub(super) fn judge(
    state: &RunState,
    failed: &[TaskId],
    draft: &DraftPlan,
    proposal: &Json,
    setting: &Setting<'_>,
) -> Result<Replanned, Vec<String>> {
    let replanned = replan::replan(draft, state, proposal, setting).map_err(|refusals| {
        let told = refusals.iter().take(TOLD);
        // Of the whole proposal there is no place to name.
        let line = |refusal: &replan::Refusal| match refusal.pointer.as_str() {
            "" => refusal.message.clone(),
            place => format!("at \"{place}\": {}", refusal.message),
        };
        told.map(line).collect::<Vec<_>>()
    })?;
    let mut left = Vec::new();
    for id in &replanned.still_failed {
        let is_meant = |address: &TaskId| {
            let rest = address.as_str().strip_prefix(id.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '[']))
        };
        if failed.iter().any(is_meant) {
            left.push(format!(
                "`{id}` has failed and stays as it is, so that the run could not go on. Change it, or drop it and let \
                 other tasks take its place."
            ));
        }
    }
    if replanned.is_empty() && left.is_empty() {
        left.push("It changes nothing.".to_owned());
    }
    if left.is_empty() { Ok(replanned) } else { Err(left) }
}

/// The same of a proposal that the log holds: it must still come to exactly what was shown.
pub(super) fn judge_recorded(
    state: &RunState,
    draft: &DraftPlan,
    setting: &Setting<'_>,
) -> Result<Replanned, Vec<String>> {
    let one = |message: &str| vec![message.to_owned()];
    let current = state.replans.current.as_ref();
    let Some((current, proposed)) = current.and_then(|c| Some((c, c.proposed.as_deref()?))) else {
        return Err(one("There is no proposal any more."));
    };
    let gone_on = proposed.prunes.iter().filter(|id| {
        let standing = state.of(id.as_str());
        !matches!(standing, Some(Standing::Untouched | Standing::Failed))
    });
    let gone_on: Vec<String> = gone_on
        .map(|id| format!("`{id}` was to go, but it has gone on since."))
        .collect();
    if !gone_on.is_empty() {
        return Err(gone_on);
    }
    let shown = draft.patched(&proposed.patch).map_err(|message| vec![message])?;
    let mut replanned = judge(state, &current.failed, draft, shown.document(), setting)?;
    if replanned.document != shown || replanned.asks.iter().any(|ask| !proposed.asks.contains(ask)) {
        return Err(one(
            "The run has gone on since, and the proposal would now do something else.",
        ));
    }
    replanned.asks.clone_from(&proposed.asks);
    Ok(replanned)
}

/// What an acceptance is bound to: the proposal, and the plan that it was made for.
pub(super) fn bound(state: &RunState) -> Option<Digest> {
    let proposed = state.replans.current.as_ref()?.proposed.as_deref()?;
    let document = state.document.map(|digest| digest.to_string());
    let bound = json!([proposed.patch, document, state.revision]);
    Some(Digest::of(canonical(&bound).as_bytes()))
}

/// Whether a replan could mend the task, with all that it holds.
pub(super) fn is_mendable(state: &RunState, id: &TaskId) -> bool {
    state.of(id.as_str()) == Some(Standing::Failed)
}
