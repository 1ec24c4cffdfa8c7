//! Who may write into the same folders at the same time: what one of them has put there may be any's. It must not know
//! what was put there, nor why that matters.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::Shown;

/// Those that write at this moment.
#[derive(Clone, Debug, Default)]
pub struct Beside(Arc<Mutex<Book>>);

#[derive(Debug, Default)]
struct Book {
    next: u64,
    writers: Vec<Writer>,
}

#[derive(Debug)]
struct Writer {
    id: u64,
    folders: Vec<PathBuf>,
    /// Somebody else could write there too, at some time.
    is_shared: bool,
    /// What others have found there when they ended.
    found: Vec<PathBuf>,
}

impl Writer {
    fn meets(&self, folders: &[PathBuf]) -> bool {
        let meet = |a: &Path, b: &Path| a.starts_with(b) || b.starts_with(a);
        self.folders
            .iter()
            .any(|own| folders.iter().any(|other| meet(own, other)))
    }
}

impl Beside {
    /// From before it starts.
    pub(super) fn begin(&self, written: &[Shown]) -> Turn {
        let folders: Vec<PathBuf> = written.iter().map(|shown| shown.from.clone()).collect();
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let mut is_shared = false;
        for other in book.writers.iter_mut().filter(|other| other.meets(&folders)) {
            (other.is_shared, is_shared) = (true, true);
        }
        let id = book.next;
        book.next += 1;
        book.writers.push(Writer {
            id,
            folders,
            is_shared,
            found: Vec::new(),
        });
        drop(book);
        Turn {
            beside: self.clone(),
            id,
        }
    }
}

/// One that writes, until it is dropped.
pub(super) struct Turn {
    beside: Beside,
    id: u64,
}

impl Turn {
    /// After its last process has gone: what `look` finds is found by all that could have put it there, as nobody else ends
    /// meanwhile. Gives that, what others had found before, and whether it may be somebody else's.
    pub fn end<T>(self, look: impl FnOnce() -> (Vec<PathBuf>, T)) -> (Vec<PathBuf>, T, bool) {
        let mut book = self.beside.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut found, more) = look();
        for other in book.writers.iter_mut().filter(|other| other.id != self.id) {
            let theirs = found
                .iter()
                .filter(|path| other.folders.iter().any(|own| path.starts_with(own)));
            other.found.extend(theirs.cloned().collect::<Vec<_>>());
        }
        let own = book.writers.iter().position(|writer| writer.id == self.id);
        let own = own.map(|at| book.writers.swap_remove(at));
        let is_shared = own.as_ref().is_some_and(|own| own.is_shared);
        found.extend(own.into_iter().flat_map(|own| own.found));
        drop(book);
        (found, more, is_shared)
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut book = self.beside.0.lock().unwrap_or_else(PoisonError::into_inner);
        book.writers.retain(|writer| writer.id != self.id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &str) -> [Shown; 1] {
        [Shown {
            from: path.into(),
            at: path.into(),
        }]
    }

    #[test]
    fn what_is_found_is_found_by_all_that_could_have_put_it_there() {
        let beside = Beside::default();
        let (one, inner, other) = (
            beside.begin(&at("/a")),
            beside.begin(&at("/a/b")),
            beside.begin(&at("/c")),
        );
        let (found, (), is_shared) = one.end(|| (vec!["/a/b/.bashrc".into(), "/a/x".into()], ()));
        assert_eq!((found.len(), is_shared), (2, true));
        let later = beside.begin(&at("/a"));
        let (found, (), is_shared) = inner.end(|| (Vec::new(), ()));
        assert_eq!((found, is_shared), (vec![PathBuf::from("/a/b/.bashrc")], true));
        assert_eq!(other.end(|| (Vec::new(), ())), (Vec::new(), (), false));
        // It was put away before this one began.
        assert_eq!(later.end(|| (Vec::new(), ())), (Vec::new(), (), true));
    }

    #[test]
    fn who_was_ended_on_the_way_writes_no_more() {
        let beside = Beside::default();
        drop(beside.begin(&at("/a")));
        let (_, (), is_shared) = beside.begin(&at("/a")).end(|| (Vec::new(), ()));
        assert!(!is_shared);
    }
}
