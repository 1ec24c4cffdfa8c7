//! The circuit breaker of one endpoint (rule 6): a state machine without clock, calls or tasks. Time comes in as
//! milliseconds; what is an endpoint (a tool, a tool at a host, a model's provider) is its owner's business.

use std::collections::VecDeque;

/// So many failures in a row open it …
pub const FAILURES: usize = 5;
/// … if the first and the last of them are no further apart.
pub const WITHIN_MS: i64 = 60_000;
/// How long it stays open the first time; each failed probe doubles that.
pub const COOL_DOWN_MS: i64 = 30_000;
pub const LONGEST_MS: i64 = 300_000;
/// Opened so often in a row, it is not waited for any more: as often as a call is tried (rule 4), over minutes.
pub const HOPELESS: u32 = 4;

/// What the log knows of an endpoint that is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Open {
    /// UTC milliseconds before which nothing is sent.
    pub until_ms: i64,
    /// How often it has opened since it last closed.
    pub times: u32,
}

/// Whether a call may go out now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    Pass,
    /// The cool-down is over and nobody is probing: this call may be the one.
    Probe,
    /// Not before this moment, or not before the probe under way has come back.
    Wait(i64),
}

#[derive(Clone, Debug, Default)]
pub struct Breaker {
    /// Moments of the newest failures in a row.
    failures: VecDeque<i64>,
    open: Option<Open>,
    is_probing: bool,
}

/// The wait of the `times`-th opening in a row.
fn cool_down_ms(times: u32) -> i64 {
    let doublings = times.saturating_sub(1).min(16);
    (COOL_DOWN_MS << doublings).min(LONGEST_MS)
}

impl Breaker {
    /// As the log left it; whatever was probing went with its process.
    pub fn resumed(open: Open) -> Self {
        Self {
            open: Some(open),
            ..Self::default()
        }
    }

    pub fn open(&self) -> Option<Open> {
        self.open
    }

    pub fn is_probing(&self) -> bool {
        self.is_probing
    }

    pub fn admit(&self, now_ms: i64) -> Admission {
        let Some(open) = self.open else {
            return Admission::Pass;
        };
        // No wait is that long: the clock has been set back since.
        let is_absurd = open.until_ms.saturating_sub(now_ms) > LONGEST_MS;
        if self.is_probing || (now_ms < open.until_ms && !is_absurd) {
            Admission::Wait(open.until_ms)
        } else {
            Admission::Probe
        }
    }

    /// A person wants it tried: the next call may be the probe.
    pub fn allow_probe(&mut self, now_ms: i64) {
        if let Some(open) = &mut self.open {
            open.until_ms = open.until_ms.min(now_ms);
        }
    }

    /// Nobody has answered for so long that waiting helps no more; but for a probe that is under way.
    pub fn is_hopeless(&self) -> bool {
        !self.is_probing && self.open.is_some_and(|open| open.times >= HOPELESS)
    }

    /// The admitted probe has gone out.
    pub fn begin_probe(&mut self) {
        self.is_probing = self.open.is_some();
    }

    /// A call was answered. True: the breaker was open and has closed.
    pub fn succeeded(&mut self) -> bool {
        self.failures.clear();
        self.is_probing = false;
        self.open.take().is_some()
    }

    /// A call failed as if the endpoint were down. Some: it has opened, until then.
    pub fn failed(&mut self, now_ms: i64, is_probe: bool) -> Option<i64> {
        if let Some(open) = self.open {
            // What was under way when it opened says nothing new.
            return is_probe.then(|| self.trip(now_ms, open.times));
        }
        self.failures.push_back(now_ms);
        let is_recent = |at: &i64| now_ms.abs_diff(*at) <= WITHIN_MS.unsigned_abs();
        self.failures.retain(is_recent);
        (self.failures.len() >= FAILURES).then(|| self.trip(now_ms, 0))
    }

    /// The probe ended without a word about the endpoint, for example because it was cancelled.
    pub fn withdrew(&mut self) {
        self.is_probing = false;
    }

