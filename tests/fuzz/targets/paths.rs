//! Paths of calls and of grant entries, against real files and links: what a file tool opens lies where the entry says,
//! wherever links point, and nothing that is closed to all is opened. It must not know who makes up the bytes.
//!
//! Four lines: an entry of `read` and `write`, a path, a pattern of files, and anything if the path shall be written.
//! `@` is the folder of all that there is.

use std::collections::HashMap;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use planloom_engine::model::Digest;
use planloom_engine::model::grants::{
    Grants, Need, Place, closed_to_all, covers, entry_problem, real_path, resource_of_path, root_of,
};
use planloom_engine::model::tool::Access;
use planloom_engine::tools::{CallContext, Now, Permit, Registry, ToolError};
use serde_json::{Value as Json, json};
use tempfile::TempDir;

/// Each file holds its own name.
const FILES: &[&str] = &[
    "plan/a.txt",
    "plan/A.txt",
    "plan/data/b.txt",
    "plan/data/sub/c.txt",
    "plan/data/.ssh/id",
    "plan/data2/d.txt",
    "plan/data./e.txt",
    "plan/Data/f.txt",
    "plan/[x]/g.txt",
    "plan/da ta/h.txt",
    "plan/.ssh/id",
    "outside/s.txt",
    "outside/deep/t.txt",
    "run/w.txt",
    "run/sub/x.txt",
];
const LINKS: &[(&str, &str)] = &[
    ("plan/link", "data"),
    ("plan/data/same", "b.txt"),
    ("plan/data/two", "../data2"),
    ("plan/data/up", ".."),
    ("plan/data/far", "../../outside"),
    ("plan/data/file", "../../outside/s.txt"),
    ("plan/data/keys", "../.ssh/id"),
    ("plan/data/whole", "@/outside"),
    ("plan/data/mine", "@/run"),
    ("plan/data/nowhere", "../../outside/new"),
    ("plan/data/loop", "loop"),
    ("run/out", "../outside"),
    ("run/plan", "@/plan"),
    ("run/sub/back", "../w.txt"),
];

/// What no file holds before it is written.
const NEW: &str = "new";

thread_local! {
    static TREE: Tree = Tree::planted();
}

pub fn paths(bytes: &[u8]) {
    TREE.with(|tree| tree.try_it(&String::from_utf8_lossy(bytes)));
}

/// Gone with the thread that made it.
struct Tree {
    base: PathBuf,
    tools: Registry,
    names: HashMap<Digest, &'static str>,
    runtime: tokio::runtime::Runtime,
    _folder: TempDir,
}

/// One entry and one path.
struct Try<'a> {
    tree: &'a Tree,
    entry: String,
    path: String,
    /// The path in its normal form.
    resource: String,
    cx: CallContext,
}

impl Tree {
    fn planted() -> Self {
        let folder = tempfile::tempdir().expect("temporary files can be made");
        let base = folder.path().canonicalize().expect("it was just made");
        let tree = Self {
            base,
            tools: Registry::builtin(),
            names: FILES
                .iter()
                .map(|name| (Digest::of(name.as_bytes()), *name))
                .collect(),
            runtime: tokio::runtime::Builder::new_current_thread()
                .build()
                .expect("a runtime"),
            _folder: folder,
        };
        tree.plant();
        tree
    }

    fn plant(&self) {
        for entry in std::fs::read_dir(&self.base).expect("it is there").flatten() {
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let path = entry.path();
            let gone = if is_folder {
                std::fs::remove_dir_all(path)
            } else {
                std::fs::remove_file(path)
            };
            gone.expect("it can go");
        }
        for name in FILES {
            let file = self.base.join(name);
            std::fs::create_dir_all(file.parent().expect("it has one")).expect("a folder");
            std::fs::write(file, name).expect("a file");
        }
        for (name, to) in LINKS {
            link(&at(&self.base, to), &self.base.join(name));
        }
    }

