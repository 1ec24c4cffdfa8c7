//! The calls that are under way at one server: whom a question of the server reaches, and when it last gave a sign of
//! life. It must not know what is called.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use tokio::time::Instant;

use crate::model::Json;
use crate::tools::Ask;

/// Questions of a server during one call; more are declined.
const MOST_QUESTIONS: u32 = 5;

#[derive(Default)]
pub(super) struct Calls {
    open: Mutex<BTreeMap<u64, Arc<Open>>>,
    next: AtomicU64,
}

/// One of them.
pub(super) struct Open {
    pub tool: String,
    pub ask: Option<Arc<dyn Ask>>,
    /// The mark by which the server tells of progress.
    token: Mutex<Option<Json>>,
    beat: Mutex<Instant>,
    /// Questions that wait for a person now.
    asking: AtomicU32,
    asked: AtomicU32,
}

/// Takes the call out when it is over, however it ended.
pub(super) struct Entry<'c> {
    calls: &'c Calls,
    number: u64,
    pub open: Arc<Open>,
}

impl Calls {
    pub fn begin(&self, tool: &str, ask: Option<Arc<dyn Ask>>) -> Entry<'_> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let open = Arc::new(Open {
            tool: tool.to_owned(),
            ask,
            token: Mutex::default(),
            beat: Mutex::new(Instant::now()),
            asking: AtomicU32::new(0),
            asked: AtomicU32::new(0),
        });
        self.lock().insert(number, open.clone());
        Entry {
            calls: self,
            number,
            open,
        }
    }

    /// Of several, nothing says which one a question belongs to: the oldest that can ask at all is taken.
    pub fn to_ask(&self) -> Option<Arc<Open>> {
        let open = self.lock();
        open.values().find(|call| call.ask.is_some()).cloned()
    }

    /// Progress of a call that is under way; of others nothing follows.
    pub fn progress(&self, token: &Json) {
        let found = {
            let open = self.lock();
            let is_it = |call: &&Arc<Open>| call.lock_token().as_ref() == Some(token);
            open.values().find(is_it).cloned()
        };
        if let Some(call) = found {
            call.beat();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, BTreeMap<u64, Arc<Open>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Entry<'_> {
    fn drop(&mut self) {
        self.calls.lock().remove(&self.number);
    }
}

impl Open {
    pub fn marked(&self, token: Json) {
        *self.lock_token() = Some(token);
    }

    fn lock_token(&self) -> std::sync::MutexGuard<'_, Option<Json>> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn beat(&self) {
        *self.beat.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    pub fn last_beat(&self) -> Instant {
        *self.beat.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_asking(&self) -> bool {
        self.asking.load(Ordering::Relaxed) > 0
    }

    /// `None` where the server has asked too much already. The answer may take as long as a person does.
    pub async fn ask(&self, question: String, form: Json) -> Option<Json> {
        let ask = self.ask.as_ref()?;
        if self.asked.fetch_add(1, Ordering::Relaxed) >= MOST_QUESTIONS {
            return None;
        }
        let _waits = Waits::begin(&self.asking);
        let answer = ask.ask(question, form).await;
        self.beat();
        answer
    }
}

struct Waits<'a>(&'a AtomicU32);

impl<'a> Waits<'a> {
    fn begin(count: &'a AtomicU32) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
