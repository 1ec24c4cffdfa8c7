//! Effects that a run has made outside, as a face is told of them before anything is done again.

use std::collections::{BTreeSet, HashSet};

use crate::model::events::{Event, EventBody, FilesRestored};
use crate::model::plan::TaskIx;
use crate::model::state::{Made, RunState};
use crate::model::{Digest, Seq};
use crate::views::EffectView;

/// Without those that putting files back has undone.
pub(super) fn still_made(
    mut effects: Vec<EffectView>,
    events: &[Event],
    restored: Option<&FilesRestored>,
) -> Vec<EffectView> {
    let undone = |event: &Event| match (&event.body, restored) {
        (EventBody::CallStarted(call), Some(restored)) => restored.undone.contains(&call.key),
        _ => false,
    };
    let gone: HashSet<Seq> = events.iter().filter(|e| undone(e)).map(|e| e.seq).collect();
    effects.retain(|effect| !gone.contains(&Seq::from(effect.seq)));
    effects
}

/// The effects made after event `after`, oldest first.
pub(super) fn effects_of(events: &[Event], after: Seq, state: &RunState) -> Vec<EffectView> {
    events
        .iter()
        .filter(|e| e.seq > after)
        .filter_map(|e| effect_of(e, state))
        .collect()
}

/// What was made outside in what a rewind to the state `then` takes back, oldest first: also by the calls that were under
/// way at that moment.
pub(super) fn effects_since(events: &[Event], then: &RunState, state: &RunState) -> Vec<EffectView> {
    let tasks = then.nodes().map(|ix| then.task(ix));
    let open: HashSet<Digest> = tasks
        .flat_map(|task| task.open_calls().map(|call| call.key))
        .collect();
    let is_open =
        |event: &Event| matches!(&event.body, EventBody::CallStarted(call) if open.contains(&call.key));
    events
        .iter()
        .filter(|e| e.seq > then.seq || is_open(e))
        .filter_map(|e| effect_of(e, state))
        .collect()
}

pub(super) fn made_by(events: &[Event], state: &RunState, tasks: &BTreeSet<TaskIx>) -> Vec<EffectView> {
    let is_one = |e: &&Event| {
        let ix = e.task.as_ref().and_then(|id| state.find(id.as_str()));
        let mut at = ix;
        while let Some(ix) = at {
            if tasks.contains(&ix) {
                return true;
            }
            at = state.tree.owner(ix);
        }
        false
    };
    events
        .iter()
        .filter(|e| matches!(e.body, EventBody::CallStarted(_)))
        .filter(is_one)
        .filter_map(|e| effect_of(e, state))
        .collect()
}

fn effect_of(event: &Event, state: &RunState) -> Option<EffectView> {
    let EventBody::CallStarted(call) = &event.body else {
        return None;
    };
    let is_known = match state.made.get(&call.key)? {
        Made::Done(_) => true,
        Made::Begun => false,
    };
    Some(EffectView {
        task: event.task.as_ref().map_or(String::new(), ToString::to_string),
        tool: call.tool.clone(),
        effect: call.effect,
        seq: u32::try_from(event.seq).unwrap_or(u32::MAX),
        at: event.at_ms as f64,
        is_known,
    })
}
