//! The versions of a plan: listed, named, looked at, compared, and gone back to by one more edit. History is only
//! added to.

use std::collections::VecDeque;

use super::drafts::CachedDraft;
use super::{Engine, Error};
use crate::history::drafting::Drafting;
use crate::history::revisions;
use crate::model::RunId;
use crate::model::diff::{self, PlanDiff};
use crate::model::edit;
use crate::model::events::{Change, Event, EventBody, Revision, RevisionNamed, RunNamed};
use crate::run::END;
use crate::views::{DraftView, RevisionsView};

/// Letters of a name.
const LONGEST_NAME: usize = 80;

impl Engine {
    /// Every version of the run's plan, the newest first.
    pub async fn revisions(&self, run: &RunId) -> Result<RevisionsView, Error> {
        Ok(revisions::list(&self.whole_log(run).await?))
    }

    /// Calls a revision so from now on; without a name it has none any more.
    pub async fn name_revision(&self, run: &RunId, revision: u32, name: Option<String>) -> Result<(), Error> {
        let name = read_name(name.as_deref())?;
        let events = self.whole_log(run).await?;
        let known = revisions::list(&events).revisions;
        if known.iter().any(|r| r.revision == revision && r.name == name) {
            return Ok(());
        }
        let digest = self.at_revision(run, &events, revision).await?.digest();
        let by = self.face();
        let named = RevisionNamed {
            revision,
            digest,
            name,
            by,
        };
        let cached = self.cached(run).await?;
        if cached.is_draft && !cached.is_planning {
            return self
                .note(cached, vec![self.event(None, named)], Vec::new())
                .await
                .map(drop);
        }
        self.append_request_of(run, None, Vec::new(), |_| {
            Ok(Some(EventBody::from(named.clone())))
        })
        .await
    }

    /// Calls the plan or run so in all lists from now on; without a name, by its file or goal again.
    pub async fn name_run(&self, run: &RunId, name: Option<String>) -> Result<(), Error> {
        let name = read_name(name.as_deref())?;
        let cached = self.cached(run).await?;
        if cached.name == name {
            return Ok(());
        }
        let named = RunNamed {
            name,
            by: self.face(),
        };
        if cached.is_draft && !cached.is_planning {
            return self
                .note(cached, vec![self.event(None, named)], Vec::new())
                .await
                .map(drop);
        }
        self.append_request_of(run, None, Vec::new(), |_| {
            Ok(Some(EventBody::from(named.clone())))
        })
        .await
    }

    /// The plan as it was at a revision, to be looked at.
    pub async fn draft_at(&self, run: &RunId, revision: u32) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        let drafting = match revision == cached.drafting.revision {
            true => cached.drafting.clone(),
            false => {
                let events = self.whole_log(run).await?;
                self.at_revision(run, &events, revision).await?
            }
        };
        let then = CachedDraft {
            drafting: Drafting {
                undo: VecDeque::new(),
                redo: Vec::new(),
                ..drafting
            },
            is_draft: false,
            ..cached
        };
        self.draft_view(&then).await
    }

    /// What differs from one revision to another.
    pub async fn diff(&self, run: &RunId, from: u32, to: u32) -> Result<PlanDiff, Error> {
        let events = self.whole_log(run).await?;
        let before = self.at_revision(run, &events, from).await?;
        let after = self.at_revision(run, &events, to).await?;
        Ok(diff::diff(&before.plan, &after.plan))
    }

    /// The plan is what it was at a revision, by one more edit that can be undone like any other.
    pub async fn restore_revision(&self, run: &RunId, revision: u32) -> Result<DraftView, Error> {
        let cached = self.cached(run).await?;
        let events = self.whole_log(run).await?;
        let then = self.at_revision(run, &events, revision).await?;
        let (patch, inverse) = edit::between(&cached.drafting.plan, &then.plan);
        if patch.as_array().is_none_or(Vec::is_empty) {
            return self.draft_view(&cached).await;
        }
        let label = format!("Go back to revision {revision}");
        self.revise(
            cached,
            Change::Edit(Revision {
                label,
                patch,
                inverse,
            }),
        )
        .await
    }

    pub(super) async fn whole_log(&self, run: &RunId) -> Result<Vec<Event>, Error> {
        Ok(self.inner.store.events(run, 0, END, usize::MAX).await?)
    }

    async fn at_revision(&self, run: &RunId, events: &[Event], revision: u32) -> Result<Drafting, Error> {
        let found = Drafting::at(&self.inner.store, events, revision).await?;
        found.ok_or_else(|| Error::NotFound {
            message: format!("run {run} has no revision {revision} of its plan; nothing was changed"),
        })
    }
}

fn read_name(name: Option<&str>) -> Result<Option<String>, Error> {
    let name = name.map(str::trim).filter(|name| !name.is_empty());
    let Some(name) = name else { return Ok(None) };
    let length = name.chars().count();
    if length > LONGEST_NAME {
        let message = format!(
            "a name has at most {LONGEST_NAME} letters, this one has {length}. Nothing was recorded; give a shorter one"
        );
        return Err(Error::invalid("long_name", message));
    }
    if name.chars().any(char::is_control) {
        let message = "a name is one line of text. Nothing was recorded; give one without line breaks";
        return Err(Error::invalid("bad_name", message));
    }
    Ok(Some(name.to_owned()))
}
