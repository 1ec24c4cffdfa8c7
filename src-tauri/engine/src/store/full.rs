//! Whether an error means that there is no space left: told from codes, and from the words that systems use where a
//! layer in between hides the code. Knows no run.

use std::io::{Error, ErrorKind, Write};
use std::path::Path;

/// As SQLite, Unix and Windows say it, in lower case.
const WORDS: [&str; 5] = [
    "disk is full",
    "no space left on device",
    "not enough space on the disk",
    "quota exceeded",
    "file too large",
];

pub(super) fn says_full(text: &str) -> bool {
    let text = text.to_ascii_lowercase();
    WORDS.iter().any(|words| text.contains(words))
}

pub(super) fn is_full(error: &Error) -> bool {
    matches!(
        error.kind(),
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge
    ) || says_full(&error.to_string())
}

/// SQLite calls a spent quota and a failed sync for want of space just an I/O error. This writes a little beside the
/// database to find out, and takes it away again.
pub(super) fn probe(db: &Path) -> Option<Error> {
    let mut name = db.file_name()?.to_owned();
    name.push(format!(".{}.probe", std::process::id()));
    let beside = db.with_file_name(name);
    let write = || {
        let mut file = std::fs::File::create(&beside)?;
        file.write_all(&[0x5a; 64 * 1024])?;
        file.sync_all()
    };
    let failed = write().err().filter(is_full);
    let _ = std::fs::remove_file(&beside);
    failed
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::super::StoreError;
    use super::*;

    /// Case state-10: `texts.json`.
    const TEXTS: [&str; 5] = [
        "database or disk is full",
        "No space left on device (os error 28)",
        "There is not enough space on the disk. (os error 112)",
        "Disk quota exceeded (os error 122)",
        "file too large (os error 27)",
    ];

    #[test]
    fn every_text_of_a_full_disk_is_known() {
        for text in TEXTS {
            let io = StoreError::from(Error::other(text));
            assert!(matches!(io, StoreError::Full(_)), "{text}: {io}");
            for code in [
                ffi::SQLITE_FULL,
                ffi::SQLITE_IOERR,
                ffi::SQLITE_IOERR_WRITE,
                ffi::SQLITE_CANTOPEN,
            ] {
                let failure = rusqlite::Error::SqliteFailure(ffi::Error::new(code), Some(text.to_owned()));
                let error = StoreError::from(failure);
                assert!(matches!(error, StoreError::Full(_)), "{text} ({code}): {error}");
            }
        }
        let bare = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_FULL), None);
        assert!(matches!(StoreError::from(bare), StoreError::Full(_)));
        for (number, is_full) in [(28, true), (122, true), (27, true), (5, false), (13, false)] {
            if cfg!(target_os = "linux") {
                let error = StoreError::from(Error::from_raw_os_error(number));
                assert_eq!(matches!(error, StoreError::Full(_)), is_full, "os error {number}");
            }
        }
        let other = rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_IOERR), None);
        assert!(!matches!(StoreError::from(other), StoreError::Full(_)));
    }

    #[test]
    fn a_probe_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        assert!(probe(&folder.path().join("p.db")).is_none());
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
