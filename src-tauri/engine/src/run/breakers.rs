//! The breakers of a live run's endpoints, and the tasks that wait behind those that are open (rule 6).

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;

use super::attempt::Flight;
use super::driver::{DriveError, Driver, Priority};
use crate::model::backoff::{PATIENCE, RATE_LIMITED};
use crate::model::breaker::{Admission, Breaker, FAILURES, Open};
use crate::model::events::{BreakerClosed, BreakerOpened, Failure, FailureClass, TaskRetrying};
use crate::model::moment::moment;
use crate::model::plan::TaskIx;
use crate::model::status::TaskStatus;

/// Endpoints that have failed of late; all others are as good as closed.
#[derive(Default)]
pub(super) struct Breakers {
    lines: HashMap<Arc<str>, Line>,
    /// Endpoints that somebody waits for.
    queued: BTreeSet<Arc<str>>,
    /// Tasks that have left their queue and are about to start as probes.
    woken: HashMap<TaskIx, Arc<str>>,
}

#[derive(Default)]
struct Line {
    breaker: Breaker,
    waiting: BinaryHeap<Priority>,
    has_woken: bool,
    /// It has had too many requests.
    rest: Option<Rest>,
    /// What came of the newest call that failed.
    last: Option<String>,
}

/// An endpoint is left alone by everybody until then; after that, one call finds out whether it takes more.
#[derive(Clone, Copy)]
struct Rest {
    until_ms: i64,
    is_tried: bool,
}

impl Line {
    fn admit(&self, now_ms: i64) -> Admission {
        match (self.breaker.admit(now_ms), self.rest) {
            (Admission::Wait(until), _) => Admission::Wait(until),
            (admission, None) => admission,
            (_, Some(rest)) if rest.is_tried || now_ms < rest.until_ms => Admission::Wait(rest.until_ms),
            (_, Some(_)) => Admission::Probe,
        }
    }

    fn next_probe(&self) -> Option<i64> {
        let is_under_way = self.has_woken || self.breaker.is_probing();
        let rest = self.rest.filter(|rest| !rest.is_tried).map(|rest| rest.until_ms);
        let open = self.breaker.open().map(|open| open.until_ms);
        open.into_iter().chain(rest).max().filter(|_| !is_under_way)
    }
}

impl Breakers {
    /// Nobody calls it until then.
    fn rest(&mut self, endpoint: &Arc<str>, until_ms: i64) {
        let line = self.lines.entry(endpoint.clone()).or_default();
        let until_ms = line.rest.map_or(until_ms, |rest| rest.until_ms.max(until_ms));
        let is_tried = false;
        line.rest = Some(Rest { until_ms, is_tried });
    }

    /// It has had too many requests, is no longer to be left alone than anybody waits, and is not down.
    pub fn rests_shortly(&self, endpoint: &str, now_ms: i64) -> bool {
        let patience = i64::try_from(PATIENCE.as_millis()).unwrap_or(i64::MAX);
        let line = self
            .lines
            .get(endpoint)
            .filter(|line| line.breaker.open().is_none());
        line.and_then(|line| line.rest)
            .is_some_and(|rest| rest.until_ms.saturating_sub(now_ms) <= patience)
    }

    /// Whoever takes a run up wants it to go on: what had been given up is tried at once.
    pub fn resumed(open: &BTreeMap<String, Open>, now_ms: i64) -> Self {
        let line = |open: &Open| {
            let mut breaker = Breaker::resumed(*open);
            if breaker.is_hopeless() {
                breaker.allow_probe(now_ms);
            }
            Line {
                breaker,
                ..Line::default()
            }
        };
        Self {
            lines: open
                .iter()
                .map(|(name, open)| (name.as_str().into(), line(open)))
                .collect(),
            ..Self::default()
        }
    }

    pub fn admit(&self, endpoint: &str, now_ms: i64) -> Admission {
        self.lines
            .get(endpoint)
            .map_or(Admission::Pass, |line| line.admit(now_ms))
    }

    /// Nobody is waited for there any more.
    pub fn is_hopeless(&self, endpoint: &str) -> bool {
        let line = self.lines.get(endpoint);
        line.is_some_and(|line| line.breaker.is_hopeless())
    }

    pub fn last(&self, endpoint: &str) -> Option<&str> {
        self.lines.get(endpoint)?.last.as_deref()
    }

    /// A person wants these tried again.
    pub fn allow_probes(&mut self, endpoints: impl Iterator<Item = Arc<str>>, now_ms: i64) {
        for endpoint in endpoints {
            if let Some(line) = self.lines.get_mut(&endpoint) {
                line.breaker.allow_probe(now_ms);
            }
        }
    }

    /// All that wait behind it.
    fn drain(&mut self, endpoint: &Arc<str>) -> Vec<TaskIx> {
        self.queued.remove(endpoint);
        let line = self.lines.get_mut(endpoint);
        line.map_or_else(Vec::new, |line| {
            line.waiting.drain().map(|(_, Reverse(ix))| ix).collect()
        })
    }

    pub fn begin_probe(&mut self, endpoint: &str) {
        if let Some(line) = self.lines.get_mut(endpoint) {
            line.breaker.begin_probe();
            line.rest.iter_mut().for_each(|rest| rest.is_tried = true);
        }
    }

    fn wait(&mut self, endpoint: &Arc<str>, priority: Priority) {
        let line = self.lines.entry(endpoint.clone()).or_default();
        line.waiting.push(priority);
        self.queued.insert(endpoint.clone());
    }

    pub fn has_waiting(&self) -> bool {
        !self.queued.is_empty()
    }

