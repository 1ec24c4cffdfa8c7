//! The write-ahead log as a file: whether it holds commits that can no longer be reached, because something before
//! them was damaged. SQLite takes the part before that for the whole, and would write over the rest.
//!
//! Source: "WAL-Index Format" and section 4 of "Database File Format", sqlite.org.

use std::path::{Path, PathBuf};

const HEADER: usize = 32;
const FRAME_HEADER: usize = 24;

/// Keeps a copy of such a log, once, and gives its name. What follows the damage may be the unsynced end that a
/// power loss has torn, so that it is no error.
pub(super) fn keep_if_damaged(db: &Path) -> Option<PathBuf> {
    let wal = beside(db, "-wal");
    let bytes = std::fs::read(&wal).ok()?;
    let has_changed = || std::fs::read(&wal).map_or(true, |again| again.get(..HEADER) != bytes.get(..HEADER));
    if !has_lost_commits(&bytes) || has_changed() {
        return None;
    }
    let kept = beside(db, "-wal.damaged");
    if !kept.exists() {
        std::fs::write(&kept, &bytes)
            .inspect_err(|_| {
                let _ = std::fs::remove_file(&kept);
            })
            .ok()?;
        tracing::warn!(kept = %kept.display(), "the database's log is damaged in its midst; a copy was kept");
    }
    Some(kept)
}

fn beside(db: &Path, suffix: &str) -> PathBuf {
    let mut name = db.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn number(bytes: &[u8], at: usize) -> u32 {
    bytes
        .get(at..at + 4)
        .map_or(0, |b| u32::from_be_bytes([b[0], b[1], b[2], b[3]]))
}

fn has_lost_commits(wal: &[u8]) -> bool {
    let page = number(wal, 8) as usize;
    if wal.len() < HEADER || !page.is_power_of_two() || !(512..=65_536).contains(&page) {
        return false;
    }
    let is_big_endian = number(wal, 0) & 1 == 1;
    let mut sum = checksum((0, 0), &wal[..24], is_big_endian);
    let mut is_whole = sum == (number(wal, 24), number(wal, 28));
    for frame in wal[HEADER..].chunks_exact(FRAME_HEADER + page) {
        // Frames of an earlier generation, which the log has not reached again yet, have another salt.
        if frame[8..16] != wal[16..24] {
            is_whole = false;
            continue;
        }
        sum = checksum(sum, &frame[..8], is_big_endian);
        sum = checksum(sum, &frame[FRAME_HEADER..], is_big_endian);
        is_whole &= sum == (number(frame, 16), number(frame, 20));
        let is_commit = number(frame, 4) != 0;
        if !is_whole && is_commit {
            return true;
        }
    }
    false
}

fn checksum((mut a, mut b): (u32, u32), bytes: &[u8], is_big_endian: bool) -> (u32, u32) {
    let word = |w: &[u8]| {
        let w = [w[0], w[1], w[2], w[3]];
        if is_big_endian {
            u32::from_be_bytes(w)
        } else {
            u32::from_le_bytes(w)
        }
    };
    for pair in bytes.chunks_exact(8) {
        a = a.wrapping_add(word(&pair[..4])).wrapping_add(b);
        b = b.wrapping_add(word(&pair[4..])).wrapping_add(a);
    }
    (a, b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_is_whole_or_torn_at_its_end_is_told_from_one_that_is_damaged_in_its_midst() {
        let folder = tempfile::tempdir().unwrap();
        let db = folder.path().join("p.db");
        let conn = rusqlite::Connection::open(&db).unwrap();
        conn.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE t (x)")
            .unwrap();
        for n in 0..20 {
            conn.execute("INSERT INTO t VALUES (?1)", [n]).unwrap();
        }
        let bytes = std::fs::read(beside(&db, "-wal")).unwrap();
        let frame = FRAME_HEADER + 4096;
        assert!(bytes.len() > 20 * frame && !has_lost_commits(&bytes));
        for cut in [
            0,
            10,
            HEADER,
            HEADER + 1,
            HEADER + 3 * frame + 77,
            bytes.len() - 1,
        ] {
            assert!(!has_lost_commits(&bytes[..cut]), "torn at {cut}");
        }
        for at in [20, 30, HEADER + 5, HEADER + 2 * frame + 1000] {
            let mut flipped = bytes.clone();
            flipped[at] ^= 4;
            // A changed salt makes every frame one of another generation: nothing tells it from that.
            assert_eq!(
                has_lost_commits(&flipped),
                !(16..24).contains(&at),
                "flipped at {at}"
            );
        }
        assert!(keep_if_damaged(&db).is_none());
        let mut flipped = bytes.clone();
        flipped[HEADER + frame + 50] ^= 1;
        let other = folder.path().join("q.db");
        std::fs::write(beside(&other, "-wal"), &flipped).unwrap();
        let kept = keep_if_damaged(&other).unwrap();
        assert_eq!(std::fs::read(kept).unwrap(), flipped);
    }
}
