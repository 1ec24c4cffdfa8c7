//! Deleting a run: its row stays as a stone with its id, its events go as far as no fork reads them.
//! This file must not know what a run has outside the database.

use std::time::Duration;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::lease::Owner;
use super::runs::{RunKey, RunRecord, by_key, find};
use super::{Store, StoreError};
use crate::model::{RunId, Seq};

/// Events that go in one transaction; others write between two of them.
const CHUNK: i64 = 5_000;
/// How long others are let in between two transactions.
pub(super) const PAUSE: Duration = Duration::from_millis(5);

/// What a deletion took and left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Removed {
    /// Events that are gone, those of deleted ancestors that nobody reads any more among them.
    pub events: u64,
    /// Up to here its forks still read its log; 0: nothing is left of it.
    pub kept: Seq,
}

impl Store {
    /// Deletes a run that nobody drives. From the first commit on it is in no list and can't be claimed, appended to
    /// or read; the rest is freeing space, which [`Store::trim`] finishes if this is cut short.
    pub async fn delete_run(&self, run: &RunId, owner: &Owner, at_ms: i64) -> Result<Removed, StoreError> {
        // What is asked for is looked for before its lock: a lock file is made for no other run.
        self.run(run).await?;
        let lease = self.take_lease(run, owner, false).await?;
        let id = run.clone();
        let kept = self.write(move |conn| bury(conn, &id, at_ms)).await?;
        self.inner.leases.forget(run);
        drop(lease);
        self.tell();
        let events = self.trim().await?;
        Ok(Removed { events, kept })
    }

    /// Takes away the events of deleted runs that no fork reads, in short transactions. Gives their number.
    pub async fn trim(&self) -> Result<u64, StoreError> {
        let mut gone = 0;
        while let Some(chunk) = self.write(trim_some).await? {
            gone += chunk;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(gone)
    }

    /// The ids of all deleted runs.
    pub async fn deleted(&self) -> Result<Vec<RunId>, StoreError> {
        self.read(|conn| {
            let mut select = conn.prepare("SELECT id FROM runs WHERE deleted_ms IS NOT NULL")?;
            let ids = select.query_map([], |row| row.get::<_, String>(0))?;
            Ok(ids.map(|id| id.map(RunId::from)).collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Anybody who drives a run of this database at this moment, in any process.
    pub fn any_holder(&self) -> Option<Owner> {
        self.inner.leases.any_holder()
    }
}

/// Marks the run as deleted and tells its deleted ancestors how much of them is still read.
fn bury(conn: &mut Connection, run: &RunId, at_ms: i64) -> Result<Seq, StoreError> {
    // What a person asked for is on disk before it is shown.
    conn.pragma_update(None, "synchronous", "FULL")?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let record = find(&tx, run)?;
    let kept = read_by_forks(&tx, record.key)?;
    // The raised epoch refuses whatever an owner that was deposed may still want to write.
    tx.execute(
        "UPDATE runs SET deleted_ms = ?2, kept = ?3, epoch = epoch + 1, owner = NULL, summary = '{}' WHERE run = ?1",
        params![record.key.0, at_ms, kept as i64],
    )?;
    release_ancestors(&tx, &record)?;
    tx.commit()?;
    Ok(kept)
}

/// The highest position of the run's log that a fork of it reads: a living one up to where it left, a deleted one up
/// to where its own forks read.
fn read_by_forks(tx: &Transaction<'_>, run: RunKey) -> Result<Seq, StoreError> {
    let mut select = tx.prepare_cached(
        "SELECT coalesce(max(CASE WHEN deleted_ms IS NULL THEN fork_seq ELSE min(fork_seq, kept) END), 0)
         FROM runs WHERE parent = ?1",
    )?;
    Ok(select.query_row([run.0], |row| row.get::<_, i64>(0))? as Seq)
}

fn release_ancestors(tx: &Transaction<'_>, record: &RunRecord) -> Result<(), StoreError> {
    let mut next = record.parent;
    while let Some((parent, _)) = next {
        let ancestor = by_key(tx, parent)?;
        let kept = read_by_forks(tx, parent)?;
        if ancestor.deleted_ms.is_none() || kept == ancestor.kept {
            return Ok(());
        }
        tx.prepare_cached("UPDATE runs SET kept = ?2 WHERE run = ?1")?
            .execute(params![parent.0, kept as i64])?;
        next = ancestor.parent;
    }
    Ok(())
}

/// One short transaction; `None` when nothing is left to do. From the newest event down: what is left meanwhile is the
/// beginning of a log.
fn trim_some(conn: &mut Connection) -> Result<Option<u64>, StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: Option<(i64, i64)> = tx
        .prepare_cached("SELECT run, kept FROM runs WHERE deleted_ms IS NOT NULL AND head > kept LIMIT 1")?
        .query_row([], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    let Some((run, kept)) = found else { return Ok(None) };
    let key = RunKey(run);
    let gone = tx
        .prepare_cached(
            "DELETE FROM events WHERE key IN
             (SELECT key FROM events WHERE key > ?1 AND key <= ?2 ORDER BY key DESC LIMIT ?3)",
        )?
        .execute(params![key.key(kept as Seq), key.key(Seq::MAX), CHUNK])?;
    if (gone as i64) < CHUNK {
        tx.execute("UPDATE runs SET head = kept WHERE run = ?1", [run])?;
    }
    tx.commit()?;
    Ok(Some(gone as u64))
}
