//! A run on its way in: it is looked over in a database of its own, which nobody else sees and which goes with its
//! handle, and only then taken over, in one transaction: whole or not at all.

use std::sync::{Mutex, MutexGuard};

use rusqlite::types::ToSqlOutput;
use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::carry::{RawEvent, each_raw};
use super::runs::{RunKey, Summary, find_any};
use super::worker::Worker;
use super::{Store, StoreError};
use crate::model::events::{EventBody, RunImported};
use crate::model::value::NewPayload;
use crate::model::{Digest, RunId, Seq};

/// One run that is not in the database yet.
#[derive(Clone)]
pub struct Scratch {
    store: Store,
    run: RunId,
    created_ms: i64,
    key: RunKey,
}

/// What is written beside a run that is taken over.
pub struct Arrival {
    /// Appended to its log, so that it is never mistaken for a run of this machine.
    pub imported: RunImported,
    pub at_ms: i64,
    pub summary: Summary,
}

impl Scratch {
    pub fn new(run: RunId, created_ms: i64) -> Result<Self, StoreError> {
        let conn = super::open::scratch()?;
        conn.execute(
            "INSERT INTO runs (id, created_ms, changed_ms) VALUES (?1, ?2, ?2)",
            params![run.as_str(), created_ms],
        )?;
        let key = RunKey(conn.last_insert_rowid());
        conn.execute_batch("BEGIN")?;
        Ok(Self {
            store: Store::of(Worker::inline(conn), None, None, None),
            run,
            created_ms,
            key,
        })
    }

    /// The run's log as any other, once [`Scratch::close`] has ended it.
    pub fn store(&self) -> &Store {
        &self.store
    }

    pub fn run(&self) -> &RunId {
        &self.run
    }

    /// Positions must be without a gap; the caller checks that.
    pub fn put_event(&self, event: &RawEvent) -> Result<(), StoreError> {
        event.insert(&*self.conn()?, self.key)
    }

    /// The hash is the caller's word; it is checked whenever the payload is read.
    pub fn put_payload(&self, hash: Digest, text: String) -> Result<(), StoreError> {
        let text = text.into();
        let packed = super::payload::pack_one(&NewPayload { hash, text })?;
        packed.insert(&*self.conn()?)
    }

    /// Ends the log at `head`.
    pub fn close(&self, head: Seq) -> Result<(), StoreError> {
        let conn = self.conn()?;
        conn.execute("UPDATE runs SET head = ?1", [head as i64])?;
        conn.execute_batch("COMMIT")?;
        Ok(())
    }

    fn conn(&self) -> Result<MutexGuard<'_, Connection>, StoreError> {
        inline(&self.store).and_then(|conn| conn.lock().map_err(|_| StoreError::Closed))
    }
}

fn inline(store: &Store) -> Result<&Mutex<Connection>, StoreError> {
    match &store.inner.writer {
        Worker::Inline(conn) => Ok(conn),
        Worker::Thread(_) => Err(StoreError::Closed),
    }
}

impl Store {
    /// Takes the run over. An id that is here already, or of which forks still read the log, is refused.
    pub async fn take_over(&self, scratch: &Scratch, arrival: Arrival) -> Result<(), StoreError> {
        let scratch = scratch.clone();
        self.write(move |conn| {
            conn.pragma_update(None, "synchronous", "FULL")?;
            let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let key = make_room(&tx, &scratch)?;
            bring_in(&tx, &scratch, key, &arrival)?;
            tx.commit()?;
            Ok(())
        })
        .await?;
        self.tell();
        Ok(())
    }

