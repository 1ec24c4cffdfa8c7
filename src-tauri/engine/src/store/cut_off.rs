//! A database whose last change was cut off, in a copy of its own, where SQLite may take that change back without touching
//! the file itself. It must not know what a database holds.

use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Of the beginnings of a database of ours no more than this is there; whatever is larger is somebody else's.
const LARGEST: u64 = 1 << 20;

/// Gone when it is dropped.
pub(super) struct CutOff {
    folder: PathBuf,
}

impl CutOff {
    /// File and journal, in a folder that is this user's alone.
    pub fn copy_of(db: &Path) -> Result<Self, Error> {
        let mut journal = db.as_os_str().to_owned();
        journal.push("-journal");
        let journal = PathBuf::from(journal);
        if std::fs::metadata(db)?.len() > LARGEST || std::fs::metadata(&journal)?.len() > LARGEST {
            let told =
                "a change of it was cut off, and it has no mark of a Planloom database; it was not touched";
            return Err(Error::new(ErrorKind::InvalidData, told));
        }
        let folder = std::env::temp_dir().join(format!("planloom-{}", uuid::Uuid::now_v7()));
        make_private(&folder)?;
        let made = Self { folder };
        std::fs::copy(db, made.path())?;
        std::fs::copy(journal, made.folder.join("copy.db-journal"))?;
        Ok(made)
    }

    pub fn path(&self) -> PathBuf {
        self.folder.join("copy.db")
    }
}

impl Drop for CutOff {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn make_private(folder: &Path) -> Result<(), Error> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(folder)
}
