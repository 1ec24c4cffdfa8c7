//! Whether the page has painted. Knows nothing of what it paints or of what to do when it does not.

use std::time::Duration;

use tokio::sync::watch;

/// Set once by the page, waited for by the shell.
pub struct FirstPaint(watch::Sender<bool>);

impl Default for FirstPaint {
    fn default() -> Self {
        Self(watch::Sender::new(false))
    }
}

impl FirstPaint {
    pub fn report(&self) {
        self.0.send_replace(true);
    }

    /// True as soon as the page has painted; false when it has not within `patience`.
    pub async fn is_seen_within(&self, patience: Duration) -> bool {
        let mut seen = self.0.subscribe();
        let waited = tokio::time::timeout(patience, seen.wait_for(|is_painted| *is_painted)).await;
        matches!(waited, Ok(Ok(_)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_report_before_or_while_waiting_counts() {
        let paint = FirstPaint::default();
        assert!(!paint.is_seen_within(Duration::from_millis(5)).await);
        paint.report();
        assert!(paint.is_seen_within(Duration::ZERO).await);
    }

    #[tokio::test]
    async fn a_late_report_ends_the_wait() {
        let paint = FirstPaint::default();
        let (is_seen, ()) = tokio::join!(paint.is_seen_within(Duration::from_secs(60)), async {
            tokio::task::yield_now().await;
            paint.report();
        });
        assert!(is_seen);
    }
}