    /// The files that are not as they were planted.
    fn strange(&self, folder: &Path) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir(folder).expect("it is there").flatten() {
            let (path, kind) = (entry.path(), entry.file_type().expect("it has one"));
            let name = path.strip_prefix(&self.base).expect("it lies below");
            let is_planted = |planted: &str| Path::new(planted) == name;
            if kind.is_dir() {
                found.extend(self.strange(&path));
            } else if kind.is_symlink() {
                assert!(LINKS.iter().any(|(planted, _)| is_planted(planted)), "{path:?}");
            } else if !FILES.iter().any(|planted| is_planted(planted))
                || std::fs::read(&path).is_ok_and(|held| Path::new(&*String::from_utf8_lossy(&held)) != name)
            {
                found.push(path);
            }
        }
        found
    }

    fn try_it(&self, text: &str) {
        let mut lines = text.splitn(4, '\n');
        let mut line = || at(&self.base, lines.next().unwrap_or_default());
        let (entry, path, glob, is_written) = (line(), line(), line(), !line().is_empty());
        for access in [Access::Read, Access::Write, Access::Database] {
            let _ = entry_problem(access, &entry, &self.place());
        }
        // What no reader of paths has made, as it could stand in an edited log.
        let cx = self.context(&entry);
        let raw = need(Access::Read, &path);
        if covers(&cx.permit.grants, &raw, &cx.place) {
            assert_eq!(resource_of_path(&path, &cx.place).as_ref(), Ok(&path), "{path:?}");
        }
        if let Ok(resource) = resource_of_path(&path, &cx.place) {
            let tried = Try {
                tree: self,
                entry,
                path,
                resource,
                cx,
            };
            tried.has_a_normal_form();
            tried.is_opened_only_inside(&glob);
            if is_written {
                tried.is_written_only_inside();
            }
        }
    }

    fn place(&self) -> Place {
        Place {
            folder: Some(self.base.join("plan")),
            workspace: self.base.join("run"),
        }
    }

    fn context(&self, entry: &str) -> CallContext {
        let grants = Grants {
            read: vec![entry.to_owned()],
            write: vec![entry.to_owned()],
            ..Grants::default()
        };
        CallContext {
            ask: None,
            place: self.place(),
            permit: Permit {
                withheld: std::sync::Arc::default(),
                grants: Arc::new(grants),
                needs: Arc::new([]),
            },
            idempotency_key: String::new(),
            is_idempotent: false,
            cancel: Default::default(),
        }
    }
}

