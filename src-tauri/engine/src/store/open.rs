//! Opening: what is not ours or too new is left untouched; what is older is copied, then brought up to date in one
//! transaction that also writes the version.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::Duration;

use refinery::{Migration, Runner, Target};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::StoreError;
use super::full::says_full;

/// "PLOM" in the file's header.
const APPLICATION_ID: i64 = 0x504C_4F4D;
const BUSY: Duration = Duration::from_secs(5);

mod embedded {
    refinery::embed_migrations!("migrations");
}

fn steps() -> Vec<Migration> {
    embedded::migrations::runner().get_migrations().clone()
}

/// The newest format that this version knows.
pub(super) fn newest() -> i64 {
    newest_of(&steps())
}

fn newest_of(steps: &[Migration]) -> i64 {
    steps.iter().map(|s| i64::from(s.version())).max().unwrap_or(0)
}

pub(super) fn writer(path: &Path) -> Result<Connection, StoreError> {
    let conn = writer_with(path, &steps())?;
    super::schema::expect_whole(&conn).map_err(|error| error.in_file(path.to_str()))?;
    Ok(conn)
}

fn writer_with(path: &Path, steps: &[Migration]) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent().filter(|p| !p.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder).map_err(|e| cannot_open(path, &e))?;
    }
    let known = newest_of(steps);
    let mut found = look(path, known)?;
    let is_new = !path.exists();
    super::traces::expect_new(path)?;
    super::wal::keep_if_damaged(path);
    // The name is a path and nothing else: no URI, no `:memory:`.
    let flags =
        OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut conn = Connection::open_with_flags(path, flags).map_err(|e| cannot_open(path, &e))?;
    if is_new {
        keep_private(path);
    }
    conn.busy_timeout(BUSY)?;
    // Whoever only looks leaves file and log as they are, also on closing; the first commit takes this back.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, true)?;
    if conn.is_readonly("main")? {
        return Err(cannot_open(path, &"it is read-only"));
    }
    conn.pragma_update(None, "journal_mode", "WAL")
        .map_err(|e| cannot_open(path, &e))?;
    // The header may lag behind a WAL that was never checkpointed.
    found = found.max(version(&conn)?);
    if found > known {
        return Err(StoreError::Newer {
            path: path.into(),
            found,
            known,
        });
    }
    if found < known {
        let copy = if found > 0 {
            copy_first(&conn, path, found)?
        } else {
            PathBuf::new()
        };
        migrate_once(&mut conn, steps, known).map_err(|(step, message)| {
            let from = version(&conn).unwrap_or(found);
            if says_full(&message) {
                return StoreError::Full(message);
            }
            StoreError::Migration {
                path: path.into(),
                from,
                to: known,
                step,
                message,
                copy,
            }
        })?;
        // The main file knows its own form from now on, whatever becomes of the log.
        conn.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()))?;
    }
    tune(&conn)?;
    Ok(conn)
}

pub(super) fn reader(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let conn = Connection::open_with_flags(path, flags).map_err(|e| cannot_open(path, &e))?;
    conn.busy_timeout(BUSY)?;
    tune(&conn)?;
    Ok(conn)
}

pub(super) fn memory() -> Result<Connection, StoreError> {
    let mut conn = Connection::open_in_memory()?;
    prepare(&mut conn)?;
    Ok(conn)
}

fn prepare(conn: &mut Connection) -> Result<(), StoreError> {
    migrate(conn, &steps()).map_err(|(step, message)| StoreError::Open {
        path: ":memory:".into(),
        message: format!("{step}: {message}"),
    })?;
    tune(conn)
}

/// A database that nobody else can open and that goes with its connection, on disk as far as it does not fit into
/// memory. For what is looked over before it comes in.
pub(super) fn scratch() -> Result<Connection, StoreError> {
    let mut conn = Connection::open("")?;
    conn.pragma_update(None, "journal_mode", "MEMORY")?;
    conn.pragma_update(None, "synchronous", "OFF")?;
    prepare(&mut conn)?;
    Ok(conn)
}

