//! What a command sees of the disk: the granted paths as they really lie. It must not know programs.
//!
//! A path that is named is shown with all below it; of a pattern, each file that is there and matches. What may be written
//! may be read too: a process can't be given a folder that it only writes.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::model::grants::{self, Extent, Grants, Need};
use crate::model::tool::Access;
use crate::tools::files::Walls;
use crate::tools::sandbox::{self, Shown};
use crate::tools::{CallContext, ToolError, own_folder};

/// Files of patterns that are shown one by one.
const MOST_MATCHED: usize = 300;
/// Entries that are looked at to find them.
const MOST_LOOKED_AT: usize = 100_000;

pub(super) struct View {
    pub read: Vec<Shown>,
    pub write: Vec<Shown>,
    /// The run's own folder.
    pub own: PathBuf,
}

/// What becomes of folders that may be written and are not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Missing {
    Make,
    /// Nothing is changed yet.
    Leave,
}

/// Everything that the plan grants for reading and writing, and what was frozen or allowed since.
pub(super) fn view(closed: &Arc<[PathBuf]>, cx: &CallContext, missing: Missing) -> Result<View, ToolError> {
    let own = &cx.place.workspace;
    let failed = |e: std::io::Error| ToolError::permanent("io", format!("the run's own folder: {e}"));
    own_folder::make(own).map_err(failed)?;
    let look = Look {
        walls: Walls {
            cx: cx.clone(),
            closed: closed.clone(),
        },
        cx,
        missing,
    };
    Ok(View {
        read: look.shown(Access::Read)?,
        write: look.shown(Access::Write)?,
        own: own.canonicalize().map_err(failed)?,
    })
}

impl View {
    /// Where the program starts. By default in the run's own folder.
    pub fn working_folder(&self, cwd: Option<&str>, cx: &CallContext) -> Result<PathBuf, ToolError> {
        let Some(cwd) = cwd else {
            return Ok(self.own.clone());
        };
        let resource =
            grants::resource_of_path(cwd, &cx.place).map_err(|e| ToolError::permanent("bad_path", e))?;
        let need = Need {
            access: Access::Read,
            resource,
            method: None,
        };
        let path = match need.resource.strip_prefix("run:/") {
            Some(inside) => self.own.join(inside),
            None => PathBuf::from(&need.resource),
        };
        let is_shown = |shown: &Shown| path.starts_with(&shown.at);
        let is_seen = path.starts_with(&self.own) || self.read.iter().chain(&self.write).any(is_shown);
        match (is_seen, path.is_dir()) {
            (true, true) => Ok(path),
            (true, false) => Err(ToolError::permanent(
                "not_found",
                format!("there is no folder `{cwd}` to start in"),
            )),
            (false, _) => Err(ToolError::NotGranted { needs: vec![need] }),
        }
    }
}

struct Look<'a> {
    walls: Walls,
    cx: &'a CallContext,
    missing: Missing,
}

