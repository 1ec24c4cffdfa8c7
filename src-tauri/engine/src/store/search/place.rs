//! The index's file: where it lies, when it is ours, and when it is made anew. It must not know what stands in it but its
//! tables.

use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::super::StoreError;
use super::super::open::{cannot_open, fill, keep_private};

/// "PLSX" in the file's header.
const APPLICATION_ID: i32 = 0x504C_5358;
/// Raised by whatever changes the tables or how texts are cut into words.
const FORMAT: i64 = 2;
/// Somebody else brings it up to date meanwhile, which is as good.
const BUSY: Duration = Duration::from_secs(2);

/// Letters without their marks, so that `Ubersicht` finds `Übersicht`. Scripts without blanks are cut letter by letter
/// before that (see `text`), so that any piece of a word finds it.
pub(super) const TOKENIZER: &str = "unicode61 remove_diacritics 2";

const TABLES: &str = "
CREATE TABLE runs (
  run        INTEGER PRIMARY KEY, -- as in the database
  id         TEXT    NOT NULL,
  created_ms INTEGER NOT NULL,
  upto       INTEGER NOT NULL,    -- its own events are read up to here
  changed_ms INTEGER NOT NULL,    -- as the database said then
  mark       INTEGER,             -- seal of the event there
  planned    INTEGER NOT NULL     -- whether its plan is as of there
) STRICT;

CREATE TABLE texts (
  text  INTEGER PRIMARY KEY,
  run   INTEGER NOT NULL,
  task  TEXT    NOT NULL,         -- empty: the run's own
  seq   INTEGER NOT NULL,
  place INTEGER NOT NULL,
  part  INTEGER NOT NULL,         -- a long text is cut
  hash  INTEGER NOT NULL,
  data  BLOB    NOT NULL          -- zstd
) STRICT;
CREATE INDEX texts_of_task ON texts (run, task, seq);
CREATE INDEX texts_by_hash ON texts (run, hash);
";

/// The file beside a database.
pub(super) fn beside(db: &Path) -> PathBuf {
    with(db, ".search")
}

fn with(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn files(file: &Path) -> [PathBuf; 3] {
    [file.to_owned(), with(file, "-wal"), with(file, "-shm")]
}

pub(super) fn bytes(file: &Path) -> u64 {
    let size = |file: &PathBuf| std::fs::metadata(file).map_or(0, |meta| meta.len());
    files(file).iter().map(size).sum()
}

/// One that nobody else can open and that goes with its connection.
pub(super) fn private() -> Result<Connection, StoreError> {
    let mut conn = Connection::open("")?;
    prepare(&mut conn)?;
    Ok(conn)
}

/// Opens the file or makes it. One of another format is thrown away; what is not ours is left alone.
pub(super) fn open(file: &Path) -> Result<Connection, StoreError> {
    expect_ours(file)?;
    match connect(file) {
        Err(error) if is_broken(&error) => {
            remove(file)?;
            connect(file)
        }
        made => made,
    }
}

/// Whether the index can't be used as it is, and a new one can. A full disk or a missing right is no fault of it.
pub(super) fn is_broken(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged(_) | StoreError::Sqlite(_))
}

fn connect(file: &Path) -> Result<Connection, StoreError> {
    let is_new = !file.exists();
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(file, flags).map_err(|e| cannot_open(file, &e))?;
    if is_new {
        keep_private(file);
    }
    conn.busy_timeout(BUSY)?;
    if conn.is_readonly("main")? {
        return Err(cannot_open(file, &"it is read-only"));
    }
    conn.pragma_update(None, "journal_mode", "WAL")?;
    prepare(&mut conn)?;
    Ok(conn)
}

pub(super) fn remove(file: &Path) -> Result<(), StoreError> {
    for file in files(file) {
        match std::fs::remove_file(&file) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error.into()),
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

fn prepare(conn: &mut Connection) -> Result<(), StoreError> {
    // A power cut may cost the newest steps, and they are made again.
    conn.pragma_update(None, "synchronous", "NORMAL")?;
    conn.pragma_update(None, "secure_delete", true)?;
    conn.pragma_update(None, "temp_store", "MEMORY")?;
    conn.pragma_update(None, "trusted_schema", false)?;
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.pragma_update(None, "cache_size", -4096)?;
    conn.set_prepared_statement_cache_capacity(32);
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found: i64 = tx.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let tables: i64 = tx.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
    match (found, tables) {
        (FORMAT, _) => {
            // Named, so that one that lost a table is found out now.
            let all = "SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM texts WHERE text = 0), \
                       (SELECT count(*) FROM words WHERE rowid = 0)";
            tx.query_row(all, [], |_| Ok(()))?;
        }
        (0, 0) => {
            tx.execute_batch(TABLES)?;
            tx.execute_batch(&format!(
                "CREATE VIRTUAL TABLE words USING fts5 (text, content = '', contentless_delete = 1, tokenize = '{TOKENIZER}')"
            ))?;
            tx.pragma_update(None, "application_id", APPLICATION_ID)?;
            tx.pragma_update(None, "user_version", FORMAT)?;
        }
        _ => {
            return Err(StoreError::Damaged(format!(
                "the search index has format {found}"
            )));
        }
    }
    tx.commit()?;
    Ok(())
}

/// Nothing is written over, nor removed later, that was not made here.
fn expect_ours(file: &Path) -> Result<(), StoreError> {
    let mut header = [0u8; 72];
    if std::fs::metadata(file).is_ok_and(|meta| !meta.is_file()) {
        return Err(cannot_open(file, &"it is not a regular file"));
    }
    let read = match std::fs::File::open(file) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(cannot_open(file, &error)),
        Ok(mut open) => fill(&mut open, &mut header)?,
    };
    let application = i32::from_be_bytes([header[68], header[69], header[70], header[71]]);
    let is_sqlite = read == header.len() && header.starts_with(b"SQLite format 3\0");
    // Its first commit may still be in its WAL.
    let is_begun = is_sqlite && application == 0 && with(file, "-wal").exists();
    if read == 0 || is_begun || (is_sqlite && application == APPLICATION_ID) {
        return Ok(());
    }
    Err(StoreError::NotOurs {
        path: file.to_owned(),
        what: "no search index of Planloom".to_owned(),
    })
}
