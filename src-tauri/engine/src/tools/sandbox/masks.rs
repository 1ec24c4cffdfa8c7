//! What lies in a shown folder and must stay out of sight: places that no grant opens, Planloom's own data, and sockets and
//! pipes, through which one talks to what runs outside. It must not know how it is hidden.

use std::fs::FileType;
use std::path::{Path, PathBuf};

use super::{Confined, SandboxError, Shown, system};
use crate::model::grants;

/// Entries of shown folders that are looked at.
const MOST: usize = 300_000;

/// A place to be hidden, as the confined process would see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mask {
    pub at: PathBuf,
    pub is_folder: bool,
}

/// All of them. Refuses what can't be shown at all.
pub(super) fn masks(confined: &Confined) -> Result<Vec<Mask>, SandboxError> {
    let mut walk = Walk {
        left: MOST,
        found: Vec::new(),
    };
    for shown in confined.read.iter().chain(&confined.write) {
        refuse(shown)?;
        walk.whole(shown)?;
    }
    for closed in &confined.closed {
        hide_own(confined, closed, &mut walk.found)?;
    }
    Ok(walk.found)
}

/// What has come to lie in the written folders that no grant opens, though it was not there before: real paths.
pub(super) fn planted(confined: &Confined, before: &[Mask]) -> Vec<PathBuf> {
    let mut walk = Walk {
        left: MOST,
        found: Vec::new(),
    };
    for shown in &confined.write {
        // A folder that has become too large has been looked at up to the bound.
        let _ = walk.whole(shown);
    }
    let is_new = |mask: &&Mask| !before.contains(mask);
    let real = |mask: &Mask| {
        let around = confined
            .write
            .iter()
            .find(|shown| mask.at.starts_with(&shown.at))?;
        Some(around.from.join(mask.at.strip_prefix(&around.at).ok()?))
    };
    walk.found.iter().filter(is_new).filter_map(real).collect()
}

fn refuse(shown: &Shown) -> Result<(), SandboxError> {
    let closed = |why: String| Err(SandboxError::Closed(shown.at.clone(), why));
    if !shown.at.is_absolute() || !shown.from.is_absolute() {
        return Err(SandboxError::NotAbsolute(shown.at.clone()));
    }
    for path in [&shown.from, &shown.at] {
        if path.components().count() < 2 {
            return closed("a command is never shown the whole file system; name a folder in it".to_owned());
        }
        if system::OWN.iter().any(|own| path.starts_with(own)) {
            return closed("it is no place for files".to_owned());
        }
        if let Some(why) = grants::closed_to_all(&path.to_string_lossy()) {
            return closed(why);
        }
    }
    Ok(())
}

/// Existing ones are hidden from readers; a writer could make those that are not there yet, such as a settings file.
fn hide_own(confined: &Confined, closed: &Path, found: &mut Vec<Mask>) -> Result<(), SandboxError> {
    let real = std::fs::canonicalize(closed).unwrap_or_else(|_| closed.to_owned());
    for path in [closed, &real] {
        if let Some(shown) = confined.write.iter().find(|shown| path.starts_with(&shown.from)) {
            let why = "Planloom's own data lies in it, which no command may change; grant a folder beside it";
            return Err(SandboxError::Closed(shown.at.clone(), why.to_owned()));
        }
        for shown in confined.read.iter().filter(|shown| path.starts_with(&shown.from)) {
            let (Ok(inside), Ok(meta)) = (path.strip_prefix(&shown.from), path.metadata()) else {
                continue;
            };
            found.push(Mask {
                at: shown.at.join(inside),
                is_folder: meta.is_dir(),
            });
        }
    }
    Ok(())
}

struct Walk {
    left: usize,
    found: Vec<Mask>,
}

impl Walk {
    /// Follows no links: where they lead, the process finds only what is shown there.
    fn whole(&mut self, shown: &Shown) -> Result<(), SandboxError> {
        let mut open = vec![PathBuf::new()];
        while let Some(inside) = open.pop() {
            let Ok(entries) = std::fs::read_dir(shown.from.join(&inside)) else {
                continue;
            };
            for entry in entries.flatten() {
                if self.left == 0 {
                    let why = format!("it holds more than {MOST} files; grant the folder that is needed");
                    return Err(SandboxError::Closed(shown.at.clone(), why));
                }
                self.left -= 1;
                let Ok(kind) = entry.file_type() else { continue };
                let inside = inside.join(entry.file_name());
                let at = shown.at.join(&inside);
                if is_hidden(&at, kind) {
                    let is_folder = kind.is_dir();
                    self.found.push(Mask { at, is_folder });
                } else if kind.is_dir() {
                    open.push(inside);
                }
            }
        }
        Ok(())
    }
}

/// A link can't be hidden, and needs not be.
fn is_hidden(at: &Path, kind: FileType) -> bool {
    let is_plain = kind.is_dir() || kind.is_file();
    if kind.is_symlink() {
        return false;
    }
    let name = at.file_name().unwrap_or_default().to_string_lossy();
    !is_plain || (grants::may_be_closed(&name) && grants::closed_to_all(&at.to_string_lossy()).is_some())
}
