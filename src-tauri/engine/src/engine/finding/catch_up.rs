//! Bringing the search index in step with the logs, one bounded step after the other, each durable by itself: whoever is
//! killed in between goes on where the last step ended. It must not know what is looked for.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use super::super::logged::last_whole;
use super::super::{Engine, Error};
use super::texts::{self, Gathered};
use crate::model::Seq;
use crate::model::events::Event;
use crate::store::search::{Batch, Head, Index, Known, NewText, PlanTexts};
use crate::store::{RunKey, StoreError};

/// Events of one step, and about so many bytes of their texts.
const STEP: usize = 256;
const STEP_BYTES: usize = 4 << 20;

/// How a run stands in the index.
#[derive(Clone, Copy, Debug)]
struct Stand {
    upto: Seq,
    is_planned: bool,
}

impl Engine {
    /// Brings the search index up to date for at most so long, the newest runs first; gives the number of events that are
    /// still to be looked through. What it has done stays done.
    pub async fn catch_up(&self, patience: Duration) -> Result<u64, Error> {
        Ok(self.caught_up(patience).await?.2)
    }

    /// Takes what was deleted out of the index, if there is one. It is a cache: a failure is none of whoever has deleted.
    pub(in super::super) async fn forget_deleted(&self) {
        if !self.inner.store.has_index() {
            return;
        }
        let forgotten = async {
            let index = self.inner.store.index().await?;
            let heads = self.inner.store.heads().await?;
            let known = index.known().await?;
            self.forget_gone(&index, &heads, known).await
        };
        if let Err(error) = forgotten.await {
            tracing::info!(%error, "what was deleted goes out of the search index with the next search");
        }
    }

    /// The same for good: also out of the index's file, which becomes smaller.
    pub(in super::super) async fn tidy_index(&self) {
        if !self.inner.store.has_index() {
            return;
        }
        self.forget_deleted().await;
        let tidied = async { self.inner.store.index().await?.tidy().await };
        if let Err(error) = tidied.await {
            tracing::info!(%error, "the search index could not be made smaller");
        }
    }

    /// The index, in step with these logs as far as there was time. One that is damaged is thrown away and begun anew.
    pub(super) async fn caught_up(&self, patience: Duration) -> Result<(Arc<Index>, Vec<Head>, u64), Error> {
        let until = Instant::now() + patience;
        let index = self.inner.store.index().await?;
        match self.catch_up_until(&index, until).await {
            Ok((heads, behind)) => Ok((index, heads, behind)),
            Err(error) if Index::is_broken(&error) => {
                tracing::info!(%error, "the search index is damaged and is made anew");
                index.renew().await?;
                let (heads, behind) = self.catch_up_until(&index, until).await?;
                Ok((index, heads, behind))
            }
            // Somebody else is at it.
            Err(StoreError::Busy(_)) => {
                let heads = self.inner.store.heads().await?;
                Ok((index, heads, 1))
            }
            Err(error) => Err(error.into()),
        }
    }

    async fn catch_up_until(&self, index: &Index, until: Instant) -> Result<(Vec<Head>, u64), StoreError> {
        let heads = self.inner.store.heads().await?;
        let known = index.known().await?;
        let Ok(_turn) = self.inner.finding.catching_up.try_lock() else {
            let behind = heads.iter().map(|head| left_of(head, known.get(&head.key))).sum();
            return Ok((heads, behind));
        };
        // What is gone goes first, whatever the time.
        let mut stands = self.forget_gone(index, &heads, known).await?;
        for head in &heads {
            let mut stand = stands.remove(&head.key).unwrap_or(Stand {
                upto: head.begin(),
                is_planned: false,
            });
            while !is_in_step(head, stand) {
                if Instant::now() >= until {
                    stands.insert(head.key, stand);
                    break;
                }
                let Some(next) = self.step(index, head, stand).await? else {
                    break;
                };
                stand = next;
            }
        }
        let behind = heads
            .iter()
            .filter_map(|head| Some(head.end.saturating_sub(stands.get(&head.key)?.upto)));
        let behind = behind.map(|events| events.max(1)).sum();
        Ok((heads, behind))
    }

