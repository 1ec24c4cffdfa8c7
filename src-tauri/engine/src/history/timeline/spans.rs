//! Spans while they are being made: one open at most for each task, work in the lowest lane that is free.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::{MOST_SPANS, position};
use crate::history::load::TakenBack;
use crate::model::Seq;
use crate::views::{SpanEnd, SpanKind, SpanView};

pub(super) struct Spans<'t> {
    pub made: Vec<SpanView>,
    pub left_off: u32,
    pub lanes: u32,
    taken_back: &'t TakenBack,
    /// By track: the place of its open span.
    open: HashMap<Option<u32>, usize>,
    free: BinaryHeap<Reverse<u32>>,
}

/// What a span is to be.
pub(super) struct Begun {
    pub kind: SpanKind,
    pub attempt: u32,
    pub has_lane: bool,
    /// It may be left out where there are very many.
    pub is_inner: bool,
}

impl Begun {
    pub fn of(kind: SpanKind, is_inner: bool) -> Self {
        Self {
            kind,
            attempt: 0,
            has_lane: false,
            is_inner,
        }
    }
}

impl<'t> Spans<'t> {
    pub fn new(taken_back: &'t TakenBack) -> Self {
        Self {
            made: Vec::new(),
            left_off: 0,
            lanes: 0,
            taken_back,
            open: HashMap::new(),
            free: BinaryHeap::new(),
        }
    }

    pub fn begin(&mut self, track: Option<u32>, seq: Seq, begun: &Begun) {
        self.end(track, seq, SpanEnd::Left, None);
        if begun.is_inner && self.made.len() >= MOST_SPANS {
            self.left_off += 1;
            return;
        }
        let lane = begun.has_lane.then(|| self.take_lane());
        self.open.insert(track, self.made.len());
        self.made.push(SpanView {
            track,
            kind: begun.kind,
            from: position(seq),
            to: position(seq),
            end: SpanEnd::Open,
            attempt: begun.attempt,
            lane,
            code: None,
            is_set_aside: self.taken_back.has(seq),
        });
    }

    pub fn kind_of_open(&self, track: Option<u32>) -> Option<SpanKind> {
        self.open.get(&track).map(|&place| self.made[place].kind)
    }

    pub fn end(&mut self, track: Option<u32>, seq: Seq, end: SpanEnd, code: Option<&str>) {
        let Some(place) = self.open.remove(&track) else {
            return;
        };
        let span = &mut self.made[place];
        (span.to, span.end) = (position(seq), end);
        span.code = code.map(str::to_owned);
        span.is_set_aside |= self.taken_back.has(seq);
        if let Some(lane) = span.lane {
            self.free.push(Reverse(lane));
        }
    }

    /// Whatever is open in one of these ways ends.
    pub fn end_all(&mut self, seq: Seq, end: SpanEnd, which: impl Fn(SpanKind) -> bool) {
        let open = self.open.iter();
        let ending: Vec<Option<u32>> = open
            .filter(|&(_, &place)| which(self.made[place].kind))
            .map(|(&track, _)| track)
            .collect();
        for track in ending {
            self.end(track, seq, end, None);
        }
    }

    fn take_lane(&mut self) -> u32 {
        if let Some(Reverse(lane)) = self.free.pop() {
            return lane;
        }
        self.lanes += 1;
        self.lanes - 1
    }
}
