//! From a granted path to an open folder and a name in it, so that links can't lead out. Blocks its thread.

use std::io;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, Metadata, OpenOptions};

use crate::model::grants::{self, Need};
use crate::model::tool::Access;
use crate::tools::{CallContext, ToolError, own_folder};

/// What a call may open.
#[derive(Clone)]
pub(in crate::tools) struct Walls {
    pub(in crate::tools) cx: CallContext,
    /// Folders that stay closed whatever is granted; a run's own workspace may lie in one.
    pub(in crate::tools) closed: Arc<[PathBuf]>,
}

/// A place behind the walls. Its last part need not exist.
pub(in crate::tools) struct Located {
    pub(in crate::tools) folder: Dir,
    /// Inside the folder, without links up to the last part.
    pub(in crate::tools) name: PathBuf,
    /// The real place, for libraries that open by path.
    pub(in crate::tools) real: PathBuf,
    /// As it was asked for.
    pub(in crate::tools) asked: String,
    /// This very path was granted, and not only a folder around it or a pattern.
    is_named: bool,
}

impl Walls {
    /// Finds a granted path. Where links lead to another place, that place must be granted too.
    pub(in crate::tools) fn locate(&self, path: &str, access: Access) -> Result<Located, ToolError> {
        let place = &self.cx.place;
        let resource =
            grants::resource_of_path(path, place).map_err(|e| ToolError::permanent("bad_path", e))?;
        let need = Need {
            access,
            resource,
            method: None,
        };
        self.check(&need)?;
        let permit = &self.cx.permit;
        let Some(root) = grants::root_of(&permit.grants, &permit.needs, &need, place) else {
            return Err(ToolError::NotGranted { needs: vec![need] });
        };
        let is_workspace = need.resource.starts_with("run:/");
        if is_workspace {
            own_folder::make(&root).map_err(|e| failed(path, &e))?;
        }
        let folder = Dir::open_ambient_dir(&root, ambient_authority()).map_err(|e| failed(path, &e))?;
        let wanted = grants::real_path(&need.resource, place);
        let inside = wanted.strip_prefix(&root).map_err(|_| leads_out(path, &wanted))?;
        let name = follow_in(&folder, &root, inside).map_err(|e| match is_escape(&e) {
            true => leads_out(path, &wanted),
            false => failed(path, &e),
        })?;
        if name != inside {
            let shown = if is_workspace {
                "run:/".to_owned()
            } else {
                format!("{}/", root.display()).replace("//", "/")
            };
            self.check(&Need {
                access,
                resource: format!("{shown}{}", name.display()),
                method: None,
            })?;
        }
        let real = std::fs::canonicalize(&root)
            .map_err(|e| failed(path, &e))?
            .join(&name);
        self.check_closed(&real, is_workspace)?;
        Ok(Located {
            folder,
            name,
            real,
            asked: path.to_owned(),
            is_named: grants::is_named(&permit.grants, &permit.needs, &need, place),
        })
    }

    fn check(&self, need: &Need) -> Result<(), ToolError> {
        if let Some(refusal) = grants::closed_to_all(&need.resource) {
            return Err(ToolError::permanent("closed_path", refusal));
        }
        if self.cx.permit.covers(need, &self.cx.place) {
            return Ok(());
        }
        Err(ToolError::NotGranted {
            needs: vec![need.clone()],
        })
    }

    fn check_closed(&self, real: &Path, is_workspace: bool) -> Result<(), ToolError> {
        let is_inside = |folder: &PathBuf| {
            real.starts_with(folder) || std::fs::canonicalize(folder).is_ok_and(|f| real.starts_with(f))
        };
        if !is_workspace && self.closed.iter().any(is_inside) {
            let message = format!(
                "`{}` lies in Planloom's own data, which no plan may touch",
                real.display()
            );
            return Err(ToolError::permanent("closed_path", message));
        }
        // A granted folder may be a link, or another name of what the kernel shows.
        let shown = real.to_string_lossy();
        let refusal = grants::closed_to_all(&shown).filter(|_| !is_workspace);
        let made_up = || is_made_up(real).then(|| made_up_by_the_kernel(&shown));
        match refusal.or_else(made_up) {
            Some(refusal) => Err(ToolError::permanent("closed_path", refusal)),
            None => Ok(()),
        }
    }
}

fn made_up_by_the_kernel(shown: &str) -> String {
    format!(
        "`{shown}` is closed to every plan: it is no file on a disk, but what the system tells of itself and its programs"
    )
}

/// Whether the kernel makes up what stands there, under whatever name it is mounted: processes with their environment,
/// devices, its own switches (statfs(2)).
#[cfg(target_os = "linux")]
fn is_made_up(path: &Path) -> bool {
    /// proc, sysfs, debugfs, tracefs, securityfs, cgroup 1 and 2, bpf, efivarfs, configfs.
    const KINDS: [u64; 10] = [
        0x9fa0,
        0x6265_6572,
        0x6462_6720,
        0x7472_6163,
        0x7363_6673,
        0x0027_e0eb,
        0x6367_7270,
        0xcafe_4a11,
        0xde5e_81e4,
        0x6265_6570,
    ];
    rustix::fs::statfs(path).is_ok_and(|stat| KINDS.contains(&u64::from(stat.f_type as u32)))
}

#[cfg(not(target_os = "linux"))]
fn is_made_up(_: &Path) -> bool {
    false
}

