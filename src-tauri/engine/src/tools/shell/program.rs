//! Which file a program's name stands for. It must not know whether it is granted.

use std::path::{Path, PathBuf};

use super::view::View;
use crate::model::grants;
use crate::tools::{CallContext, ToolError};

/// The path of the program. A name is looked for on the person's `PATH` alone: never in the current folder, nor in one
/// that the plan brings along or that a command may write, where anybody could have put a program of that name.
pub(super) fn find(program: &str, view: &View, cx: &CallContext) -> Result<PathBuf, ToolError> {
    if program.contains('/') {
        return by_path(program, cx);
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let is_safe = |folder: &PathBuf| folder.is_absolute() && !is_within_reach(folder, view, cx);
    let folders = std::env::split_paths(&path).filter(is_safe);
    let found = folders
        .map(|folder| folder.join(program))
        .find(|file| is_program(file));
    found.ok_or_else(|| {
        let message = format!("there is no program `{program}` on the PATH of this machine; nothing was run");
        ToolError::permanent("program_not_found", message)
    })
}

fn by_path(program: &str, cx: &CallContext) -> Result<PathBuf, ToolError> {
    let resource =
        grants::resource_of_path(program, &cx.place).map_err(|e| ToolError::permanent("bad_path", e))?;
    if let Some(refusal) = grants::closed_to_all(&resource) {
        return Err(ToolError::permanent("closed_path", refusal));
    }
    let path = grants::real_path(&resource, &cx.place);
    if is_program(&path) {
        return Ok(path);
    }
    let message = format!("`{program}` is no file that can be run; nothing was run");
    Err(ToolError::permanent("program_not_found", message))
}

fn is_within_reach(folder: &Path, view: &View, cx: &CallContext) -> bool {
    let real = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    let written = view.write.iter().map(|shown| shown.from.as_path());
    let own = cx
        .place
        .folder
        .as_deref()
        .into_iter()
        .chain([cx.place.workspace.as_path(), &view.own]);
    written
        .chain(own)
        .any(|reach| folder.starts_with(reach) || real.starts_with(reach))
}

fn is_program(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}
