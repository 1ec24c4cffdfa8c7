//! Large values: stored once, by the hash of their JSON text, compressed, and checked when they are read.

use rusqlite::{Connection, OptionalExtension, params};

use super::{Store, StoreError};
use crate::model::Digest;
use crate::model::value::NewPayload;

const PLAIN: i64 = 0;
const ZSTD: i64 = 1;
const LEVEL: i32 = 3;
/// From here on with small tables: those of the other level are a megabyte, which the thread that packs would keep.
const LARGE: usize = 1 << 20;
const LEVEL_OF_LARGE: i32 = 1;
/// Beyond this, compressing leaves the async thread.
const OFFLOAD: usize = 64 * 1024;

/// A payload as it goes to disk.
pub(super) struct Packed {
    hash: Digest,
    bytes: usize,
    codec: i64,
    data: Vec<u8>,
}

pub(super) async fn pack(payloads: Vec<NewPayload>) -> Result<Vec<Packed>, StoreError> {
    let total: usize = payloads.iter().map(|p| p.text.len()).sum();
    let pack_all = move || payloads.iter().map(pack_one).collect::<Result<Vec<_>, _>>();
    if total > OFFLOAD {
        return tokio::task::spawn_blocking(pack_all)
            .await
            .map_err(|_| StoreError::Closed)?;
    }
    pack_all()
}

pub(super) fn pack_one(payload: &NewPayload) -> Result<Packed, StoreError> {
    let text = payload.text.as_bytes();
    // What does not fit into less than the text's own size is kept as it is.
    let mut squeezed = Vec::with_capacity(text.len().saturating_sub(1));
    let level = if text.len() < LARGE { LEVEL } else { LEVEL_OF_LARGE };
    let is_smaller = zstd::bulk::Compressor::new(level)?
        .compress_to_buffer(text, &mut squeezed)
        .is_ok();
    squeezed.shrink_to_fit();
    Ok(Packed {
        hash: payload.hash,
        bytes: text.len(),
        codec: if is_smaller { ZSTD } else { PLAIN },
        data: if is_smaller { squeezed } else { text.to_vec() },
    })
}

impl Packed {
    pub fn insert(&self, tx: &Connection) -> Result<(), StoreError> {
        let mut insert = tx.prepare_cached(
            "INSERT INTO payloads (hash, bytes, codec, data) VALUES (?1, ?2, ?3, ?4) ON CONFLICT (hash) DO NOTHING",
        )?;
        insert.execute(params![
            self.hash.as_bytes(),
            self.bytes as i64,
            self.codec,
            self.data
        ])?;
        Ok(())
    }
}

impl Store {
    /// The JSON text of a payload, checked against its hash.
    pub async fn payload(&self, hash: Digest) -> Result<String, StoreError> {
        let stored = self.read(move |conn| stored(conn, hash)).await?;
        unpack(hash, stored)
    }
}

/// Size of the text, codec and bytes, as they lie on disk.
type Stored = (i64, i64, Vec<u8>);

fn stored(conn: &Connection, hash: Digest) -> Result<Option<Stored>, StoreError> {
    let mut select = conn.prepare_cached("SELECT bytes, codec, data FROM payloads WHERE hash = ?1")?;
    let row = select.query_row([hash.as_bytes()], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)));
    Ok(row.optional()?)
}

/// The same as [`Store::payload`], on a connection that is at hand.
pub(super) fn read(conn: &Connection, hash: Digest) -> Result<String, StoreError> {
    unpack(hash, stored(conn, hash)?)
}

fn unpack(hash: Digest, stored: Option<Stored>) -> Result<String, StoreError> {
    let wrong = |what: &str| StoreError::Payload {
        hash,
        what: what.to_owned(),
    };
    let (bytes, codec, data) = stored.ok_or_else(|| wrong("is missing"))?;
    let text = match codec {
        PLAIN => data,
        ZSTD => decompress(&data, bytes).ok_or_else(|| wrong("can't be decompressed"))?,
        _ => return Err(wrong("is in a form that this version doesn't know")),
    };
    if Digest::of(&text) != hash {
        return Err(wrong("is damaged"));
    }
    String::from_utf8(text).map_err(|_| wrong("is damaged"))
}

/// No value is larger than this, whatever a damaged row says.
const LARGEST: usize = 1 << 31;

/// The recorded size and the packed data's own must agree before that much memory is asked for.
fn decompress(data: &[u8], bytes: i64) -> Option<Vec<u8>> {
    let size = usize::try_from(bytes).ok().filter(|&size| size <= LARGEST)?;
    if zstd::bulk::Decompressor::upper_bound(data) != Some(size) {
        return None;
    }
    zstd::bulk::decompress(data, size).ok()
}
