//! Appending: the guard, the events and the payloads of each batch in one `BEGIN IMMEDIATE` transaction,
//! several waiting batches in one commit, synced to disk where one of them asks for it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};
use tokio::sync::oneshot;

use super::payload::Packed;
use super::runs::{RunKey, Summary};
use super::{Counters, Store, StoreError, again, death, full, seal};
use crate::model::Seq;
use crate::model::events::{Event, NewEvent};
use crate::model::value::NewPayload;

/// Who may append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Guard {
    /// The owner of this epoch, wherever the head is: events of others that came in between are handed back.
    Owner { epoch: u64, head: Seq },
    /// Anybody who has seen the whole log: the head must be exactly here.
    Head(Seq),
}

/// When an append counts as done (DESIGN §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// Survives the death of the process; a power loss may lose a suffix.
    Process,
    /// On disk, and everything before it too.
    Disk,
}

/// What is synced to disk before it counts as done (DESIGN §5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Syncing {
    /// What each batch asks for.
    #[default]
    Usual,
    /// Every batch: slower, and a power loss loses nothing that was told.
    Everything,
}

/// One batch of facts of one run: all of them or none.
pub struct Append {
    pub run: RunKey,
    pub guard: Guard,
    pub events: Vec<NewEvent>,
    pub payloads: Vec<NewPayload>,
    pub durability: Durability,
    /// What lists show of the run after this batch.
    pub summary: Option<Summary>,
}

/// Where a batch came to stand.
#[derive(Debug)]
pub struct Appended {
    /// Position of its first event.
    pub first: Seq,
    /// Events of others between the owner's head and `first`, which the owner must still take in.
    pub foreign: Vec<Event>,
}

pub(super) struct Queued {
    pub append: Append,
    pub packed: Vec<Packed>,
    pub bodies: Vec<String>,
    pub turn: Turn,
    pub counters: Arc<Counters>,
    pub done: oneshot::Sender<Result<Appended, Refused>>,
}

/// Whether a batch is offered for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Turn {
    First,
    /// An earlier try was reported as failed. If it stands in the log all the same, it is not written again.
    Again,
}

/// A batch that was not stored, as far as the store can say, and may be offered again.
pub struct Refused {
    pub error: StoreError,
    /// `None` where it never reached the store, or went down with it.
    pub append: Option<Box<Append>>,
}

impl From<StoreError> for Refused {
    fn from(error: StoreError) -> Self {
        Self { error, append: None }
    }
}

impl Store {
    /// Appends a batch and returns once it is as durable as asked. Waiting batches share a commit.
    pub async fn append(&self, append: Append) -> Result<Appended, StoreError> {
        self.offer(append, Turn::First)
            .await
            .map_err(|refused| refused.error)
    }

    /// The same, and gives the batch back when it could not be stored.
    pub async fn offer(&self, mut append: Append, turn: Turn) -> Result<Appended, Refused> {
        if self.inner.syncs_all.load(Ordering::Relaxed) {
            append.durability = Durability::Disk;
        }
        let packed = super::payload::pack(append.payloads.clone()).await?;
        let bodies = append
            .events
            .iter()
            .map(|e| e.body.encode())
            .collect::<Result<_, _>>()
            .map_err(|e| StoreError::Io(e.into()))?;
        let (done, result) = oneshot::channel();
        let counters = self.inner.counters.clone();
        let told = self.testimony(append.run, &append.events, append.durability);
        self.inner
            .writer
            .append(Queued {
                append,
                packed,
                bodies,
                turn,
                counters,
                done,
            })
            .await?;
        let appended = result.await.map_err(|_| StoreError::Closed)?;
        match appended {
            Ok(appended) => {
                self.testify(told, appended.first);
                self.tell();
                Ok(appended)
            }
            Err(refused) => Err(Refused {
                error: self.who_holds(refused.error),
                ..refused
            }),
        }
    }
}

/// How often a whole transaction is tried again when another program holds the lock beyond the busy time-out.
const BUSY_TRIES: u32 = 3;

/// Commits the group. Each batch learns its own outcome; a failure of the database itself is everyone's.
pub(super) fn commit(conn: &mut Connection, group: Vec<Queued>) {
    if group.is_empty() {
        return;
    }
    let mut tries = 0;
    let result = loop {
        tries += 1;
        match write(conn, &group) {
            Err(StoreError::Busy(_)) if tries < BUSY_TRIES => std::thread::sleep(Duration::from_millis(50)),
            other => break other,
        }
    };
    match result {
        Ok(outcomes) => {
            for (queued, outcome) in group.into_iter().zip(outcomes) {
                answer(queued, outcome);
            }
        }
        Err(error) => {
            let error = found_out(conn, error).in_file(conn.path());
            for queued in group {
                answer(queued, Err(error.for_another()));
            }
        }
    }
    death::may_come("answered");
}

fn answer(queued: Queued, outcome: Result<Appended, StoreError>) {
    let Queued { append, done, .. } = queued;
    // The asker may have gone; what is stored is stored all the same.
    let _ = done.send(outcome.map_err(|error| Refused {
        error,
        append: Some(Box::new(append)),
    }));
}

