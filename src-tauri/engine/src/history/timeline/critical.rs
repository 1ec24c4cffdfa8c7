//! The chain of tasks that the end of a run waited for: from the task that ended last back to what ended last before it.
//! Each task is looked at once.

use std::collections::HashMap;

use super::Tracks;
use crate::model::state::RunState;
use crate::views::{SpanEnd, SpanView};

/// Tracks of the plan's own tasks, the last one first.
pub(super) fn path(state: &RunState, tracks: &Tracks, spans: &[SpanView]) -> Vec<u32> {
    let mut ends: HashMap<u32, u32> = HashMap::new();
    for span in spans.iter().filter(|span| counts(span)) {
        let Some(track) = span.track.filter(|&track| !tracks.is_inner(track)) else {
            continue;
        };
        let end = ends.entry(track).or_default();
        *end = (*end).max(span.to);
    }
    let last_of = |found: &mut dyn Iterator<Item = u32>| {
        found
            .filter_map(|track| Some((*ends.get(&track)?, track)))
            .max()
            .map(|(_, track)| track)
    };
    let mut path = Vec::new();
    let mut next = last_of(&mut ends.keys().copied());
    while let Some(track) = next {
        path.push(track);
        let parents = state.tree.parents(tracks.node(track));
        let mut parents = parents.filter_map(|ix| tracks.find(state.tree.address(ix).as_str()));
        next = last_of(&mut parents);
    }
    path
}

/// What was cut short or only stood in line made nobody wait.
fn counts(span: &SpanView) -> bool {
    let is_over = match span.end {
        SpanEnd::Open | SpanEnd::Done | SpanEnd::Failed => true,
        SpanEnd::Left => false,
    };
    is_over && !span.is_set_aside
}
