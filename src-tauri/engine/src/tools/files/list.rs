//! `file.list`: the files of a folder, by pattern.

use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use cap_std::fs::Dir;
use globset::{GlobBuilder, GlobMatcher};
use serde_json::json;

use super::Walls;
use crate::model::Json;
use crate::model::foreseen::Foresee;
use crate::model::tool::{Access, Effect, Idempotency, ToolSpec, Touch};
use crate::tools::blocking::{self, Stop};
use crate::tools::{CallContext, Tool, ToolError, arguments, spec};

const MOST_ENTRIES: usize = 100_000;
const DEEPEST: usize = 32;

pub(in crate::tools) struct FileList {
    spec: Arc<ToolSpec>,
    closed: Arc<[PathBuf]>,
}

impl FileList {
    pub(in crate::tools) fn new(closed: Arc<[PathBuf]>) -> Self {
        let arguments = json!({
            "path": spec::path("The folder"),
            "glob": { "type": "string", "default": "*", "description": "Which files, such as `*.csv` or `**/*.md`" },
        });
        let files = json!({
            "type": "array", "items": { "type": "string" },
            "description": "Paths that begin with `path`, so that each can be read as it stands; sorted; links and folders are left out",
        });
        let spec = Arc::new(ToolSpec {
            name: "file.list".to_owned(),
            description: "Lists the files of a folder.".to_owned(),
            arguments: spec::shown(
                spec::object(arguments, &["path"]),
                json!({ "path": "notes", "glob": "**/*.md" }),
            ),
            result: spec::object(json!({ "files": files }), &["files"]),
            effect: Effect::Read,
            idempotency: Idempotency::Natural,
            touches: vec![Touch::one("path", Access::Read)],
            method_argument: None,
            is_source_untrusted: false,
            needs: Vec::new(),
            definition: None,
        });
        Self { spec, closed }
    }
}

#[async_trait]
impl Tool for FileList {
    fn spec(&self) -> &Arc<ToolSpec> {
        &self.spec
    }

    fn foresee(&self) -> Foresee {
        |known| {
            let wrong = known.text("glob").and_then(|glob| matcher(glob).err());
            wrong.as_ref().map(arguments::fault).into_iter().collect()
        }
    }

    async fn call(&self, arguments: Json, cx: &CallContext) -> Result<Json, ToolError> {
        let walls = Walls {
            cx: cx.clone(),
            closed: self.closed.clone(),
        };
        blocking::reading(&cx.cancel, move |stop| list(&walls, &arguments, stop)).await
    }
}

fn list(walls: &Walls, arguments: &Json, stop: &Stop) -> Result<Json, ToolError> {
    let path = arguments::text(arguments, "path")?;
    let glob = arguments::optional_text(arguments, "glob")?.unwrap_or("*");
    let matcher = matcher(glob)?;
    let located = walls.locate(path, Access::Read)?;
    let meta = located
        .folder
        .metadata(located.name())
        .map_err(|e| located.failed(&e))?;
    if !meta.is_dir() {
        return Err(ToolError::permanent(
            "not_a_folder",
            format!("`{path}` is no folder"),
        ));
    }
    let folder = located
        .folder
        .open_dir(located.name())
        .map_err(|e| located.failed(&e))?;
    let mut walk = Walk {
        matcher,
        stop,
        found: Vec::new(),
        seen: 0,
        path,
    };
    walk.enter(&folder, "", 0)?;
    walk.found.sort_unstable();
    let prefix = prefix_of(path);
    let files: Vec<Json> = walk
        .found
        .into_iter()
        .map(|name| format!("{prefix}{name}").into())
        .collect();
    Ok(json!({ "files": files }))
}

fn matcher(glob: &str) -> Result<GlobMatcher, ToolError> {
    let compiled = GlobBuilder::new(glob).literal_separator(true).build();
    let told = |e: globset::Error| arguments::bad(format!("`glob`: {}", e.kind()));
    Ok(compiled.map_err(told)?.compile_matcher())
}

/// What stands before each name, so that it is a path like the one that was given.
fn prefix_of(path: &str) -> String {
    match path {
        "." | "./" => String::new(),
        path if path.ends_with('/') => path.to_owned(),
        path => format!("{path}/"),
    }
}

struct Walk<'a> {
    matcher: GlobMatcher,
    stop: &'a Stop,
    found: Vec<String>,
    seen: usize,
    path: &'a str,
}

impl Walk<'_> {
    fn enter(&mut self, folder: &Dir, prefix: &str, depth: usize) -> Result<(), ToolError> {
        self.stop.check()?;
        for entry in folder
            .entries()
            .map_err(|e| super::walls::failed(self.path, &e))?
        {
            let entry = entry.map_err(|e| super::walls::failed(self.path, &e))?;
            self.count()?;
            // A name that is no text can't be named in a plan either.
            let Ok(name) = entry.file_name().into_string() else {
                continue;
            };
            let name = format!("{prefix}{name}");
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_file() && self.matcher.is_match(&name) {
                self.found.push(name);
            } else if kind.is_dir() && depth < DEEPEST && self.goes_deeper() {
                // A folder that may not be entered has no files for us.
                let Ok(inner) = entry.open_dir() else { continue };
                self.enter(&inner, &format!("{name}/"), depth + 1)?;
            }
        }
        Ok(())
    }

    /// Patterns without a separator match the folder's own files only.
    fn goes_deeper(&self) -> bool {
        let glob = self.matcher.glob().glob();
        glob.contains('/') || glob.contains("**")
    }

    fn count(&mut self) -> Result<(), ToolError> {
        self.seen += 1;
        if self.seen > MOST_ENTRIES {
            let message = format!("`{}` holds more than {MOST_ENTRIES} files and folders", self.path);
            return Err(ToolError::permanent("too_large", message));
        }
        Ok(())
    }
}
