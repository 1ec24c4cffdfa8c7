//! Bringing the index in step: each batch is one transaction that adds texts and says how far the run was read. It must not
//! know what the texts are.

use std::collections::HashMap;

use rusqlite::{Connection, OptionalExtension, Transaction, TransactionBehavior, params};

use super::super::StoreError;
use super::super::runs::RunKey;
use super::Index;
use super::text::{parts, spaced};
use crate::model::query::Found;
use crate::model::{Digest, RunId, Seq, TaskId};

const LEVEL: i32 = 1;
/// Texts that go in one transaction.
const CHUNK: i64 = 1_000;

/// A text of a run.
#[derive(Clone, Debug)]
pub struct NewText {
    pub seq: Seq,
    pub task: Option<TaskId>,
    pub place: Found,
    pub text: String,
}

/// What one event means to the index.
#[derive(Clone, Debug)]
pub enum TextAct {
    Add(NewText),
    /// What the task's newest call gave is its output.
    Promote {
        seq: Seq,
        task: TaskId,
    },
}

/// What a step says of the plan's texts.
#[derive(Clone, Debug)]
pub enum PlanTexts {
    /// Nothing of this step changes them.
    AsBefore,
    /// They are to be read anew.
    Stale,
    /// They are these at the step's end, in place of what they were.
    Are(Vec<NewText>),
}

/// One step: the run was read from `after` up to `upto`.
#[derive(Debug)]
pub struct Batch {
    pub run: RunKey,
    pub id: RunId,
    pub created_ms: i64,
    pub changed_ms: i64,
    pub after: Seq,
    pub upto: Seq,
    pub mark: Option<i64>,
    pub acts: Vec<TextAct>,
    pub plan: PlanTexts,
}

/// What the index knows of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub id: RunId,
    pub created_ms: i64,
    pub changed_ms: i64,
    pub upto: Seq,
    pub mark: Option<i64>,
    pub is_planned: bool,
}