impl Try<'_> {
    /// Absolute, without steps, and read again the same.
    fn has_a_normal_form(&self) {
        let (resource, place) = (&self.resource, &self.cx.place);
        assert!(!self.path.contains(char::is_control), "{:?}", self.path);
        assert_eq!(resource_of_path(resource, place).as_ref(), Ok(resource));
        let real = real_path(resource, place);
        let is_plain = |part: Component| matches!(part, Component::RootDir | Component::Normal(_));
        assert!(real.is_absolute() && real.components().all(is_plain), "{real:?}");
        let walked = self.walked(&self.path);
        assert_eq!(real, walked, "{:?}", self.path);
        assert_eq!(resource.starts_with("run:/"), self.path.starts_with("run:/"));
    }

    fn is_opened_only_inside(&self, glob: &str) {
        let real = real_path(&self.resource, &self.cx.place);
        let need = need(Access::Read, &self.resource);
        let is_covered = covers(&self.cx.permit.grants, &need, &self.cx.place);
        assert!(
            !is_covered || self.may_open(&real),
            "{:?} covers {real:?}",
            self.entry
        );
        let root = root_of(&self.cx.permit.grants, &[], &need, &self.cx.place);
        assert_eq!(root.is_some(), is_covered);
        assert!(
            root.is_none_or(|root| real.starts_with(root)),
            "{real:?} lies outside its root"
        );
        // Nothing beyond the tree is touched: who may name `/` may open `/`.
        if !real.starts_with(&self.tree.base) {
            return;
        }
        let read = self.call("file.read", json!({ "path": self.path }));
        if let Ok(read) = read {
            self.check_opened(&self.tree.base.join(read["text"].as_str().expect("a text")));
        }
        if let Ok(listed) = self.call("file.list", json!({ "path": self.path, "glob": glob })) {
            let files = listed["files"].as_array().expect("a list");
            files
                .iter()
                .for_each(|file| self.check_listed(file.as_str().expect("a name")));
        }
        if let Some(name) = self.looked_at() {
            self.check_opened(&self.tree.base.join(name));
        }
    }

    /// One file and no other, or nothing at all.
    fn is_written_only_inside(&self) {
        if !real_path(&self.resource, &self.cx.place).starts_with(&self.tree.base) {
            return;
        }
        let written = self.call("file.write", json!({ "path": self.path, "text": NEW }));
        let strange = self.tree.strange(&self.tree.base);
        assert_eq!(strange.len(), usize::from(written.is_ok()), "{strange:?}");
        for file in &strange {
            assert_eq!(std::fs::read_to_string(file).expect("it was found"), NEW);
            self.check_opened(file);
        }
        if !strange.is_empty() {
            self.tree.plant();
        }
    }

    /// What would be written over.
    fn looked_at(&self) -> Option<&'static str> {
        let writer = self.tree.tools.get("file.write").expect("it is built in");
        let keeper = writer.keeper().expect("it keeps");
        let looking = keeper.look(self.path.clone(), &self.cx);
        match self.tree.runtime.block_on(looking) {
            Ok(Now::Holds(size)) => Some(self.tree.names[&size.hash]),
            Ok(Now::Absent) => {
                let real = real_path(&self.resource, &self.cx.place);
                let is_link = std::fs::symlink_metadata(&real).is_ok_and(|meta| meta.is_symlink());
                assert!(!is_link, "{real:?} would be written through a link to nowhere");
                None
            }
            Err(error) => self.check_refusal(&error),
        }
    }

    fn call(&self, tool: &str, arguments: Json) -> Result<Json, ToolError> {
        let tool = self.tree.tools.get(tool).expect("it is built in");
        let called = self.tree.runtime.block_on(tool.call(arguments, &self.cx));
        called.inspect_err(|error| {
            self.check_refusal::<()>(error);
        })
    }

    fn check_refusal<T>(&self, error: &ToolError) -> Option<T> {
        let is_broken = matches!(error, ToolError::Permanent { code: "broken", .. });
        assert!(!is_broken, "{:?}: {error}", self.path);
        assert!(!error.to_string().is_empty());
        None
    }

    fn check_opened(&self, file: &Path) {
        assert!(
            closed_to_all(&file.to_string_lossy()).is_none(),
            "{:?} opened {file:?}",
            self.path
        );
        assert!(
            self.may_open(file),
            "{:?} let {:?} open {file:?}",
            self.entry,
            self.path
        );
    }

    /// Can be named as it stands, and lies below the folder that was asked for.
    fn check_listed(&self, file: &str) {
        let resource = resource_of_path(file, &self.cx.place).expect("a path that can be read");
        let (real, folder) = (
            real_path(&resource, &self.cx.place),
            real_path(&self.resource, &self.cx.place),
        );
        assert!(real.starts_with(&folder), "{file:?} is not below {folder:?}");
        let meta = std::fs::symlink_metadata(&real).expect("it is there");
        assert!(meta.is_file(), "{real:?} is no file");
    }

    /// A second reading of entries, by their fixed parts: a pattern may be wider here, but never leads out of them.
    fn may_open(&self, file: &Path) -> bool {
        if self.resource.starts_with("run:/") {
            return file.starts_with(&self.cx.place.workspace);
        }
        if self.entry.is_empty() {
            return false;
        }
        let is_pattern = |part: &&str| part.contains(['*', '?', '[', ']', '{', '}', '\\']);
        let parts = || self.entry.split('/');
        let fixed: Vec<&str> = parts().take_while(|part| !is_pattern(part)).collect();
        let folder = match fixed.as_slice() {
            [] => self.walked("."),
            // `/*` is at the root.
            [""] if self.entry.len() > 1 => self.walked("/"),
            fixed => self.walked(&fixed.join("/")),
        };
        let has_pattern = parts().any(|part| is_pattern(&part));
        let is_folder = has_pattern || matches!(parts().next_back(), Some("" | "." | ".."));
        file == folder || (is_folder && file.starts_with(&folder))
    }

    fn walked(&self, path: &str) -> PathBuf {
        walked(&self.cx.place.workspace, &self.tree.base.join("plan"), path)
    }
}

/// Step by step, as a person would go; a path of the workspace stays below it.
fn walked(workspace: &Path, folder: &Path, path: &str) -> PathBuf {
    let (start, rest) = match path.strip_prefix("run:/") {
        Some(rest) => (workspace, rest),
        None if path.starts_with('/') => (Path::new("/"), path),
        None => (folder, path),
    };
    let mut place = start.to_owned();
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                place.pop();
            }
            part => place.push(part),
        }
    }
    place
}

fn at(base: &Path, text: &str) -> String {
    text.replace('@', base.to_str().expect("a folder whose name is text"))
}

fn need(access: Access, resource: &str) -> Need {
    Need {
        access,
        resource: resource.to_owned(),
        method: None,
    }
}

#[cfg(unix)]
fn link(to: &str, name: &Path) {
    std::os::unix::fs::symlink(to, name).expect("a link");
}

#[cfg(not(unix))]
fn link(_: &str, _: &Path) {}
