//! Reading a run's log in order. A fork's log is its parent's up to the fork, then its own.

use rusqlite::{Connection, params};

use super::runs::RunKey;
use super::{Store, StoreError};
use crate::model::events::{Event, EventBody};
use crate::model::{RunId, Seq};

/// The run's own events with `after < seq <= upto`, at most `limit`, without a gap.
pub(super) fn read_own(
    conn: &Connection,
    run: RunKey,
    id: &RunId,
    after: Seq,
    upto: Seq,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let mut select = conn.prepare_cached(
        "SELECT key & 4294967295, at_ms, kind, task, body FROM events WHERE key > ?1 AND key <= ?2 ORDER BY key LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = select.query(params![run.key(after), run.key(upto), limit])?;
    let mut events = Vec::new();
    while let Some(row) = rows.next()? {
        let seq = row.get::<_, i64>(0)? as Seq;
        let number: i64 = row.get(2)?;
        let task: Option<String> = row.get(3)?;
        let body = EventBody::decode(number, row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?)
            .map_err(|source| StoreError::Event {
                run: id.clone(),
                seq,
                source,
            })?;
        events.push(Event {
            seq,
            at_ms: row.get(1)?,
            task: task.map(Into::into),
            body,
        });
    }
    Ok(events)
}

/// The runs that a log is made of, the oldest ancestor first, each with the last position that it contributes.
pub(super) fn lineage(
    conn: &Connection,
    id: &RunId,
    upto: Seq,
) -> Result<Vec<(RunKey, RunId, Seq)>, StoreError> {
    let mut parts = Vec::new();
    let mut record = super::runs::find(conn, id)?;
    let mut end = upto;
    loop {
        parts.push((record.key, record.id.clone(), end));
        match record.parent {
            Some((parent, fork)) if parts.len() < 10_000 => {
                end = end.min(fork);
                record = super::runs::by_key(conn, parent)?;
            }
            Some(_) | None => break,
        }
    }
    parts.reverse();
    Ok(parts)
}

/// The log of a run or fork with `after < seq <= upto`, walking the lineage.
fn read_lineage(
    conn: &Connection,
    id: &RunId,
    after: Seq,
    upto: Seq,
    limit: usize,
) -> Result<Vec<Event>, StoreError> {
    let mut events: Vec<Event> = Vec::new();
    for (key, id, end) in lineage(conn, id, upto)? {
        let from = events.last().map_or(after, |e| e.seq);
        events.extend(read_own(conn, key, &id, from, end, limit - events.len())?);
        if events.len() >= limit {
            break;
        }
    }
    expect_no_gap(after, &events)?;
    Ok(events)
}

fn expect_no_gap(after: Seq, events: &[Event]) -> Result<(), StoreError> {
    for (event, expected) in events.iter().zip(after + 1..) {
        if event.seq != expected {
            return Err(StoreError::Gap { after: expected - 1 });
        }
    }
    Ok(())
}

impl Store {
    /// Events with `after < seq <= upto`, oldest first, at most `limit`.
    pub async fn events(
        &self,
        run: &RunId,
        after: Seq,
        upto: Seq,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let run = run.clone();
        self.read(move |conn| read_lineage(conn, &run, after, upto, limit))
            .await
    }
}
