//! Why a signature does not fit any more: what has been changed since the plan was shown. It signs nothing.

use super::drafts::CachedDraft;
use super::{Engine, Error};
use crate::history::drafting::Drafting;
use crate::history::laid::Laid;
use crate::model::Digest;
use crate::model::digest::{Difference, differences};
use crate::model::document::DraftPlan;
use crate::model::events::{Event, EventBody};

/// How many versions back are looked at for the one that was shown.
const LOOKED_AT: u32 = 20;
/// Fields that are named; of more, their number.
const NAMED: usize = 6;

impl Engine {
    /// Nothing but what was shown is signed. Where it is another plan, what differs is named.
    pub(super) async fn refuse_other(
        &self,
        cached: &CachedDraft,
        (shown, now): (Digest, Digest),
        document: &DraftPlan,
    ) -> Result<(), Error> {
        if shown == now {
            return Ok(());
        }
        let what = match self.shown_then(cached, shown).await? {
            None => "the plan, or what is pinned on it or where it stops, is not what was shown".to_owned(),
            Some(then) => {
                let changed = differences(&then, document);
                if changed.is_empty() {
                    "what is pinned on the plan, or where it stops, has changed since it was shown".to_owned()
                } else {
                    format!("the plan has changed since it was shown: {}", listed(&changed))
                }
            }
        };
        let message = format!("{what}. Look at it again before you approve. Nothing has run.");
        Err(Error::conflict("digest", message))
    }

    /// The version that this digest was shown for, among the latest ones.
    async fn shown_then(&self, cached: &CachedDraft, shown: Digest) -> Result<Option<DraftPlan>, Error> {
        let events = self.whole_log(&cached.run).await?;
        let newest = cached.drafting.revision;
        for revision in (newest.saturating_sub(LOOKED_AT).max(1)..=newest).rev() {
            let Some(then) = Drafting::at(&self.inner.store, &events, revision).await? else {
                continue;
            };
            let Ok(plan) = self.plan_of(&then.plan, &cached.place) else {
                continue;
            };
            let digest = self.signed(&plan, &cached.place);
            if every_laid(&events).any(|laid| laid.bind(digest) == shown) {
                return Ok(Some(then.plan));
            }
        }
        Ok(None)
    }
}

/// All that ever lay on the tasks, from nothing to what lies there now.
fn every_laid(events: &[Event]) -> impl Iterator<Item = Laid> {
    let is_laid = |event: &&Event| {
        matches!(
            event.body,
            EventBody::OutputPinned(_) | EventBody::OutputUnpinned(_) | EventBody::BreakpointSet(_)
        )
    };
    let steps = events
        .iter()
        .filter(is_laid)
        .scan(Laid::default(), |laid, event| {
            laid.take(event.task.as_ref(), &event.body);
            Some(laid.clone())
        });
    std::iter::once(Laid::default()).chain(steps)
}

/// Such as "`inputs` and `tool` of the task send; the task keep".
fn listed(changed: &[Difference]) -> String {
    let mut words: Vec<String> = Vec::new();
    for difference in changed.iter().take(NAMED) {
        words.push(match (&difference.task, &difference.field) {
            (Some(task), Some(field)) => format!("`{field}` of the task {task}"),
            (Some(task), None) => format!("the whole task {task}"),
            (None, Some(field)) => format!("the plan's `{field}`"),
            (None, None) => "the plan".to_owned(),
        });
    }
    if changed.len() > NAMED {
        words.push(format!("and {} more", changed.len() - NAMED));
    }
    words.join(", ")
}