    /// The task is up to start: whether it becomes the probe or not, the next one may be woken.
    pub fn came_up(&mut self, ix: TaskIx) {
        let endpoint = self.woken.remove(&ix);
        if let Some(line) = endpoint.and_then(|endpoint| self.lines.get_mut(&endpoint)) {
            line.has_woken = false;
        }
    }

    /// One of those behind each endpoint that may be probed; all behind one that answers again.
    pub fn wake(&mut self, now_ms: i64) -> Vec<TaskIx> {
        let mut up = Vec::new();
        let mut emptied = Vec::new();
        for endpoint in &self.queued {
            let Some(line) = self.lines.get_mut(endpoint) else {
                continue;
            };
            match line.admit(now_ms) {
                Admission::Pass => up.extend(line.waiting.drain().map(|(_, Reverse(ix))| ix)),
                Admission::Probe if !line.has_woken => {
                    if let Some((_, Reverse(ix))) = line.waiting.pop() {
                        line.has_woken = true;
                        self.woken.insert(ix, endpoint.clone());
                        up.push(ix);
                    }
                }
                Admission::Probe | Admission::Wait(_) => {}
            }
            if line.waiting.is_empty() {
                emptied.push(endpoint.clone());
            }
        }
        for endpoint in emptied {
            self.queued.remove(&endpoint);
        }
        up
    }

    /// When the next probe may go out.
    pub fn next_probe(&self) -> Option<i64> {
        self.queued
            .iter()
            .filter_map(|endpoint| self.lines.get(endpoint))
            .filter_map(Line::next_probe)
            .min()
    }
}

/// What an ended call says of the endpoint that it went to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Answered,
    Down,
    Nothing,
}

impl Driver {
    /// Takes in what a call says of its endpoint; what opens and closes is recorded.
    pub(super) fn hear_of_endpoint(&mut self, flight: &Flight, word: Word) -> Result<(), DriveError> {
        match &flight.endpoint {
            Some(endpoint) => self.hear_of(endpoint, flight.is_probe, word),
            None => Ok(()),
        }
    }

    pub(super) fn hear_of(
        &mut self,
        endpoint: &Arc<str>,
        is_probe: bool,
        word: Word,
    ) -> Result<(), DriveError> {
        let now = self.clock.now_ms();
        match word {
            Word::Answered => {
                let mut is_resting = false;
                if let Some(line) = self.breakers.lines.get_mut(endpoint) {
                    // What was under way when it had too much says nothing of it.
                    line.rest = line.rest.filter(|_| !is_probe);
                    is_resting = line.rest.is_some();
                    if line.breaker.succeeded() {
                        let endpoint = endpoint.to_string();
                        self.emit(None, BreakerClosed { endpoint })?;
                    }
                }
                // Nothing but failures makes an endpoint worth remembering.
                if !is_resting && !self.breakers.queued.contains(endpoint) {
                    self.breakers.lines.remove(endpoint);
                }
            }
            Word::Down => {
                let line = self.breakers.lines.entry(endpoint.clone()).or_default();
                line.rest = line.rest.filter(|_| !is_probe);
                let is_probe = is_probe && line.breaker.open().is_some();
                if let Some(until_ms) = line.breaker.failed(now, is_probe) {
                    let name = endpoint.to_string();
                    self.emit(
                        None,
                        BreakerOpened {
                            endpoint: name,
                            until_ms,
                        },
                    )?;
                    if self.breakers.is_hopeless(endpoint) {
                        let up = self.breakers.drain(endpoint);
                        self.come_up(up);
                    }
                }
            }
            Word::Nothing => {
                let line = self.breakers.lines.get_mut(endpoint);
                if let Some(line) = line.filter(|_| is_probe) {
                    line.breaker.withdrew();
                    line.rest.iter_mut().for_each(|rest| rest.is_tried = false);
                }
            }
        }
        Ok(())
    }

    /// What came of a call that may speak for its endpoint, in words for those that wait behind it.
    pub(super) fn note_failure(&mut self, flight: &Flight, message: &str) {
        if let Some(endpoint) = &flight.endpoint {
            let line = self.breakers.lines.entry(endpoint.clone()).or_default();
            line.last = Some(message.to_owned());
        }
    }

    /// It has had too many requests: nobody asks it before this task does.
    pub(super) fn let_rest(&mut self, flight: &Flight, error: &Failure, until_ms: i64) {
        if let (Some(endpoint), RATE_LIMITED) = (&flight.endpoint, error.code.as_str()) {
            self.breakers.rest(endpoint, until_ms);
        }
    }

    /// The task waits until its endpoint may be called again; that costs it no attempt.
    pub(super) fn hold_behind(
        &mut self,
        ix: TaskIx,
        endpoint: &Arc<str>,
        until_ms: i64,
    ) -> Result<(), DriveError> {
        self.breakers.wait(endpoint, self.priority(ix));
        let task = self.state.task(ix);
        let is_held = task.status == TaskStatus::Retrying && task.held_by.as_deref() == Some(endpoint);
        if is_held {
            return Ok(());
        }
        let is_down = self
            .breakers
            .lines
            .get(endpoint)
            .is_none_or(|line| line.breaker.open().is_some());
        let (code, why) = if is_down {
            (
                "breaker_open",
                format!("has failed {FAILURES} times in a row or more"),
            )
        } else {
            (RATE_LIMITED, "has had too many requests".to_owned())
        };
        let error = Failure {
            class: FailureClass::Transient,
            code: code.to_owned(),
            message: format!("{endpoint} {why} and is left alone until {}", moment(until_ms)),
        };
        self.emit(
            Some(ix),
            TaskRetrying {
                error,
                not_before_ms: until_ms,
                breaker: Some(endpoint.to_string()),
            },
        )
    }
}
