//! Answers while they grow, for whoever looks: never stored, safe to lose, and waited for by nobody. Of a long answer the
//! newest part is kept. It must not know who looks.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::model::{RunId, TaskId};

/// Bytes of one answer that are kept.
const MOST: usize = 64 * 1024;

/// What is there of the newest answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Grown {
    /// Counts the answers; 0 before the first.
    pub answer: u64,
    /// Bytes of it that came so far.
    pub total: usize,
    /// The newest of them.
    text: String,
}

impl Grown {
    fn push(&mut self, more: &str) {
        self.total += more.len();
        self.text.push_str(more);
        if self.text.len() > MOST {
            let mut from = self.text.len() - MOST / 2;
            while !self.text.is_char_boundary(from) {
                from += 1;
            }
            self.text.drain(..from);
        }
    }

    /// What came behind that much of it, or all that is kept where that much is gone.
    pub fn since(&self, seen: usize) -> (&str, bool) {
        let first = self.total - self.text.len();
        match seen.checked_sub(first).and_then(|at| self.text.get(at..)) {
            Some(more) => (more, true),
            None => (&self.text, false),
        }
    }
}

/// Whose answers they are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Voice {
    run: RunId,
    /// `None`: the run's planner.
    task: Option<TaskId>,
}

impl Voice {
    pub fn of_planner(run: &RunId) -> Self {
        let run = run.clone();
        Self { run, task: None }
    }

    pub fn of_task(run: &RunId, task: TaskId) -> Self {
        let (run, task) = (run.clone(), Some(task));
        Self { run, task }
    }
}

/// The answers that grow in one process. Cheap to clone.
#[derive(Clone, Default)]
pub struct Growing(Arc<Mutex<HashMap<Voice, watch::Sender<Grown>>>>);

/// Tells of one answer.
pub(super) struct Teller(watch::Sender<Grown>);

impl Growing {
    fn all(&self) -> MutexGuard<'_, HashMap<Voice, watch::Sender<Grown>>> {
        // Each change to it is a single call.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers of this voice, those that come later too.
    pub fn follow(&self, voice: Voice) -> watch::Receiver<Grown> {
        let mut all = self.all();
        all.retain(|_, sender| sender.receiver_count() > 0 || sender.sender_count() > 1);
        all.entry(voice).or_default().subscribe()
    }

    pub(super) fn begin(&self, voice: Voice) -> Teller {
        let mut all = self.all();
        all.retain(|_, sender| sender.receiver_count() > 0 || sender.sender_count() > 1);
        let sender = all.entry(voice).or_default().clone();
        sender.send_modify(|grown| {
            *grown = Grown {
                answer: grown.answer + 1,
                ..Grown::default()
            };
        });
        Teller(sender)
    }
}

impl Teller {
    pub fn say(&self, more: &str) {
        self.0.send_modify(|grown| grown.push(more));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_looks_late_or_seldom_gets_the_newest_and_nobody_waits() {
        let growing = Growing::default();
        let voice = Voice::of_task(&RunId::from("r1"), TaskId::from("a"));
        let teller = growing.begin(voice.clone());
        teller.say("before ");
        let mut seen = growing.follow(voice.clone());
        assert_eq!(seen.borrow_and_update().since(0), ("before ", true));
        teller.say("and after");
        assert_eq!(seen.borrow_and_update().since(7), ("and after", true));
        for _ in 0..5000 {
            teller.say("a long answer, é ");
        }
        let grown = seen.borrow_and_update().clone();
        let (text, is_all) = grown.since(16);
        assert!(
            !is_all && text.len() <= MOST && text.ends_with("é "),
            "{}",
            text.len()
        );
        drop(teller);
        drop(growing.begin(voice.clone()));
        assert_eq!((seen.borrow().answer, seen.borrow().since(0)), (2, ("", true)));
        drop(seen);
        growing.follow(Voice::of_planner(&RunId::from("r1")));
        assert!(
            !growing.all().contains_key(&voice),
            "whom nobody looks at is forgotten"
        );
    }
}
