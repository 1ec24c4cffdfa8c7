//! Where each log of the database begins and ends, for whoever keeps something in step with them. It must not know what that
//! is.

use rusqlite::{Connection, OptionalExtension, Row, params};

use super::super::log::{lineage, read_one, read_own};
use super::super::runs::RunKey;
use super::super::{Store, StoreError};
use crate::model::events::Event;
use crate::model::{RunId, Seq};

/// One run's own part of its log.
#[derive(Clone, Debug)]
pub struct Head {
    pub key: RunKey,
    pub id: RunId,
    /// Whose log it shares, and up to where.
    pub parent: Option<(RunKey, Seq)>,
    /// Its newest event; of a deleted run, the last that its forks read.
    pub end: Seq,
    pub created_ms: i64,
    pub changed_ms: i64,
    pub is_deleted: bool,
}

impl Head {
    /// Its own events come after this.
    pub fn begin(&self) -> Seq {
        self.parent.map_or(0, |(_, at)| at)
    }
}

impl Store {
    /// All runs, the newest first, deleted ones of which forks still read something among them.
    pub async fn heads(&self) -> Result<Vec<Head>, StoreError> {
        self.read(|conn| {
            let mut select = conn.prepare_cached(
                "SELECT run, id, parent, fork_seq, CASE WHEN deleted_ms IS NULL THEN head ELSE min(head, kept) END,
                        created_ms, changed_ms, deleted_ms IS NOT NULL
                 FROM runs WHERE head > 0 AND (deleted_ms IS NULL OR kept > 0) ORDER BY run DESC",
            )?;
            let rows = select.query_map([], head)?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// The run's own events after a position, at most so many.
    pub async fn own_events(&self, head: &Head, after: Seq, limit: usize) -> Result<Vec<Event>, StoreError> {
        let (key, id, end) = (head.key, head.id.clone(), head.end);
        self.read(move |conn| read_own(conn, key, &id, after, end, limit))
            .await
    }

    /// The events of these kinds in the whole log of the run, oldest first; what lies between is not read.
    pub async fn events_of(&self, run: &RunId, kinds: [i64; 4], upto: Seq) -> Result<Vec<Event>, StoreError> {
        let run = run.clone();
        self.read(move |conn| of_kinds(conn, &run, kinds, upto)).await
    }

    /// What the event at this position is known by; nothing where there is none.
    pub async fn mark_at(&self, run: RunKey, seq: Seq) -> Result<Option<i64>, StoreError> {
        self.read(move |conn| {
            let mut select =
                conn.prepare_cached("SELECT coalesce(seal, at_ms) FROM events WHERE key = ?1")?;
            Ok(select.query_row([run.key(seq)], |row| row.get(0)).optional()?)
        })
        .await
    }
}

fn head(row: &Row<'_>) -> rusqlite::Result<Head> {
    let parent: Option<i64> = row.get(2)?;
    let at: Option<i64> = row.get(3)?;
    Ok(Head {
        key: RunKey(row.get(0)?),
        id: RunId::from(row.get::<_, String>(1)?),
        parent: parent.map(RunKey).zip(at.map(|at| at as Seq)),
        end: row.get::<_, i64>(4)? as Seq,
        created_ms: row.get(5)?,
        changed_ms: row.get(6)?,
        is_deleted: row.get(7)?,
    })
}

fn of_kinds(conn: &Connection, run: &RunId, kinds: [i64; 4], upto: Seq) -> Result<Vec<Event>, StoreError> {
    let mut events: Vec<Event> = Vec::new();
    let mut from = 0;
    for (key, id, end) in lineage(conn, run, upto)? {
        let mut select = conn.prepare_cached(
            "SELECT key & 4294967295, at_ms, kind, task, body, seal FROM events
             WHERE key > ?1 AND key <= ?2 AND kind IN (?3, ?4, ?5, ?6) ORDER BY key",
        )?;
        let [a, b, c, d] = kinds;
        let mut rows = select.query(params![key.key(from), key.key(end), a, b, c, d])?;
        while let Some(row) = rows.next()? {
            events.push(read_one(row, &id)?);
        }
        from = from.max(end);
    }
    Ok(events)
}
