//! What the plannings of one process share at their providers: so many questions at once, and a breaker for each (rules
//! 2 and 6). A planning holds a place for one question only, so that none can wait for itself. It must not know what is
//! asked.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::super::breakers::Word;
use super::super::chain::is_of_one_call;
use crate::llm::Entry;
use crate::model::breaker::{Admission, Breaker};
use crate::model::caps::{Caps, Slot};
use crate::model::events::{Failure, FailureClass};

#[derive(Clone)]
pub struct Doors {
    caps: Arc<Mutex<Arc<Caps>>>,
    doors: Arc<Mutex<HashMap<String, Door>>>,
}

struct Door {
    places: Arc<Semaphore>,
    breaker: Breaker,
}

fn places(caps: &Caps, provider: &str) -> Arc<Semaphore> {
    let most = caps.most(&Slot::Provider(provider.into())).unwrap_or(u32::MAX);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    Arc::new(Semaphore::new(most.min(Semaphore::MAX_PERMITS)))
}

/// Who may be asked.
pub(super) enum Way {
    Ask {
        entry: Entry,
        /// It is not the one whose turn it is, but stands in for it.
        is_other: bool,
    },
    /// All are left alone for a while.
    Wait { provider: String, until_ms: i64 },
}

impl Doors {
    pub fn new(caps: Arc<Caps>) -> Self {
        Self {
            caps: Arc::new(Mutex::new(caps)),
            doors: Arc::default(),
        }
    }

    /// From now on so many may pass at once; who is inside stays inside.
    pub fn widen(&self, caps: Arc<Caps>) {
        let mut doors = self.doors();
        for (provider, door) in doors.iter_mut() {
            door.places = places(&caps, provider);
        }
        *self.caps.lock().unwrap_or_else(PoisonError::into_inner) = caps;
    }

    fn doors(&self) -> MutexGuard<'_, HashMap<String, Door>> {
        // Nothing is left half done under it.
        self.doors.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn at<T>(&self, provider: &str, use_it: impl FnOnce(&mut Door) -> T) -> T {
        let mut doors = self.doors();
        let caps = self.caps.lock().unwrap_or_else(PoisonError::into_inner);
        let door = doors.entry(provider.to_owned()).or_insert_with(|| Door {
            places: places(&caps, provider),
            breaker: Breaker::default(),
        });
        use_it(door)
    }

    /// Whoever begins a planning wants its models asked now.
    pub(super) fn knock(&self, chain: &[Entry], now_ms: i64) {
        for entry in chain {
            self.at(entry.provider(), |door| door.breaker.allow_probe(now_ms));
        }
    }

    /// The first whose provider may be asked.
    pub(super) fn way(&self, chain: &[Entry], now_ms: i64) -> Option<Way> {
        let mut held: Option<Way> = None;
        for (n, entry) in chain.iter().enumerate() {
            match self.at(entry.provider(), |door| door.breaker.admit(now_ms)) {
                Admission::Pass | Admission::Probe => {
                    return Some(Way::Ask {
                        entry: entry.clone(),
                        is_other: n > 0,
                    });
                }
                Admission::Wait(until_ms) => {
                    let provider = entry.provider().to_owned();
                    held.get_or_insert(Way::Wait { provider, until_ms });
                }
            }
        }
        held
    }

    /// A place for one question, if there is one.
    pub(super) fn place(&self, provider: &str) -> Option<OwnedSemaphorePermit> {
        let places = self.at(provider, |door| door.places.clone());
        places.try_acquire_owned().ok()
    }

    /// The question goes out. True: it is the one that finds out whether the provider is there again.
    pub(super) fn begin(&self, provider: &str) -> bool {
        self.at(provider, |door| {
            door.breaker.begin_probe();
            door.breaker.is_probing()
        })
    }

    pub(super) fn heard(&self, provider: &str, now_ms: i64, is_probe: bool, word: Word) {
        self.at(provider, |door| match word {
            Word::Answered => {
                door.breaker.succeeded();
            }
            Word::Down => {
                door.breaker.failed(now_ms, is_probe);
            }
            Word::Nothing if is_probe => door.breaker.withdrew(),
            Word::Nothing => {}
        });
    }
}

/// What a failed question says of its provider.
pub(super) fn word_of(error: &Failure) -> Word {
    match error.class {
        FailureClass::Transient | FailureClass::Unknown if is_of_one_call(&error.code) => Word::Nothing,
        FailureClass::Transient | FailureClass::Unknown => Word::Down,
        FailureClass::Permanent | FailureClass::NotGranted => Word::Answered,
        FailureClass::Cancelled => Word::Nothing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::breaker::FAILURES;

    fn doors(per_provider: u32) -> Doors {
        Doors::new(Arc::new(Caps {
            per_provider,
            ..Caps::default()
        }))
    }

    #[test]
    fn a_provider_has_so_many_places_and_each_comes_back() {
        let doors = doors(2);
        let one = doors.place("p").unwrap();
        let two = doors.place("p").unwrap();
        assert!(doors.place("p").is_none() && doors.place("q").is_some());
        drop(one);
        assert!(doors.place("p").is_some());
        drop(two);
    }

    #[test]
    fn who_fails_in_a_row_is_left_alone_until_somebody_knocks() {
        let doors = doors(8);
        let admit = |now| doors.at("p", |door| door.breaker.admit(now));
        for _ in 0..FAILURES {
            assert!(!doors.begin("p"));
            doors.heard("p", 0, false, Word::Down);
        }
        assert!(matches!(admit(1), Admission::Wait(_)));
        doors.at("p", |door| door.breaker.allow_probe(1));
        assert_eq!(admit(1), Admission::Probe);
        assert!(doors.begin("p"), "the next one is the probe");
        assert!(matches!(admit(1), Admission::Wait(_)), "and it alone");
        doors.heard("p", 2, true, Word::Answered);
        assert_eq!(admit(3), Admission::Pass);
    }
}