impl Located {
    /// The name as the folder takes it: the folder itself is `.`.
    pub(in crate::tools) fn name(&self) -> &Path {
        if self.name.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.name
        }
    }

    /// Opens an existing regular file for reading. Anything else, such as a pipe or a device, is refused unopened.
    pub(in crate::tools) fn open(&self) -> Result<(File, Metadata), ToolError> {
        let meta = self.folder.metadata(self.name()).map_err(|e| self.failed(&e))?;
        self.check_regular(&meta)?;
        let mut options = OpenOptions::new();
        options.read(true);
        does_not_wait(&mut options);
        let file = self
            .folder
            .open_with(self.name(), &options)
            .map_err(|e| self.failed(&e))?;
        let meta = file.metadata().map_err(|e| self.failed(&e))?;
        self.check_regular(&meta)?;
        self.check_names(&meta)?;
        Ok((file, meta))
    }

    /// The other name of a file may lie anywhere, so that a folder that grants one of them would grant what lies outside.
    fn check_names(&self, meta: &Metadata) -> Result<(), ToolError> {
        if self.is_named || !has_other_names(meta) {
            return Ok(());
        }
        let message = format!(
            "`{}` is one file under several names (hard links), of which others may lie outside of what is granted: no folder \
             and no pattern grants it, only its own path",
            self.asked
        );
        Err(ToolError::permanent("hard_link", message))
    }

    /// The same, for what opens by path.
    pub(in crate::tools) fn has_strange_names(&self) -> bool {
        let meta = self.folder.metadata(self.name());
        meta.is_ok_and(|meta| meta.is_file() && self.check_names(&meta).is_err())
    }

    pub(in crate::tools) fn make_parents(&self) -> Result<(), ToolError> {
        match self.name.parent().filter(|p| !p.as_os_str().is_empty()) {
            Some(parent) => self.folder.create_dir_all(parent).map_err(|e| self.failed(&e)),
            None => Ok(()),
        }
    }

    pub(in crate::tools) fn check_regular(&self, meta: &Metadata) -> Result<(), ToolError> {
        if meta.is_file() {
            return Ok(());
        }
        let what = if meta.is_dir() {
            "a folder"
        } else {
            "neither a file nor a folder"
        };
        Err(ToolError::permanent(
            "not_a_file",
            format!("`{}` is {what}", self.asked),
        ))
    }

    pub(in crate::tools) fn failed(&self, error: &io::Error) -> ToolError {
        failed(&self.asked, error)
    }
}

pub(in crate::tools) fn has_other_names(meta: &Metadata) -> bool {
    #[cfg(unix)]
    {
        use cap_std::fs::MetadataExt;
        meta.nlink() > 1
    }
    #[cfg(not(unix))]
    {
        let _ = meta;
        false
    }
}

/// A pipe that was put there between looking and opening must not hold the thread.
fn does_not_wait(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use cap_std::fs::OpenOptionsExt;
        options.custom_flags(libc::O_NONBLOCK);
    }
    #[cfg(not(unix))]
    let _ = options;
}

/// The same from the root of all folders, out of which no link leads.
fn follow_in(folder: &Dir, root: &Path, inside: &Path) -> io::Result<PathBuf> {
    let whole = root.join(inside);
    match std::fs::canonicalize(&whole) {
        Ok(real) if root == Path::new("/") => Ok(real.components().skip(1).collect()),
        Ok(_) | Err(_) => follow(folder, inside),
    }
}

/// The name without links, as far as it exists.
fn follow(folder: &Dir, inside: &Path) -> io::Result<PathBuf> {
    if inside.as_os_str().is_empty() {
        return Ok(PathBuf::new());
    }
    match folder.canonicalize(inside) {
        Ok(name) => Ok(name.components().filter(|c| *c != Component::CurDir).collect()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            // A link to nowhere would be followed by whoever makes the file.
            if folder.symlink_metadata(inside).is_ok_and(|m| m.is_symlink()) {
                return Err(error);
            }
            let parent = inside.parent().unwrap_or(Path::new(""));
            let last = inside.file_name().ok_or(error)?;
            Ok(follow(folder, parent)?.join(last))
        }
        Err(error) => Err(error),
    }
}

#[expect(
    clippy::wildcard_enum_match_arm,
    reason = "the library's enum grows; what is new is refused or told as it is"
)]
pub(in crate::tools) fn failed(path: &str, error: &io::Error) -> ToolError {
    match error.kind() {
        io::ErrorKind::NotFound => ToolError::permanent("not_found", format!("`{path}` does not exist")),
        io::ErrorKind::PermissionDenied if is_escape(error) => leads_out(path, Path::new(path)),
        io::ErrorKind::PermissionDenied => {
            ToolError::permanent("no_access", format!("`{path}`: the system does not allow it"))
        }
        io::ErrorKind::NotADirectory => ToolError::permanent(
            "not_found",
            format!("`{path}` lies below something that is no folder"),
        ),
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => ToolError::permanent(
            "disk_full",
            format!("`{path}`: there is no space left; nothing was changed"),
        ),
        _ => ToolError::permanent("io", format!("`{path}`: {error}")),
    }
}

fn is_escape(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.to_string().contains("outside of the filesystem")
}

/// `wanted` is where it stands on the disk; where links lead from there is told if it can be known.
fn leads_out(path: &str, wanted: &Path) -> ToolError {
    let real = std::fs::canonicalize(wanted).ok().filter(|real| real != wanted);
    let to = real.map_or(String::new(), |real| format!(", to `{}`", real.display()));
    let message = format!(
        "a link on the way to `{path}` leads out of the granted folder{to}; grant and name that place itself instead"
    );
    ToolError::permanent("leads_outside", message)
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_the_kernel_makes_up_is_told_apart_by_what_it_is() {
        for path in ["/proc/self/environ", "/proc/self", "/sys"] {
            assert!(is_made_up(Path::new(path)), "{path}");
        }
        for path in ["/etc", "/dev/shm", "/nowhere/at/all"] {
            assert!(!is_made_up(Path::new(path)), "{path}");
        }
    }
}
