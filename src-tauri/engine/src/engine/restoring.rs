//! Giving files again what they held at an earlier position: offered, never forced on what somebody else has changed.

use std::collections::{BTreeSet, HashMap, HashSet};

use tokio_util::sync::CancellationToken;

use super::{Engine, Error};
use crate::history::load::Loaded;
use crate::history::written::{self, WrittenFile, bytes_of};
use crate::model::events::{Before, Content, Event, EventBody, FilesRestored, NotRestored, Restored, WhyNot};
use crate::model::grants::{Need, Place};
use crate::model::state::Made;
use crate::model::tool::Access;
use crate::model::value::NewPayload;
use crate::model::{Digest, RunId, Seq, content};
use crate::run::END;
use crate::tools::{CallContext, Keeper, Now, Permit};
use crate::views::{FileNow, FileView};

/// What becomes of the files that a run has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// They stay as they are and are only told.
    Leave,
    /// They get again what they held, but for those that are not surely as the run left them.
    Restore,
    /// Those too.
    Overwrite,
}

/// A file that the run wrote, beside what it is now.
pub(super) struct FoundFile {
    file: WrittenFile,
    pub view: FileView,
    keeper: Option<Keeper>,
    now: Option<Now>,
}

impl Engine {
    /// The files that the run wrote after event `seq`, with what they held then and whether they are now as the run
    /// left them.
    pub async fn written_since(&self, run: &RunId, seq: Seq) -> Result<Vec<FileView>, Error> {
        let store = &self.inner.store;
        let loaded = crate::history::load::load(store, &self.inner.around, run, END).await?;
        let found = self.written(&loaded, &loaded.place, seq).await;
        Ok(found.into_iter().map(|f| f.view).collect())
    }

    /// The same; `place` says whose workspace is meant.
    pub(super) async fn written(&self, loaded: &Loaded, place: &Place, seq: Seq) -> Vec<FoundFile> {
        let (mut found, tools) = (Vec::new(), self.tools_now());
        for file in written::written_since(&loaded.events, seq, inherited(loaded)) {
            let keeper = tools.get(&file.tool).and_then(|t| t.keeper());
            let now = match &keeper {
                Some(keeper) => keeper
                    .look(file.path.clone(), &reach(loaded, place, &file.path))
                    .await
                    .map_err(|e| e.to_string()),
                None => Err(WhyNot::Listed.text().to_owned()),
            };
            found.push(FoundFile {
                view: view(&file, now.as_ref().ok().copied()),
                now: now.ok(),
                keeper,
                file,
            });
        }
        found
    }

    /// Does with the files as a person has said, and records in this run's log what was done. `then` are the effects that
    /// this run had made at the position: what they wrote is part of what the files held.
    pub(super) async fn restore(
        &self,
        run: &RunId,
        place: &Place,
        found: &[FoundFile],
        (to, then): (Seq, &HashMap<Digest, Made>),
        files: Files,
    ) -> Result<Option<FilesRestored>, Error> {
        if files == Files::Leave || found.is_empty() {
            return Ok(None);
        }
        let loaded = self.at_rest(run).await?;
        let (mut restored, payloads) = self.put_back(&loaded, place, found, to, files).await;
        let held = held(&loaded.events, then, &restored);
        restored.redone = redone(&loaded, &held, &restored);
        restored.undone = undone(&loaded, &held, &restored);
        let events = vec![self.event(None, restored.clone())];
        let after = self.after(&loaded.state, &events)?;
        self.append_at_rest(&loaded, events, payloads, &after).await?;
        Ok(Some(restored))
    }

    /// Puts back what can be put back, and what has to be stored with that. Whatever fails is told; the files that
    /// were put back stay so.
    async fn put_back(
        &self,
        loaded: &Loaded,
        place: &Place,
        found: &[FoundFile],
        to: Seq,
        files: Files,
    ) -> (FilesRestored, Vec<NewPayload>) {
        let (mut paths, mut failed, mut payloads) = (Vec::new(), Vec::new(), Vec::new());
        let (mut undone, mut standing) = (BTreeSet::new(), BTreeSet::new());
        for one in found {
            match self.put_back_one(loaded, place, one, files).await {
                Ok((restored, held)) => {
                    paths.push(restored);
                    payloads.extend(held);
                    undone.extend(&one.file.keys);
                }
                Err(why) => {
                    let path = one.file.path.clone();
                    failed.push(NotRestored { path, why });
                    standing.extend(&one.file.keys);
                }
            }
        }
        let undone: Vec<Digest> = undone.difference(&standing).copied().copied().collect();
        let by = self.face();
        let restored = FilesRestored {
            to,
            paths,
            failed,
            undone,
            redone: Vec::new(),
            by,
        };
        (restored, payloads)
    }

