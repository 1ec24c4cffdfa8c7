//! Reading a run's log in order. A fork's log is its parent's up to the fork, then its own.

use rusqlite::{Connection, Row, params};

use super::runs::RunKey;
use super::{Store, StoreError, seal};
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
        "SELECT key & 4294967295, at_ms, kind, task, body, seal FROM events
         WHERE key > ?1 AND key <= ?2 ORDER BY key LIMIT ?3",
    )?;
    // No row more is looked for than there can be: the page behind the last one may be damaged.
    let limit = i64::try_from(upto.saturating_sub(after).min(limit as u64)).unwrap_or(i64::MAX);
    let mut rows = select.query(params![run.key(after), run.key(upto), limit])?;
    let mut events: Vec<Event> = Vec::new();
    loop {
        let last = events.last().map_or(after, |e| e.seq);
        let next = rows
            .next()
            .map_err(StoreError::from)
            .and_then(|row| row.map(|row| read_one(row, id)).transpose());
        match next {
            Ok(Some(event)) if event.seq != last + 1 => {
                return Err(StoreError::Gap { after: last });
            }
            Ok(Some(event)) => events.push(event),
            Ok(None) => return Ok(events),
            Err(error) => return Err(cut(error, last)),
        }
    }
}

/// What was read so far is right, and a person may look at it.
pub(super) fn cut(error: StoreError, last: Seq) -> StoreError {
    if let StoreError::Damaged(what) = error {
        StoreError::Cut { after: last, what }
    } else {
        error
    }
}

pub(super) fn read_one(row: &Row<'_>, id: &RunId) -> Result<Event, StoreError> {
    let says = seal::Row::read(row)?;
    let body = EventBody::decode(says.kind, says.body).map_err(|source| StoreError::Event {
        run: id.clone(),
        seq: says.seq,
        source,
    })?;
    Ok(Event {
        seq: says.seq,
        at_ms: says.at_ms,
        task: says.task.map(Into::into),
        body,
    })
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
    let known_end = super::runs::find(conn, id)?.head.min(upto);
    let mut events: Vec<Event> = Vec::new();
    for (key, id, end) in lineage(conn, id, upto)? {
        let from = events.last().map_or(after, |e| e.seq);
        events.extend(read_own(conn, key, &id, from, end, limit - events.len())?);
        if events.len() >= limit {
            break;
        }
    }
    expect_no_gap(after, &events)?;
    // What the run's row counts has to be there: the end of a log can be lost without a gap.
    let last = events.last().map_or(after, |e| e.seq);
    if last < known_end && events.len() < limit {
        return Err(StoreError::Gap { after: last });
    }
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
    /// The runs whose logs this one's is made of, deleted ones too: the oldest ancestor first, the run itself last, each
    /// with the last position that it contributes.
    pub async fn lineage(&self, run: &RunId) -> Result<Vec<(RunKey, RunId, Seq)>, StoreError> {
        let run = run.clone();
        self.read(move |conn| lineage(conn, &run, Seq::MAX)).await
    }

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