/// Runs hold people's data: a new database is its owner's alone. SQLite gives its side files the same rights.
pub(super) fn keep_private(path: &Path) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        if let Err(error) = std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o600)) {
            tracing::warn!(%error, "the database's rights could not be narrowed");
        }
    }
    #[cfg(not(unix))]
    let _ = path;
}

pub(super) fn tune(conn: &Connection) -> Result<(), StoreError> {
    conn.pragma_update(None, "foreign_keys", true)?;
    conn.pragma_update(None, "trusted_schema", false)?;
    // KiB. The log is only appended to and read in order: more pages than those of the newest commits and the tops of
    // the trees are not asked for again.
    conn.pragma_update(None, "cache_size", -512)?;
    // A damaged page is found when it is read, not when it is changed.
    conn.pragma_update(None, "cell_size_check", true)?;
    conn.set_prepared_statement_cache_capacity(32);
    Ok(())
}

pub(super) fn cannot_open(path: &Path, error: &dyn std::fmt::Display) -> StoreError {
    let text = error.to_string();
    if says_full(&text) {
        return StoreError::Full(text);
    }
    if text.contains("malformed") || text.contains("not a database") {
        return StoreError::Damaged(text);
    }
    // SQLite keeps its log beside the file, so the folder counts too.
    let hint = if super::error::says_no_rights(&text) {
        ". Nothing was changed. The file and its folder must be readable and writable for this user"
    } else {
        ""
    };
    StoreError::Open {
        path: path.into(),
        message: format!("{text}{hint}"),
    }
}

/// Reads what the file is without changing a byte of it. An absent or empty file is a new database: 0.
pub(super) fn look(path: &Path, known: i64) -> Result<i64, StoreError> {
    let mut header = [0u8; 100];
    // Opening a pipe or a device could wait for ever.
    if std::fs::metadata(path).is_ok_and(|meta| !meta.is_file()) {
        return Err(cannot_open(path, &"it is not a regular file"));
    }
    let read = match std::fs::File::open(path) {
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(0),
        Err(e) => return Err(cannot_open(path, &e)),
        Ok(mut file) => fill(&mut file, &mut header).map_err(|e| cannot_open(path, &e))?,
    };
    if read == 0 {
        return Ok(0);
    }
    let not_ours = |what: &str| StoreError::NotOurs {
        path: path.into(),
        what: what.to_owned(),
    };
    if read < header.len() || !header.starts_with(b"SQLite format 3\0") {
        return Err(not_ours("not an SQLite file"));
    }
    let number = |at: usize| {
        i64::from(i32::from_be_bytes([
            header[at],
            header[at + 1],
            header[at + 2],
            header[at + 3],
        ]))
    };
    // user_version and application_id as SQLite keeps them in the header; a hot WAL may hold newer ones, which the
    // connection then checks again.
    let (version, application) = (number(60), number(68));
    if version > known {
        return Err(StoreError::Newer {
            path: path.into(),
            found: version,
            known,
        });
    }
    if application == 0 && version == 0 {
        return look_inside(path, known);
    }
    if application != APPLICATION_ID {
        return Err(not_ours("it belongs to another program"));
    }
    if version <= 0 {
        // Both marks are written at once.
        return Err(StoreError::Damaged(format!(
            "{} has no format number",
            path.display()
        )));
    }
    Ok(version)
}

/// A header without our mark: a database whose first commit is still in the WAL, or somebody else's. Where the very first
/// change of it was cut off, what that leaves when it is taken back is looked at in a copy: the file may not be ours.
fn look_inside(path: &Path, known: i64) -> Result<i64, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY;
    match look_with(path, path, flags, known) {
        Err(StoreError::ReadOnly(_)) => {
            let copy = super::cut_off::CutOff::copy_of(path).map_err(|e| cannot_open(path, &e))?;
            look_with(path, &copy.path(), OpenFlags::SQLITE_OPEN_READ_WRITE, known)
        }
        seen => seen,
    }
}

