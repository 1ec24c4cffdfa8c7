//! The wall clock, which may jump, and a stand-in for tests that follows tokio's paused time.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// Where "now" comes from. It names moments for people and for waits that must outlive a restart; order never uses it.
#[derive(Clone, Copy, Debug)]
pub enum Clock {
    System,
    /// Starts at a fixed moment and goes on with tokio's clock.
    Virtual {
        base_ms: i64,
        start: Instant,
    },
}

impl Clock {
    /// A clock for tests, at 2026-01-01T00:00:00Z when it is made.
    pub fn for_tests() -> Self {
        Self::Virtual {
            base_ms: 1_767_225_600_000,
            start: Instant::now(),
        }
    }

    /// UTC milliseconds since 1970.
    pub fn now_ms(&self) -> i64 {
        match self {
            Self::System => SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX)),
            Self::Virtual { base_ms, start } => base_ms + start.elapsed().as_millis() as i64,
        }
    }
}

/// Notices when the wall clock moves against the monotonic one: it was set, or the machine slept.
pub(super) struct Drift {
    wall_ms: i64,
    steady: Instant,
}

/// Smaller differences are ordinary corrections.
const JUMP: Duration = Duration::from_secs(60);

impl Drift {
    pub fn new(clock: &Clock) -> Self {
        Self {
            wall_ms: clock.now_ms(),
            steady: Instant::now(),
        }
    }

    /// By how many milliseconds the clock has jumped since the last look, if by more than a minute.
    pub fn look(&mut self, clock: &Clock) -> Option<i64> {
        let (wall_ms, steady) = (clock.now_ms(), Instant::now());
        let passed = steady.duration_since(self.steady).as_millis() as i64;
        let by = (wall_ms - self.wall_ms) - passed;
        (self.wall_ms, self.steady) = (wall_ms, steady);
        (by.unsigned_abs() > JUMP.as_millis() as u64).then_some(by)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn only_a_jump_of_more_than_a_minute_is_told() {
        let start = Instant::now();
        let at = |base_ms| Clock::Virtual { base_ms, start };
        let mut drift = Drift::new(&at(0));
        tokio::time::advance(Duration::from_secs(3600)).await;
        assert_eq!(drift.look(&at(0)), None, "an hour that passed is no jump");
        assert_eq!(drift.look(&at(59_000)), None);
        assert_eq!(
            drift.look(&at(59_000 + 7_200_000)),
            Some(7_200_000),
            "set forward"
        );
        assert_eq!(drift.look(&at(0)), Some(-7_259_000), "set back");
        assert_eq!(drift.look(&at(0)), None, "told once");
    }
}
