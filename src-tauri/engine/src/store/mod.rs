//! The only SQL: an append-only log, payloads by hash, and who owns which run.
//! This room must not know tools, plans' rules or faces; it stores facts and gives them back.

mod again;
mod carry;
mod claim;
mod collect;
mod commit;
mod cut_off;
pub(crate) mod death;
mod delete;
mod error;
mod full;
mod lease;
mod log;
mod looking;
mod open;
mod payload;
mod runs;
mod schema;
mod scratch;
mod seal;
pub mod search;
mod traces;
mod vacuum;
mod wal;
mod weigh;
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
use looking::{Gaze, Sight};
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
    /// Set where nothing is ever written: how the file is looked at.
    sight: Option<Sight>,
    counters: Arc<Counters>,
    /// Whether everything is synced to disk, whatever each batch asks for.
    syncs_all: AtomicBool,
    /// Counts up whenever this process has committed; watchers wait on it.
    news: tokio::sync::watch::Sender<u64>,
    /// Opened when something is first looked for.
    index: tokio::sync::Mutex<Option<Arc<search::Index>>>,
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
            None,
        ))
    }

    /// Opens the database to look at it: not a byte of it is changed, and what would be written is refused.
    pub fn look(path: &Path) -> Result<Self, StoreError> {
        Self::look_as(path, looking::Newer::Refused)
    }

    /// The same, also where a newer version has written it, as far as it can be read.
    pub fn look_at_newer(path: &Path) -> Result<Self, StoreError> {
        Self::look_as(path, looking::Newer::Shown)
    }

    fn look_as(path: &Path, newer: looking::Newer) -> Result<Self, StoreError> {
        let (conn, sight) = looking::look(path, newer)?;
        let only = Worker::thread("planloom-store-reader", conn)?;
        Ok(Self::of(only, None, Some(path.to_owned()), Some(sight)))
    }

    /// For whoever looks for runs: says so where the file is empty, or was cut to nothing.
    pub fn expect_some(path: &Path) -> Result<(), StoreError> {
        traces::expect_some(path)
    }

    /// A store that lives and dies with its handle. Everything happens on the caller's thread, at once.
    pub fn in_memory() -> Result<Self, StoreError> {
        Ok(Self::of(Worker::inline(open::memory()?), None, None, None))
    }

    fn of(writer: Worker, reader: Option<Worker>, path: Option<PathBuf>, sight: Option<Sight>) -> Self {
        let leases = lease::Leases::beside(path.as_deref());
        let (news, _) = tokio::sync::watch::channel(0);
        Self {
            inner: Arc::new(Inner {
                writer,
                reader,
                leases,
                path,
                sight,
                counters: Arc::default(),
                syncs_all: AtomicBool::new(false),
                news,
                index: tokio::sync::Mutex::default(),
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
        self.write(limit).await
    }

    /// A number that changes when another process has committed; constant in memory.
    pub async fn foreign_version(&self) -> Result<i64, StoreError> {
        if self.inner.reader.is_none() {
            return Ok(0);
        }
        self.read(|conn| Ok(conn.pragma_query_value(None, "data_version", |row| row.get(0))?))
            .await
    }

    /// Runs a job on the writing connection; who keeps it from writing is named.
    async fn write<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let done = self.inner.writer.run(job).await;
        done.map_err(|error| self.who_holds(error))
    }

    /// Runs a short read on the reading connection.
    async fn read<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let gaze = self.gaze();
        let read = move |conn: &mut rusqlite::Connection| {
            if let Some(gaze) = gaze {
                gaze.refresh(conn)?;
            }
            job(conn)
        };
        self.inner
            .reader
            .as_ref()
            .unwrap_or(&self.inner.writer)
            .run(read)
            .await
    }

    fn gaze(&self) -> Option<Gaze> {
        match &self.inner.sight {
            Some(Sight::File(gaze)) => Some(gaze.clone()),
            Some(Sight::Copy) | None => None,
        }
    }

    /// Runs a long read on a connection of its own, off the async threads, so that it holds up neither commits nor
    /// short reads. In memory there is only the one.
    async fn aside<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut rusqlite::Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let is_copy = matches!(self.inner.sight, Some(Sight::Copy));
        let Some(path) = self.inner.path.clone().filter(|_| !is_copy) else {
            return self.inner.writer.run(job).await;
        };
        let gaze = self.gaze();
        let read = move || {
            let mut conn = match gaze {
                Some(gaze) => gaze.open()?,
                None => open::reader(&path)?,
            };
            job(&mut conn).map_err(|error| error.in_file(path.to_str()))
        };
        tokio::task::spawn_blocking(read)
            .await
            .map_err(|_| StoreError::Closed)?
    }

    fn tell(&self) {
        self.inner.news.send_modify(|n| *n = n.wrapping_add(1));
    }
}
