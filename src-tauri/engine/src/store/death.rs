//! Where tests let the process die: at the n-th passing of a named point, as abruptly as by kill -9. Only in debug
//! builds; in a release build there is nothing to ask and nothing to set.

/// Dies here if `PLANLOOM_DIE_AT` says so, such as `commit:17`.
#[cfg(debug_assertions)]
pub(crate) fn may_come(point: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static AT: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let at = AT.get_or_init(|| {
        let text = std::env::var("PLANLOOM_DIE_AT").ok()?;
        let (point, nth) = text.split_once(':')?;
        Some((point.to_owned(), nth.parse().ok()?))
    });
    let Some((wanted, nth)) = at else { return };
    if wanted == point && PASSED.fetch_add(1, Ordering::SeqCst) + 1 == *nth {
        std::process::abort();
    }
}

#[cfg(not(debug_assertions))]
pub(crate) fn may_come(_: &str) {}
