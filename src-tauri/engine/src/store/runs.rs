//! The rows of runs: who they are, where their logs end, and a cache for lists that can be rebuilt.

use std::fmt;

use rusqlite::{Connection, Params, Row, TransactionBehavior, params};
use serde::{Deserialize, Serialize};

use super::commit::Durability;
use super::witness::Committed;
use super::{Store, StoreError, seal};
use crate::model::events::NewEvent;
use crate::model::ledger::{Cap, Spent};
use crate::model::status::RunStatus;
use crate::model::value::NewPayload;
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
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
}

impl Summary {
    /// JSON and, on a line of its own, a seal: a cache that was damaged is no cache.
    pub(super) fn to_text(&self) -> String {
        let text = serde_json::to_string(self).unwrap_or_else(|_| "{}".to_owned());
        let seal = seal::short(text.as_bytes());
        format!("{text}\n{seal}")
    }

    fn of_text(text: &str) -> Option<Self> {
        let json = match text.rsplit_once('\n') {
            Some((json, seal)) if seal.parse() == Ok(seal::short(json.as_bytes())) => json,
            Some(_) => return None,
            // From before there were seals.
            None => text,
        };
        serde_json::from_str(json)
            .ok()
            .filter(|summary: &Self| summary.status.is_some())
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
/// Without the cache, whose own pages may be unreadable.
const BARE: &str =
    "run, id, parent, fork_seq, head, epoch, owner, created_ms, changed_ms, NULL, deleted_ms, kept";

/// A row is shown whatever has happened to it: what can't be read is left out, and the log says the rest.
fn record(row: &Row<'_>) -> rusqlite::Result<RunRecord> {
    let number = |at: usize| Ok::<_, rusqlite::Error>(row.get_ref(at)?.as_i64().ok());
    let text = |at: usize| {
        let bytes = row.get_ref(at)?.as_bytes().ok();
        Ok::<_, rusqlite::Error>(bytes.map(|b| String::from_utf8_lossy(b).into_owned()))
    };
    let (parent, fork_seq) = (number(2)?, number(3)?);
    Ok(RunRecord {
        key: RunKey(row.get(0)?),
        id: text(1)?.unwrap_or_default().into(),
        parent: parent.map(RunKey).zip(fork_seq.map(|s| s as Seq)),
        head: number(4)?.unwrap_or(0) as Seq,
        epoch: number(5)?.unwrap_or(0) as u64,
        owner: text(6)?,
        created_ms: number(7)?.unwrap_or(0),
        changed_ms: number(8)?.unwrap_or(0),
        summary: text(9)?.as_deref().and_then(Summary::of_text),
        deleted_ms: number(10)?,
        kept: number(11)?.unwrap_or(0) as Seq,
    })
}

/// The rows that fit, without their caches where one of those can't be read.
fn select(conn: &Connection, rest: &str, fits: impl Params + Copy) -> Result<Vec<RunRecord>, StoreError> {
    let read = |columns: &str| -> Result<Vec<RunRecord>, StoreError> {
        let mut select = conn.prepare_cached(&format!("SELECT {columns} FROM runs {rest}"))?;
        let rows = select.query_map(fits, record)?;
        Ok(rows.collect::<Result<_, _>>()?)
    };
    match read(COLUMNS) {
        Err(StoreError::Damaged(_)) => read(BARE),
        other => other,
    }
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
    let found = match select(conn, "WHERE id = ?1", [id.as_str()])?.pop() {
        // An index that was damaged may have lost it: the rows themselves decide.
        None => select(conn, "WHERE +id = ?1", [id.as_str()])?.pop(),
        found => found,
    };
    if found.is_none() {
        expect_whole_list(conn)?;
    }
    Ok(found)
}

/// The table and the index of its ids, two places on disk, count the same: else a row has been lost.
fn expect_whole_list(conn: &Connection) -> Result<(), StoreError> {
    // One statement, so that both see the same moment.
    let both = "SELECT (SELECT count(*) FROM runs NOT INDEXED WHERE created_ms IS NOT 'x'),
        (SELECT count(id) FROM runs INDEXED BY sqlite_autoindex_runs_1)";
    let (rows, ids): (i64, i64) = conn
        .prepare_cached(both)?
        .query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
    if rows == ids {
        return Ok(());
    }
    let message = format!("its list has {rows} runs, its index {ids}");
    Err(StoreError::Damaged(message))
}

/// The row of a number, deleted or not: a fork reads its parent's log whatever became of the parent.
pub(super) fn by_key(conn: &Connection, key: RunKey) -> Result<RunRecord, StoreError> {
    let found = select(conn, "WHERE run = ?1", [key.0])?.pop();
    found.ok_or_else(|| StoreError::NoRun(key.to_string().into()))
}

impl Store {
    /// A new run with an empty log. Its first events follow by [`Store::append`] with `Guard::Head(0)`.
    pub async fn create_run(&self, id: RunId, at_ms: i64) -> Result<RunKey, StoreError> {
        self.write(move |conn| {
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
        payloads: Vec<NewPayload>,
        summary: Summary,
    ) -> Result<RunKey, StoreError> {
        let packed = super::payload::pack(payloads).await?;
        let at_ms = events.first().map_or(0, |e| e.at_ms);
        let told = self.testimony(parent, &events, Durability::Disk);
        let forked = self
            .write(move |conn| {
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
                let bodies: Vec<String> = events
                    .iter()
                    .map(|e| e.body.encode())
                    .collect::<Result<_, _>>()
                    .map_err(|e| StoreError::Io(e.into()))?;
                for payload in &packed {
                    payload.insert(&tx)?;
                }
                super::commit::insert_events(&tx, key, &events, &bodies, at)?;
                tx.commit()?;
                Ok(key)
            })
            .await?;
        self.testify(told.map(|told| Committed { run: forked, ..told }), at + 1);
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
            expect_whole_list(conn)?;
            // A damaged row may count none of its events.
            let begun = "WHERE deleted_ms IS NULL AND (head > 0 OR EXISTS (SELECT 1 FROM events WHERE key > run << 32 AND key < (run + 1) << 32))
                ORDER BY run DESC LIMIT ?1";
            select(conn, begun, [limit])
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_that_was_damaged_is_no_summary() {
        let summary = Summary {
            status: Some(RunStatus::Running),
            title: "Margins".into(),
            open_decisions: 3,
            ..Summary::default()
        };
        let text = summary.to_text();
        assert_eq!(Summary::of_text(&text), Some(summary.clone()));
        let old = serde_json::to_string(&summary).unwrap();
        assert_eq!(Summary::of_text(&old), Some(summary));
        for at in 0..text.len() {
            for bit in 0..8 {
                let mut bytes = text.clone().into_bytes();
                bytes[at] ^= 1 << bit;
                let flipped = String::from_utf8_lossy(&bytes);
                assert_eq!(Summary::of_text(&flipped), None, "{flipped}");
            }
        }
    }
}
