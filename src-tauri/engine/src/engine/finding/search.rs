//! Searching plans, traces and outputs. A text that a fork shares is its parent's; once that is deleted, it is a fork's that
//! still reads it. It must not know how words are kept.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use super::super::{Engine, Error};
use super::lists::{is_wanted, status_of};
use super::query_of;
use crate::history::rows::shown_status;
use crate::model::Seq;
use crate::model::query::{Found, Query};
use crate::model::status::RunStatus;
use crate::store::search::{Allowed, Head, Hit, Index};
use crate::store::{RunKey, RunRecord};
use crate::views::{FoundMark, FoundView, HitView, RunsAsked};

/// Hits that are given at most.
const MOST: u32 = 500;

impl Engine {
    /// What holds all the words, the best first. For at most so long the index is brought up to date before; what is still
    /// missing is said.
    pub async fn search(&self, asked: &RunsAsked, patience: Duration) -> Result<FoundView, Error> {
        let query = query_of(asked, self.now_ms());
        let (index, heads, behind) = self.caught_up(patience).await?;
        let records = self.inner.store.runs(u32::MAX).await?;
        let allowed = self.allowed(asked, &query, &records, &heads);
        let limit = asked.limit.clamp(1, MOST);
        let found = match index.find(&query.terms, allowed.clone(), limit).await {
            Err(error) if Index::is_broken(&error) => {
                index.renew().await?;
                self.catch_up(patience).await?;
                index.find(&query.terms, allowed, limit).await?
            }
            found => found?,
        };
        let by_key: HashMap<RunKey, &RunRecord> = records.iter().map(|record| (record.key, record)).collect();
        let shown = found.hits.len() as u32;
        let hits = found.hits.into_iter().filter_map(|hit| {
            // Deleted since.
            let record = by_key.get(&hit.run)?;
            Some(self.hit(record, hit))
        });
        Ok(FoundView {
            hits: hits.collect(),
            more: found.total.saturating_sub(shown),
            behind: behind as f64,
            notes: query.notes,
        })
    }

    /// The runs that hold all the words in one place.
    pub(super) async fn runs_inside(
        &self,
        asked: &RunsAsked,
        query: &Query,
        patience: Duration,
    ) -> Result<HashSet<RunKey>, Error> {
        let (index, heads, _) = self.caught_up(patience).await?;
        let records = self.inner.store.runs(u32::MAX).await?;
        let allowed = self.allowed(asked, query, &records, &heads);
        let found = index.find_runs(&query.terms, allowed).await?;
        Ok(found.into_iter().collect())
    }

    fn hit(&self, record: &RunRecord, hit: Hit) -> HitView {
        let status = status_of(record).unwrap_or(RunStatus::Paused);
        let is_driven = status == RunStatus::Running && self.inner.store.holder(&record.id).is_some();
        let marks = hit.marks.iter().map(|mark| FoundMark {
            from: mark.from,
            to: mark.to,
        });
        HitView {
            run: record.id.to_string(),
            title: record
                .summary
                .as_ref()
                .map_or_else(String::new, |summary| summary.title.clone()),
            status: shown_status(status, is_driven),
            task: hit.task.map(|task| task.to_string()),
            seq: (hit.place != Found::Plan).then(|| u32::try_from(hit.seq).unwrap_or(u32::MAX)),
            place: hit.place,
            snippet: hit.snippet,
            marks: marks.collect(),
        }
    }

    /// Whose texts may be found.
    fn allowed(
        &self,
        asked: &RunsAsked,
        query: &Query,
        records: &[RunRecord],
        heads: &[Head],
    ) -> Vec<Allowed> {
        let fit: Vec<&RunRecord> = records
            .iter()
            .filter(|record| is_wanted(record, asked) && self.fits(record, query))
            .collect();
        let by_key: HashMap<RunKey, &Head> = heads.iter().map(|head| (head.key, head)).collect();
        let whole = |record: &&RunRecord| Allowed {
            run: record.key,
            upto: Seq::MAX,
            shown: record.key,
        };
        let mut allowed: HashMap<RunKey, Allowed> =
            fit.iter().map(|record| (record.key, whole(record))).collect();
        // Of a run that is asked for by name, also what it shares with its parents; else only what else nobody would show.
        let is_named = query.run.is_some();
        for record in fit {
            let mut next = record.parent;
            let mut upto = Seq::MAX;
            while let Some((parent, at)) = next {
                let Some(head) = by_key.get(&parent) else { break };
                upto = upto.min(at);
                if is_named || head.is_deleted {
                    share(&mut allowed, parent, upto, record.key);
                }
                next = head.parent;
            }
        }
        allowed.into_values().collect()
    }
}

/// The longest beginning that somebody reads.
fn share(allowed: &mut HashMap<RunKey, Allowed>, run: RunKey, upto: Seq, shown: RunKey) {
    let one = Allowed { run, upto, shown };
    let known = allowed.entry(run).or_insert(one);
    if known.upto < upto {
        *known = one;
    }
}
