//! The search index: which words stand in which plan, call, answer or output. It must not know what events mean.
//!
//! It is a cache in a file of its own beside the database, `planloom.db.search`, and not a table in it, for four reasons.
//! A run never waits for it: no commit of a driver writes to it, and it has its own lock. Whoever only looks at a database
//! changes no byte of that, and can search it all the same; where nothing can be written beside it, the index is a private
//! file that goes with its connection. Losing it loses time and nothing else, so that it is not synced, not backed up, not
//! exported and not migrated: one of another version, or a damaged one, is thrown away. And what is as large as all texts
//! together stays out of what people copy.
//!
//! What it says is held against the log, run by run: each is known by its number, its id, when it was made, and how far it
//! was read, with the seal of the event there. So a database that was put back from a backup, or replaced, is found out for
//! just the runs that differ, and needs no identity of its own. Each step commits its texts together with how far it came:
//! one that was cut off by a crash never was.

mod expression;
mod find;
mod heads;
mod place;
mod text;
mod write;

use std::path::Path;
use std::sync::Arc;

use rusqlite::Connection;

pub use find::{Allowed, FoundTexts, Hit, Mark};
pub use heads::Head;
pub use write::{Batch, Known, NewText, PlanTexts, TextAct};

use super::worker::Worker;
use super::{Store, StoreError};

/// A handle to the index. It is opened when it is first asked for.
pub struct Index {
    worker: Worker,
    file: Option<std::path::PathBuf>,
}

impl Store {
    /// The search index of this database, opened or made anew.
    pub async fn index(&self) -> Result<Arc<Index>, StoreError> {
        let mut slot = self.inner.index.lock().await;
        if let Some(index) = slot.as_ref() {
            return Ok(index.clone());
        }
        let opened = Arc::new(match self.path().map(Path::to_owned) {
            None => Index {
                worker: Worker::inline(place::private()?),
                file: None,
            },
            Some(db) => tokio::task::spawn_blocking(move || Index::beside(&db))
                .await
                .map_err(|_| StoreError::Closed)??,
        });
        *slot = Some(opened.clone());
        Ok(opened)
    }

    /// Bytes of the index beside the database.
    pub fn index_bytes(&self) -> u64 {
        self.path().map_or(0, |db| place::bytes(&place::beside(db)))
    }

    /// Whether an index lies beside the database, so that there is something to keep in step.
    pub fn has_index(&self) -> bool {
        self.path().is_none_or(|db| place::beside(db).exists())
    }
}

impl Index {
    fn beside(db: &Path) -> Result<Self, StoreError> {
        let file = place::beside(db);
        let (conn, file) = match place::open(&file) {
            Ok(conn) => (conn, Some(file)),
            Err(error) => {
                tracing::info!(%error, "nothing can be kept beside the database, so the search index is a private one");
                (place::private()?, None)
            }
        };
        Ok(Self {
            worker: Worker::thread("planloom-search", conn)?,
            file,
        })
    }

    /// Whether a failure means that the index has to be made anew.
    pub fn is_broken(error: &StoreError) -> bool {
        place::is_broken(error)
    }

    /// Throws all of it away and begins anew: for one that is damaged.
    pub async fn renew(&self) -> Result<(), StoreError> {
        let file = self.file.clone();
        self.run(move |conn| {
            // The old file is let go of first: elsewhere than on Unix an open file can't be removed.
            *conn = Connection::open_in_memory()?;
            *conn = match file {
                Some(file) => place::remove(&file)
                    .and_then(|()| place::open(&file))
                    .or_else(|_| place::private())?,
                None => place::private()?,
            };
            Ok(())
        })
        .await
    }

    /// Takes what was deleted out of the file, too, and makes it smaller.
    pub async fn tidy(&self) -> Result<(), StoreError> {
        self.run(|conn| {
            conn.execute_batch(
                "INSERT INTO words (words) VALUES ('optimize'); VACUUM; PRAGMA wal_checkpoint(TRUNCATE);",
            )?;
            Ok(())
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        job: impl FnOnce(&mut Connection) -> Result<T, StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        self.worker.run(job).await
    }
}

#[cfg(test)]
mod tests;
