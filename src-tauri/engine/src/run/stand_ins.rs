//! Which model a question goes to that belongs to no attempt of a task: the first of its role that has not been given
//! up, and whose provider may be called (rule 6). What has been asked is read from the log, so a restart stays with it.

use std::sync::Arc;
use std::time::Duration;

use super::chain::may_do_elsewhere;
use super::driver::Driver;
use crate::agents::Failed;
use crate::llm::Entry;
use crate::model::backoff::PATIENCE;
use crate::model::breaker::Admission;
use crate::model::events::FailureClass;
use crate::model::plan::RetryPolicy;

/// How far the models of a role have been gone through.
pub(super) struct Line {
    chain: Vec<Entry>,
    at: usize,
    /// How often in a row the one that is next has failed in a way that a retry may mend.
    fails: u32,
    /// As its provider asked.
    wait: Option<Duration>,
    last: Option<Failed>,
    is_over: bool,
}

/// Who may be asked next, best first, and how the first of them has fared so far.
pub(super) struct Rest {
    pub chain: Vec<Entry>,
    pub fails: u32,
    pub wait: Option<Duration>,
}

/// The one that is asked.
pub(super) struct Chosen {
    pub entry: Entry,
    pub endpoint: Arc<str>,
    pub is_probe: bool,
    pub fails: u32,
    pub wait: Option<Duration>,
}

impl Line {
    pub fn new(chain: Vec<Entry>) -> Self {
        Self {
            chain,
            at: 0,
            fails: 0,
            wait: None,
            last: None,
            is_over: false,
        }
    }

    /// It answered, whatever the answer is worth.
    pub fn answered(&mut self, name: &str) {
        self.come_to(name);
        (self.fails, self.wait) = (0, None);
    }

    pub fn failed(&mut self, name: &str, failed: Failed) {
        self.come_to(name);
        self.wait = failed.retry_after_ms.map(Duration::from_millis);
        let most = RetryPolicy::default().max_attempts;
        match failed.error.class {
            // Whoever waits for the answer is told, or the next one is asked.
            FailureClass::Transient if self.wait.is_some_and(|wait| wait > PATIENCE) => self.fails = most,
            FailureClass::Transient => self.fails += 1,
            FailureClass::Permanent if may_do_elsewhere(&failed.error.code) => self.fails = most,
            FailureClass::Permanent
            | FailureClass::Unknown
            | FailureClass::NotGranted
            | FailureClass::Cancelled => self.is_over = true,
        }
        if self.fails >= most {
            (self.at, self.fails, self.wait) = (self.at + 1, 0, None);
        }
        self.last = Some(failed);
    }

    /// One that was moved on to is stayed with.
    fn come_to(&mut self, name: &str) {
        let ahead = self.chain.iter().skip(self.at).position(|e| *e.name == *name);
        if let Some(ahead) = ahead.filter(|&ahead| ahead > 0) {
            (self.at, self.fails, self.wait) = (self.at + ahead, 0, None);
        }
    }

    /// Or the failure that ends it.
    pub fn rest(self) -> Result<Rest, Failed> {
        let Self {
            mut chain,
            at,
            fails,
            wait,
            last,
            is_over,
        } = self;
        match last {
            Some(failed) if is_over || at >= chain.len() => Err(failed),
            Some(_) | None => Ok(Rest {
                chain: chain.split_off(at.min(chain.len())),
                fails,
                wait,
            }),
        }
    }
}

impl Driver {
    /// The first whose provider may be called; where all are left alone for a while, the first as soon as it may.
    pub(super) fn whom(&self, rest: Rest) -> Option<Chosen> {
        let now = self.clock.now_ms();
        let mut held: Option<(i64, Entry)> = None;
        for (ix, entry) in rest.chain.into_iter().enumerate() {
            let endpoint: Arc<str> = entry.provider().into();
            let (fails, wait) = if ix == 0 {
                (rest.fails, rest.wait)
            } else {
                (0, None)
            };
            match self.breakers.admit(&endpoint, now) {
                Admission::Wait(until) if held.as_ref().is_none_or(|(known, _)| until < *known) => {
                    held = Some((until, entry));
                }
                Admission::Wait(_) => {}
                admission @ (Admission::Pass | Admission::Probe) => {
                    return Some(Chosen {
                        entry,
                        endpoint,
                        is_probe: admission == Admission::Probe,
                        fails,
                        wait,
                    });
                }
            }
        }
        held.map(|(until, entry)| Chosen {
            endpoint: entry.provider().into(),
            entry,
            is_probe: true,
            fails: 0,
            wait: Some(Duration::from_millis((until - now).max(0).unsigned_abs())),
        })
    }
}
