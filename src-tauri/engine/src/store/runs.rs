//! The rows of runs: who they are, where their logs end, and a cache for lists that can be rebuilt.

use std::fmt;

use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::{Store, StoreError};
use crate::model::events::NewEvent;
use crate::model::ledger::{Cap, Spent};
use crate::model::status::RunStatus;
use crate::model::{RunId, Seq};

/// A run inside this database. Events lie at `run * 2^32 + seq`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RunKey(pub(super) i64);

impl RunKey {
    pub(super) fn key(self, seq: Seq) -> i64 {
        (self.0 << 32) | (seq.min(u64::from(u32::MAX)) as i64)
    }
}

impl fmt::Display for RunKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

/// What lists show of a run. A cache: written with each batch, never read by a rule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Summary {
    pub status: Option<RunStatus>,
    #[serde(default)]
    pub title: String,
    #[serde(default)]
    pub goal: Option<String>,
    #[serde(default)]
    pub revision: u32,
    /// By `TaskStatus::index`.
    #[serde(default)]
    pub counts: Vec<u32>,
    #[serde(default)]
    pub open_decisions: u32,
    #[serde(default)]
    pub ran_ms: i64,
    #[serde(default)]
    pub going_since_ms: Option<i64>,
    /// The plan file, so that opening it again finds its draft.
    #[serde(default)]
    pub path: Option<String>,
    #[serde(default)]
    pub spent: Spent,
    #[serde(default)]
    pub cap: Cap,
}

impl Summary {
    pub(super) fn to_text(&self) -> String {
        serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned())
    }
}

#[derive(Clone, Debug)]
pub struct RunRecord {
    pub key: RunKey,
    pub id: RunId,
    pub parent: Option<(RunKey, Seq)>,
    pub head: Seq,
    pub epoch: u64,
    pub owner: Option<String>,
    pub created_ms: i64,
    pub changed_ms: i64,
    /// `None`: the cache is missing or can't be read, and has to be rebuilt from the log.
    pub summary: Option<Summary>,
    /// Set when a person has deleted it: only its forks may read it.
    pub(super) deleted_ms: Option<i64>,
    /// Of a deleted run: up to where its forks read it.
    pub(super) kept: Seq,
}

const COLUMNS: &str =
    "run, id, parent, fork_seq, head, epoch, owner, created_ms, changed_ms, summary, deleted_ms, kept";

fn record(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    let id: String = row.get(1)?;
    let parent: Option<i64> = row.get(2)?;
    let fork_seq: Option<i64> = row.get(3)?;
    let summary: String = row.get(9)?;
    Ok(RunRecord {
        key: RunKey(row.get(0)?),
        id: id.into(),
        parent: parent.map(RunKey).zip(fork_seq.map(|s| s as Seq)),
        head: row.get::<_, i64>(4)? as Seq,
        epoch: row.get::<_, i64>(5)? as u64,
        owner: row.get(6)?,
        created_ms: row.get(7)?,
        changed_ms: row.get(8)?,
        summary: serde_json::from_str(&summary)
            .ok()
            .filter(|s: &Summary| s.status.is_some()),
        deleted_ms: row.get(10)?,
        kept: row.get::<_, i64>(11)? as Seq,
    })
}

/// A run that there is: a deleted one is not found, and the error says so.
pub(super) fn find(conn: &Connection, id: &RunId) -> Result<RunRecord, StoreError> {
    let found = find_any(conn, id)?.ok_or_else(|| StoreError::NoRun(id.clone()))?;
    match found.deleted_ms {
        Some(at_ms) => Err(StoreError::Deleted { run: found.id, at_ms }),
        None => Ok(found),
    }
}

/// The row of an id, deleted or not.
pub(super) fn find_any(conn: &Connection, id: &RunId) -> Result<Option<RunRecord>, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE id = ?1");
    Ok(conn
        .prepare_cached(&sql)?
        .query_row([id.as_str()], record)
        .optional()?)
}

/// The row of a number, deleted or not: a fork reads its parent's log whatever became of the parent.
pub(super) fn by_key(conn: &Connection, key: RunKey) -> Result<RunRecord, StoreError> {
    let sql = format!("SELECT {COLUMNS} FROM runs WHERE run = ?1");
    let found = conn.prepare_cached(&sql)?.query_row([key.0], record).optional()?;
    found.ok_or_else(|| StoreError::NoRun(key.to_string().into()))
}

impl Store {
    /// A new run with an empty log. Its first events follow by [`Store::append`] with `Guard::Head(0)`.
    pub async fn create_run(&self, id: RunId, at_ms: i64) -> Result<RunKey, StoreError> {
        self.inner
            .writer
            .run(move |conn| {
                conn.execute(
                    "INSERT INTO runs (id, created_ms, changed_ms) VALUES (?1, ?2, ?2)",
                    params![id.as_str(), at_ms],
                )?;
                Ok(RunKey(conn.last_insert_rowid()))
            })
            .await
    }

    /// A run whose log is another one's up to `at`, then these events of its own: one row, whatever the length.
    pub async fn fork_run(
        &self,
        parent: RunKey,
        at: Seq,
        id: RunId,
        events: Vec<NewEvent>,
        summary: Summary,
    ) -> Result<RunKey, StoreError> {
        let at_ms = events.first().map_or(0, |e| e.at_ms);
        let forked = self
            .inner
            .writer
            .run(move |conn| {
                conn.pragma_update(None, "synchronous", "FULL")?;
                let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
                // Deleted a moment ago, it may lack what the fork would read.
                let from = by_key(&tx, parent)?;
                if let Some(at_ms) = from.deleted_ms {
                    return Err(StoreError::Deleted { run: from.id, at_ms });
                }
                let head = at + events.len() as Seq;
                tx.execute(
                    "INSERT INTO runs (id, parent, fork_seq, head, created_ms, changed_ms, summary)
                     VALUES (?1, ?2, ?3, ?4, ?5, ?5, ?6)",
                    params![
                        id.as_str(),
                        parent.0,
                        at as i64,
                        head as i64,
                        at_ms,
                        summary.to_text()
                    ],
                )?;
                let key = RunKey(tx.last_insert_rowid());
                for (event, seq) in events.iter().zip(at + 1..) {
                    let body = event.body.encode().map_err(|e| StoreError::Io(e.into()))?;
                    tx.execute(
                        "INSERT INTO events (key, at_ms, kind, body) VALUES (?1, ?2, ?3, ?4)",
                        params![key.key(seq), event.at_ms, event.body.number(), body],
                    )?;
                }
                tx.commit()?;
                Ok(key)
            })
            .await?;
        self.tell();
        Ok(forked)
    }

    pub async fn run(&self, id: &RunId) -> Result<RunRecord, StoreError> {
        let id = id.clone();
        self.read(move |conn| find(conn, &id)).await
    }

    /// Newest first, by the order of opening. Runs whose log is empty (opened, then the process died) are left out.
    pub async fn runs(&self, limit: u32) -> Result<Vec<RunRecord>, StoreError> {
        self.read(move |conn| {
            let sql = format!(
                "SELECT {COLUMNS} FROM runs WHERE head > 0 AND deleted_ms IS NULL
                 ORDER BY run DESC LIMIT ?1"
            );
            let rows = conn
                .prepare_cached(&sql)?
                .query_map([limit], record)?
                .collect::<Result<_, _>>()?;
            Ok(rows)
        })
        .await
    }
}
