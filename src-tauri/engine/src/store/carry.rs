//! A run's log on its way out: the stored text of every event, its lineage flattened, each payload once, just before
//! the first event that names it. It must not know the format of the file.

use std::collections::HashSet;

use rusqlite::{Connection, Row, TransactionBehavior, params};

use super::runs::RunKey;
use super::{Store, StoreError, seal};
use crate::model::events::EventBody;
use crate::model::named::{Named, named};
use crate::model::{Digest, RunId, Seq};

/// An event as it is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawEvent {
    pub seq: Seq,
    pub at_ms: i64,
    pub kind: i64,
    pub task: Option<String>,
    pub body: String,
}

/// One piece of a run that is carried out.
#[derive(Debug)]
pub enum Carried {
    /// Comes first.
    Run {
        id: RunId,
        created_ms: i64,
    },
    Payload {
        hash: Digest,
        text: String,
    },
    Event(RawEvent),
}

impl Store {
    /// Hands out the run piece by piece, as of one moment. What can't be read or is missing ends it with an error.
    pub async fn carry_out<T: Send + 'static>(
        &self,
        run: &RunId,
        mut sink: T,
        put: impl Fn(&mut T, Carried) -> Result<(), StoreError> + Send + 'static,
    ) -> Result<T, StoreError> {
        let run = run.clone();
        self.aside(move |conn| {
            let tx = conn.transaction_with_behavior(TransactionBehavior::Deferred)?;
            let record = super::runs::find(&tx, &run)?;
            put(
                &mut sink,
                Carried::Run {
                    id: record.id,
                    created_ms: record.created_ms,
                },
            )?;
            let mut given = HashSet::new();
            each_raw(&tx, &run, |event| {
                for hash in payloads_of(&run, &event)? {
                    if given.insert(hash) {
                        let text = super::payload::read(&tx, hash)?;
                        put(&mut sink, Carried::Payload { hash, text })?;
                    }
                }
                put(&mut sink, Carried::Event(event))
            })?;
            Ok(sink)
        })
        .await
    }
}

fn payloads_of(run: &RunId, event: &RawEvent) -> Result<Vec<Digest>, StoreError> {
    let body = EventBody::decode(event.kind, &event.body).map_err(|source| StoreError::Event {
        run: run.clone(),
        seq: event.seq,
        source,
    })?;
    let hashes = named(&body).into_iter().filter_map(|value| match value {
        Named::Payload { hash, .. } => Some(hash),
        Named::Inline(_) => None,
    });
    Ok(hashes.collect())
}

/// Every event of the log, oldest first, without a gap.
pub(super) fn each_raw(
    conn: &Connection,
    run: &RunId,
    mut take: impl FnMut(RawEvent) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut last = 0;
    for (key, _, end) in super::log::lineage(conn, run, Seq::MAX)? {
        let mut select = conn.prepare_cached(
            "SELECT key & 4294967295, at_ms, kind, task, body, seal FROM events
             WHERE key > ?1 AND key <= ?2 ORDER BY key",
        )?;
        let mut rows = select.query(params![key.key(last), key.key(end)])?;
        while let Some(row) = rows.next().map_err(|e| super::log::cut(e.into(), last))? {
            let event = raw(row).map_err(|error| super::log::cut(error, last))?;
            if event.seq != last + 1 {
                return Err(StoreError::Gap { after: last });
            }
            last = event.seq;
            take(event)?;
        }
    }
    Ok(())
}

/// What was damaged must not go out, to be sealed anew where it comes in.
fn raw(row: &Row<'_>) -> Result<RawEvent, StoreError> {
    let says = seal::Row::read(row)?;
    Ok(RawEvent {
        seq: says.seq,
        at_ms: says.at_ms,
        kind: says.kind,
        task: says.task.map(str::to_owned),
        body: says.body.to_owned(),
    })
}

impl RawEvent {
    fn says(&self) -> seal::Row<'_> {
        seal::Row {
            seq: self.seq,
            at_ms: self.at_ms,
            kind: self.kind,
            task: self.task.as_deref(),
            body: &self.body,
        }
    }

    pub(super) fn insert(&self, conn: &Connection, run: RunKey) -> Result<(), StoreError> {
        conn.prepare_cached(
            "INSERT INTO events (key, at_ms, kind, task, body, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute(params![
            run.key(self.seq),
            self.at_ms,
            self.kind,
            self.task,
            self.body,
            self.says().seal()
        ])?;
        Ok(())
    }
}
