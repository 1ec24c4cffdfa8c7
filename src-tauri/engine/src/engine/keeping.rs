//! What is kept: deleting runs with what is theirs, and giving freed space back.

use std::path::{Component, Path};

use cap_std::ambient_authority;
use cap_std::fs::Dir;

use super::{Engine, Error};
use crate::model::{RunId, Seq};
use crate::store::Vacuumed;

/// A run that is gone.
#[derive(Clone, Debug)]
pub struct Deleted {
    pub run: RunId,
    /// Events that went with it.
    pub events: u64,
    /// Up to here its log stays for its forks; it goes with the last of them. 0: nothing stays.
    pub kept: Seq,
    /// Whether it had a folder of its own, which is gone too.
    pub had_folder: bool,
}

/// What cleaning up brought.
#[derive(Clone, Debug)]
pub struct Freed {
    /// What interrupted deletions had left.
    pub events: u64,
    pub folders: u64,
    /// Stored values that no event names.
    pub payloads: u64,
    /// By how much the database with its WAL has become smaller.
    pub bytes: u64,
    /// Bytes inside it that are free for what comes next.
    pub free: u64,
    /// Who drives a run now: the file was therefore not rewritten.
    pub held_by: Option<String>,
}

impl Engine {
    /// Deletes a run that nobody drives, with its own folder and its lock. What its forks read stays for them.
    pub async fn delete_run(&self, run: &RunId) -> Result<Deleted, Error> {
        let deleted = self.remove_run(run).await;
        self.forget_deleted().await;
        deleted
    }

    pub(super) async fn remove_run(&self, run: &RunId) -> Result<Deleted, Error> {
        let removed = self
            .inner
            .store
            .delete_run(run, &self.inner.owner, self.now_ms())
            .await?;
        self.forget(run);
        let had_folder = self.remove_folder(run).await.map_err(|error| Error::Store {
            code: "folder",
            message: format!(
                "run {run} is deleted, but its folder {} could not be removed: {error}. \
                 `planloom vacuum` tries again.",
                self.folder(run).display()
            ),
        })?;
        Ok(Deleted {
            run: run.clone(),
            events: removed.events,
            kept: removed.kept,
            had_folder,
        })
    }

    /// Finishes interrupted deletions, collects stored values that nothing names, and rewrites the file without its
    /// free pages unless a run is going on, which would have to wait for that.
    pub async fn vacuum(&self) -> Result<Freed, Error> {
        let store = &self.inner.store;
        let events = store.trim().await?;
        let folders = self.remove_left_folders().await?;
        let collected = store.collect().await?;
        self.tidy_index().await;
        let held_by = store.any_holder().map(|owner| owner.to_string());
        let rewritten = match held_by {
            None => store.vacuum().await?,
            Some(_) => Vacuumed { before: 0, after: 0 },
        };
        Ok(Freed {
            events,
            folders,
            payloads: collected.payloads,
            bytes: rewritten.before.saturating_sub(rewritten.after),
            free: store.free_bytes().await?,
            held_by,
        })
    }

    async fn remove_left_folders(&self) -> Result<u64, Error> {
        let mut folders = 0;
        for run in self.inner.store.deleted().await? {
            match self.remove_folder(&run).await {
                Ok(was_there) => folders += u64::from(was_there),
                Err(error) => {
                    tracing::warn!(%run, %error, "the folder of a deleted run could not be removed")
                }
            }
        }
        Ok(folders)
    }

    async fn remove_folder(&self, run: &RunId) -> std::io::Result<bool> {
        let (workspaces, run) = (self.inner.around.workspaces.clone(), run.clone());
        tokio::task::spawn_blocking(move || remove_inside(&workspaces, run.as_str()))
            .await
            .map_err(std::io::Error::other)?
    }
}

/// Removes the folder of this name in `workspaces`, if there is one. Nothing outside is touched, whatever the name,
/// and links are removed, not followed.
fn remove_inside(workspaces: &Path, name: &str) -> std::io::Result<bool> {
    let mut steps = Path::new(name).components();
    let is_plain =
        matches!((steps.next(), steps.next()), (Some(Component::Normal(step)), None) if step == name);
    if !is_plain {
        return Ok(false);
    }
    let folder = match Dir::open_ambient_dir(workspaces, ambient_authority()) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(false),
        other => other?,
    };
    match folder.symlink_metadata(name) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(found) if found.is_dir() => folder.remove_dir_all(name).map(|()| true),
        Ok(_) => folder.remove_file(name).map(|()| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_inside_is_removed_and_links_are_not_followed() {
        let desk = tempfile::tempdir().unwrap();
        let (runs, outside) = (desk.path().join("runs"), desk.path().join("outside"));
        for folder in [&runs.join("r1/deep"), &outside] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(outside.join("mine"), "x").unwrap();
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(&outside, runs.join("r1/deep/link")).unwrap();
            std::os::unix::fs::symlink(&outside, runs.join("linked")).unwrap();
            assert!(remove_inside(&runs, "linked").unwrap());
        }
        assert!(remove_inside(&runs, "r1").unwrap());
        assert!(!remove_inside(&runs, "r1").unwrap());
        for name in [
            "",
            ".",
            "..",
            "../outside",
            "/",
            "r1/",
            "a/b",
            outside.to_str().unwrap(),
        ] {
            assert!(!remove_inside(&runs, name).unwrap(), "{name}");
        }
        assert!(!remove_inside(&desk.path().join("none"), "r1").unwrap());
        assert!(outside.join("mine").exists() && runs.exists());
    }
}
