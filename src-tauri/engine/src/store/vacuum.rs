//! The database file as a whole: rewriting it without what was freed, and a copy of it while it is written to.

use std::path::{Path, PathBuf};

use rusqlite::Connection;

use super::{Store, StoreError};

/// What a rewriting brought.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vacuumed {
    /// Size of the database with its WAL before and after.
    pub before: u64,
    pub after: u64,
}

/// How much lies where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// The database with its WAL.
    pub bytes: u64,
    /// Of these, free for what comes next.
    pub free: u64,
    /// Large values, packed: outputs, answers of models, what tools gave.
    pub values: u64,
}

impl Store {
    /// On a reader of its own, so that nobody waits for it.
    pub async fn sizes(&self) -> Result<Sizes, StoreError> {
        let bytes = size(self.inner.path.as_deref());
        let free = self.free_bytes().await?;
        let values = self
            .aside(|conn| {
                let sum = "SELECT coalesce(sum(length(data)), 0) FROM payloads";
                Ok(conn.query_row(sum, [], |row| row.get::<_, i64>(0))?)
            })
            .await?;
        Ok(Sizes {
            bytes,
            free,
            values: u64::try_from(values).unwrap_or(0),
        })
    }

    /// Rewrites the file without its free pages; what was deleted is then no longer in it. Writers wait meanwhile.
    pub async fn vacuum(&self) -> Result<Vacuumed, StoreError> {
        let path = self.inner.path.clone();
        self.write(move |conn| {
            checkpoint(conn)?;
            let before = size(path.as_deref());
            conn.execute_batch("VACUUM")?;
            checkpoint(conn)?;
            Ok(Vacuumed {
                before,
                after: size(path.as_deref()),
            })
        })
        .await
    }

    /// Bytes of the file that are free for what comes next.
    pub async fn free_bytes(&self) -> Result<u64, StoreError> {
        self.read(|conn| {
            let pages: i64 = conn.pragma_query_value(None, "freelist_count", |row| row.get(0))?;
            let size: i64 = conn.pragma_query_value(None, "page_size", |row| row.get(0))?;
            Ok((pages * size) as u64)
        })
        .await
    }

    /// Writes all that has been acknowledged into a new database at `target`, which must be an empty file. It is one
    /// moment of the whole, WAL included; nobody is held up. Syncing the file is the caller's.
    pub async fn copy_into(&self, target: PathBuf) -> Result<(), StoreError> {
        let name = target.to_str().map(str::to_owned).ok_or_else(|| {
            StoreError::Io(std::io::Error::other(
                "the folder's name is not UTF-8, which SQLite can't write to",
            ))
        })?;
        self.aside(move |conn| {
            conn.execute("VACUUM INTO ?1", [name])?;
            Ok(())
        })
        .await
    }
}

/// As much as readers allow; what they still need stays in the WAL.
fn checkpoint(conn: &Connection) -> Result<(), StoreError> {
    conn.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
    Ok(())
}

fn size(path: Option<&Path>) -> u64 {
    let Some(path) = path else { return 0 };
    let mut wal = path.as_os_str().to_owned();
    wal.push("-wal");
    [path, Path::new(&wal)]
        .into_iter()
        .filter_map(|p| std::fs::metadata(p).ok())
        .map(|m| m.len())
        .sum()
}