impl Index {
    /// Every run that it has read something of.
    pub async fn known(&self) -> Result<HashMap<RunKey, Known>, StoreError> {
        self.run(|conn| {
            let mut select =
                conn.prepare_cached("SELECT run, id, created_ms, changed_ms, upto, mark, planned FROM runs")?;
            let rows = select.query_map([], |row| {
                let known = Known {
                    id: RunId::from(row.get::<_, String>(1)?),
                    created_ms: row.get(2)?,
                    changed_ms: row.get(3)?,
                    upto: row.get::<_, i64>(4)? as Seq,
                    mark: row.get(5)?,
                    is_planned: row.get(6)?,
                };
                Ok((RunKey(row.get(0)?), known))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
        .await
    }

    /// Forgets what it knows of a run beyond this position, and its plan; 0: all of it. In short transactions, so that a crash in between
    /// leaves the rest to be forgotten next time.
    pub async fn forget(&self, run: RunKey, beyond: Seq) -> Result<(), StoreError> {
        while self.run(move |conn| forget_some(conn, run, beyond)).await? {}
        Ok(())
    }

    /// Takes in one step. False: somebody else has been faster, and nothing was changed.
    pub async fn take(&self, batch: Batch) -> Result<bool, StoreError> {
        self.run(move |conn| take(conn, &batch)).await
    }
}

fn forget_some(conn: &mut Connection, run: RunKey, beyond: Seq) -> Result<bool, StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let gone = {
        let mut select = tx.prepare_cached(
            "SELECT text FROM texts WHERE run = ?1 AND (seq > ?2 OR ?2 = 0 OR place = ?4) LIMIT ?3",
        )?;
        let plan = Found::Plan.number();
        let rows = select.query_map(params![run.0, beyond as i64, CHUNK, plan], |row| row.get(0))?;
        rows.collect::<Result<Vec<i64>, _>>()?
    };
    remove(&tx, &gone)?;
    let is_more = gone.len() as i64 == CHUNK;
    if !is_more && beyond == 0 {
        tx.execute("DELETE FROM runs WHERE run = ?1", [run.0])?;
    } else if !is_more {
        tx.execute(
            "UPDATE runs SET upto = min(upto, ?2), mark = NULL, changed_ms = -1, planned = 0 WHERE run = ?1",
            params![run.0, beyond as i64],
        )?;
    }
    tx.commit()?;
    Ok(is_more)
}

fn remove(tx: &Transaction<'_>, texts: &[i64]) -> Result<(), StoreError> {
    let mut words = tx.prepare_cached("DELETE FROM words WHERE rowid = ?1")?;
    let mut rows = tx.prepare_cached("DELETE FROM texts WHERE text = ?1")?;
    for text in texts {
        words.execute([text])?;
        rows.execute([text])?;
    }
    Ok(())
}

fn take(conn: &mut Connection, batch: &Batch) -> Result<bool, StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let run = batch.run.0;
    let (was, was_planned): (i64, bool) = tx
        .prepare_cached("SELECT upto, planned FROM runs WHERE run = ?1 AND id = ?2 AND created_ms = ?3")?
        .query_row(params![run, batch.id.as_str(), batch.created_ms], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?
        .unwrap_or((batch.after as i64, false));
    if was as Seq != batch.after {
        return Ok(false);
    }
    for act in &batch.acts {
        match act {
            TextAct::Add(text) => add(&tx, run, text)?,
            TextAct::Promote { seq, task } => promote(&tx, run, *seq, task)?,
        }
    }
    let is_planned = match &batch.plan {
        PlanTexts::AsBefore => was_planned,
        PlanTexts::Stale => false,
        PlanTexts::Are(plan) => {
            replace_plan(&tx, run, plan)?;
            true
        }
    };
    tx.prepare_cached(
        "INSERT OR REPLACE INTO runs (run, id, created_ms, changed_ms, upto, mark, planned) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        run,
        batch.id.as_str(),
        batch.created_ms,
        batch.changed_ms,
        batch.upto as i64,
        batch.mark,
        is_planned
    ])?;
    tx.commit()?;
    Ok(true)
}

fn hash_of(text: &str) -> i64 {
    let hash = Digest::of(text.as_bytes());
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    i64::from_le_bytes(first)
}

fn task_of(text: &NewText) -> &str {
    text.task.as_ref().map_or("", TaskId::as_str)
}

/// The same text of the same task is kept once, where it was last and under the strongest name; of the run's own, what a
/// task has said is not said again.
fn add(tx: &Transaction<'_>, run: i64, text: &NewText) -> Result<(), StoreError> {
    for (part, piece) in parts(&text.text).iter().enumerate() {
        let hash = hash_of(piece);
        let task = task_of(text);
        let known = known_as(tx, run, text, hash)?;
        match known {
            // Of the run's own.
            Some(_) if task.is_empty() => {}
            Some((known, place)) => {
                let place = place.max(text.place.number());
                tx.prepare_cached("UPDATE texts SET seq = ?2, place = ?3 WHERE text = ?1")?
                    .execute(params![known, text.seq as i64, place])?;
            }
            None => insert(tx, run, text, part, piece, hash)?,
        }
    }
    Ok(())
}

/// The same text, where it is kept already. What a plan says and what a tool is called with are texts of their own.
fn known_as(
    tx: &Transaction<'_>,
    run: i64,
    text: &NewText,
    hash: i64,
) -> Result<Option<(i64, i64)>, StoreError> {
    if text.place == Found::Call {
        return Ok(None);
    }
    let own = [Found::Plan.number(), Found::Call.number()];
    Ok(tx
        .prepare_cached(
            "SELECT text, place FROM texts
             WHERE run = ?1 AND hash = ?2 AND place NOT IN (?4, ?5) AND (task = ?3 OR ?3 = '') LIMIT 1",
        )?
        .query_row(params![run, hash, task_of(text), own[0], own[1]], |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?)
}

fn insert(
    tx: &Transaction<'_>,
    run: i64,
    text: &NewText,
    part: usize,
    piece: &str,
    hash: i64,
) -> Result<(), StoreError> {
    tx.prepare_cached(
        "INSERT INTO texts (run, task, seq, place, part, hash, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
    )?
    .execute(params![
        run,
        task_of(text),
        text.seq as i64,
        text.place.number(),
        part as i64,
        hash,
        zstd::bulk::compress(piece.as_bytes(), LEVEL)?
    ])?;
    let row = tx.last_insert_rowid();
    tx.prepare_cached("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?
        .execute(params![row, spaced(piece)])?;
    Ok(())
}

fn promote(tx: &Transaction<'_>, run: i64, seq: Seq, task: &TaskId) -> Result<(), StoreError> {
    tx.prepare_cached(
        "UPDATE texts SET place = ?4, seq = ?3 WHERE run = ?1 AND task = ?2 AND place IN (?5, ?6)
         AND seq = (SELECT max(seq) FROM texts WHERE run = ?1 AND task = ?2 AND place IN (?5, ?6))",
    )?
    .execute(params![
        run,
        task.as_str(),
        seq as i64,
        Found::Output.number(),
        Found::Observation.number(),
        Found::Answer.number()
    ])?;
    Ok(())
}

/// What of the plan is as it was stays, so that an edit of a large plan costs what it changes.
fn replace_plan(tx: &Transaction<'_>, run: i64, plan: &[NewText]) -> Result<(), StoreError> {
    let mut had: HashMap<(String, i64, i64), i64> = HashMap::new();
    {
        let mut select =
            tx.prepare_cached("SELECT text, task, part, hash FROM texts WHERE run = ?1 AND place = ?2")?;
        let mut rows = select.query(params![run, Found::Plan.number()])?;
        while let Some(row) = rows.next()? {
            had.insert((row.get(1)?, row.get(2)?, row.get(3)?), row.get(0)?);
        }
    }
    for text in plan {
        for (part, piece) in parts(&text.text).iter().enumerate() {
            let hash = hash_of(piece);
            if had
                .remove(&(task_of(text).to_owned(), part as i64, hash))
                .is_none()
            {
                insert(tx, run, text, part, piece, hash)?;
            }
        }
    }
    let gone: Vec<i64> = had.into_values().collect();
    remove(tx, &gone)
}