    /// Whether the run of this id is the one in the scratch: its log is the same, but for having been imported from
    /// this very file.
    pub async fn is_same(&self, scratch: &Scratch, file: Digest) -> Result<bool, StoreError> {
        let mut theirs = Vec::new();
        each_raw(&*scratch.conn()?, &scratch.run, |event| {
            theirs.push(event);
            Ok(())
        })?;
        let run = scratch.run.clone();
        self.aside(move |conn| {
            let mut rest = theirs.iter();
            let mut is_same = true;
            each_raw(conn, &run, |ours| {
                is_same &= rest
                    .next()
                    .map_or_else(|| is_import_of(&ours, file), |t| *t == ours);
                Ok(())
            })?;
            Ok(is_same && rest.next().is_none())
        })
        .await
    }
}

fn is_import_of(event: &RawEvent, file: Digest) -> bool {
    matches!(EventBody::decode(event.kind, &event.body), Ok(EventBody::RunImported(i)) if i.file == file)
}

/// The number under which the run is stored. A run that was deleted and of which nothing is left may come back; it
/// gets a new number, so that nothing that was known of the old one is taken for it.
fn make_room(tx: &Transaction<'_>, scratch: &Scratch) -> Result<RunKey, StoreError> {
    let id = &scratch.run;
    match find_any(tx, id)? {
        Some(record) if record.deleted_ms.is_none() => return Err(StoreError::Exists(id.clone())),
        Some(record) if record.kept > 0 => return Err(StoreError::StillForked(id.clone())),
        Some(record) => {
            // What an interrupted deletion left of the old log.
            let (first, last) = (record.key.key(0), record.key.key(Seq::MAX));
            tx.execute("DELETE FROM events WHERE key > ?1 AND key <= ?2", [first, last])?;
            // Its forks are deleted too and read nothing of it.
            tx.execute(
                "UPDATE runs SET parent = NULL, fork_seq = NULL WHERE parent = ?1",
                [record.key.0],
            )?;
            tx.execute(
                "UPDATE runs SET run = (SELECT max(run) + 1 FROM runs), parent = NULL, fork_seq = NULL,
                 deleted_ms = NULL, epoch = epoch + 1, created_ms = ?2 WHERE run = ?1",
                params![record.key.0, scratch.created_ms],
            )?;
        }
        None => {
            tx.execute(
                "INSERT INTO runs (id, created_ms, changed_ms) VALUES (?1, ?2, ?2)",
                params![id.as_str(), scratch.created_ms],
            )?;
        }
    }
    let key = tx.query_row("SELECT run FROM runs WHERE id = ?1", [id.as_str()], |row| {
        row.get(0)
    })?;
    Ok(RunKey(key))
}

fn bring_in(
    tx: &Transaction<'_>,
    scratch: &Scratch,
    key: RunKey,
    arrival: &Arrival,
) -> Result<(), StoreError> {
    let theirs = scratch.conn()?;
    let mut select = theirs.prepare("SELECT hash, bytes, codec, data FROM payloads")?;
    let mut rows = select.query([])?;
    let mut insert = tx.prepare_cached(
        "INSERT INTO payloads (hash, bytes, codec, data) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
    )?;
    while let Some(row) = rows.next()? {
        insert.execute(params![
            ToSqlOutput::Borrowed(row.get_ref(0)?),
            ToSqlOutput::Borrowed(row.get_ref(1)?),
            ToSqlOutput::Borrowed(row.get_ref(2)?),
            ToSqlOutput::Borrowed(row.get_ref(3)?)
        ])?;
    }
    let mut head = 0;
    each_raw(&theirs, &scratch.run, |event| {
        head = event.seq;
        event.insert(tx, key)
    })?;
    let body = EventBody::from(arrival.imported.clone());
    let event = RawEvent {
        seq: head + 1,
        at_ms: arrival.at_ms,
        kind: body.number(),
        task: None,
        body: body.encode().map_err(|e| StoreError::Io(e.into()))?,
    };
    event.insert(tx, key)?;
    tx.execute(
        "UPDATE runs SET head = ?2, changed_ms = ?3, summary = ?4 WHERE run = ?1",
        params![key.0, event.seq as i64, arrival.at_ms, arrival.summary.to_text()],
    )?;
    Ok(())
}
