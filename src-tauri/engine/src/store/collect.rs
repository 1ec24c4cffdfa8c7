//! Payload garbage collection: whatever payload no event names goes. Marking reads beside the writers; sweeping takes
//! short transactions, each of which first marks what was appended since.
//! A payload names no other payload, so one pass over the events is enough. It must not know what events mean.

use std::collections::{BTreeMap, HashMap};

use rusqlite::{Connection, Transaction, TransactionBehavior, params};

use super::delete::PAUSE;
use super::runs::RunKey;
use super::{Store, StoreError};
use crate::model::{Digest, Seq};

/// Events that are read at a time, so that no read holds up the truncation of the WAL for long.
const READ: usize = 10_000;
/// What one sweeping transaction takes at most: payloads, and bytes of them.
const SWEEP: usize = 256;
const SWEEP_BYTES: u64 = 16 * 1024 * 1024;

/// What was swept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    pub payloads: u64,
    /// As they lay on disk.
    pub bytes: u64,
}

/// What is known while a collection goes on.
struct Marks {
    /// Up to where each run's log has been read.
    heads: HashMap<i64, Seq>,
    /// Payloads that nothing has been seen to name: hash → row. One that is named leaves the map for good; one that
    /// was stored after the beginning never gets into it.
    unnamed: BTreeMap<[u8; 32], i64>,
    /// Where the database stood at the last marking inside a transaction.
    version: Option<(i64, u64)>,
    swept: Collected,
}

impl Store {
    /// Removes the payloads that no event names. Runs may be driven meanwhile, here and in other processes.
    pub async fn collect(&self) -> Result<Collected, StoreError> {
        let mut marks = self.aside(mark).await?;
        while !marks.unnamed.is_empty() {
            marks = self.write(move |conn| sweep_some(conn, marks)).await?;
            tokio::time::sleep(PAUSE).await;
        }
        Ok(marks.swept)
    }
}

fn mark(conn: &mut Connection) -> Result<Marks, StoreError> {
    let mut marks = Marks {
        heads: HashMap::new(),
        unnamed: BTreeMap::new(),
        version: None,
        swept: Collected::default(),
    };
    let mut select = conn.prepare("SELECT hash, id FROM payloads")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        marks.unnamed.insert(row.get(0)?, row.get(1)?);
    }
    // The heads come before the events: what is appended from here on is marked again before anything goes.
    let mut select = conn.prepare("SELECT run, head FROM runs")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        marks.heads.insert(row.get(0)?, row.get::<_, i64>(1)? as Seq);
    }
    let mut after = i64::MIN;
    while let Some(last) = marks.read_events(conn, after, i64::MAX, READ)? {
        after = last;
    }
    Ok(marks)
}

impl Marks {
    /// Marks what the events with `after < key <= upto` name; gives the key of the last one that was read.
    fn read_events(
        &mut self,
        conn: &Connection,
        after: i64,
        upto: i64,
        limit: usize,
    ) -> Result<Option<i64>, StoreError> {
        let mut select = conn.prepare_cached(
            "SELECT key & 4294967295, at_ms, kind, task, body, seal, key FROM events
             WHERE key > ?1 AND key <= ?2 ORDER BY key LIMIT ?3",
        )?;
        let mut rows = select.query(params![after, upto, limit as i64])?;
        let mut last = None;
        while let Some(row) = rows.next()? {
            last = Some(row.get(6)?);
            // A damaged event may no longer name what it named: then nothing is thrown away.
            self.unmark(super::seal::Row::read(row)?.body.as_bytes());
        }
        Ok(last)
    }

    /// Takes every hash that stands anywhere in the text for the name of a payload, whatever kind of event it is, one
    /// of a newer version included: too much is kept rather than too little.
    fn unmark(&mut self, text: &[u8]) {
        for hash in hashes(text) {
            self.unnamed.remove(hash.as_bytes());
        }
    }

    /// Inside the sweeping transaction: marks what has been appended since. Costs nothing where nobody has written.
    fn catch_up(&mut self, tx: &Transaction<'_>) -> Result<(), StoreError> {
        let version = version(tx)?;
        if self.version == Some(version) {
            return Ok(());
        }
        let mut select = tx.prepare_cached("SELECT run, head FROM runs")?;
        let mut rows = select.query([])?;
        while let Some(row) = rows.next()? {
            let (run, head) = (row.get(0)?, row.get::<_, i64>(1)? as Seq);
            let seen = self.heads.insert(run, head).unwrap_or(0);
            if seen < head {
                let key = RunKey(run);
                self.read_events(tx, key.key(seen), key.key(head), usize::MAX >> 1)?;
            }
        }
        Ok(())
    }
}

/// Changes with every commit of others and with every change of this connection.
fn version(conn: &Connection) -> Result<(i64, u64), StoreError> {
    let others = conn.pragma_query_value(None, "data_version", |row| row.get(0))?;
    Ok((others, conn.total_changes()))
}

fn sweep_some(conn: &mut Connection, mut marks: Marks) -> Result<Marks, StoreError> {
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    marks.catch_up(&tx)?;
    {
        let mut delete = tx.prepare_cached("DELETE FROM payloads WHERE id = ?1 RETURNING length(data)")?;
        let mut bytes = 0;
        for _ in 0..SWEEP {
            let Some((_, id)) = marks.unnamed.pop_first() else {
                break;
            };
            let mut rows = delete.query([id])?;
            // Another collection may have been faster.
            while let Some(row) = rows.next()? {
                bytes += row.get::<_, i64>(0)? as u64;
                marks.swept.payloads += 1;
            }
            if bytes > SWEEP_BYTES {
                break;
            }
        }
        marks.swept.bytes += bytes;
    }
    // Read inside: what others commit right after this must be caught up with.
    marks.version = Some(version(&tx)?);
    tx.commit()?;
    Ok(marks)
}

/// Every run of exactly 64 hexadecimal digits.
pub(super) fn hashes(text: &[u8]) -> impl Iterator<Item = Digest> + '_ {
    text.split(|byte| !byte.is_ascii_hexdigit())
        .filter(|digits| digits.len() == 64)
        .filter_map(|digits| std::str::from_utf8(digits).ok().and_then(Digest::parse))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_found_wherever_they_stand() {
        let (a, b) = (Digest::of(b"a"), Digest::of(b"b"));
        let upper = b.to_string().to_uppercase();
        let text = format!(r#"{{"p":{{"hash":"{a}","bytes":9}},"q":[{upper}],"no":"{a}0"}}"#);
        assert_eq!(hashes(text.as_bytes()).collect::<Vec<_>>(), [a, b]);
        assert_eq!(hashes(a.to_string().as_bytes()).collect::<Vec<_>>(), [a]);
        assert_eq!(hashes(b"").count(), 0);
    }
}