    async fn put_back_one(
        &self,
        loaded: &Loaded,
        place: &Place,
        one: &FoundFile,
        files: Files,
    ) -> Result<(Restored, Vec<NewPayload>), String> {
        let restored = |before, hash| Restored {
            path: one.file.path.clone(),
            tool: one.file.tool.clone(),
            before,
            hash,
        };
        let unless = match (one.view.now, files) {
            (FileNow::AsThen, _) => return Ok((restored(None, one.now.and_then(Now::hash)), Vec::new())),
            (_, Files::Overwrite) => None,
            (FileNow::AsLeft, _) => one.now,
            (FileNow::Changed, _) => {
                return Err("it is not as the run left it; it stays as it is".to_owned());
            }
            (FileNow::Unknown, _) => {
                return Err("whether it is as the run left it can't be told; it stays as it is".to_owned());
            }
        };
        if let Some(why) = &one.view.why_not {
            return Err(why.clone());
        }
        let Some(keeper) = &one.keeper else {
            return Err(WhyNot::Listed.text().to_owned());
        };
        let (path, cx) = (&one.file.path, reach(loaded, place, &one.file.path));
        let bytes = self.bytes_then(keeper, &cx, &one.file).await?;
        let hash = bytes.as_deref().map(Digest::of);
        // What is written over now can be asked for later, like what the run has written over.
        let held = keeper.read(path.clone(), &cx).await.map_err(|e| e.to_string())?;
        let (before, payloads) = crate::run::keep(held, &loaded.state.plan, &self.inner.secrets).await;
        let put = keeper.put_back(path.clone(), bytes, unless, &cx).await;
        put.map_err(|e| e.to_string())?;
        Ok((restored(Some(before), hash), payloads))
    }

    /// What the file held at the position.
    async fn bytes_then(
        &self,
        keeper: &Keeper,
        cx: &CallContext,
        file: &WrittenFile,
    ) -> Result<Option<Vec<u8>>, String> {
        let size = match &file.content {
            Content::Absent => return Ok(None),
            Content::Kept(_) => return self.kept_bytes(&file.content).await.map(Some),
            Content::NotKept(not) => return Err(not.why.text().to_owned()),
            Content::Beginning(size) => *size,
        };
        // It has only been added to: what it held is the beginning of what a later write found, or of what is there.
        let later = file.later.iter().find(|c| matches!(c, Content::Kept(_)));
        let found = match later {
            Some(later) => {
                let mut bytes = self.kept_bytes(later).await?;
                bytes.truncate(usize::try_from(size.bytes).unwrap_or(usize::MAX));
                Some(bytes)
            }
            None => {
                let read = keeper.beginning_of(file.path.clone(), size, cx).await;
                read.map_err(|e| e.to_string())?
            }
        };
        found
            .filter(|bytes| Digest::of(bytes) == size.hash)
            .map(Some)
            .ok_or_else(|| "what it held is no longer the beginning of what is there".to_owned())
    }

    async fn kept_bytes(&self, kept: &Content) -> Result<Vec<u8>, String> {
        let Content::Kept(kept) = kept else {
            return Err("its content was not kept".to_owned());
        };
        let value = crate::run::load(&self.inner.store, &kept.value).await;
        let bytes = content::from_json(value.map_err(|e| e.to_string())?);
        bytes.ok_or_else(|| "the kept content can't be read".to_owned())
    }
}

/// Going back and giving the files what they held is one act in two events. Between them tasks count as done whose writes
/// are not there yet, or not any more: that is no moment to go to.
pub(super) fn behind_files(events: &[Event], at: Seq) -> Seq {
    // Any number may be asked for.
    let next = at
        .checked_add(1)
        .and_then(|next| events.iter().rev().find(|event| event.seq == next));
    let is_one_act = next.is_some_and(|next| matches!(next.body, EventBody::FilesRestored(_)));
    if is_one_act { at + 1 } else { at }
}

