//! What a plan asks for that it did not ask for when it was approved last. It must not know how it came to differ.

use std::collections::BTreeSet;

use super::drafts::CachedDraft;
use super::{Engine, Error};
use crate::history::drafting::Drafting;
use crate::model::draft_view;
use crate::model::events::{Event, EventBody};
use crate::model::status::RunStatus;
use crate::model::tool::Access;
use crate::model::{DraftPlan, RunId};
use crate::run::END;
use crate::views::{NeedView, SinceLastView};

/// How many recent runs are looked through for one of the same plan file.
const RECENT: u32 = 200;

impl Engine {
    /// `None` where this plan was never approved: then all of it is new.
    pub(super) async fn since_last(
        &self,
        cached: &CachedDraft,
        document: &DraftPlan,
        needs: &[NeedView],
    ) -> Result<Option<SinceLastView>, Error> {
        let Some((run, revision, before)) = self.approved_last(cached).await? else {
            return Ok(None);
        };
        let catalog = self.catalog();
        let old = draft_view::parts(&before, &catalog, &cached.place);
        let known: BTreeSet<_> = old.needs.iter().map(row).collect();
        let ids: BTreeSet<&str> = old.tasks.iter().map(|task| task.id.as_str()).collect();
        let now = draft_view::parts(document, &catalog, &cached.place);
        let tasks = now.tasks.into_iter().map(|task| task.id);
        Ok(Some(SinceLastView {
            run: run.to_string(),
            revision,
            needs: needs
                .iter()
                .filter(|need| !known.contains(&row(need)))
                .cloned()
                .collect(),
            tasks: tasks.filter(|id| !ids.contains(id.as_str())).collect(),
        }))
    }

    /// The newest approved revision: of this run, else of the newest run of the same plan file.
    async fn approved_last(&self, cached: &CachedDraft) -> Result<Option<(RunId, u32, DraftPlan)>, Error> {
        if cached.has_begun {
            return self.approved_of(&cached.run).await;
        }
        let Some(path) = cached.path.as_deref() else {
            return Ok(None);
        };
        for record in self.inner.store.runs(RECENT).await? {
            let has_run = record.summary.as_ref().is_some_and(|summary| {
                summary.path.as_deref() == Some(path)
                    && summary
                        .status
                        .is_some_and(|status| status != RunStatus::AwaitingApproval)
            });
            if !has_run || record.id == cached.run {
                continue;
            }
            // One that was rejected, or can't be read, says nothing.
            if let Ok(Some(found)) = self.approved_of(&record.id).await {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    async fn approved_of(&self, run: &RunId) -> Result<Option<(RunId, u32, DraftPlan)>, Error> {
        let events = self.inner.store.events(run, 0, END, usize::MAX).await?;
        let is_signature = |event: &Event| matches!(event.body, EventBody::Approved(_));
        let Some(at) = events.iter().rposition(is_signature) else {
            return Ok(None);
        };
        let drafting = Drafting::fold(&self.inner.store, &events[..at]).await?;
        Ok(Some((run.clone(), drafting.revision, drafting.plan)))
    }
}

fn row(need: &NeedView) -> (Access, &str, Option<&str>) {
    (need.access, &need.resource, need.method.as_deref())
}
