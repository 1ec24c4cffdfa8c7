//! A file that appears under its name whole or not at all: written beside, synced, then named.
//! It must not know what is in it.

use std::fs::{File, OpenOptions};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::model::unread;

use super::Error;

/// Whether a file that is there already may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replace {
    Never,
    Allowed,
}

pub(super) struct WholeFile {
    target: PathBuf,
    part: PathBuf,
    /// Held so that a later one can tell a part that is being written from one that was left by a crash.
    lock: File,
    replace: Replace,
}

impl WholeFile {
    /// An empty file beside `target`, which only its owner may read. None of the `forbidden` files is written to.
    pub fn begin(target: &Path, replace: Replace, forbidden: &[PathBuf]) -> Result<Self, Error> {
        let target = std::path::absolute(target).unwrap_or_else(|_| target.to_owned());
        let shown = target.display();
        let name = target
            .file_name()
            .ok_or_else(|| Error::invalid("bad_file", format!("{shown} names no file")))?;
        let real = super::real_path(&target);
        if forbidden.iter().any(|file| real.starts_with(file)) {
            return Err(Error::invalid(
                "bad_file",
                format!("{shown} belongs to the database itself; nothing was written. Name another file."),
            ));
        }
        may_be_written(&target, replace)?;
        let folder = target.parent().unwrap_or(Path::new("/"));
        let beginning = format!(".{}.", name.to_string_lossy());
        remove_left(folder, &beginning);
        let part = folder.join(format!("{beginning}{}.part", uuid::Uuid::now_v7()));
        let lock = create(&part).map_err(|e| failed(&target, &e))?;
        let whole = Self {
            target,
            part,
            lock,
            replace,
        };
        Ok(whole)
    }

    /// Where to write.
    pub fn part(&self) -> &Path {
        &self.part
    }

    pub fn file(&self) -> Result<File, Error> {
        self.lock.try_clone().map_err(|e| failed(&self.target, &e))
    }

    /// Syncs what was written and gives it its name. Returns the path and its size.
    pub fn finish(self) -> Result<(PathBuf, u64), Error> {
        let bytes = self.settle().map_err(|error| {
            if error.kind() == ErrorKind::AlreadyExists {
                is_there(&self.target)
            } else {
                failed(&self.target, &error)
            }
        })?;
        Ok((self.target.clone(), bytes))
    }

    fn settle(&self) -> std::io::Result<u64> {
        let written = File::open(&self.part)?;
        written.sync_all()?;
        let bytes = written.metadata()?.len();
        match self.replace {
            Replace::Allowed => std::fs::rename(&self.part, &self.target)?,
            Replace::Never => give_new_name(&self.part, &self.target)?,
        }
        sync_folder(&self.target);
        Ok(bytes)
    }

    /// What a failure is told as.
    pub fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::Store {
            code: "file",
            message: format!(
                "{} was not written: {error}. Nothing was left.",
                self.target.display()
            ),
        }
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        // Gone already when it has got its name.
        let _ = std::fs::remove_file(&self.part);
    }
}

fn may_be_written(target: &Path, replace: Replace) -> Result<(), Error> {
    match std::fs::metadata(target) {
        Ok(found) if !found.is_file() => Err(Error::invalid(
            "bad_file",
            format!("{} is no regular file; nothing was written", target.display()),
        )),
        Ok(_) if replace == Replace::Never => Err(is_there(target)),
        // A link that leads nowhere is there all the same.
        Err(_) if replace == Replace::Never && target.is_symlink() => Err(is_there(target)),
        Ok(_) | Err(_) => Ok(()),
    }
}

fn is_there(target: &Path) -> Error {
    Error::invalid(
        "file_exists",
        format!(
            "{} is there already; it was not touched. Name another file, or replace it with --force.",
            target.display()
        ),
    )
}

fn failed(target: &Path, error: &std::io::Error) -> Error {
    let message = format!(
        "{} was not written: {}. Nothing was left.",
        target.display(),
        unread(error)
    );
    let is_wrong_name = matches!(
        error.kind(),
        ErrorKind::NotFound
            | ErrorKind::PermissionDenied
            | ErrorKind::NotADirectory
            | ErrorKind::ReadOnlyFilesystem
            | ErrorKind::InvalidInput
            | ErrorKind::InvalidFilename
    );
    if is_wrong_name {
        return Error::invalid("bad_file", message);
    }
    Error::Store {
        code: "file",
        message,
    }
}

fn create(part: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).read(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(part)?;
    // Elsewhere such a lock would keep the database library out too.
    if cfg!(unix) {
        let _ = file.try_lock();
    }
    Ok(file)
}

/// Parts of the same file that a crash has left: nobody holds their locks.
fn remove_left(folder: &Path, beginning: &str) {
    if !cfg!(unix) {
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_part = name.starts_with(beginning) && name.ends_with(".part");
        let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
        let is_left = || File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
        if is_part && is_file && is_left() {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Like a rename that refuses to replace anything.
fn give_new_name(part: &Path, target: &Path) -> std::io::Result<()> {
    match std::fs::hard_link(part, target) {
        Ok(()) => std::fs::remove_file(part),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(error),
        // A file system without links: there was nothing there a moment ago.
        Err(_) if !target.exists() => std::fs::rename(part, target),
        Err(_) => Err(ErrorKind::AlreadyExists.into()),
    }
}

/// The new name is on disk too; where that can't be asked for, the file itself is.
fn sync_folder(target: &Path) {
    if let Some(folder) = target.parent()
        && let Ok(folder) = File::open(folder)
    {
        let _ = folder.sync_all();
    }
}
