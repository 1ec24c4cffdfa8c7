//! Named points where tests let the process die, as abruptly as by kill -9, or stand still: at the n-th passing. Only
//! in debug builds; a release build has nothing to ask and nothing to set.

/// Dies or stops here if `PLANLOOM_DIE_AT` or `PLANLOOM_STOP_AT` says so, such as `commit:17`.
#[cfg(debug_assertions)]
pub(crate) fn may_come(point: &str) {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static DIE: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static STOP: OnceLock<Option<(String, u64)>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let (die, stop) = (
        DIE.get_or_init(|| wanted("PLANLOOM_DIE_AT")),
        STOP.get_or_init(|| wanted("PLANLOOM_STOP_AT")),
    );
    let Some((_, nth)) = die.iter().chain(stop).find(|(wanted, _)| wanted == point) else {
        return;
    };
    if PASSED.fetch_add(1, Ordering::SeqCst) + 1 != *nth {
        return;
    }
    if die.is_some() {
        std::process::abort();
    }
    // Signalling oneself takes unsafe code; a child may do it, and this line is reached when we are continued.
    let own = std::process::id().to_string();
    let _ = std::process::Command::new("kill").args(["-STOP", &own]).status();
    // Another thread may take the signal, a little later: this one must not go on until then.
    std::thread::sleep(std::time::Duration::from_millis(250));
}

#[cfg(debug_assertions)]
fn wanted(variable: &str) -> Option<(String, u64)> {
    let text = std::env::var(variable).ok()?;
    let (point, nth) = text.split_once(':')?;
    Some((point.to_owned(), nth.parse().ok()?))
}

#[cfg(not(debug_assertions))]
pub(crate) fn may_come(_: &str) {}
