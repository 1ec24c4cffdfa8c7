//! A seal on every event: four bytes of a hash over all that its row says, so that a flipped bit is found when the
//! event is read and never taken for a fact. Knows no event's meaning.

use super::StoreError;
use crate::model::{Digest, Seq};

/// What one row of the log says. The run is left out: a log may move to another database and be numbered anew there.
pub(super) struct Row<'a> {
    pub seq: Seq,
    pub at_ms: i64,
    pub kind: i64,
    pub task: Option<&'a str>,
    pub body: &'a str,
}

impl<'a> Row<'a> {
    /// Reads `seq, at_ms, kind, task, body, seal`, in this order, and holds the row against its seal; a row from
    /// before there were seals has none.
    pub fn read(row: &'a rusqlite::Row<'_>) -> Result<Self, StoreError> {
        let seq = row.get::<_, i64>(0)? as Seq;
        let says = Self {
            seq,
            at_ms: row.get(1)?,
            kind: row.get(2)?,
            task: row.get_ref(3)?.as_str_or_null().map_err(rusqlite::Error::from)?,
            body: row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?,
        };
        if row
            .get::<_, Option<i32>>(5)?
            .is_some_and(|seal| seal != says.seal())
        {
            let message = format!("event {seq} is not as it was written");
            return Err(StoreError::Damaged(message));
        }
        Ok(says)
    }

    pub fn seal(&self) -> i32 {
        let mut bytes = Vec::with_capacity(self.body.len() + 96);
        for number in [self.seq as i64, self.at_ms, self.kind] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        // No id is as long as this says, so that "no task" is like no task's id.
        let task = self.task.unwrap_or("");
        let length = self.task.map_or(u64::MAX, |t| t.len() as u64);
        bytes.extend_from_slice(&length.to_le_bytes());
        bytes.extend_from_slice(task.as_bytes());
        bytes.extend_from_slice(self.body.as_bytes());
        short(&bytes)
    }
}

/// Four bytes of the hash of anything.
pub(super) fn short(bytes: &[u8]) -> i32 {
    let hash = Digest::of(bytes);
    let first = hash.as_bytes();
    i32::from_le_bytes([first[0], first[1], first[2], first[3]])
}
