//! A batch that is offered a second time, because the first try was reported as failed: it is looked for in the log
//! before it is written, so that a try that had gone through after all is not repeated.

use rusqlite::{Transaction, params};

use super::commit::{Appended, Guard, Queued};
use super::{StoreError, log};
use crate::model::Seq;
use crate::model::events::Event;

/// Where the batch stands already, if it does.
pub(super) fn find(tx: &Transaction<'_>, queued: &Queued) -> Result<Option<Appended>, StoreError> {
    let append = &queued.append;
    let (Guard::Owner { head: seen, .. } | Guard::Head(seen)) = append.guard;
    let Some(first) = place(tx, queued, seen)? else {
        return Ok(None);
    };
    let own = first..first + append.events.len() as Seq;
    let run = append.run.to_string().into();
    let mut foreign: Vec<Event> = log::read_own(tx, append.run, &run, seen, Seq::MAX, usize::MAX)?;
    foreign.retain(|e| !own.contains(&e.seq));
    Ok(Some(Appended { first, foreign }))
}

/// The position from which on the log says what the batch says, word for word.
fn place(tx: &Transaction<'_>, queued: &Queued, seen: Seq) -> Result<Option<Seq>, StoreError> {
    let append = &queued.append;
    let mut select = tx.prepare_cached(
        "SELECT key & 4294967295, at_ms, kind, task, body FROM events WHERE key > ?1 AND key <= ?2 ORDER BY key",
    )?;
    let range = params![append.run.key(seen), append.run.key(Seq::MAX)];
    let rows = select.query_map(range, |r| {
        let says: Said = (r.get(1)?, r.get(2)?, r.get(3)?, r.get(4)?);
        Ok((r.get::<_, i64>(0)? as Seq, says))
    })?;
    let rows: Vec<(Seq, Said)> = rows.collect::<Result<_, _>>()?;
    let batch: Vec<Said> = append
        .events
        .iter()
        .zip(&queued.bodies)
        .map(|(e, body)| {
            let task = e.task.as_ref().map(ToString::to_string);
            (e.at_ms, e.body.number(), task, body.clone())
        })
        .collect();
    let is_batch = |window: &&[(Seq, Said)]| window.iter().map(|(_, says)| says).eq(&batch);
    let found = rows.windows(batch.len().max(1)).find(is_batch);
    Ok(found.map(|window| window[0].0))
}

/// When, kind, task, body.
type Said = (i64, i64, Option<String>, String);
