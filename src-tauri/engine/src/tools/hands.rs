//! Which folders programs and servers could write, and since when: kept beside the database, so that later runs know too.
//! It must not know plans, runs or labels.
//!
//! The rule: a file in such a folder is somebody else's from that moment on, unless the system says that it has not been
//! changed since (its `ctime`, which no program behind walls can set back), or its content is what a clean `file.write` of
//! ours was told to write, byte for byte. What can't be known counts as somebody else's. A person who has looked at a
//! folder can say so; what is changed after that is somebody else's again.

mod book;

use std::ffi::OsString;
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::model::Digest;
use book::{Book, Line};

/// The file beside the database.
pub const HANDS: &str = "foreign-hands.jsonl";
/// The whole disk: of what runs without walls.
pub const ANYWHERE: &str = "";
/// Clocks of files lag, and are set right now and then.
const SLACK_MS: u64 = 2_000;
/// Entries of a folder that are looked at; of a larger one nothing is known.
const MOST_ENTRIES: usize = 20_000;
/// A larger file is not compared with what was written.
const MOST_COMPARED: u64 = 64 << 20;

/// A cloneable handle.
#[derive(Clone, Debug, Default)]
pub struct Hands(Arc<Inner>);

#[derive(Debug, Default)]
struct Inner {
    /// In memory alone where there is none.
    path: Option<PathBuf>,
    book: Mutex<Book>,
}

impl Hands {
    /// Kept in a file beside this database.
    pub fn beside(db: &Path) -> Self {
        Self(Arc::new(Inner {
            path: Some(real(db).with_file_name(HANDS)),
            book: Mutex::default(),
        }))
    }

    /// Notes, durably, that somebody could write these folders or files from now on. Must have come back well before they
    /// can. [`ANYWHERE`] is the whole disk.
    pub fn may_write<'p>(&self, places: impl IntoIterator<Item = &'p Path>) -> io::Result<()> {
        let mut book = self.book();
        self.catch_up(&mut book)?;
        let since = now_ms().saturating_sub(SLACK_MS);
        for place in places {
            let place = text_of(&real(place))?;
            if !book.knows(&place) {
                self.write(&mut book, Line::MayWrite { place, since })?;
            }
        }
        Ok(())
    }

    /// Notes that a clean call of ours is to give the file this content: whoever put it there, it is nobody's else.
    pub fn is_to_hold(&self, path: &Path, content: &[u8]) -> io::Result<()> {
        let mut book = self.book();
        self.catch_up(&mut book)?;
        let path = text_of(&real(path))?;
        let hash = Digest::of(content);
        if book.cutoff(&path).is_some() && !book.holds(&path, &hash) {
            self.write(&mut book, Line::Wrote { path, hash })?;
        }
        Ok(())
    }

    /// A person has looked at the folder or file: what lies there now is theirs.
    pub fn looked_at(&self, place: &Path) -> io::Result<()> {
        let mut book = self.book();
        let caught_up = self.catch_up(&mut book);
        let place = text_of(&real(place))?;
        // Only a look at everything mends a file that can't be read as a whole.
        if place != ANYWHERE {
            caught_up?;
        }
        // A change of this very moment may be dated a little earlier.
        let at = now_ms().saturating_sub(SLACK_MS / 4);
        self.write(&mut book, Line::LookedAt { place, at })
    }

    /// The folders and files that somebody could write, sorted, with since when (milliseconds of the Unix epoch).
    pub fn places(&self) -> io::Result<Vec<(String, u64)>> {
        let mut book = self.book();
        self.catch_up(&mut book)?;
        Ok(book.places())
    }

    /// Whether somebody else may have written what lies there: a file with what belongs to it (a database's journal), or
    /// anything in a folder. Looks at the disk.
    pub fn is_foreign(&self, path: &Path) -> bool {
        let mut book = self.book();
        if self.catch_up(&mut book).is_err() || book.is_damaged {
            return true;
        }
        if book.is_empty() {
            return false;
        }
        let real = real(path);
        let Ok(meta) = std::fs::symlink_metadata(&real) else {
            // It may come to be there before it is read.
            return text_of(&real).map_or(true, |path| book.cutoff(&path).is_some());
        };
        if meta.is_dir() {
            return Look {
                book: &book,
                left: MOST_ENTRIES,
            }
            .folder(&real);
        }
        let beside = ["-wal", "-journal", "-shm"].map(|suffix| {
            let mut name = OsString::from(&real);
            name.push(suffix);
            PathBuf::from(name)
        });
        is_foreign_file(&book, &real, &meta)
            || beside.iter().any(|path| {
                std::fs::symlink_metadata(path).is_ok_and(|meta| is_foreign_file(&book, path, &meta))
            })
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.book.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads what other processes have written since.
    fn catch_up(&self, book: &mut Book) -> io::Result<()> {
        let Some(path) = &self.0.path else { return Ok(()) };
        let mut file = match File::open(path) {
            Ok(file) => file,
            // What is known already stays known.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                book.read = 0;
                return Ok(());
            }
            Err(error) => return Err(error),
        };
        let length = file.metadata()?.len();
        if length < book.read {
            book.read = 0;
        }
        if length == book.read {
            return Ok(());
        }
        file.seek(SeekFrom::Start(book.read))?;
        let mut more = Vec::new();
        file.read_to_end(&mut more)?;
        // A line without an end is being written now, or never was.
        let whole = more.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        more[..whole]
            .split(|b| *b == b'\n')
            .for_each(|line| book.take_text(line));
        book.read += whole as u64;
        Ok(())
    }

    fn write(&self, book: &mut Book, line: Line) -> io::Result<()> {
        if let Some(path) = &self.0.path {
            let mut text = serde_json::to_string(&line)?;
            text.push('\n');
            let mut file = OpenOptions::new()
                .create(true)
                .append(true)
                .read(true)
                .open(path)?;
            // Half a line of a process that was killed must not take this one with it.
            if !ends_with_a_line(&mut file)? {
                text.insert(0, '\n');
            }
            file.write_all(text.as_bytes())?;
            file.sync_data()?;
        }
        book.take(line);
        Ok(())
    }
}