/// What SQLite calls an I/O error may be a full disk.
fn found_out(conn: &Connection, error: StoreError) -> StoreError {
    let is_vague = matches!(&error, StoreError::Sqlite(e)
        if e.sqlite_error_code() == Some(rusqlite::ErrorCode::SystemIoFailure));
    let path = conn.path().filter(|path| is_vague && !path.is_empty());
    match path.and_then(|path| full::probe(path.as_ref())) {
        Some(full) => StoreError::Full(format!("{error}; {full}")),
        None => error,
    }
}

type Outcomes = Vec<Result<Appended, StoreError>>;

fn write(conn: &mut Connection, group: &[Queued]) -> Result<Outcomes, StoreError> {
    let is_synced = group.iter().any(|q| q.append.durability == Durability::Disk);
    conn.pragma_update(None, "synchronous", if is_synced { "FULL" } else { "NORMAL" })?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let mut rows = 0;
    let mut outcomes = Vec::with_capacity(group.len());
    for queued in group {
        let outcome = write_one(&tx, queued);
        match outcome {
            Ok(appended) => {
                rows += queued.append.events.len() + queued.packed.len();
                outcomes.push(Ok(appended));
            }
            // A guard that does not hold is found before the batch has written anything.
            Err(
                e @ (StoreError::Moved { .. }
                | StoreError::Deposed
                | StoreError::NoRun(_)
                | StoreError::Deleted { .. }),
            ) => {
                outcomes.push(Err(e));
            }
            Err(other) => return Err(other),
        }
    }
    death::may_come("commit");
    tx.commit()?;
    death::may_come("committed");
    // From here on there is something of ours to bring into the main file on closing.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, false)?;
    if let Some(first) = group.first() {
        first.counters.commits.fetch_add(1, Ordering::Relaxed);
        first
            .counters
            .synced
            .fetch_add(u64::from(is_synced), Ordering::Relaxed);
        first.counters.rows.fetch_add(rows as u64, Ordering::Relaxed);
    }
    Ok(outcomes)
}

fn write_one(tx: &Transaction<'_>, queued: &Queued) -> Result<Appended, StoreError> {
    let append = &queued.append;
    if queued.turn == Turn::Again
        && let Some(appended) = again::find(tx, queued)?
    {
        return Ok(appended);
    }
    let (head, foreign) = check(tx, append)?;
    for packed in &queued.packed {
        packed.insert(tx)?;
    }
    insert_events(tx, append.run, &append.events, &queued.bodies, head)?;
    let new_head = head + append.events.len() as Seq;
    let at = append.events.last().map(|e| e.at_ms);
    let mut update = tx.prepare_cached(
        "UPDATE runs SET head = ?2, changed_ms = coalesce(?3, changed_ms), summary = coalesce(?4, summary)
         WHERE run = ?1",
    )?;
    let summary = append.summary.as_ref().map(Summary::to_text);
    update.execute(params![append.run.0, new_head as i64, at, summary])?;
    Ok(Appended {
        first: head + 1,
        foreign,
    })
}

/// Compare and set: the guard is checked in the transaction that writes.
fn check(tx: &Transaction<'_>, append: &Append) -> Result<(Seq, Vec<Event>), StoreError> {
    let mut select = tx.prepare_cached("SELECT head, epoch, id, deleted_ms FROM runs WHERE run = ?1")?;
    let found: Option<(i64, i64, String, Option<i64>)> = select
        .query_row([append.run.0], |r| {
            Ok((r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?))
        })
        .optional()?;
    let (head, epoch, id, deleted) = found.ok_or_else(|| StoreError::NoRun(append.run.to_string().into()))?;
    if let Some(at_ms) = deleted {
        return Err(StoreError::Deleted {
            run: id.into(),
            at_ms,
        });
    }
    let head = head as Seq;
    match append.guard {
        Guard::Head(expected) if expected == head => Ok((head, Vec::new())),
        Guard::Head(expected) => Err(StoreError::Moved { expected, head }),
        Guard::Owner { epoch: mine, .. } if mine != epoch as u64 => Err(StoreError::Deposed),
        Guard::Owner { head: seen, .. } if seen == head => Ok((head, Vec::new())),
        Guard::Owner { head: seen, .. } => {
            let foreign = super::log::read_own(tx, append.run, &id.into(), seen, Seq::MAX, usize::MAX)?;
            Ok((head, foreign))
        }
    }
}

pub(super) fn insert_events(
    tx: &Transaction<'_>,
    run: RunKey,
    events: &[NewEvent],
    bodies: &[String],
    head: Seq,
) -> Result<(), StoreError> {
    let mut insert = tx.prepare_cached(
        "INSERT INTO events (key, at_ms, kind, task, body, seal) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    for ((event, body), seq) in events.iter().zip(bodies).zip(head + 1..) {
        let row = seal::Row {
            seq,
            at_ms: event.at_ms,
            kind: event.body.number(),
            task: event.task.as_ref().map(crate::model::TaskId::as_str),
            body,
        };
        let key = run.key(seq);
        let inserted = insert.execute(params![key, row.at_ms, row.kind, row.task, body, row.seal()]);
        inserted.map_err(|error| taken(error, seq))?;
    }
    Ok(())
}

/// A place beyond the recorded end that is not free: the run's row has been damaged.
fn taken(error: rusqlite::Error, seq: Seq) -> StoreError {
    if error.sqlite_error_code() == Some(rusqlite::ErrorCode::ConstraintViolation) {
        return StoreError::Damaged(format!("the log has an event {seq} beyond its recorded end"));
    }
    error.into()
}
