//! Everything that can go wrong with the database, each said so that a person knows what was kept.

use std::path::PathBuf;

use crate::model::events::DecodeError;
use crate::model::{Digest, RunId, Seq};

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
    #[error("the run is driven by {0}")]
    Owned(Owner),
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
    #[error("the disk is full: {0}. What was acknowledged is stored. Free some space, then resume.")]
    Full(String),
    #[error("the database is locked by another program: {0}. What was acknowledged is stored. Try again.")]
    Busy(String),
    #[error("the database is damaged: {0}. It is left as it is; keep a copy before anything else.")]
    Damaged(String),
    #[error("the database failed: {0}")]
    Sqlite(rusqlite::Error),
    #[error("the machine failed: {0}")]
    Io(#[from] std::io::Error),
    #[error("the store is closed")]
    Closed,
}

fn when(ms: i64) -> String {
    jiff::Timestamp::from_millisecond(ms).map_or_else(|_| "long ago".to_owned(), |at| at.to_string())
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DiskFull) => Self::Full(error.to_string()),
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => {
                Self::Busy(error.to_string())
            }
            Some(rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            Some(_) | None => Self::Sqlite(error),
        }
    }
}
