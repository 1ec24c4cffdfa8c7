//! A log as a time axis: what each task did when, one pass over the events. It must not know how that is drawn.

mod critical;
mod spans;
mod walk;

use std::collections::HashMap;

use super::load::TakenBack;
use crate::model::Seq;
use crate::model::events::{Event, EventBody};
use crate::model::plan::TaskIx;
use crate::model::state::RunState;
use crate::views::{CostView, SpanKind, SpanView, StretchView, TickView, TrackView};

/// Spans that are told; beyond that those of inner tasks are left out, and counted.
const MOST_SPANS: usize = 60_000;

/// All of it that follows from the events alone.
pub struct Timeline {
    pub origin_ms: i64,
    pub at: Vec<f64>,
    pub tracks: Vec<TrackView>,
    pub spans: Vec<SpanView>,
    pub ticks: Vec<TickView>,
    pub lanes: u32,
    pub left_off: u32,
    pub set_aside: Vec<StretchView>,
}

/// The tasks by their addresses.
pub(super) struct Tracks {
    views: Vec<TrackView>,
    nodes: Vec<TaskIx>,
    by_address: HashMap<String, u32>,
}

impl Timeline {
    /// `events` is the whole log, `state` what it comes to; `costs` are those of the tasks by their addresses.
    pub fn of(events: &[Event], state: &RunState, mut costs: HashMap<String, CostView>) -> Self {
        let taken_back = TakenBack::of(events);
        let (origin_ms, at) = times(events);
        let mut tracks = Tracks::of(state);
        let mut walk = walk::Walk::new(state, &tracks, &taken_back);
        for event in events {
            walk.take(event);
        }
        let walked = walk.end(events.last().map_or(0, |event| event.seq));
        for span in walked.spans.iter().filter(|span| !span.is_set_aside) {
            tracks.add(span, &at);
        }
        for track in critical::path(state, &tracks, &walked.spans) {
            tracks.views[track as usize].is_critical = true;
        }
        for track in &mut tracks.views {
            track.cost = costs.remove(&track.task).unwrap_or_default();
        }
        let stretches = taken_back.stretches();
        let mut set_aside: Vec<StretchView> = stretches
            .map(|(after, before)| StretchView {
                after: position(after),
                before: position(before),
            })
            .collect();
        set_aside.reverse();
        Self {
            origin_ms,
            at,
            tracks: tracks.views,
            spans: walked.spans,
            ticks: walked.ticks,
            lanes: walked.lanes,
            left_off: walked.left_off,
            set_aside,
        }
    }
}

impl Tracks {
    fn of(state: &RunState) -> Self {
        let mut tracks = Self {
            views: Vec::new(),
            nodes: Vec::new(),
            by_address: HashMap::new(),
        };
        for ix in state.nodes() {
            let address = state.tree.address(ix).to_string();
            // A task that another plan has replaced has two nodes of one address; the one that is found is the newer.
            if tracks.by_address.contains_key(&address) {
                continue;
            }
            let ix = state.find(&address).unwrap_or(ix);
            let owner = state.tree.owner(ix).map(|owner| state.tree.address(owner));
            let view = TrackView {
                task: address.clone(),
                title: state.name(ix),
                task_type: state.def(ix).kind.word().to_owned(),
                owner: owner.and_then(|owner| tracks.by_address.get(owner.as_str()).copied()),
                is_critical: false,
                work_ms: 0.0,
                person_ms: 0.0,
                cost: CostView::default(),
            };
            let track = u32::try_from(tracks.views.len()).unwrap_or(u32::MAX);
            tracks.by_address.insert(address, track);
            tracks.views.push(view);
            tracks.nodes.push(ix);
        }
        tracks
    }

    pub(super) fn find(&self, address: &str) -> Option<u32> {
        self.by_address.get(address).copied()
    }

    pub(super) fn node(&self, track: u32) -> TaskIx {
        self.nodes[track as usize]
    }

    pub(super) fn is_inner(&self, track: u32) -> bool {
        self.views[track as usize].owner.is_some()
    }

    fn add(&mut self, span: &SpanView, at: &[f64]) {
        let Some(track) = span.track else { return };
        let time = |seq: u32| {
            at.get((seq as usize).wrapping_sub(1))
                .copied()
                .unwrap_or_default()
        };
        let took = time(span.to) - time(span.from);
        let track = &mut self.views[track as usize];
        match span.kind {
            SpanKind::Work => track.work_ms += took,
            SpanKind::Person | SpanKind::Doubt => track.person_ms += took,
            SpanKind::Queue | SpanKind::Backoff | SpanKind::Replan => {}
        }
    }
}

/// From where times count, and each event's; order is by position, so that no clock that was set back turns it round.
fn times(events: &[Event]) -> (i64, Vec<f64>) {
    let is_approval = |event: &&Event| matches!(event.body, EventBody::Approved(_));
    let first = events.iter().find(is_approval).or(events.first());
    let origin = first.map_or(0, |event| event.at_ms);
    let mut last = 0;
    let at = events.iter().map(|event| {
        last = last.max(event.at_ms.saturating_sub(origin));
        last as f64
    });
    (origin, at.collect())
}

pub(super) fn position(seq: Seq) -> u32 {
    u32::try_from(seq).unwrap_or(u32::MAX)
}
