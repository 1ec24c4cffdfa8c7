//! The lists of plans and runs: which of them are wanted, and forks behind what they were made from. Linear in the runs. It
//! must not know the index of words.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::{Engine, Error};
use super::query_of;
use crate::history::rows::shown_status;
use crate::model::query::Query;
use crate::model::status::RunStatus;
use crate::store::{RunKey, RunRecord};
use crate::views::{RunRow, RunsAsked, RunsPage, TagCount};

/// Tags that are offered.
const MOST_TAGS: usize = 100;

impl Engine {
    /// The plans or runs that fit, by what the list says of them: the words of the query have to stand in the name, the goal,
    /// a tag, or begin the id.
    pub async fn find_runs(&self, asked: &RunsAsked) -> Result<RunsPage, Error> {
        let query = query_of(asked, self.now_ms());
        let all = self.inner.store.runs(u32::MAX).await?;
        let of_kind: Vec<&RunRecord> = all.iter().filter(|record| is_wanted(record, asked)).collect();
        let words = folded(&query);
        let fit = of_kind
            .iter()
            .filter(|record| self.fits(record, &query) && says(record, &words));
        let families = in_families(fit.copied().collect());
        let total = u32::try_from(families.len()).unwrap_or(u32::MAX);
        let shown: Vec<_> = families.into_iter().take(asked.limit as usize).collect();
        let mut rows = Vec::with_capacity(shown.len());
        for (record, parent) in shown {
            rows.push(RunRow {
                parent: parent.map(ToString::to_string),
                ..self.row_of(record).await
            });
        }
        Ok(RunsPage {
            rows,
            total,
            is_any: !of_kind.is_empty(),
            tags: tags_of(&of_kind),
            notes: query.notes,
        })
    }

    /// The runs that fit, the newest first, by what stands anywhere inside of them.
    pub async fn find_runs_inside(
        &self,
        asked: &RunsAsked,
        patience: std::time::Duration,
    ) -> Result<RunsPage, Error> {
        let query = query_of(asked, self.now_ms());
        // Without words nothing has to be looked through.
        let found = match query.is_wordless() {
            true => None,
            false => Some(self.runs_inside(asked, &query, patience).await?),
        };
        let all = self.inner.store.runs(u32::MAX).await?;
        let is_found = |record: &RunRecord| found.as_ref().is_none_or(|found| found.contains(&record.key));
        let is_fit =
            |record: &RunRecord| is_wanted(record, asked) && self.fits(record, &query) && is_found(record);
        let fit: Vec<RunRecord> = all.into_iter().filter(is_fit).collect();
        let total = u32::try_from(fit.len()).unwrap_or(u32::MAX);
        let shown = &fit[..fit.len().min(asked.limit as usize)];
        Ok(RunsPage {
            rows: self.rows_of(shown).await,
            total,
            is_any: !fit.is_empty(),
            tags: tags_of(&fit.iter().collect::<Vec<_>>()),
            notes: query.notes,
        })
    }

    /// Whether the run passes the filters.
    pub(super) fn fits(&self, record: &RunRecord, query: &Query) -> bool {
        let summary = record.summary.as_ref();
        let has_tag = |tag: &String| summary.is_some_and(|summary| summary.tags.contains(tag));
        let is_run = query
            .run
            .as_deref()
            .is_none_or(|run| record.id.as_str().starts_with(run));
        let is_since = query.since_ms.is_none_or(|since| record.changed_ms >= since);
        let is_until = query.until_ms.is_none_or(|until| record.changed_ms < until);
        is_run && is_since && is_until && query.tags.iter().all(has_tag) && self.has_state(record, query)
    }

    /// As it is shown: what nobody drives any more counts as paused.
    fn has_state(&self, record: &RunRecord, query: &Query) -> bool {
        if query.states.is_empty() {
            return true;
        }
        let Some(status) = status_of(record) else {
            return false;
        };
        let is_driven = status == RunStatus::Running && self.inner.store.holder(&record.id).is_some();
        query.states.contains(&shown_status(status, is_driven))
    }
}

