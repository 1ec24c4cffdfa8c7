//! What the files held that a command may change, for a rewind: kept where they are few and small, else only listed. What a
//! command makes anew can't be told beforehand, so that each written folder itself is listed too, as not kept.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::view;
use crate::tools::files::Keeper;
use crate::tools::{CallContext, Found, Written};

/// In all written folders together.
const MOST_FILES: usize = 64;
const MOST_BYTES: u64 = 8 << 20;

pub(super) async fn before(closed: &Arc<[PathBuf]>, cx: &CallContext) -> Vec<Written> {
    let (around, context) = (closed.clone(), cx.clone());
    let looking = tokio::task::spawn_blocking(move || written(&around, &context));
    let (folders, files) = looking.await.unwrap_or_default();
    let keeper = Keeper::new(closed.clone());
    let mut all = Vec::new();
    for path in files {
        // A link or a special file among them is the walls' to refuse.
        let found = keeper.read(path.clone(), cx).await.unwrap_or(Found::Unreadable);
        all.push(Written {
            path,
            found,
            after: None,
        });
    }
    all.extend(folders.into_iter().map(|path| Written {
        path,
        found: Found::Listed,
        after: None,
    }));
    all
}

/// Folders that may be written, and the files in them if these can be kept; as they stand in needs.
fn written(closed: &Arc<[PathBuf]>, cx: &CallContext) -> (Vec<String>, Vec<String>) {
    let Ok(view) = view::view(closed, cx, view::Missing::Leave) else {
        return Default::default();
    };
    let granted = view
        .write
        .iter()
        .map(|shown| (shown.from.clone(), text(&shown.at)));
    let own = (view.own.clone(), "run:/".to_owned());
    let (mut folders, mut files) = (Vec::new(), Vec::new());
    let mut left = Left {
        files: MOST_FILES,
        bytes: MOST_BYTES,
    };
    for (from, name) in granted.chain([own]) {
        if !from.is_dir() {
            files.extend(left.take(&from).then_some(name));
            continue;
        }
        let before = files.len();
        if !left.all_in(&from, &name, &mut files) {
            files.truncate(before);
        }
        folders.push(name);
    }
    (folders, files)
}

struct Left {
    files: usize,
    bytes: u64,
}

impl Left {
    fn take(&mut self, file: &Path) -> bool {
        let bytes = file.symlink_metadata().map_or(0, |meta| meta.len());
        if self.files == 0 || bytes > self.bytes {
            return false;
        }
        self.files -= 1;
        self.bytes -= bytes;
        true
    }

    /// Whether all of the folder's files can be kept.
    fn all_in(&mut self, folder: &Path, name: &str, files: &mut Vec<String>) -> bool {
        let mut open = vec![(folder.to_owned(), name.trim_end_matches('/').to_owned())];
        let mut looked = 0;
        while let Some((folder, name)) = open.pop() {
            for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
                looked += 1;
                let (Ok(kind), inside) = (entry.file_type(), entry.file_name()) else {
                    continue;
                };
                let name = format!("{name}/{}", inside.to_string_lossy());
                if looked > MOST_FILES * 10 || (kind.is_file() && !self.take(&entry.path())) {
                    return false;
                }
                match (kind.is_dir(), kind.is_file()) {
                    (true, _) => open.push((entry.path(), name)),
                    (_, true) => files.push(name),
                    _ => {}
                }
            }
        }
        true
    }
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
