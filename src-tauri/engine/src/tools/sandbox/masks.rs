//! What lies in a shown folder and must stay out of sight: places that no grant opens, Planloom's own data, and sockets and
//! pipes, through which one talks to what runs outside. It must not know how it is hidden.

use std::collections::HashSet;
use std::fs::FileType;
use std::path::{Path, PathBuf};

use super::{Confined, SandboxError, Shown, system};
use crate::model::grants;

/// Entries of shown folders that are looked at, before each start: a second's work at most. Of a larger folder nothing is
/// shown, and nothing runs.
const MOST: usize = 300_000;

/// A place to be hidden, as the confined process would see it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Mask {
    pub at: PathBuf,
    pub is_folder: bool,
    /// It looks empty, and not barred: of what lies in `.git`, which git reads whatever it does.
    pub is_empty: bool,
    /// Something that is shown lies in it: it can be reached there, and nothing else can be seen.
    pub leads_on: bool,
}

impl Mask {
    fn of(at: PathBuf, is_folder: bool) -> Self {
        let is_empty = at.components().any(|part| part.as_os_str() == ".git");
        Self {
            at,
            is_folder,
            is_empty,
            leads_on: false,
        }
    }
}

/// All of them. Refuses what can't be shown at all.
pub(super) fn masks(confined: &Confined) -> Result<Vec<Mask>, SandboxError> {
    let all = || confined.read.iter().chain(&confined.write);
    let mut walk = Walk {
        left: MOST,
        found: Vec::new(),
        named: Some(all().map(|shown| shown.from.as_path()).collect()),
    };
    for shown in all() {
        refuse(shown)?;
        walk.whole(shown)?;
    }
    for closed in &confined.closed {
        hide_own(confined, closed, &mut walk.found)?;
    }
    Ok(outermost(walk.found))
}

/// Each once, and what lies in a hidden folder is hidden with it.
fn outermost(mut masks: Vec<Mask>) -> Vec<Mask> {
    let folders: HashSet<PathBuf> = masks
        .iter()
        .filter(|mask| mask.is_folder)
        .map(|mask| mask.at.clone())
        .collect();
    let mut seen = HashSet::new();
    masks.retain(|mask| {
        let is_inside = mask.at.ancestors().skip(1).any(|around| folders.contains(around));
        !is_inside && seen.insert(mask.at.clone())
    });
    masks
}

/// What has come to lie in the written folders that no grant opens, though it was not there before: real paths; and a
/// folder that has become too large to be looked through.
pub(super) fn planted(confined: &Confined, before: &[Mask]) -> (Vec<PathBuf>, Option<PathBuf>) {
    let mut walk = Walk {
        left: MOST,
        found: Vec::new(),
        // A key that a program makes for itself does not run.
        named: None,
    };
    let mut written = confined.write.iter();
    let too_large = written
        .find(|shown| walk.whole(shown).is_err())
        .map(|shown| shown.at.clone());
    let is_new = |mask: &&Mask| !before.contains(mask);
    let real = |mask: &Mask| {
        let around = confined
            .write
            .iter()
            .find(|shown| mask.at.starts_with(&shown.at))?;
        Some(around.from.join(mask.at.strip_prefix(&around.at).ok()?))
    };
    (
        walk.found.iter().filter(is_new).filter_map(real).collect(),
        too_large,
    )
}

/// Whether it shows devices and processes, of which a command has its own.
pub(crate) fn is_of_the_system(path: &Path) -> bool {
    system::OWN.iter().any(|own| path.starts_with(own))
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
        if is_of_the_system(path) {
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
            let at = shown.at.join(inside);
            found.push(Mask {
                leads_on: confined.own.iter().any(|own| own.starts_with(&at)),
                ..Mask::of(at, meta.is_dir())
            });
        }
    }
    Ok(())
}

struct Walk<'c> {
    left: usize,
    found: Vec<Mask>,
    /// Files that hold keys are hidden too, but for those that are shown by their own path.
    named: Option<HashSet<&'c Path>>,
}

impl Walk<'_> {
    fn is_key(&self, at: &Path, from: &Path, kind: FileType) -> bool {
        let is_named = |named: &HashSet<&Path>| named.contains(from);
        let hides = self.named.as_ref().is_some_and(|named| !is_named(named));
        hides && kind.is_file() && grants::is_secret_file(&at.to_string_lossy())
    }

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
                if is_hidden(&at, kind) || self.is_key(&at, &shown.from.join(&inside), kind) {
                    self.found.push(Mask::of(at, kind.is_dir()));
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