fn look_with(path: &Path, at: &Path, flags: OpenFlags, known: i64) -> Result<i64, StoreError> {
    let conn = Connection::open_with_flags(at, flags).map_err(|e| cannot_open(path, &e))?;
    conn.busy_timeout(BUSY)?;
    let application: i64 = conn.pragma_query_value(None, "application_id", |r| r.get(0))?;
    let found = version(&conn)?;
    let tables: i64 = conn.query_row("SELECT count(*) FROM sqlite_schema", [], |r| r.get(0))?;
    if found > known {
        return Err(StoreError::Newer {
            path: path.into(),
            found,
            known,
        });
    }
    if application == APPLICATION_ID || tables == 0 {
        return Ok(found);
    }
    // The migration library's own table is made just before the first step.
    let is_begun: bool = conn.query_row(
        "SELECT count(*) = 1 AND max(name LIKE 'refinery%') FROM sqlite_schema WHERE type = 'table'",
        [],
        |r| r.get(0),
    )?;
    if is_begun {
        return Ok(0);
    }
    Err(StoreError::NotOurs {
        path: path.into(),
        what: "it belongs to another program".to_owned(),
    })
}

pub(super) fn fill(file: &mut std::fs::File, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut read = 0;
    while read < buffer.len() {
        match file.read(&mut buffer[read..])? {
            0 => break,
            n => read += n,
        }
    }
    Ok(read)
}

pub(super) fn version(conn: &Connection) -> Result<i64, StoreError> {
    Ok(conn.pragma_query_value(None, "user_version", |r| r.get(0))?)
}

/// A whole copy before anything is changed, named after the format that it holds.
fn copy_first(conn: &Connection, path: &Path, found: i64) -> Result<PathBuf, StoreError> {
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".format-{found}.bak"));
    let copy = path.with_file_name(&name);
    name.push(".tmp");
    let half = path.with_file_name(name);
    let _ = std::fs::remove_file(&half);
    let copied = conn.execute("VACUUM INTO ?1", [half.to_string_lossy()]);
    keep_private(&half);
    // A whole copy or none: a full disk must not leave half of one, nor cost the one that is there.
    copied
        .map_err(StoreError::from)
        .and_then(|_| Ok(std::fs::rename(&half, &copy)?))
        .inspect_err(|_| {
            let _ = std::fs::remove_file(&half);
        })?;
    Ok(copy)
}

/// Two processes may meet at a new file: the one that comes second finds the work done.
fn migrate_once(conn: &mut Connection, steps: &[Migration], known: i64) -> Result<(), (String, String)> {
    let mut tries = 0;
    loop {
        match migrate(conn, steps) {
            Ok(()) => return Ok(()),
            Err(_) if version(conn).is_ok_and(|v| v == known) => return Ok(()),
            Err(_) if tries < 3 => {
                tries += 1;
                std::thread::sleep(Duration::from_millis(100));
            }
            Err(error) => return Err(error),
        }
    }
}

/// Brings a copy, which nobody else has, to the newest format.
pub(super) fn bring_up(copy: &mut Connection, path: &Path) -> Result<(), StoreError> {
    migrate(copy, &steps()).map_err(|(step, message)| StoreError::Open {
        path: path.into(),
        message: format!(
            "its older format can't be read here, as step {step} fails on a copy of it ({message}). Nothing was changed"
        ),
    })
}

fn migrate(conn: &mut Connection, steps: &[Migration]) -> Result<(), (String, String)> {
    // Grouped: the steps and the library's notes about them are one transaction. Else a crash between a step and its
    // note would leave a database that can never be brought up to date.
    let runner = || Runner::new(steps).set_grouped(true);
    let done = version(conn).unwrap_or(0);
    let noted = match steps
        .iter()
        .map(Migration::version)
        .find(|&v| i64::from(v) == done)
    {
        // Version 0.1.0 left such databases behind: what is done is noted before anything else.
        Some(done) => runner().set_target(Target::FakeVersion(done)).run(conn).map(drop),
        None => Ok(()),
    };
    noted
        .and_then(|()| runner().run(conn).map(drop))
        .map_err(|error| {
            let next = steps.iter().find(|s| i64::from(s.version()) > done);
            let step = next.map_or_else(|| "unknown".to_owned(), ToString::to_string);
            (step, error.to_string())
        })
}

#[cfg(test)]
mod tests;
