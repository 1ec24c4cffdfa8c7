//! The only SQL: an append-only log, payloads by hash, and who owns which run.
//! This room must not know tools, plans' rules or faces; it stores facts and gives them back.

mod again;
mod carry;
mod claim;
mod collect;
mod commit;
pub(crate) mod death;
mod delete;
mod error;
mod full;
mod lease;
mod log;
mod open;
mod payload;
mod runs;
mod scratch;
mod seal;
mod vacuum;
mod wal;
mod witness;
mod worker;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

pub use carry::{Carried, RawEvent};
pub use claim::Claim;
pub use collect::Collected;
pub use commit::{Append, Appended, Durability, Guard, Refused, Syncing, Turn};
pub use delete::Removed;
pub use error::StoreError;
pub use lease::{Lease, Owner};
pub use runs::{RunKey, RunRecord, Summary};
pub use scratch::{Arrival, Scratch};
pub use vacuum::Vacuumed;
pub use witness::{Committed, Witness};
use worker::Worker;

/// A cloneable handle to one database.
#[derive(Clone)]
pub struct Store {
    inner: Arc<Inner>,
}

struct Inner {
    writer: Worker,
    /// A read-only connection of its own, so that a long read never holds up a commit; none in memory.
    reader: Option<Worker>,
    leases: lease::Leases,
    path: Option<PathBuf>,
    counters: Arc<Counters>,
    /// Whether everything is synced to disk, whatever each batch asks for.
    syncs_all: AtomicBool,
    /// Counts up whenever this process has committed; watchers wait on it.
    news: tokio::sync::watch::Sender<u64>,
    /// Only tests set one.
    witness: std::sync::OnceLock<Witness>,
}

/// What the store has done since it was opened; read by the bench.
#[derive(Default)]
pub struct Counters {
    pub commits: AtomicU64,
    /// Commits that were synced to disk before they were acknowledged.
    pub synced: AtomicU64,
    pub rows: AtomicU64,
}

/// A reading of [`Counters`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    pub commits: u64,
    pub synced: u64,
    pub rows: u64,
}

impl Store {
    /// Opens or creates the database and brings it up to date. A file that is not ours, or newer, is left untouched.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        let writer = open::writer(path)?;
        let reader = open::reader(path)?;
        Ok(Self::of(
            Worker::thread("planloom-store-writer", writer)?,
            Some(Worker::thread("planloom-store-reader", reader)?),
            Some(path.to_owned()),
        ))
    }

    /// A store that lives and dies with its handle. Everything happens on the caller's thread, at once.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::of(Worker::inline(open::memory()?), None, None))
    }

    fn of(writer: Worker, reader: Option<Worker>, path: Option<PathBuf>) -> Self {
        let leases = lease::Leases::beside(path.as_deref());
        let (news, _) = tokio::sync::watch::channel(0);
        Self {
            inner: Arc::new(Inner {
                writer,
                reader,
                leases,
                path,
                counters: Arc::default(),
                syncs_all: AtomicBool::new(false),
                news,
                witness: std::sync::OnceLock::new(),
            }),
        }
    }

    /// From now on it syncs that much.
    pub fn sync(&self, sync: Syncing) {
        self.inner
            .syncs_all
            .store(sync == Syncing::Everything, Ordering::Relaxed);
    }

    /// The database file; `None` in memory.
    pub fn path(&self) -> Option<&Path> {
        self.inner.path.as_deref()
    }

    pub fn counts(&self) -> Counts {
        let c = &self.inner.counters;
        Counts {
            commits: c.commits.load(Ordering::Relaxed),
            synced: c.synced.load(Ordering::Relaxed),
            rows: c.rows.load(Ordering::Relaxed),
        }
    }

    /// Changes whenever this process commits. Commits of other processes show in [`Store::foreign_version`].
    pub fn news(&self) -> tokio::sync::watch::Receiver<u64> {
        self.inner.news.subscribe()
    }

    /// Lets the database grow to this many pages and no further, as on a disk that is full then; 0 takes the limit
    /// away. For tests of what happens then.
    #[doc(hidden)]
    pub async fn limit_pages(&self, pages: u32) -> Result<u32, StoreError> {
        let most = if pages == 0 { u32::MAX - 1 } else { pages };
        let limit = move |conn: &mut rusqlite::Connection| {
            conn.pragma_update(None, "max_page_count", most)?;
            Ok(conn.pragma_query_value(None, "page_count", |row| row.get(0))?)
        };
        self.inner.writer.run(limit).await
    }

    /// A number that changes when another process has committed; constant in memory.
    pub async fn foreign_version(&self) -> Result<i64, StoreError> {
        if self.inner.reader.is_none() {
            return Ok(0);
        }
        self.read(|conn| Ok(conn.pragma_query_value(None, "data_version", |row| row.get(0))?))
            .await
    }

    /// Runs a short read on the reading connection.
    async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.inner
            .reader
            .as_ref()
            .unwrap_or(&self.inner.writer)
            .run(job)
            .await
    }

    /// Runs a long read on a connection of its own, off the async threads, so that it holds up neither commits nor
    /// short reads. In memory there is only the one.
    async fn aside<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let Some(path) = self.inner.path.clone() else {
            return self.inner.writer.run(job).await;
        };
        tokio::task::spawn_blocking(move || job(&mut open::reader(&path)?))
            .await
            .map_err(|_| StoreError::Closed)?
    }

    fn tell(&self) {
        self.inner.news.send_modify(|n| *n = n.wrapping_add(1));
    }
}