fn ends_with_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

struct Look<'b> {
    book: &'b Book,
    left: usize,
}

impl Look<'_> {
    fn folder(&mut self, folder: &Path) -> bool {
        let Ok(text) = text_of(folder) else { return true };
        if !self.book.touches(&text) {
            return false;
        }
        let Ok(meta) = std::fs::symlink_metadata(folder) else {
            return true;
        };
        if is_changed(self.book, &text, &meta) {
            return true;
        }
        let Ok(entries) = std::fs::read_dir(folder) else {
            return true;
        };
        let mut open = Vec::new();
        for entry in entries {
            let Some(left) = self.left.checked_sub(1) else {
                return true;
            };
            self.left = left;
            let Ok((path, meta)) = entry.and_then(|entry| Ok((entry.path(), entry.metadata()?))) else {
                return true;
            };
            if meta.is_dir() {
                open.push(path);
            } else if is_foreign_file(self.book, &path, &meta) {
                return true;
            }
        }
        open.iter().any(|folder| self.folder(folder))
    }
}

fn is_foreign_file(book: &Book, path: &Path, meta: &std::fs::Metadata) -> bool {
    let Ok(text) = text_of(path) else { return true };
    if !is_changed(book, &text, meta) {
        return false;
    }
    let is_known = || {
        let is_small = meta.is_file() && meta.len() <= MOST_COMPARED;
        let is_written = is_small && book.is_written(&text);
        is_written && std::fs::read(path).is_ok_and(|content| book.holds(&text, &Digest::of(&content)))
    };
    !is_known()
}

/// Whether it lies where somebody could write, and was changed since.
fn is_changed(book: &Book, path: &str, meta: &std::fs::Metadata) -> bool {
    let cutoff = match has_other_names(meta) {
        // It may be written by any of them.
        true => book.first(),
        false => book.cutoff(path),
    };
    cutoff.is_some_and(|cutoff| changed_ms(meta).is_none_or(|changed| changed >= cutoff))
}

#[cfg(unix)]
fn changed_ms(meta: &std::fs::Metadata) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    let seconds = u64::try_from(meta.ctime()).ok()?;
    Some(seconds * 1000 + u64::try_from(meta.ctime_nsec()).ok()? / 1_000_000)
}

/// No other time is safe from a program.
#[cfg(not(unix))]
fn changed_ms(_: &std::fs::Metadata) -> Option<u64> {
    None
}

#[cfg(unix)]
fn has_other_names(meta: &std::fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    meta.is_file() && meta.nlink() > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &std::fs::Metadata) -> bool {
    false
}

/// Without links, as far as it is there.
fn real(path: &Path) -> PathBuf {
    if let Ok(real) = std::fs::canonicalize(path) {
        return real;
    }
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) if parent != path => real(parent).join(name),
        _ => path.to_owned(),
    }
}

fn text_of(path: &Path) -> io::Result<String> {
    let not_utf8 = || io::Error::new(io::ErrorKind::InvalidInput, "the path is not UTF-8");
    path.to_str().map(str::to_owned).ok_or_else(not_utf8)
}

fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
#[cfg(unix)]
mod tests;
