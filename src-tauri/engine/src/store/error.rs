//! Everything that can go wrong with the database, each said so that a person knows what was kept.

use std::path::PathBuf;

use rusqlite::ErrorCode;

use crate::model::events::DecodeError;
use crate::model::{Digest, RunId, Seq};

use super::full::{is_full, says_full};
use super::lease::Owner;

#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    #[error(
        "{path} was written by a newer Planloom (format {found}, this one knows {known}). \
         The file was not touched. Update Planloom, or name another database with --db."
    )]
    Newer { path: PathBuf, found: i64, known: i64 },
    #[error("{path} is not a Planloom database ({what}). It was not touched. Name another file with --db.")]
    NotOurs { path: PathBuf, what: String },
    #[error(
        "the database {path} could not be brought from format {from} to {to}: step {step} failed ({message}). \
         It is as before, at format {from}; a copy from before the try is {copy}."
    )]
    Migration {
        path: PathBuf,
        from: i64,
        to: i64,
        step: String,
        message: String,
        copy: PathBuf,
    },
    #[error("the database {path} can't be opened: {message}")]
    Open { path: PathBuf, message: String },
    #[error(
        "the database {path} is {how}, but {beside} beside it says that it held runs: it was cut or replaced. Nothing was \
         changed. Put a backup in its place, or move what lies beside it away to begin anew."
    )]
    Lost {
        path: PathBuf,
        how: &'static str,
        beside: String,
    },
    #[error(
        "the database {path} is empty (0 bytes), so it holds no run, and nothing was changed. If there were runs in it, the \
         file was cut: put a backup in its place. Else name another one with --db, or start a run with: `planloom run PLAN`"
    )]
    Empty { path: PathBuf },
    #[error("there is no run {0}")]
    NoRun(RunId),
    #[error("run {run} was deleted ({}); if it was exported before, it can be imported again", when(*at_ms))]
    Deleted { run: RunId, at_ms: i64 },
    #[error(
        "run {0} was deleted, but its forks still read the beginning of its log. \
         Delete those first, or import the file into another database with --db."
    )]
    StillForked(RunId),
    #[error("there is a run {0} already")]
    Exists(RunId),
    #[error("the run is at event {head}, not {expected}: someone else was first")]
    Moved { expected: Seq, head: Seq },
    #[error("another owner has taken the run over; nothing more of this one is recorded")]
    Deposed,
    #[error(
        "the run is driven by {1}, which is alive. Pause it there, or take it over with `planloom resume {0} --take-over`. \
         Nothing was recorded."
    )]
    Owned(RunId, Owner),
    #[error("the database is held in the midst of a write by {}", holding(.0))]
    Held(Vec<Owner>),
    #[error("the payload {hash} {what}; the log itself is intact")]
    Payload { hash: Digest, what: String },
    #[error("event {seq} of run {run} can't be read: {source}. Kept: all events before it.")]
    Event {
        run: RunId,
        seq: Seq,
        source: DecodeError,
    },
    #[error("the run's log has a gap after event {after}; kept: all events up to it")]
    Gap { after: Seq },
    #[error("the run's log can't be read beyond event {after} ({what}). Kept: all events up to it.")]
    Cut { after: Seq, what: String },
    #[error(
        "the disk is full: {0}. What was acknowledged is stored. Free some space, then try again; a run that had begun is \
         listed by `planloom runs` and can be resumed."
    )]
    Full(String),
    #[error("the database is locked by another program: {0}. What was acknowledged is stored. Try again.")]
    Busy(String),
    #[error(
        "the database is damaged: {0}. It is left as it is; keep a copy of it and of what lies beside it before anything \
         else. A backup can be named with --db in its place; runs that can still be read can be exported one by one."
    )]
    Damaged(String),
    #[error(
        "the database can't be written to: {0}. Nothing was changed. Give this user the right to write it and its folder."
    )]
    ReadOnly(String),
    #[error("the database failed: {}. What was acknowledged is stored.", words(.0))]
    Sqlite(rusqlite::Error),
    #[error("the machine failed: {0}")]
    Io(#[source] std::io::Error),
    #[error("the store is closed")]
    Closed,
}

