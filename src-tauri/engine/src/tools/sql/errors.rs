//! What SQLite says, in our words.

use rusqlite::{Error, ErrorCode};

use super::guard::Guard;
use crate::tools::ToolError;

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is refused or told as it is"
)]
pub(super) fn told(error: &Error, guard: &Guard) -> ToolError {
    match error {
        Error::SqliteFailure(failure, message) => {
            let message = message.clone().unwrap_or_else(|| failure.to_string());
            failed(failure.code, message, guard)
        }
        // A refused function is told as a mistake in the text.
        Error::SqlInputError { .. } if guard.denied().is_some() => {
            ToolError::permanent("sql_denied", guard.denied().unwrap_or_default())
        }
        Error::SqlInputError { msg, offset, .. } => {
            let at = usize::try_from(*offset).map_or(1, |offset| offset + 1);
            bad_sql(format!("{} (at character {at} of the statement)", plain(msg)))
        }
        Error::MultipleStatement => bad_sql("one statement only; this is more than one".to_owned()),
        other => bad_sql(other.to_string()),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is refused or told as it is"
)]
fn failed(code: ErrorCode, message: String, guard: &Guard) -> ToolError {
    match code {
        ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked => ToolError::Transient {
            code: "database_busy",
            message: format!("the database is in use by somebody else: {message}; nothing was changed"),
            retry_after: None,
        },
        ErrorCode::OperationInterrupted => guard.interrupted(),
        ErrorCode::AuthorizationForStatementDenied => {
            ToolError::permanent("sql_denied", guard.denied().unwrap_or(message))
        }
        ErrorCode::ReadOnly => {
            ToolError::permanent("sql_denied", format!("only reading is allowed: {message}"))
        }
        ErrorCode::NotADatabase | ErrorCode::DatabaseCorrupt => ToolError::permanent(
            "not_a_database",
            format!("the file is no sound SQLite database: {message}"),
        ),
        ErrorCode::CannotOpen => {
            ToolError::permanent("not_found", format!("the database can't be opened: {message}"))
        }
        ErrorCode::PermissionDenied => ToolError::permanent("no_access", message),
        ErrorCode::DiskFull => ToolError::permanent(
            "disk_full",
            "there is no space left; nothing was changed".to_owned(),
        ),
        ErrorCode::TooBig | ErrorCode::OutOfMemory => ToolError::permanent("too_large", message),
        ErrorCode::SystemIoFailure => ToolError::permanent("io", message),
        ErrorCode::ConstraintViolation => {
            ToolError::permanent("constraint", format!("{message}; nothing was changed"))
        }
        _ => bad_sql(plain(&message)),
    }
}

/// What SQLite's parser and engine say, where that needs their words.
fn plain(said: &str) -> String {
    if let Some(part) = said
        .strip_prefix("near ")
        .and_then(|rest| rest.strip_suffix(": syntax error"))
    {
        return format!("this is no SQL that can be read, near {}", part.replace('"', "`"));
    }
    match said {
        "incomplete input" => "the statement ends too early".to_owned(),
        said if said.ends_with("from within a transaction") => {
            "this can't run in a call, for the whole call is one transaction".to_owned()
        }
        said => said.to_owned(),
    }
}

pub(super) fn bad_sql(message: String) -> ToolError {
    ToolError::permanent("bad_sql", message)
}
