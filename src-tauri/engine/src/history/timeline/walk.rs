//! What each event says of the spans and ticks of its task. It must not know rules: what may follow what is the state's.

use std::collections::HashMap;

use super::spans::{Begun, Spans};
use super::{Tracks, position};
use crate::history::load::TakenBack;
use crate::model::events::{Event, EventBody};
use crate::model::plan::{TaskIx, TaskKind};
use crate::model::state::RunState;
use crate::model::{DecisionId, Seq};
use crate::views::{SpanEnd, SpanKind, SpanView, TickKind, TickView};

pub(super) struct Walk<'w> {
    state: &'w RunState,
    tracks: &'w Tracks,
    spans: Spans<'w>,
    ticks: Vec<TickView>,
    /// Open questions, with the task that each is about.
    asked: HashMap<DecisionId, Option<u32>>,
}

pub(super) struct Walked {
    pub spans: Vec<SpanView>,
    pub ticks: Vec<TickView>,
    pub lanes: u32,
    pub left_off: u32,
}

impl<'w> Walk<'w> {
    pub fn new(state: &'w RunState, tracks: &'w Tracks, taken_back: &'w TakenBack) -> Self {
        Self {
            state,
            tracks,
            spans: Spans::new(taken_back),
            ticks: Vec::new(),
            asked: HashMap::new(),
        }
    }

    pub fn take(&mut self, event: &Event) {
        match &event.task {
            Some(task) => {
                // One that is not known belonged to a map or a nested plan that was set back.
                if let Some(track) = self.tracks.find(task.as_str()) {
                    self.of_task(event, track);
                }
            }
            None => self.of_run(event),
        }
        self.of_decision(event);
    }

    /// What is still open goes on at the end of the log.
    pub fn end(mut self, head: Seq) -> Walked {
        self.spans.end_all(head, SpanEnd::Open, |_| true);
        Walked {
            spans: self.spans.made,
            ticks: self.ticks,
            lanes: self.spans.lanes,
            left_off: self.spans.left_off,
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds begin and end nothing")]
    fn of_task(&mut self, event: &Event, track: u32) {
        let (seq, is_inner) = (event.seq, self.tracks.is_inner(track));
        let on = Some(track);
        match &event.body {
            EventBody::TaskReady(_) => self.spans.begin(on, seq, &Begun::of(SpanKind::Queue, is_inner)),
            EventBody::TaskStarted(started) => {
                let begun = Begun {
                    attempt: started.attempt,
                    has_lane: takes_place(self.state, self.tracks.node(track)),
                    ..Begun::of(SpanKind::Work, is_inner)
                };
                self.spans.begin(on, seq, &begun);
            }
            // Only held back: nothing was tried.
            EventBody::TaskRetrying(retrying) if retrying.breaker.is_some() => {
                self.spans.begin(on, seq, &Begun::of(SpanKind::Backoff, is_inner));
            }
            EventBody::TaskRetrying(retrying) => {
                self.fail(on, seq, &retrying.error.code);
                self.spans.begin(on, seq, &Begun::of(SpanKind::Backoff, is_inner));
            }
            EventBody::TaskWaiting(_) => self.spans.begin(on, seq, &Begun::of(SpanKind::Person, is_inner)),
            EventBody::TaskInDoubt(doubt) => {
                self.fail(on, seq, &doubt.error.code);
                self.spans.begin(on, seq, &Begun::of(SpanKind::Doubt, is_inner));
            }
            EventBody::TaskFailed(failed) => self.fail(on, seq, &failed.error.code),
            EventBody::TaskCompleted(_) => {
                self.spans.end(on, seq, SpanEnd::Done, None);
                self.tick(seq, TickKind::Checkpoint, on);
            }
            EventBody::TaskSkipped(_)
            | EventBody::TaskCancelled(_)
            | EventBody::TaskPruned(_)
            | EventBody::TaskReset(_) => self.spans.end(on, seq, SpanEnd::Left, None),
            EventBody::CallStarted(call) if call.effect.is_effect() => self.tick(seq, TickKind::Effect, on),
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds begin and end nothing")]
    fn of_run(&mut self, event: &Event) {
        let seq = event.seq;
        match &event.body {
            EventBody::Approved(_) => self.tick(seq, TickKind::Checkpoint, None),
            EventBody::ReplanAsked(_) => self.spans.begin(None, seq, &Begun::of(SpanKind::Replan, false)),
            EventBody::ReplanProposed(proposed) => {
                let end = if proposed.refused.is_empty() {
                    SpanEnd::Done
                } else {
                    SpanEnd::Failed
                };
                self.spans.end(None, seq, end, None);
            }
            // Whoever was at work was gone; until when is not known, but the last that it did is.
            EventBody::RunClaimed(_) => {
                let is_work = |kind| kind == SpanKind::Work;
                self.spans.end_all(seq.saturating_sub(1), SpanEnd::Left, is_work);
            }
            EventBody::RunRewound(_) => {
                self.spans.end_all(seq.saturating_sub(1), SpanEnd::Left, |_| true);
                self.asked.clear();
                self.tick(seq, TickKind::Rewind, None);
            }
            EventBody::RunFinished(_) => {
                self.spans.end_all(seq, SpanEnd::Left, |_| true);
                self.tick(seq, TickKind::Checkpoint, None);
            }
            _ => {}
        }
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "other kinds ask nothing")]
    fn of_decision(&mut self, event: &Event) {
        let seq = event.seq;
        match &event.body {
            EventBody::DecisionOpened(opened) => {
                let task = event.task.as_ref();
                let track = task.and_then(|task| self.tracks.find(task.as_str()));
                self.asked.insert(opened.decision.clone(), track);
                // A task that waits says so itself; one that has failed, or the run, does not.
                if self.spans.kind_of_open(track).is_none() {
                    self.spans.begin(
                        track,
                        seq,
                        &Begun::of(SpanKind::Person, track.is_some_and(|t| self.tracks.is_inner(t))),
                    );
                }
            }
            EventBody::DecisionAnswered(answered) => {
                let track = self.asked.remove(&answered.decision);
                self.tick(seq, TickKind::Checkpoint, track.flatten());
                self.settle(track, seq);
            }
            EventBody::DecisionClosed(closed) => {
                let track = self.asked.remove(&closed.decision);
                self.settle(track, seq);
            }
            _ => {}
        }
    }

    /// Nobody is asked any more.
    fn settle(&mut self, asked: Option<Option<u32>>, seq: Seq) {
        let Some(track) = asked else { return };
        match self.spans.kind_of_open(track) {
            Some(SpanKind::Person | SpanKind::Doubt) => self.spans.end(track, seq, SpanEnd::Left, None),
            Some(SpanKind::Queue | SpanKind::Work | SpanKind::Backoff | SpanKind::Replan) | None => {}
        }
    }

    fn fail(&mut self, track: Option<u32>, seq: Seq, code: &str) {
        self.spans.end(track, seq, SpanEnd::Failed, Some(code));
        self.tick(seq, TickKind::Failure, track);
    }

    fn tick(&mut self, seq: Seq, kind: TickKind, track: Option<u32>) {
        self.ticks.push(TickView {
            seq: position(seq),
            kind,
            track,
        });
    }
}

/// What only holds other tasks, or waits for a person, is nobody's work.
fn takes_place(state: &RunState, ix: TaskIx) -> bool {
    match state.def(ix).kind {
        TaskKind::Map { .. } | TaskKind::Subplan { .. } | TaskKind::Human { .. } => false,
        TaskKind::Agent { .. } | TaskKind::Model | TaskKind::Tool { .. } | TaskKind::Code { .. } => true,
    }
}
