//! How much of the database single runs take: their own events, and the large values that these name. It must not know what
//! events mean.

use std::collections::HashSet;

use rusqlite::{Connection, OptionalExtension, params};

use super::collect::hashes;
use super::search::Head;
use super::{Store, StoreError};

impl Store {
    /// Bytes of each run's own part of its log, with the values that it names; one that several name counts for each.
    pub async fn weigh(&self, heads: Vec<Head>) -> Result<Vec<u64>, StoreError> {
        self.aside(move |conn| heads.iter().map(|head| weight(conn, head)).collect())
            .await
    }
}

fn weight(conn: &Connection, head: &Head) -> Result<u64, StoreError> {
    let mut named = HashSet::new();
    let mut bytes = 0;
    {
        let mut select = conn.prepare_cached("SELECT body FROM events WHERE key > ?1 AND key <= ?2")?;
        let mut rows = select.query(params![head.key.key(head.begin()), head.key.key(head.end)])?;
        while let Some(row) = rows.next()? {
            let body = row.get_ref(0)?.as_bytes().map_err(rusqlite::Error::from)?;
            bytes += body.len() as u64;
            named.extend(hashes(body).map(|hash| *hash.as_bytes()));
        }
    }
    let mut size = conn.prepare_cached("SELECT length(data) FROM payloads WHERE hash = ?1")?;
    for hash in named {
        let found: Option<i64> = size.query_row([hash], |row| row.get(0)).optional()?;
        bytes += found.unwrap_or(0).unsigned_abs();
    }
    Ok(bytes)
}
