//! `file.write`: a text file as a whole, or more at its end.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::{Dir, Metadata, OpenOptions};
use serde_json::json;

use super::walls::has_other_names;
use super::{Keeper, LARGEST, Located, Walls};
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::model::{Digest, Json, grants};
use crate::tools::{CallContext, Tool, ToolError, Written, arguments, blocking, spec, unreadable};

pub(in crate::tools) struct FileWrite {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
}

impl FileWrite {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>) -> Self {
        let arguments = json!({
            "path": spec::path("The file"),
            "text": { "type": "string" },
            "append": { "type": "boolean", "default": false, "description": "Add to the end instead of replacing the whole" },
        });
        let result = json!({ "path": { "type": "string" }, "bytes": { "type": "integer", "minimum": 0 } });
        let spec = Arc::new(ToolSpec {
            name: "file.write".to_owned(),
            description: "Writes a text file; missing folders are made.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["path", "text"]),
                json!({ "path": "run:/report.md", "text": "# Report\n" }),
            ),
            result: spec::object(result, &["path", "bytes"]),
            effect: Effect::Write,
            idempotency: Idempotency::Natural,
            touches: vec![Touch::one("path", Access::Write)],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        });
        Self { spec, closed }
    }
}

#[async_trait]
impl Tool for FileWrite {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        |known| {
            let path = known.text("path").filter(|path| path.ends_with('/'));
            let named = path.map(|path| arguments::names_a_folder("path", path));
            named
                .or_else(|| arguments::folder(known, "path"))
                .into_iter()
                .collect()
        }
    }

    /// The whole file written twice is the same file; a line appended twice is two lines.
    fn idempotency_of(&self, arguments: &Json) -> Idempotency {
        match arguments.get("append") {
            None | Some(Json::Bool(false) | Json::Null) => Idempotency::Natural,
            Some(_) => Idempotency::Not,
        }
    }

    async fn before(&self, arguments: &Json, cx: &CallContext) -> Vec<Written> {
        let given = || {
            let path = arguments::text(arguments, "path").ok()?;
            let path = grants::resource_of_path(path, &cx.place).ok()?;
            let text = arguments::text(arguments, "text").ok()?.to_owned();
            Some((path, text, arguments::flag(arguments, "append", false).ok()?))
        };
        let Some((path, text, is_append)) = given() else {
            return Vec::new();
        };
        let keeper = Keeper::new(self.closed.clone());
        let looking = keeper.before_write(path, text, is_append, cx).await;
        looking.map_or_else(
            |_| unreadable(&self.spec, arguments, &cx.place),
            |file| vec![file],
        )
    }

    fn keeper(&self) -> Option<Keeper> {
        Some(Keeper::new(self.closed.clone()))
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        blocking::changing(&cx.cancel, move |_| write(&walls, &arguments)).await
    }
}

fn write(walls: &Walls, arguments: &Json) -> Result<Json, ToolError> {
    let path = arguments::text(arguments, "path")?;
    let text = arguments::text(arguments, "text")?;
    let is_append = arguments::flag(arguments, "append", false)?;
    if path.ends_with('/') {
        return Err(ToolError::permanent(
            "not_a_file",
            format!("`{path}` names a folder"),
        ));
    }
    if text.len() as u64 > LARGEST {
        return Err(ToolError::permanent(
            "too_large",
            format!("the text has more than {} MiB", LARGEST >> 20),
        ));
    }
    let located = walls.locate(path, Access::Write)?;
    let old = existing(&located)?;
    located.make_parents()?;
    match is_append {
        true => append(&located, text).map_err(|e| located.failed(&e))?,
        false => replace(&located, text.as_bytes(), old, &walls.cx.idempotency_key)
            .map_err(|e| located.failed(&e))?,
    }
    Ok(json!({ "path": path, "bytes": text.len() }))
}

/// The file that is there now, if it may be written: a plain file under one name only.
pub(in crate::tools) fn existing(located: &Located) -> Result<Option<Metadata>, ToolError> {
    let meta = match located.folder.symlink_metadata(located.name()) {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(located.failed(&error)),
    };
    located.check_regular(&meta)?;
    if has_other_names(&meta) {
        let message = format!(
            "`{}` is one file under several names (hard links); nothing was written",
            located.asked
        );
        return Err(ToolError::permanent("hard_link", message));
    }
    Ok(Some(meta))
}

/// Whoever looks sees the old file or the new one, after a crash too.
pub(super) fn replace(located: &Located, bytes: &[u8], old: Option<Metadata>, key: &str) -> io::Result<()> {
    let (folder, name) = (&located.folder, located.name());
    // The same call, made again after a crash, meets its own left-over and takes it away.
    let mark = Digest::of(format!("{key} {}", name.display()).as_bytes()).to_string();
    let temporary = name.with_file_name(format!(".planloom-{}.tmp", &mark[..16]));
    let done = fill(folder, &temporary, bytes, old).and_then(|()| folder.rename(&temporary, folder, name));
    if done.is_err() {
        let _ = folder.remove_file(&temporary);
        return done;
    }
    sync_parent(folder, name)
}

fn fill(folder: &Dir, temporary: &Path, bytes: &[u8], old: Option<Metadata>) -> io::Result<()> {
    let _ = folder.remove_file(temporary);
    let mut file = folder.open_with(temporary, OpenOptions::new().write(true).create_new(true))?;
    file.write_all(bytes)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()
}

/// All of it or nothing, as far as nobody else appends at the same time: a full disk leaves no half line.
fn append(located: &Located, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = located
        .folder
        .open_with(located.name(), options.append(true).create(true))?;
    let before = file.metadata()?.len();
    let mut rest = text.as_bytes();
    let filled = fill_up(&mut file, &mut rest).and_then(|()| file.sync_all());
    if filled.is_err() {
        let written = (text.len() - rest.len()) as u64;
        if file.metadata()?.len() == before + written {
            file.set_len(before)?;
        }
        return filled;
    }
    sync_parent(&located.folder, located.name())
}

/// Like `write_all`, but says how far it came: `rest` is what is left.
fn fill_up(file: &mut impl Write, rest: &mut &[u8]) -> io::Result<()> {
    while !rest.is_empty() {
        match file.write(rest) {
            Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
            Ok(n) => *rest = &rest[n..],
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Makes the new name durable, where the system lets a folder be synced.
pub(super) fn sync_parent(folder: &Dir, name: &Path) -> io::Result<()> {
    let parent = name
        .parent()
        .filter(|p| !p.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    if cfg!(unix) {
        folder.open(parent)?.sync_all()
    } else {
        Ok(())
    }
}
