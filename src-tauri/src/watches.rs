//! Live views that the window has open: from the engine's watch into an ipc channel. Knows nothing of what is in the news.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::Duration;

use planloom_engine::Watch;
use planloom_engine::views::RunNews;
use serde::Serialize;
use tauri::ipc::Channel;
use tokio_util::sync::CancellationToken;

use crate::fault::Fault;

/// One message per frame of the screen is all that a person can see, and a queue in the page has no back-pressure.
const FRAME: Duration = Duration::from_millis(16);

/// What `watch_run` sends.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum WatchMessage {
    News(Box<RunNews>),
    /// The last message: the watch has ended.
    Fault(Fault),
}

/// The open watches by id. Ids are never used twice in a process.
#[derive(Default)]
pub struct Watches(Mutex<Open>);

#[derive(Default)]
struct Open {
    last_id: u32,
    tokens: HashMap<u32, CancellationToken>,
}

impl Watches {
    /// A new id, and the token that fires when the watch shall end.
    pub fn open(&self) -> (u32, CancellationToken) {
        let mut open = self.lock();
        open.last_id = open.last_id.wrapping_add(1);
        let id = open.last_id;
        let token = CancellationToken::new();
        open.tokens.insert(id, token.clone());
        (id, token)
    }

    pub fn end(&self, id: u32) {
        if let Some(token) = self.lock().tokens.remove(&id) {
            token.cancel();
        }
    }

    /// For a page that is gone or loads again: its channels lead nowhere.
    pub fn end_all(&self) {
        for (_, token) in self.lock().tokens.drain() {
            token.cancel();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Open> {
        // A panic elsewhere leaves the map whole: each change to it is a single call.
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}

/// Sends until the watch or the page ends. What happens meanwhile is coalesced by the engine.
pub async fn forward(mut watch: Watch, channel: Channel<WatchMessage>, ended: CancellationToken) {
    loop {
        let next = tokio::select! {
            () = ended.cancelled() => return,
            next = watch.next() => next,
        };
        let (message, is_last) = match next {
            Some(Ok(news)) => (WatchMessage::News(Box::new(news)), false),
            Some(Err(error)) => (WatchMessage::Fault(error.into()), true),
            None => return,
        };
        if channel.send(message).is_err() || is_last {
            return;
        }
        tokio::time::sleep(FRAME).await;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ_and_each_ends_alone() {
        let watches = Watches::default();
        let ((a, token_a), (b, token_b)) = (watches.open(), watches.open());
        assert_ne!(a, b);
        watches.end(a);
        assert!(token_a.is_cancelled() && !token_b.is_cancelled());
        watches.end(a);
        watches.end_all();
        assert!(token_b.is_cancelled());
        assert_ne!(watches.open().0, b);
    }

    #[test]
    fn messages_are_externally_tagged() {
        let fault = WatchMessage::Fault(Fault::new("store", "The disk is full."));
        let text = serde_json::to_string(&fault).expect("JSON");
        assert_eq!(
            text,
            r#"{"fault":{"code":"store","message":"The disk is full."}}"#
        );
    }
}
