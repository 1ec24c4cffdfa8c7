//! A database file that is empty or gone, and what lies beside it and says that there was one: then it was cut, and to
//! begin anew in its place would bury that. It must not know what a database holds.

use std::path::{Path, PathBuf};

use super::StoreError;

/// A log's own header alone says nothing.
const LOG_HEADER: u64 = 32;

/// An absent or empty file may become a new database, unless something says that it was one. SQLite throws a log away
/// whose main file is empty or gone; what it holds may be all that is left.
pub(super) fn expect_new(path: &Path) -> Result<(), StoreError> {
    if size(path) > 0 {
        return Ok(());
    }
    let beside = traces_of(path);
    if beside.is_empty() {
        return Ok(());
    }
    let names: Vec<String> = beside.iter().map(|trace| trace.display().to_string()).collect();
    Err(StoreError::Lost {
        path: path.to_owned(),
        how: if path.exists() { "empty (0 bytes)" } else { "gone" },
        beside: names.join(", "),
    })
}

/// For whoever looks for runs: an empty file holds none, whether it was cut or never used.
pub(super) fn expect_some(path: &Path) -> Result<(), StoreError> {
    expect_new(path)?;
    let is_empty = std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.len() == 0);
    if is_empty {
        return Err(StoreError::Empty {
            path: path.to_owned(),
        });
    }
    Ok(())
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |meta| meta.len())
}

fn traces_of(path: &Path) -> Vec<PathBuf> {
    let beside = |suffix: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(suffix);
        PathBuf::from(name)
    };
    let mut found = Vec::new();
    let log = beside("-wal");
    if size(&log) > LOG_HEADER {
        found.push(log);
    }
    // Whoever deletes a database and leaves the rest means to begin anew; a file that was emptied is another matter.
    if !path.exists() {
        return found;
    }
    let files = [beside("-shm"), beside("-wal.damaged")];
    found.extend(files.into_iter().filter(|file| file.exists()));
    let locks = beside(".locks");
    let has_locks = std::fs::read_dir(&locks).is_ok_and(|mut entries| entries.next().is_some());
    found.extend(has_locks.then_some(locks));
    found.extend(copies_of(path));
    found
}

/// What was kept of it before it was brought to a newer format.
fn copies_of(path: &Path) -> Vec<PathBuf> {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Vec::new();
    };
    let start = format!("{name}.format-");
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")))
        .into_iter()
        .flatten()
        .flatten();
    let is_copy = |file: &PathBuf| {
        let name = file.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.starts_with(&start) && name.ends_with(".bak"))
    };
    entries.map(|entry| entry.path()).filter(is_copy).collect()
}
