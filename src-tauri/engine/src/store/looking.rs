//! Opening for somebody who only looks: not a byte of the file is changed, and nothing is brought up to date in it. It
//! must not know what is looked for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rusqlite::backup::Backup;
use rusqlite::{Connection, OpenFlags};

use super::{StoreError, open, schema, traces};

/// Where somebody who only looks reads.
pub(super) enum Sight {
    /// In the file itself.
    File(Gaze),
    /// In a copy that was brought to the newest format and goes with its connection.
    Copy,
}

/// How a file is looked at.
#[derive(Clone)]
pub(super) struct Gaze {
    path: PathBuf,
    /// Nobody had it open, so that it was opened as one that nobody writes: that leaves nothing beside it.
    is_still: Arc<AtomicBool>,
}

impl Gaze {
    fn on(path: &Path) -> Self {
        Self {
            path: path.to_owned(),
            is_still: Arc::new(is_at_rest(path).into()),
        }
    }

    pub fn open(&self) -> Result<Connection, StoreError> {
        let is_still = self.is_still.load(Ordering::Relaxed);
        let opened = connect(&self.path, is_still);
        // Where nothing can be put beside the file, nobody writes it either.
        let is_refused = opened.as_ref().is_err_and(StoreError::is_about_rights);
        if is_refused && !is_still && !has_log(&self.path) {
            self.is_still.store(true, Ordering::Relaxed);
            return connect(&self.path, true);
        }
        opened
    }

    /// Somebody may have begun to write since: from then on it is read as one that is written.
    pub fn refresh(&self, conn: &mut Connection) -> Result<(), StoreError> {
        if self.is_still.load(Ordering::Relaxed) && has_log(&self.path) {
            self.is_still.store(false, Ordering::Relaxed);
            *conn = connect(&self.path, false)?;
        }
        Ok(())
    }
}

/// Whether what a newer version has written is looked at too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Newer {
    Refused,
    /// As far as its tables are ours still. Kinds of events are only added to, so that most of it can be read.
    Shown,
}

pub(super) fn look(path: &Path, newer: Newer) -> Result<(Connection, Sight), StoreError> {
    traces::expect_some(path)?;
    let known = open::newest();
    let most = match newer {
        Newer::Refused => known,
        Newer::Shown => i64::MAX,
    };
    let named = open::look(path, most)?;
    let gaze = Gaze::on(path);
    let conn = gaze.open()?;
    let found = named.max(open::version(&conn)?);
    if found > most || (found > known && schema::expect_whole(&conn).is_err()) {
        return Err(StoreError::Newer {
            path: path.into(),
            found,
            known,
        });
    }
    if found < known {
        return Ok((brought_up(&conn, path)?, Sight::Copy));
    }
    schema::expect_whole(&conn).map_err(|error| error.in_file(path.to_str()))?;
    Ok((conn, Sight::File(gaze)))
}

fn connect(path: &Path, is_still: bool) -> Result<Connection, StoreError> {
    if !is_still {
        let conn = open::reader(path)?;
        first_read(&conn, path)?;
        return Ok(conn);
    }
    let flags =
        OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_URI;
    let conn = Connection::open_with_flags(uri(path), flags).map_err(|e| open::cannot_open(path, &e))?;
    open::tune(&conn)?;
    first_read(&conn, path)?;
    Ok(conn)
}

/// SQLite opens a file when it is first read.
fn first_read(conn: &Connection, path: &Path) -> Result<(), StoreError> {
    match open::version(conn) {
        Ok(_) => Ok(()),
        // What an interrupted change left has to be taken back first, which is a change.
        Err(StoreError::ReadOnly(_)) if is_there(path, "-journal") => Err(StoreError::Open {
            path: path.into(),
            message:
                "a change of it was cut off and has to be taken back first, which looking at it does not do. \
                      `planloom vacuum` does; nothing was changed"
                    .to_owned(),
        }),
        Err(StoreError::ReadOnly(text)) => Err(open::cannot_open(path, &text)),
        Err(error) => Err(error.in_file(path.to_str())),
    }
}

/// A file with a write-ahead log that nobody has open: each connection would make one.
fn is_at_rest(path: &Path) -> bool {
    let mut header = [0; 20];
    let has_header = std::fs::File::open(path).and_then(|mut file| open::fill(&mut file, &mut header));
    let is_logged = has_header.is_ok_and(|read| read == header.len()) && header[18..20] == [2, 2];
    is_logged && !is_there(path, "-wal") && !is_there(path, "-shm")
}

fn has_log(path: &Path) -> bool {
    beside(path, "-wal").metadata().is_ok_and(|meta| meta.len() > 0)
}

fn is_there(path: &Path, suffix: &str) -> bool {
    beside(path, suffix).exists()
}

fn beside(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

/// The path as SQLite's own kind of address, byte by byte.
fn uri(path: &Path) -> String {
    let mut text = String::from("file:");
    if cfg!(windows) {
        text.push_str("///");
    }
    for &byte in path.as_os_str().as_encoded_bytes() {
        match byte {
            b'\\' if cfg!(windows) => text.push('/'),
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'_' | b'.' | b':' => {
                text.push(char::from(byte));
            }
            byte => text.push_str(&format!("%{byte:02X}")),
        }
    }
    text.push_str("?immutable=1");
    text
}

/// A copy of an older format, brought to the newest.
fn brought_up(old: &Connection, path: &Path) -> Result<Connection, StoreError> {
    let mut copy = Connection::open("")?;
    Backup::new(old, &mut copy)?
        .run_to_completion(1024, std::time::Duration::ZERO, None)
        .map_err(|error| StoreError::from(error).in_file(path.to_str()))?;
    open::bring_up(&mut copy, path)?;
    schema::expect_whole(&copy).map_err(|error| error.in_file(path.to_str()))?;
    Ok(copy)
}
