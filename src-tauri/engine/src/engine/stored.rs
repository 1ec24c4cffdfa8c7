//! What lies on the disk and what of it a person may do without: sizes, old runs, and what goes with a run. It deletes only
//! what it is told to, one run after the other, and nothing that goes on.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};

use super::{Engine, Error};
use crate::model::RunId;
use crate::model::status::RunStatus;
use crate::store::{RunKey, RunRecord};
use crate::views::{GoneView, OldRunsView, RefusedRun, StorageView, WhatGoes};

/// Files of one folder that are looked at; what lies beyond is said to be more.
const MOST_FILES: u32 = 100_000;

const DAY_MS: i64 = 24 * 60 * 60 * 1000;

/// What lies in a folder.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Heap {
    pub files: u32,
    pub bytes: u64,
}

impl Engine {
    /// How much lies where.
    pub async fn storage(&self) -> Result<StorageView, Error> {
        let sizes = self.inner.store.sizes().await?;
        let records = self.inner.store.runs(u32::MAX).await?;
        let is_draft = |record: &&RunRecord| status(record) == Some(RunStatus::AwaitingApproval);
        let drafts = records.iter().filter(is_draft).count();
        let folder = self.inner.around.workspaces.clone();
        let heap = heap_of(vec![folder.clone()]).await;
        Ok(StorageView {
            file: self.db().unwrap_or(Path::new("")).to_string_lossy().into_owned(),
            folder: folder.to_string_lossy().into_owned(),
            bytes: sizes.bytes as f64,
            free: sizes.free as f64,
            values: sizes.values as f64,
            runs: narrow(records.len() - drafts),
            drafts: narrow(drafts),
            search: self.inner.store.index_bytes() as f64,
            files: heap.files,
            files_bytes: heap.bytes as f64,
            is_more: heap.files >= MOST_FILES,
            held_by: self.inner.store.any_holder().map(|owner| owner.to_string()),
        })
    }

    /// Runs that are over and have not changed for so many days, and drafts too where they are wanted; what waits for a person is none.
    pub async fn old_runs(&self, days: u32, with_drafts: bool) -> Result<OldRunsView, Error> {
        let before_ms = self.now_ms() - i64::from(days) * DAY_MS;
        let records = self.inner.store.runs(u32::MAX).await?;
        let is_old = |record: &&RunRecord| {
            let open = record
                .summary
                .as_ref()
                .map_or(0, |summary| summary.open_decisions);
            record.changed_ms < before_ms
                && open == 0
                && status(record).is_some_and(|status| {
                    status.is_over() || (with_drafts && status == RunStatus::AwaitingApproval)
                })
        };
        let runs: Vec<RunId> = records
            .iter()
            .filter(is_old)
            .map(|record| record.id.clone())
            .collect();
        Ok(OldRunsView {
            goes: self.what_goes(&runs).await?,
            runs: runs.iter().map(ToString::to_string).collect(),
        })
    }

    /// What would go with these runs, and which of them can't go now.
    pub async fn what_goes(&self, runs: &[RunId]) -> Result<WhatGoes, Error> {
        let wanted: BTreeSet<&RunId> = runs.iter().collect();
        let all = self.inner.store.runs(u32::MAX).await?;
        let mut goes = WhatGoes::default();
        let mut keys: HashSet<RunKey> = HashSet::new();
        let mut folders = Vec::new();
        for record in all.iter().filter(|record| wanted.contains(&record.id)) {
            if let Some(owner) = self.inner.store.holder(&record.id) {
                goes.refused.push(RefusedRun {
                    run: record.id.to_string(),
                    title: record
                        .summary
                        .as_ref()
                        .map_or_else(String::new, |s| s.title.clone()),
                    why: format!("{owner} is at work on it"),
                });
                continue;
            }
            keys.insert(record.key);
            folders.push(self.folder(&record.id));
            match status(record) == Some(RunStatus::AwaitingApproval) {
                true => goes.drafts += 1,
                false => goes.runs += 1,
            }
            let begin = record.parent.map_or(0, |(_, at)| at);
            goes.events += record.head.saturating_sub(begin) as f64;
            goes.open_decisions += record.summary.as_ref().map_or(0, |s| s.open_decisions);
        }
        let is_fork = |record: &&RunRecord| {
            !keys.contains(&record.key) && record.parent.is_some_and(|(parent, _)| keys.contains(&parent))
        };
        goes.forks = narrow(all.iter().filter(is_fork).count());
        let heap = heap_of(folders).await;
        (goes.files, goes.bytes) = (heap.files, heap.bytes as f64);
        Ok(goes)
    }

    /// Deletes them one after the other; those that can't go are told, and stay as they are.
    pub async fn delete_runs(&self, runs: &[RunId]) -> Result<GoneView, Error> {
        let mut gone = GoneView::default();
        for run in runs {
            match self.remove_run(run).await {
                Ok(deleted) => {
                    gone.runs.push(deleted.run.to_string());
                    gone.events += deleted.events as f64;
                }
                Err(error) => gone.refused.push(RefusedRun {
                    run: run.to_string(),
                    title: String::new(),
                    why: error.to_string(),
                }),
            }
        }
        self.forget_deleted().await;
        Ok(gone)
    }
}

fn status(record: &RunRecord) -> Option<RunStatus> {
    record.summary.as_ref().and_then(|summary| summary.status)
}

fn narrow(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Of all that lies in these folders; links are counted and not followed, and what can't be read counts for nothing.
pub(super) async fn heap_of(folders: Vec<PathBuf>) -> Heap {
    let count = move || {
        let (mut heap, mut left) = (Heap::default(), folders);
        while let Some(folder) = left.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                if heap.files >= MOST_FILES {
                    return heap;
                }
                let Ok(found) = entry.metadata() else { continue };
                if found.is_dir() {
                    left.push(entry.path());
                } else {
                    heap.files += 1;
                    heap.bytes += found.len();
                }
            }
        }
        heap
    };
    tokio::task::spawn_blocking(count).await.unwrap_or_default()
}