/// Calls whose writes are part of what the files hold again. What came of one that was under way at the position, the
/// file itself tells.
fn held(events: &[Event], then: &HashMap<Digest, Made>, restored: &FilesRestored) -> HashSet<Digest> {
    let is_done = |&(_, made): &(&Digest, &Made)| matches!(made, Made::Done(_));
    let mut held: HashSet<Digest> = then.iter().filter(is_done).map(|(key, _)| *key).collect();
    let now: HashMap<&str, Option<Digest>> = restored
        .paths
        .iter()
        .map(|file| (file.path.as_str(), file.hash))
        .collect();
    for event in events.iter().take_while(|e| e.seq <= restored.to) {
        if let EventBody::CallStarted(call) = &event.body
            && matches!(then.get(&call.key), Some(Made::Begun))
        {
            let is_there = |file: &Before| {
                let hash = now.get(file.path.as_str());
                hash.is_none_or(|hash| file.after.is_none() || file.after == *hash)
            };
            if call.before.iter().all(is_there) {
                held.insert(call.key);
            }
        }
    }
    held
}

/// The calls that are not there any more: those that wrote the files since, and those that an earlier restoring had undone
/// at the position and a later one has brought back.
fn undone(loaded: &Loaded, held: &HashSet<Digest>, restored: &FilesRestored) -> Vec<Digest> {
    let paths: HashSet<&str> = restored.paths.iter().map(|file| file.path.as_str()).collect();
    let failed: HashSet<&str> = restored.failed.iter().map(|file| file.path.as_str()).collect();
    let mut undone: BTreeSet<Digest> = restored.undone.iter().copied().collect();
    let own = inherited(loaded);
    for event in loaded.events.iter().filter(|event| event.seq > own) {
        if let EventBody::CallStarted(call) = &event.body
            && loaded.state.made.contains_key(&call.key)
            && call.before.iter().any(|file| paths.contains(file.path.as_str()))
            && !call.before.iter().any(|file| failed.contains(file.path.as_str()))
        {
            undone.insert(call.key);
        }
    }
    undone.retain(|key| !held.contains(key));
    undone.into_iter().collect()
}

/// Of these, the calls that a later restoring had undone, and whose files are all as they were.
fn redone(loaded: &Loaded, held: &HashSet<Digest>, restored: &FilesRestored) -> Vec<Digest> {
    let undone = loaded.events.iter().filter(|e| e.seq > restored.to);
    let undone = undone.filter_map(|event| {
        if let EventBody::FilesRestored(earlier) = &event.body {
            Some(&earlier.undone)
        } else {
            None
        }
    });
    let is_back = |key: &&Digest| held.contains(*key) && !loaded.state.made.contains_key(*key);
    let mut redone: BTreeSet<Digest> = undone.flatten().filter(is_back).copied().collect();
    let paths: HashSet<&str> = restored.paths.iter().map(|file| file.path.as_str()).collect();
    for event in &loaded.events {
        if let EventBody::CallStarted(call) = &event.body
            && call.before.iter().any(|file| !paths.contains(file.path.as_str()))
        {
            redone.remove(&call.key);
        }
    }
    redone.into_iter().collect()
}

/// Where the part of the log ends that this run has not written itself.
fn inherited(loaded: &Loaded) -> Seq {
    let is_import = |e: &&Event| matches!(e.body, EventBody::RunImported(_));
    let imported = loaded.events.iter().rev().find(is_import).map(|e| e.seq);
    let forked = loaded.record.parent.map(|(_, seq)| seq);
    imported.max(forked).unwrap_or_default()
}

/// Exactly this one file, behind the walls of the run's plan.
fn reach(loaded: &Loaded, place: &Place, path: &str) -> CallContext {
    let need = Need {
        access: Access::Write,
        resource: path.to_owned(),
        method: None,
    };
    CallContext {
        place: place.clone(),
        permit: Permit {
            withheld: std::sync::Arc::default(),
            grants: loaded.state.plan.grants.clone(),
            needs: [need].into(),
        },
        idempotency_key: String::new(),
        is_idempotent: false,
        cancel: CancellationToken::new(),
        ask: None,
    }
}

fn view(file: &WrittenFile, now: Option<Now>) -> FileView {
    let why_not = if let Content::NotKept(not) = &file.content {
        Some(not.why.text().to_owned())
    } else {
        None
    };
    FileView {
        path: file.path.clone(),
        tool: file.tool.clone(),
        seq: u32::try_from(file.seq).unwrap_or(u32::MAX),
        was_absent: matches!(file.content, Content::Absent),
        now: how_it_is(file, now),
        why_not,
    }
}

fn how_it_is(file: &WrittenFile, now: Option<Now>) -> FileNow {
    let Some(now) = now.map(Now::hash) else {
        return FileNow::Unknown;
    };
    if bytes_of(&file.content) == Some(now) {
        return FileNow::AsThen;
    }
    match &file.left {
        _ if file.is_touched_between => FileNow::Changed,
        Some(left) if left.contains(&now) => FileNow::AsLeft,
        Some(_) => FileNow::Changed,
        None => FileNow::Unknown,
    }
}
