//! The merged document, with a JSON Patch each way. It must not know why anything changes.

use super::frame::Frame;
use super::merge::{Fate, Merge};
use crate::model::Json;
use crate::model::edit::names::pointer;
use crate::model::edit::patch::{NoPlace, Work};

/// Beyond this many tasks that go, the list is replaced as a whole: taking tasks out of a list one by one moves all
/// that stand behind them each time.
const ONE_BY_ONE: usize = 64;

pub(super) struct Rewritten {
    pub document: Json,
    pub patch: Json,
    pub inverse: Json,
    /// For each task of the new document, the entry of the proposal that speaks of it.
    pub entries: Vec<Option<usize>>,
}

pub(super) fn rewrite(
    current: &Json,
    merge: &Merge<'_>,
    frame: &Frame,
    positions: Option<Json>,
) -> Result<Rewritten, NoPlace> {
    let mut work = Work::new(current.clone());
    for (pointer, value) in &frame.sets {
        work.set(pointer, value.clone())?;
    }
    let gone = merge
        .fates
        .iter()
        .filter(|fate| matches!(fate, Fate::Goes))
        .count();
    if gone > ONE_BY_ONE {
        work.set("/tasks", Json::Array(merge.tasks().cloned().collect()))?;
    } else {
        write_tasks(&mut work, merge)?;
    }
    if let Some(positions) = positions {
        work.set("/layout/positions", positions)?;
    }
    let (document, patch, inverse) = work.finish();
    let old = merge.stated.iter().zip(&merge.fates);
    let entries = old
        .filter(|(_, fate)| !matches!(fate, Fate::Goes))
        .map(|(entry, _)| *entry)
        .chain(merge.added.iter().map(|entry| Some(*entry)))
        .collect();
    Ok(Rewritten {
        document,
        patch,
        inverse,
        entries,
    })
}

/// Changes in place, then what goes from the end, then what is new at the end.
fn write_tasks(work: &mut Work, merge: &Merge<'_>) -> Result<(), NoPlace> {
    for (ix, fate) in merge.fates.iter().enumerate() {
        if let Fate::Becomes(task, _) = fate {
            work.set(&pointer(ix), task.clone())?;
        }
    }
    let mut len = merge.old.len();
    for (ix, fate) in merge.fates.iter().enumerate().rev() {
        if matches!(fate, Fate::Goes) {
            work.remove(&pointer(ix))?;
            len -= 1;
        }
    }
    for entry in &merge.added {
        work.add(&pointer(len), merge.proposal.entries[*entry].clone())?;
        len += 1;
    }
    Ok(())
}