    /// Forgets what was deleted, or is another run than the one that was read; gives how the rest stands.
    async fn forget_gone(
        &self,
        index: &Index,
        heads: &[Head],
        known: HashMap<RunKey, Known>,
    ) -> Result<HashMap<RunKey, Stand>, StoreError> {
        let there: HashSet<RunKey> = heads.iter().map(|head| head.key).collect();
        for key in known.keys().filter(|key| !there.contains(key)) {
            index.forget(*key, 0).await?;
        }
        let mut stands = HashMap::new();
        for head in heads {
            let Some(known) = known.get(&head.key) else {
                continue;
            };
            let is_same = known.id == head.id && known.created_ms == head.created_ms;
            let is_untouched = known.changed_ms == head.changed_ms && known.upto <= head.end;
            if !is_same || (!is_untouched && !self.is_as_read(head, known).await?) {
                index.forget(head.key, 0).await?;
                continue;
            }
            let is_cut = head.is_deleted && (known.upto > head.end || known.is_planned);
            if is_cut {
                index.forget(head.key, head.end).await?;
            }
            let stand = Stand {
                upto: known.upto.min(head.end),
                is_planned: known.is_planned && !is_cut,
            };
            stands.insert(head.key, stand);
        }
        Ok(stands)
    }

    /// Whether the log still is what it was up to where it was read.
    async fn is_as_read(&self, head: &Head, known: &Known) -> Result<bool, StoreError> {
        if head.is_deleted {
            return Ok(true);
        }
        if known.upto > head.end {
            return Ok(false);
        }
        if known.upto <= head.begin() {
            return Ok(true);
        }
        Ok(self.inner.store.mark_at(head.key, known.upto).await? == known.mark)
    }

    /// One step of one run. None: somebody else has been faster.
    async fn step(&self, index: &Index, head: &Head, stand: Stand) -> Result<Option<Stand>, StoreError> {
        let store = &self.inner.store;
        let mut gathered = Gathered::default();
        let (events, mut upto) = self.read_step(head, stand.upto).await?;
        for event in &events {
            gathered.take(store, event).await;
            if gathered.bytes > STEP_BYTES {
                upto = event.seq;
                break;
            }
        }
        let is_stale = gathered.is_plan_stale || !stand.is_planned;
        let plan = match (is_stale, upto == head.end && !head.is_deleted) {
            (false, _) => PlanTexts::AsBefore,
            (true, false) => PlanTexts::Stale,
            (true, true) => PlanTexts::Are(self.plan_texts(head, upto).await?),
        };
        let is_planned = !matches!(plan, PlanTexts::Stale);
        let batch = Batch {
            run: head.key,
            id: head.id.clone(),
            created_ms: head.created_ms,
            // What has come since is not read yet.
            changed_ms: if upto == head.end { head.changed_ms } else { -1 },
            after: stand.upto,
            upto,
            mark: store.mark_at(head.key, upto).await?,
            acts: gathered.acts,
            plan,
        };
        Ok(index.take(batch).await?.then_some(Stand { upto, is_planned }))
    }

    /// The next events, and up to where that is read. What can't be read is passed over with all behind it: it is told where
    /// the run is looked at. A failure of the machine is another matter.
    async fn read_step(&self, head: &Head, after: Seq) -> Result<(Vec<Event>, Seq), StoreError> {
        let store = &self.inner.store;
        let error = match store.own_events(head, after, STEP).await {
            Ok(events) => {
                let upto = events.last().map_or(head.end, |event| event.seq);
                return Ok((events, upto));
            }
            Err(error) => error,
        };
        match last_whole(&error) {
            Some(last) if last > after => {
                let limit = usize::try_from(last - after).unwrap_or(STEP).min(STEP);
                let events = store.own_events(head, after, limit).await?;
                let upto = events.last().map_or(head.end, |event| event.seq);
                Ok((events, upto))
            }
            Some(_) => Ok((Vec::new(), head.end)),
            None if is_damage(&error) => Ok((Vec::new(), head.end)),
            None => Err(error),
        }
    }

    async fn plan_texts(&self, head: &Head, upto: Seq) -> Result<Vec<NewText>, StoreError> {
        let store = &self.inner.store;
        let title = match store.run(&head.id).await {
            Ok(record) => record.summary.map_or_else(String::new, |summary| summary.title),
            // Deleted a moment ago: it goes with the next look.
            Err(StoreError::Deleted { .. } | StoreError::NoRun(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        match texts::of_plan(store, &head.id, &title, upto).await {
            Ok(texts) => Ok(texts),
            Err(error) if is_damage(&error) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }
}

fn is_in_step(head: &Head, stand: Stand) -> bool {
    stand.upto >= head.end && (stand.is_planned || head.is_deleted)
}

fn left_of(head: &Head, known: Option<&Known>) -> u64 {
    let upto = known.map_or(head.begin(), |known| known.upto);
    head.end.saturating_sub(upto)
}

fn is_damage(error: &StoreError) -> bool {
    let is_of_log = matches!(
        error,
        StoreError::Event { .. } | StoreError::Cut { .. } | StoreError::Gap { .. }
    );
    is_of_log || matches!(error, StoreError::Payload { .. } | StoreError::Damaged(_))
}
