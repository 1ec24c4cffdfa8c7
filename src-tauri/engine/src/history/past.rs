//! What tasks of earlier runs came to, so that the next run of equal ones can be estimated. Bounded: the newest runs,
//! and so many events of them. It must not know prices.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use super::load::{self, Surroundings};
use crate::model::estimate::{Sample, Samples, key};
use crate::model::events::{Event, EventBody};
use crate::model::status::RunStatus;
use crate::model::{Digest, RunId, Seq, TaskId};
use crate::store::{Store, StoreError};

/// Runs that are looked at, newest first.
const RUNS: u32 = 40;
/// Events that are read in all; a run with more than are left is passed over.
const EVENTS: u64 = 60_000;
/// Samples that are kept of equal tasks, the newest.
const KEPT: usize = 20;

/// A run's samples by the key of their tasks, and up to where its log was read.
type Known = HashMap<RunId, (Seq, Arc<[(Digest, Sample)]>)>;

/// What was read of earlier runs: a run whose log has not moved is not read again.
#[derive(Default)]
pub struct Past {
    known: Mutex<Known>,
}

impl Past {
    /// Samples of the tasks that have completed in earlier runs. A run that can't be read gives none.
    pub async fn samples(&self, store: &Store, around: &Surroundings) -> Result<Samples, StoreError> {
        let mut samples = Samples::new();
        let mut left = EVENTS;
        let mut seen = HashSet::new();
        for record in store.runs(RUNS).await? {
            let status = record.summary.as_ref().and_then(|summary| summary.status);
            let has_run = status.is_some_and(|status| status != RunStatus::AwaitingApproval);
            if !has_run || record.head > left {
                continue;
            }
            left -= record.head;
            let found = match self.known(&record.id, record.head) {
                Some(found) => found,
                None => self.read(store, around, &record.id).await,
            };
            seen.insert(record.id);
            for (key, sample) in found.iter() {
                let known = samples.entry(*key).or_default();
                if known.len() < KEPT {
                    known.push(*sample);
                }
            }
        }
        self.lock().retain(|run, _| seen.contains(run));
        Ok(samples)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn known(&self, run: &RunId, head: Seq) -> Option<Arc<[(Digest, Sample)]>> {
        let known = self.lock();
        let (at, found) = known.get(run)?;
        (*at == head).then(|| found.clone())
    }

    async fn read(&self, store: &Store, around: &Surroundings, run: &RunId) -> Arc<[(Digest, Sample)]> {
        let Ok(loaded) = load::load(store, around, run, Seq::MAX).await else {
            return Arc::default();
        };
        let keyed = |(task, sample): (TaskId, Sample)| {
            let ix = loaded.state.find(task.as_str())?;
            Some((key(loaded.state.def(ix)), sample))
        };
        let found: Arc<[(Digest, Sample)]> =
            completed(&loaded.events).into_iter().filter_map(keyed).collect();
        let head = loaded.events.last().map_or(0, |event| event.seq);
        self.lock().insert(run.clone(), (head, found.clone()));
        found
    }
}

/// What is known of a task that has started.
#[derive(Default)]
struct Begun {
    since_ms: i64,
    input_tokens: u64,
    output_tokens: u64,
    calls: u64,
}

/// Each completion by work of its own, with what all attempts before it came to and how long the last one took.
#[expect(clippy::wildcard_enum_match_arm, reason = "other kinds say nothing of it")]
fn completed(events: &[Event]) -> Vec<(TaskId, Sample)> {
    let mut begun: HashMap<TaskId, Begun> = HashMap::new();
    let mut found = Vec::new();
    for event in events {
        let Some(task) = &event.task else { continue };
        match &event.body {
            EventBody::TaskStarted(started) => {
                let begun = begun.entry(task.clone()).or_default();
                if !started.goes_on {
                    begun.since_ms = event.at_ms;
                }
            }
            EventBody::CallFinished(finished) => {
                if let (Some(begun), Some(usage)) = (begun.get_mut(task), finished.usage) {
                    begun.input_tokens = begun.input_tokens.saturating_add(usage.input_tokens);
                    begun.output_tokens = begun.output_tokens.saturating_add(usage.output_tokens);
                    begun.calls += 1;
                }
            }
            EventBody::TaskCompleted(completed) => {
                if let Some(begun) = begun.remove(task)
                    && completed.reused.is_none()
                    && !completed.pinned
                {
                    let sample = Sample {
                        input_tokens: begun.input_tokens,
                        output_tokens: begun.output_tokens,
                        calls: begun.calls,
                        ms: (event.at_ms - begun.since_ms).max(0).unsigned_abs(),
                    };
                    found.push((task.clone(), sample));
                }
            }
            _ => {}
        }
    }
    found
}
