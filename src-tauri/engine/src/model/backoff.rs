//! How long a transient failure waits before its next attempt (rule 4). Pure: the jitter comes from a seed.

use std::time::Duration;

use super::Digest;
use super::plan::RetryPolicy;

/// No wait is longer than this without another one being tried first: as long as a breaker leaves an endpoint alone at
/// most. Beyond it a retry mends nothing any more; what stands in is asked at once, and where nothing does, the wait is
/// told with its end.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// The code of a failure whose receiver asked for more patience than that, where another one stands in for it.
pub const LONG_WAIT: &str = "long_wait";

/// The code of a receiver that has had too much asked of it.
pub const RATE_LIMITED: &str = "rate_limited";
/// The code of a server that is still loading the model.
pub const LOADING: &str = "loading";
/// Limits of calls are counted by the minute: who waits for longer than that has outlasted one.
const WINDOW_MS: u64 = 65_000;
/// Nobody is asked sooner than this where all tries together have to outlast a window.
const STEP: u64 = 3;

/// The wait before attempt `next` where nobody said how long it takes: with all attempts of the policy together longer than
/// a minute, each wait three times the one before, and never shorter than the policy's own. Waits that the plan itself names
/// are kept to.
pub fn outlasting(policy: &RetryPolicy, next: u32, seed: &str) -> Duration {
    if policy.names_waits() {
        return delay(policy, next, None, seed);
    }
    let waits = policy.max_attempts.saturating_sub(1).clamp(1, 8);
    let at = next.saturating_sub(2).min(waits - 1);
    let shares: u64 = (0..waits).map(|n| STEP.pow(n)).sum();
    let own = Duration::from_millis(WINDOW_MS * STEP.pow(at) / shares);
    delay(policy, next, Some(own), seed)
}

/// The wait before attempt `next` (2 for the first retry): exponential, capped, with up to a quarter of jitter on
/// top, and never shorter than what the server asked for. Equal seeds give equal waits, so that a replay is exact.
pub fn delay(policy: &RetryPolicy, next: u32, asked: Option<Duration>, seed: &str) -> Duration {
    let exponent = next.saturating_sub(2).min(1000);
    let grown = policy.initial_ms as f64 * policy.multiplier.powi(exponent as i32);
    let base = grown.min(policy.max_ms as f64).max(0.0);
    let jittered = base * (1.0 + 0.25 * unit(seed, next));
    let own = Duration::from_millis(if jittered.is_finite() {
        jittered as u64
    } else {
        policy.max_ms
    });
    asked.map_or(own, |asked| asked.max(own))
}

/// A number in 0..1 that depends only on the seed.
fn unit(seed: &str, next: u32) -> f64 {
    let digest = Digest::of(format!("{seed}/{next}").as_bytes());
    let bytes = digest.as_bytes();
    f64::from(u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])) / (f64::from(u32::MAX) + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_two_four_eight_seconds_with_up_to_a_quarter_more() {
        let policy = RetryPolicy::default();
        for (next, base) in [(2, 1000), (3, 2000), (4, 4000), (5, 8000), (6, 8000)] {
            let ms = delay(&policy, next, None, "run/task").as_millis();
            assert!((base..=base + base / 4).contains(&ms), "attempt {next}: {ms} ms");
        }
    }

    #[test]
    fn the_server_is_never_asked_sooner_than_it_said() {
        let asked = Some(Duration::from_secs(30));
        assert_eq!(
            delay(&RetryPolicy::default(), 2, asked, "s"),
            Duration::from_secs(30)
        );
    }

    #[test]
    fn tries_outlast_a_minute_where_nobody_says_how_long_it_takes() {
        for max_attempts in [2, 3, 4, 6, 20] {
            let policy = RetryPolicy {
                max_attempts,
                ..RetryPolicy::default()
            };
            let waits: Vec<Duration> = (2..=max_attempts)
                .map(|next| outlasting(&policy, next, "s"))
                .collect();
            let all: Duration = waits.iter().sum();
            assert!(all >= Duration::from_secs(60), "{max_attempts}: {waits:?}");
        }
        let seconds: Vec<u64> = (2..=4)
            .map(|next| outlasting(&RetryPolicy::default(), next, "s").as_secs())
            .collect();
        assert_eq!(seconds, [5, 15, 45]);
    }

    #[test]
    fn waits_that_the_plan_names_are_kept_to() {
        let policy = RetryPolicy {
            max_attempts: 2,
            initial_ms: 10,
            max_ms: 10,
            ..RetryPolicy::default()
        };
        assert!(outlasting(&policy, 2, "s") < Duration::from_millis(20));
    }

    #[test]
    fn equal_seeds_wait_equally_and_wild_policies_do_not_panic() {
        let wild = RetryPolicy {
            max_attempts: 9,
            initial_ms: u64::MAX,
            multiplier: 1e300,
            max_ms: u64::MAX,
        };
        assert_eq!(delay(&wild, 4000, None, "s"), delay(&wild, 4000, None, "s"));
    }
}
