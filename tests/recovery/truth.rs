//! What a database said before it was damaged, and what may be said of it afterwards: a right prefix of each log, or
//! an error that is clear; never a panic, never a hang, never another story.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::model::events::Event;
use planloom_engine::store::{Store, StoreError};

/// Each run's log, event by event, as text.
pub struct Truth(pub BTreeMap<String, Vec<String>>);

/// How much of each run was there; runs that can't be read are left out.
#[derive(Default)]
pub struct Seen {
    pub heads: BTreeMap<String, usize>,
    pub errors: Vec<String>,
}

fn text(event: &Event) -> String {
    let (seq, at, task) = (event.seq, event.at_ms, &event.task);
    format!(
        "{seq} {at} {task:?} {} {}",
        event.body.kind(),
        event.body.encode().unwrap()
    )
}

impl Truth {
    pub async fn read(store: &Store) -> Self {
        let mut logs = BTreeMap::new();
        for record in store.runs(1000).await.unwrap() {
            let events = store.events(&record.id, 0, u64::MAX, usize::MAX).await.unwrap();
            logs.insert(record.id.to_string(), events.iter().map(text).collect());
        }
        Self(logs)
    }

    /// Reads all that a damaged file gives and holds it against the truth. `what` is told when it does not hold.
    pub async fn look(&self, db: &Path, what: &str) -> Seen {
        let mut seen = Seen::default();
        let store = match Store::open(db) {
            Ok(store) => store,
            Err(error) => {
                seen.errors.push(clear(error, what));
                return seen;
            }
        };
        let listed = match in_time(store.runs(1000), what).await {
            Ok(listed) => Some(listed.len()),
            Err(error) => {
                seen.errors.push(clear(error, what));
                None
            }
        };
        for (run, whole) in &self.0 {
            self.look_at(&store, run, whole, listed, what, &mut seen).await;
        }
        seen
    }

    async fn look_at(
        &self,
        store: &Store,
        run: &str,
        whole: &[String],
        listed: Option<usize>,
        what: &str,
        seen: &mut Seen,
    ) {
        let id = RunId::from(run);
        let error = match in_time(store.events(&id, 0, u64::MAX, usize::MAX), what).await {
            Ok(events) => {
                is_prefix(&events, whole, what);
                seen.heads.insert(run.to_owned(), events.len());
                return;
            }
            Err(error) => error,
        };
        let kept = match &error {
            StoreError::Gap { after } | StoreError::Cut { after, .. } => Some(*after),
            StoreError::Event { seq, .. } => Some(seq - 1),
            // Its name was damaged, but it is in the list, or it was never committed.
            StoreError::NoRun(_) => {
                assert!(listed.is_none_or(|n| n <= self.0.len()), "{what}");
                None
            }
            _ => None,
        };
        seen.errors.push(clear(error, what));
        if let Some(kept) = kept {
            let events = in_time(store.events(&id, 0, kept, usize::MAX), what).await;
            let events = events.unwrap_or_else(|e| panic!("what is said to be kept is not ({what}): {e}"));
            assert_eq!(events.len() as u64, kept, "{what}");
            is_prefix(&events, whole, what);
        }
    }
}

fn is_prefix(events: &[Event], whole: &[String], what: &str) {
    assert!(events.len() <= whole.len(), "more than ever was: {what}");
    for (event, right) in events.iter().zip(whole) {
        assert_eq!(&text(event), right, "another story: {what}");
    }
}

async fn in_time<T>(reading: impl Future<Output = T>, what: &str) -> T {
    tokio::time::timeout(Duration::from_secs(30), reading)
        .await
        .unwrap_or_else(|_| panic!("it hangs: {what}"))
}

/// A closed store is one whose thread has panicked.
fn clear(error: StoreError, what: &str) -> String {
    assert!(!matches!(error, StoreError::Closed), "a thread panicked: {what}");
    assert!(
        !matches!(
            error,
            StoreError::Sqlite(_) | StoreError::Full(_) | StoreError::Busy(_)
        ),
        "{what}: {error}"
    );
    error.to_string()
}

/// A database and its write-ahead log as bytes.
#[derive(Clone)]
pub struct Files {
    pub main: Vec<u8>,
    pub wal: Vec<u8>,
}

impl Files {
    pub fn of(db: &Path) -> Self {
        Self {
            main: std::fs::read(db).unwrap_or_default(),
            wal: std::fs::read(wal_of(db)).unwrap_or_default(),
        }
    }

    /// Puts them into an empty folder.
    pub fn put(&self, folder: &Path) -> PathBuf {
        let db = folder.join("planloom.db");
        std::fs::write(&db, &self.main).unwrap();
        if !self.wal.is_empty() {
            std::fs::write(wal_of(&db), &self.wal).unwrap();
        }
        db
    }
}

fn wal_of(db: &Path) -> PathBuf {
    db.with_file_name("planloom.db-wal")
}

pub const PAGE: usize = 4096;
/// A frame of the WAL: its header and a page. Before the first one stands the log's own header.
pub const FRAME: usize = 24 + PAGE;
pub const WAL_HEADER: usize = 32;