pub(super) fn status_of(record: &RunRecord) -> Option<RunStatus> {
    record.summary.as_ref().and_then(|summary| summary.status)
}

/// Whether it is of the kind: a draft, or what was approved once.
pub(super) fn is_wanted(record: &RunRecord, asked: &RunsAsked) -> bool {
    let is_draft = status_of(record) == Some(RunStatus::AwaitingApproval);
    asked.drafts.is_none_or(|drafts| drafts == is_draft)
}

fn folded(query: &Query) -> Vec<String> {
    query.terms.iter().map(|term| term.text.to_lowercase()).collect()
}

fn says(record: &RunRecord, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let summary = record.summary.as_ref();
    let title = summary.map_or_else(String::new, |summary| summary.title.to_lowercase());
    let goal = summary
        .and_then(|summary| summary.goal.as_deref())
        .unwrap_or_default()
        .to_lowercase();
    let has_tag = |word: &str| summary.is_some_and(|s| s.tags.iter().any(|tag| tag.contains(word)));
    let says_it = |word: &String| {
        title.contains(word)
            || goal.contains(word)
            || has_tag(word)
            || record.id.as_str().contains(word.as_str())
    };
    words.iter().all(says_it)
}

/// Each with the nearest of those it was made from that is here too, right behind that one. Families stand in the order of
/// their newest member; inside of one, the newest fork comes first.
fn in_families(records: Vec<&RunRecord>) -> Vec<(&RunRecord, Option<&crate::model::RunId>)> {
    let by_key: HashMap<RunKey, &RunRecord> = records.iter().map(|record| (record.key, *record)).collect();
    let parent_of = |record: &RunRecord| {
        let (parent, _) = record.parent?;
        by_key.get(&parent).copied()
    };
    let mut forks: HashMap<RunKey, Vec<&RunRecord>> = HashMap::new();
    let mut roots = Vec::new();
    // They come newest first, so forks come before what they were made from, and each list stays in that order.
    let mut newest: HashMap<RunKey, usize> = HashMap::new();
    for (place, record) in records.iter().enumerate() {
        let at = *newest.entry(record.key).or_insert(place);
        match parent_of(record) {
            Some(parent) => {
                forks.entry(parent.key).or_default().push(record);
                let known = newest.entry(parent.key).or_insert(at);
                *known = (*known).min(at);
            }
            None => roots.push(*record),
        }
    }
    roots.sort_by_key(|root| newest.get(&root.key).copied());
    let mut ordered = Vec::with_capacity(records.len());
    let mut open: Vec<(&RunRecord, Option<&crate::model::RunId>)> =
        roots.into_iter().rev().map(|root| (root, None)).collect();
    let mut seen = HashSet::new();
    while let Some((record, parent)) = open.pop() {
        if !seen.insert(record.key) {
            continue;
        }
        ordered.push((record, parent));
        let own = forks.get(&record.key).into_iter().flatten().rev();
        open.extend(own.map(|fork| (*fork, Some(&record.id))));
    }
    ordered
}

fn tags_of(records: &[&RunRecord]) -> Vec<TagCount> {
    let mut counts: BTreeMap<&str, u32> = BTreeMap::new();
    for tag in records
        .iter()
        .filter_map(|record| record.summary.as_ref())
        .flat_map(|summary| &summary.tags)
    {
        *counts.entry(tag).or_default() += 1;
    }
    let mut tags: Vec<TagCount> = counts
        .into_iter()
        .map(|(tag, count)| TagCount {
            tag: tag.to_owned(),
            count,
        })
        .collect();
    tags.sort_by_key(|tag| std::cmp::Reverse(tag.count));
    tags.truncate(MOST_TAGS);
    tags
}