impl Look<'_> {
    fn shown(&self, access: Access) -> Result<Vec<Shown>, ToolError> {
        let mut found = Vec::new();
        for entry in entries(&self.cx.permit.grants, access) {
            match grants::extent_of(entry, &self.cx.place) {
                Ok(Extent::Named { path, is_folder }) => found.extend(self.named(&path, access, is_folder)?),
                Ok(Extent::Below(folder)) => found.extend(self.matching(&folder, entry, access)?),
                // An entry that names nothing grants nothing.
                Err(_) => {}
            }
        }
        for need in self.cx.permit.needs.iter().filter(|need| need.access == access) {
            found.extend(self.named(&need.resource, access, false)?);
        }
        found.sort_by(|a, b| a.at.cmp(&b.at));
        found.dedup();
        Ok(found)
    }

    /// Behind the same walls as the file tools: a link that leads to what is not granted is refused.
    fn named(&self, path: &str, access: Access, is_folder: bool) -> Result<Option<Shown>, ToolError> {
        if path.starts_with("run:/") {
            return Ok(None);
        }
        if path == "/" {
            let message =
                "a command is never shown the whole file system; grant a folder in it. Nothing was run";
            return Err(ToolError::permanent("closed_path", message));
        }
        let located = match self.walls.locate(path, access) {
            Ok(located) => located,
            Err(ToolError::Permanent {
                code: "not_found", ..
            }) => return Ok(None),
            Err(ToolError::NotGranted { .. }) => return Err(leads_out(path)),
            Err(error) => return Err(error),
        };
        // As links, it is left out of what a pattern shows.
        if located.has_strange_names() {
            return Ok(None);
        }
        if access == Access::Write && is_folder && self.missing == Missing::Make {
            located.make_parents()?;
            let made = located.folder.create_dir_all(located.name());
            made.map_err(|e| located.failed(&e))?;
        }
        let shown = Shown {
            from: located.real.clone(),
            at: PathBuf::from(path),
        };
        Ok(shown.from.exists().then_some(shown))
    }

    fn matching(&self, folder: &str, entry: &str, access: Access) -> Result<Vec<Shown>, ToolError> {
        let mut found = Vec::new();
        if folder.starts_with("run:/") {
            return Ok(found);
        }
        if sandbox::is_of_the_system(Path::new(folder)) {
            let message = format!(
                "`{entry}` can't be shown to a command: that is no place for files. Nothing was started"
            );
            return Err(ToolError::permanent("closed_path", message));
        }
        let one = granting(access, entry);
        let deepest = depth(entry);
        let is_covered = |path: &Path| {
            let need = Need {
                access,
                resource: path.to_string_lossy().into_owned(),
                method: None,
            };
            grants::covers(&one, &need, &self.cx.place)
        };
        let (mut open, mut looked) = (vec![(PathBuf::from(folder), 1)], 0);
        while let Some((inside, level)) = open.pop() {
            for item in std::fs::read_dir(&inside).into_iter().flatten().flatten() {
                looked += 1;
                if looked > MOST_LOOKED_AT || found.len() > MOST_MATCHED {
                    return Err(too_many(entry));
                }
                let (path, Ok(kind)) = (item.path(), item.file_type()) else {
                    continue;
                };
                let is_whole = kind.is_dir() && is_covered(&path.join("x"));
                if is_whole || (kind.is_file() && is_covered(&path)) {
                    // Closed places among them are left out, as they are inside of folders.
                    if grants::closed_to_all(&path.to_string_lossy()).is_none() {
                        found.extend(self.named(&path.to_string_lossy(), access, false)?);
                    }
                } else if kind.is_dir() && level < deepest {
                    open.push((path, level + 1));
                }
            }
        }
        Ok(found)
    }
}

/// How many levels below its first wildcard a pattern can match; more than there are, where it knows none.
fn depth(entry: &str) -> usize {
    if entry.contains("**") {
        return usize::MAX;
    }
    let is_wild = |part: &&str| part.contains(['*', '?', '[', '{']);
    entry.split('/').skip_while(|part| !is_wild(part)).count()
}

fn entries(grants: &Grants, access: Access) -> &[String] {
    match access {
        Access::Read => &grants.read,
        Access::Write => &grants.write,
        Access::Host | Access::Database | Access::Command | Access::Mcp => &[],
    }
}

fn granting(access: Access, entry: &str) -> Grants {
    let mut one = Grants::default();
    match access {
        Access::Read => one.read.push(entry.to_owned()),
        Access::Write => one.write.push(entry.to_owned()),
        Access::Host | Access::Database | Access::Command | Access::Mcp => {}
    }
    one
}

fn leads_out(path: &str) -> ToolError {
    let message = format!("`{path}` is a link to what is not granted; nothing was run");
    ToolError::permanent("leads_outside", message)
}

fn too_many(entry: &str) -> ToolError {
    let message = format!(
        "`{entry}` matches more than a command can be shown one by one ({MOST_MATCHED} files); grant their folder. \
         Nothing was run"
    );
    ToolError::permanent("too_many", message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_followed_as_deep_as_it_can_match() {
        for (entry, deepest) in [
            ("/etc/*", 1),
            ("data/*.csv", 1),
            ("a/b/*/c/?.txt", 3),
            ("a/{b,c/d}/e", 3),
            ("a/**", usize::MAX),
            ("*/x/**/y", usize::MAX),
        ] {
            assert_eq!(depth(entry), deepest, "{entry}");
        }
    }
}
