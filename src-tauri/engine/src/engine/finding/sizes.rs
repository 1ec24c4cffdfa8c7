//! What single runs take on the disk. It must not know why anybody asks.

use std::sync::PoisonError;

use super::super::stored::heap_of;
use super::super::{Engine, Error};
use crate::model::{RunId, Seq};
use crate::store::search::Head;
use crate::views::RunSize;

/// Runs that are weighed in one question.
const MOST: usize = 500;

impl Engine {
    /// What each of these runs takes; one that is gone is left out. A log that has not moved is not read again.
    pub async fn run_sizes(&self, runs: &[RunId]) -> Result<Vec<RunSize>, Error> {
        let heads = self.inner.store.heads().await?;
        let by_id: std::collections::HashMap<&RunId, &Head> =
            heads.iter().map(|head| (&head.id, head)).collect();
        let wanted: Vec<&Head> = runs
            .iter()
            .take(MOST)
            .filter_map(|run| by_id.get(run).copied())
            .filter(|h| !h.is_deleted)
            .collect();
        let unknown: Vec<Head> = wanted
            .iter()
            .filter(|head| self.weighed(&head.id, head.end).is_none())
            .map(|head| (*head).clone())
            .collect();
        if !unknown.is_empty() {
            let weights = self.inner.store.weigh(unknown.clone()).await?;
            let mut known = self
                .inner
                .finding
                .weighed
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            let weighed = unknown.into_iter().zip(weights);
            known.extend(weighed.map(|(head, bytes)| (head.id, (head.end, bytes))));
        }
        let mut sizes = Vec::with_capacity(wanted.len());
        for head in wanted {
            let heap = heap_of(vec![self.folder(&head.id)]).await;
            sizes.push(RunSize {
                run: head.id.to_string(),
                bytes: self.weighed(&head.id, head.end).unwrap_or(0) as f64,
                files: heap.bytes as f64,
            });
        }
        Ok(sizes)
    }

    fn weighed(&self, run: &RunId, end: Seq) -> Option<u64> {
        let known = self
            .inner
            .finding
            .weighed
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        known
            .get(run)
            .filter(|(at, _)| *at == end)
            .map(|(_, bytes)| *bytes)
    }
}
