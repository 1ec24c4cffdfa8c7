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