/// Who is named may be ended by whoever reads this, so that it must be the one.
fn holding(owners: &[Owner]) -> String {
    if let [owner] = owners {
        let pid = owner.pid;
        return format!(
            "{owner}, which does not go on, as one that was stopped. Nothing was recorded. Let it go on (`kill -CONT {pid}`) \
             or end it (`kill -KILL {pid}`, which loses nothing that is stored), and try again."
        );
    }
    let names: Vec<String> = owners.iter().map(ToString::to_string).collect();
    format!(
        "a process that does not go on, as one that was stopped; one of these: {}. Nothing was recorded. Let that one go on \
         or end it, which loses nothing that is stored, and try again.",
        names.join(", ")
    )
}

fn when(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| "long ago".to_owned(), |at| at.to_string())
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        let text = words(&error);
        match error.sqlite_error_code() {
            Some(ErrorCode::DiskFull) => Self::Full(text),
            Some(ErrorCode::SystemIoFailure | ErrorCode::CannotOpen) if says_full(&text) => Self::Full(text),
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy(text),
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => Self::Damaged(text),
            Some(ErrorCode::ReadOnly | ErrorCode::PermissionDenied) => Self::ReadOnly(text),
            // Our tables are there once the file is open: one that is missing later has been lost.
            Some(_) if is_about_schema(&text) => {
                Self::Damaged(format!("something is missing in it ({text})"))
            }
            Some(_) => Self::Sqlite(error),
            // No failure of SQLite: a column holds what was never written there.
            None if is_strange_column(&error) => Self::Damaged(text),
            None => Self::Sqlite(error),
        }
    }
}

impl From<std::io::Error> for StoreError {
    fn from(error: std::io::Error) -> Self {
        if is_full(&error) {
            Self::Full(error.to_string())
        } else {
            Self::Io(error)
        }
    }
}

/// What SQLite says, without the statement that it said it of.
fn words(error: &rusqlite::Error) -> String {
    if let rusqlite::Error::SqlInputError { msg, .. } = error {
        return msg.clone();
    }
    error.to_string()
}

fn is_about_schema(text: &str) -> bool {
    [
        "no such table",
        "no such column",
        "has no column named",
        "no such index",
        "no query solution",
    ]
    .iter()
    .any(|words| text.contains(words))
}

/// SQLite keeps its log beside the file, so that the folder's rights count too.
pub(super) fn says_no_rights(text: &str) -> bool {
    ["read-only", "readonly", "unable to open", "ermission denied"]
        .iter()
        .any(|words| text.contains(words))
}

fn is_strange_column(error: &rusqlite::Error) -> bool {
    use rusqlite::Error as E;
    matches!(
        error,
        E::FromSqlConversionFailure(..)
            | E::IntegralValueOutOfRange(..)
            | E::InvalidColumnType(..)
            | E::Utf8Error(..)
    )
}

impl StoreError {
    /// The same, naming the file where it does not yet.
    pub(super) fn in_file(self, file: Option<&str>) -> Self {
        match (self, file) {
            (Self::Damaged(what), Some(file)) if !file.is_empty() && !what.contains(file) => {
                Self::Damaged(format!("{file}: {what}"))
            }
            (error, _) => error,
        }
    }

    /// Whether the file or its folder can't be opened for want of rights.
    pub(super) fn is_about_rights(&self) -> bool {
        if let Self::Open { message, .. } = self {
            return says_no_rights(message);
        }
        matches!(self, Self::ReadOnly(_))
    }

    /// The same failure, for everyone else whose batch was in the commit that failed.
    pub(super) fn for_another(&self) -> Self {
        match self {
            Self::Full(text) => Self::Full(text.clone()),
            Self::Busy(text) => Self::Busy(text.clone()),
            Self::Damaged(text) => Self::Damaged(text.clone()),
            Self::ReadOnly(text) => Self::ReadOnly(text.clone()),
            Self::Newer { .. }
            | Self::NotOurs { .. }
            | Self::Migration { .. }
            | Self::Open { .. }
            | Self::NoRun(_)
            | Self::Moved { .. }
            | Self::Deposed
            | Self::Owned(..)
            | Self::Held(_)
            | Self::Lost { .. }
            | Self::Empty { .. }
            | Self::Deleted { .. }
            | Self::StillForked(_)
            | Self::Exists(_)
            | Self::Payload { .. }
            | Self::Event { .. }
            | Self::Gap { .. }
            | Self::Cut { .. }
            | Self::Sqlite(_)
            | Self::Io(_)
            | Self::Closed => Self::Io(std::io::Error::other(self.to_string())),
        }
    }
}
