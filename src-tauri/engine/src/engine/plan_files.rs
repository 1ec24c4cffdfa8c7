//! Plan files on disk: read with their bounds, written whole or not at all. It must not know what a plan is.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use super::Error;
use crate::model::problem::{Code, Problem, Severity};
use crate::model::{sentence, unread};

/// Largest plan file that is read at all.
const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// Reads a plan file; what is no file, too large or not UTF-8 is a problem like any other.
pub(super) async fn read_plan_file(path: PathBuf) -> Result<String, Error> {
    let shown = path.display().to_string();
    let read = tokio::task::spawn_blocking(move || read_bounded(&path)).await;
    let unreadable = |code, message: String| Error::Problems {
        problems: vec![Problem {
            code,
            severity: Severity::Error,
            message: sentence([message.as_str()]),
            pointer: String::new(),
            tasks: Vec::new(),
            fix: None,
        }],
    };
    let bytes = match read {
        Ok(Ok(bytes)) => bytes,
        Ok(Err(error)) => {
            return Err(unreadable(
                Code::Unreadable,
                format!("{shown} can't be read: {}", unread(&error)),
            ));
        }
        Err(error) => {
            return Err(unreadable(
                Code::Unreadable,
                format!("{shown} can't be read: {error}"),
            ));
        }
    };
    if bytes.len() as u64 > LARGEST_FILE {
        return Err(unreadable(
            Code::TooLarge,
            format!("{shown} is larger than 64 MiB, the most a plan may be"),
        ));
    }
    String::from_utf8(bytes).map_err(|e| {
        unreadable(
            Code::Syntax,
            format!(
                "{shown} is not UTF-8 text: byte {} can't stand there. Save it as UTF-8",
                e.utf8_error().valid_up_to() + 1
            ),
        )
    })
}

fn read_bounded(path: &Path) -> std::io::Result<Vec<u8>> {
    let found = std::fs::metadata(path)?;
    if !found.is_file() {
        // Opening a FIFO or a device could wait for ever.
        let what = if found.is_dir() {
            "it is a folder"
        } else {
            "it is not a regular file"
        };
        return Err(std::io::Error::other(what));
    }
    // Room for all of it at once, as growing would take as much again; one byte more shows that it ends there.
    let mut bytes = Vec::with_capacity(found.len().min(LARGEST_FILE) as usize + 1);
    std::fs::File::open(path)?
        .take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Beside, synced, renamed: a reader sees the old file or the new one, whole.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut name = path
        .file_name()
        .ok_or_else(|| std::io::Error::other("it has no name"))?
        .to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    write().inspect_err(|_| {
        let _ = std::fs::remove_file(&beside);
    })
}