    fn trip(&mut self, now_ms: i64, times: u32) -> i64 {
        let times = times.saturating_add(1);
        let until_ms = now_ms.saturating_add(cool_down_ms(times));
        self.failures.clear();
        self.is_probing = false;
        self.open = Some(Open { until_ms, times });
        until_ms
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn tripped(at: i64) -> Breaker {
        let mut breaker = Breaker::default();
        for _ in 0..FAILURES - 1 {
            assert_eq!(breaker.failed(at, false), None);
        }
        assert_eq!(breaker.failed(at, false), Some(at + COOL_DOWN_MS));
        breaker
    }

    #[test]
    fn five_failures_within_a_minute_open_it_and_one_answer_between_does_not() {
        tripped(0);
        let mut slow = Breaker::default();
        for n in 0..20 {
            assert_eq!(
                slow.failed(n * 20_000, false),
                None,
                "three or four within a minute"
            );
        }
        let mut mixed = Breaker::default();
        for _ in 0..3 {
            for _ in 0..FAILURES - 1 {
                assert_eq!(mixed.failed(0, false), None);
            }
            assert!(!mixed.succeeded());
        }
    }

    #[test]
    fn one_probe_goes_after_the_cool_down_and_its_answer_closes() {
        let mut breaker = tripped(0);
        assert_eq!(breaker.admit(29_999), Admission::Wait(30_000));
        assert_eq!(breaker.admit(30_000), Admission::Probe);
        breaker.begin_probe();
        assert_eq!(breaker.admit(30_001), Admission::Wait(30_000));
        assert!(breaker.succeeded());
        assert_eq!(breaker.admit(30_002), Admission::Pass);
    }

    #[test]
    fn each_failed_probe_doubles_the_wait_up_to_five_minutes() {
        let mut breaker = tripped(0);
        let mut now = 30_000;
        for wait in [60_000, 120_000, 240_000, 300_000, 300_000] {
            breaker.begin_probe();
            assert_eq!(breaker.failed(now, false), None, "a straggler says nothing new");
            assert_eq!(breaker.failed(now, true), Some(now + wait));
            now += wait;
        }
    }

    #[test]
    fn a_clock_that_was_set_back_does_not_lock_it_for_ever() {
        let breaker = tripped(10_000_000);
        assert_eq!(breaker.admit(0), Admission::Probe);
    }

    #[derive(Clone, Debug)]
    enum Step {
        Pass(i64),
        Fails,
        Answers,
        Vanishes,
    }

    proptest! {
        /// Calls are only let through when closed, or one at a time when the cool-down is over; and a breaker taken
        /// up from what was recorded admits what the living one would without its probe.
        #[test]
        fn at_most_one_probe_and_a_restart_changes_nothing(steps in proptest::collection::vec(
            prop_oneof![
                (0i64..100_000).prop_map(Step::Pass), Just(Step::Fails), Just(Step::Fails),
                Just(Step::Answers), Just(Step::Vanishes)
            ], 0..200)
        ) {
            let (mut breaker, mut now, mut recorded) = (Breaker::default(), 0i64, None::<Open>);
            for step in steps {
                if let Step::Pass(ms) = step {
                    now += ms;
                    continue;
                }
                let admission = breaker.admit(now);
                prop_assert_eq!(matches!(admission, Admission::Pass), recorded.is_none());
                if let Admission::Wait(_) = admission {
                    continue;
                }
                let is_probe = admission == Admission::Probe;
                if is_probe {
                    breaker.begin_probe();
                    prop_assert!(matches!(breaker.admit(now), Admission::Wait(_)), "only one");
                }
                match step {
                    Step::Fails => if let Some(until_ms) = breaker.failed(now, is_probe) {
                        let times = recorded.map_or(1, |o| o.times + 1);
                        prop_assert!(until_ms - now >= COOL_DOWN_MS && until_ms - now <= LONGEST_MS);
                        recorded = Some(Open { until_ms, times });
                    },
                    Step::Answers => if breaker.succeeded() { recorded = None },
                    Step::Vanishes | Step::Pass(_) => breaker.withdrew(),
                }
                prop_assert_eq!(breaker.open(), recorded);
                if let Some(open) = recorded {
                    prop_assert_eq!(Breaker::resumed(open).admit(now), breaker.admit(now));
                }
            }
        }
    }
}
