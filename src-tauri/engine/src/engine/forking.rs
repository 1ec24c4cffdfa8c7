//! Forking: a new run that shares another one's log up to a position, with a copy of its folder and its pins.

use std::collections::HashMap;
use std::path::PathBuf;

use super::again::expect_plan;
use super::drafts::parse;
use super::made::{effects_of, still_made};
use super::nested_files::read_whole;
use super::restoring::{Files, behind_files};
use super::{Engine, Error};
use crate::history::load::{self, Loaded};
use crate::model::events::{Event, EventBody, FilesRestored, RunForked};
use crate::model::grants::Place;
use crate::model::{RunId, Seq};
use crate::run::END;
use crate::tools::own_folder;
use crate::views::{EffectView, FileView};

/// A new run that goes its own way.
#[derive(Clone, Debug)]
pub struct Forked {
    pub run: RunId,
    /// How much of the log it shares: its own first event follows.
    pub at: Seq,
    /// What the parent had done outside after the fork's beginning, and before: it stays done, and a fork may do it again.
    pub effects: Vec<EffectView>,
    /// Files that the parent wrote after the fork's beginning.
    pub files: Vec<FileView>,
    /// What became of them, if they were to be restored.
    pub restored: Option<FilesRestored>,
}

impl Engine {
    /// A new run that shares this one's log up to event `at`. It waits for an approval of its own. With a plan file,
    /// what has run is taken over where its task is the same.
    pub async fn fork(
        &self,
        run: &RunId,
        at: Option<Seq>,
        plan: Option<PathBuf>,
        files: Files,
    ) -> Result<Forked, Error> {
        let text = match plan {
            Some(path) => Some(read_whole(path).await?),
            None => None,
        };
        let (mut loaded, later) = self.past_and_now(run, at, files).await?;
        let at = loaded.state.seq;
        if let Some(text) = &text {
            // A plan that could not run is refused before there is a fork.
            self.plan_of(&parse(text)?, &loaded.place)?;
        }
        expect_plan(&loaded.state)?;
        let effects = effects_of(&loaded.events, 0, &loaded.state);
        let parent = loaded.record.key;
        let id = self.inner.ids.next();
        let all = self.inner.store.events(run, 0, END, usize::MAX).await?;
        let imported = all.iter().any(|event| event.body.is_from_elsewhere());
        let forked = RunForked {
            from: run.to_string(),
            by: self.face(),
            imported,
        };
        let mut events = vec![self.event(None, forked)];
        loaded.state = self.after(&loaded.state, &events)?;
        if let Some(now) = &later {
            events.extend(self.pins_as_in(&now.state, &loaded.state));
        }
        let mut payloads = Vec::new();
        if let Some(text) = text {
            events.push(self.other_plan(text, loaded.revision + 1, &mut payloads)?);
        }
        let after = self.after(&loaded.state, &events[1..])?;
        let summary = self.summary_at(&loaded, &after);
        self.copy_workspace(run, &id).await?;
        let stored = self
            .inner
            .store
            .fork_run(parent, at, id.clone(), events, payloads, summary)
            .await;
        if let Err(error) = stored {
            // Nobody will ever look for its copy.
            let folder = self.folder(&id);
            let _ = tokio::task::spawn_blocking(move || std::fs::remove_dir_all(folder)).await;
            return Err(error.into());
        }
        let (written, restored) = self.files_of_fork(&id, at, later.as_ref(), files).await?;
        let effects = match &later {
            Some(later) => still_made(effects, &later.events, restored.as_ref()),
            None => effects,
        };
        Ok(Forked {
            run: id,
            at,
            effects,
            files: written,
            restored,
        })
    }

    /// The run at the position, and as it is now if that is later.
    async fn past_and_now(
        &self,
        run: &RunId,
        at: Option<Seq>,
        files: Files,
    ) -> Result<(Loaded, Option<Loaded>), Error> {
        let whole = match files {
            Files::Leave => load::load(&self.inner.store, &self.inner.around, run, END).await?,
            // Files that a live run is writing can't be put back under its hands.
            Files::Restore | Files::Overwrite => self.at_rest(run).await?,
        };
        let head = whole.state.seq;
        let at = at.unwrap_or(head);
        if at == 0 || at > head {
            return Err(Error::no_event(run, head));
        }
        let at = behind_outcome(&whole.events, at);
        if at == head {
            return Ok((whole, None));
        }
        let past = load::load(&self.inner.store, &self.inner.around, run, at).await?;
        Ok((past, Some(whole)))
    }

    /// Its own folder is a copy, which can be put back without touching its parent's.
    async fn files_of_fork(
        &self,
        fork: &RunId,
        at: Seq,
        now: Option<&Loaded>,
        files: Files,
    ) -> Result<(Vec<FileView>, Option<FilesRestored>), Error> {
        let Some(now) = now else {
            return Ok((Vec::new(), None));
        };
        let place = Place {
            workspace: self.folder(fork),
            ..now.place.clone()
        };
        let found = self.written(now, &place, at).await;
        // Of what its parent has made, nothing is the fork's own.
        let own = HashMap::new();
        let restored = self.restore(fork, &place, &found, (at, &own), files).await?;
        Ok((found.into_iter().map(|f| f.view).collect(), restored))
    }

    /// The files that the run keeps in its own folder belong to what has run, so a fork has them too.
    async fn copy_workspace(&self, from: &RunId, to: &RunId) -> Result<(), Error> {
        let (from, to) = (self.folder(from), self.folder(to));
        let copied = tokio::task::spawn_blocking(move || copy_folder(&from, &to)).await;
        let failed = |e: &dyn std::fmt::Display| Error::Store {
            code: "copy",
            message: format!("the run's own files could not be copied: {e}. No fork was made."),
        };
        copied.map_err(|e| failed(&e))?.map_err(|e| failed(&e))
    }
}

/// Everything below the folder; links are left out, as they may lead anywhere.
fn copy_folder(from: &std::path::Path, to: &std::path::Path) -> std::io::Result<()> {
    let mut open = vec![PathBuf::new()];
    while let Some(part) = open.pop() {
        let entries = match std::fs::read_dir(from.join(&part)) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => continue,
            other => other?,
        };
        own_folder::make(&to.join(&part))?;
        for entry in entries {
            let entry = entry?;
            let (kind, name) = (entry.file_type()?, part.join(entry.file_name()));
            if kind.is_dir() {
                open.push(name);
            } else if kind.is_file() {
                std::fs::copy(from.join(&name), to.join(&name))?;
            }
        }
    }
    Ok(())
}

/// Between the outcome of a task's only call and what follows from it, in the next event, there is no moment to go on from:
/// a fork there would have to make the call again.
pub(super) fn behind_outcome(events: &[Event], at: Seq) -> Seq {
    let at = behind_files(events, at);
    let at_seq = |seq: Seq| events.iter().rev().find(|event| event.seq == seq);
    let (Some(here), Some(next)) = (at_seq(at), at_seq(at.saturating_add(1))) else {
        return at;
    };
    let is_outcome = matches!(&here.body, EventBody::CallFinished(finished) if finished.call.is_none());
    let follows = here.task.is_some()
        && here.task == next.task
        && matches!(
            next.body,
            EventBody::TaskCompleted(_)
                | EventBody::TaskFailed(_)
                | EventBody::TaskRetrying(_)
                | EventBody::TaskInDoubt(_)
        );
    if is_outcome && follows { at + 1 } else { at }
}
