//! What tasks of earlier runs came to, so that the next run of equal ones can be estimated. Bounded: the newest runs,
//! and so many events of them. It must not know prices.

use std::collections::HashMap;

use super::load::{self, Surroundings};
use crate::model::TaskId;
use crate::model::estimate::{Sample, Samples, key};
use crate::model::events::{Event, EventBody};
use crate::model::status::RunStatus;
use crate::store::{Store, StoreError};

/// Runs that are looked at, newest first.
const RUNS: u32 = 40;
/// Events that are read in all; a run with more than are left is passed over.
const EVENTS: u64 = 60_000;
/// Samples that are kept of equal tasks, the newest.
const KEPT: usize = 20;

/// Samples of the tasks that have completed in earlier runs. A run that can't be read gives none.
pub async fn samples(store: &Store, around: &Surroundings) -> Result<Samples, StoreError> {
    let mut samples = Samples::new();
    let mut left = EVENTS;
    for record in store.runs(RUNS).await? {
        let status = record.summary.as_ref().and_then(|summary| summary.status);
        let has_run = status.is_some_and(|status| status != RunStatus::AwaitingApproval);
        if !has_run || record.head > left {
            continue;
        }
        left -= record.head;
        let Ok(loaded) = load::load(store, around, &record.id, crate::model::Seq::MAX).await else {
            continue;
        };
        for (task, sample) in completed(&loaded.events) {
            let Some(ix) = loaded.state.find(task.as_str()) else {
                continue;
            };
            let known = samples.entry(key(loaded.state.def(ix))).or_default();
            if known.len() < KEPT {
                known.push(sample);
            }
        }
    }
    Ok(samples)
}

/// What is known of a task that has started.
#[derive(Default)]
struct Begun {
    since_ms: i64,
    input_tokens: u64,
    output_tokens: u64,
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
