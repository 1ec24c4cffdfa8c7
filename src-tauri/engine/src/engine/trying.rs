//! Trying things out: what a task gave last, and a run of one task alone.

use std::collections::HashMap;

use super::{Engine, Error};
use crate::history::{detail, load};
use crate::model::events::{OutputPinned, RunOpened};
use crate::model::grants::Labels;
use crate::model::status::TaskStatus;
use crate::model::value::ValueRef;
use crate::model::{Json, RunId, TaskId, digest, trial};
use crate::run::END;
use crate::store::RunRecord;
use crate::views::LastOutput;

/// How many recent runs are looked through, and how many of one plan are read.
const RECENT: u32 = 200;
const MOST_READ: usize = 25;
/// Hops from a plan to the one that it was made from.
const MOST_HOPS: usize = 32;
/// Bytes of an output that are shown.
const LARGEST: u64 = 4 << 20;

/// An output of an earlier run, with what it is worth.
struct Found {
    run: RunId,
    at_ms: i64,
    output: ValueRef,
    labels: Labels,
}

impl Engine {
    /// What the task gave in the newest run of the same plan, or of one that it was made from or that was made from it.
    pub async fn last_output(&self, run: &RunId, task: &str) -> Result<Option<LastOutput>, Error> {
        let Some(found) = self.found_output(run, task).await? else {
            return Ok(None);
        };
        let bytes = found.output.bytes();
        let json = match bytes <= LARGEST {
            true => Some(detail::text(&self.inner.store, &found.output).await?),
            false => None,
        };
        Ok(Some(LastOutput {
            run: found.run.to_string(),
            at: found.at_ms as f64,
            bytes: bytes as f64,
            json,
            is_untrusted: found.labels.untrusted,
        }))
    }

    /// A new draft of this one task, in which what it reads is given: an object, id of a task → its output. It is signed
    /// and runs like any other.
    pub async fn try_task(&self, run: &RunId, task: &str, outputs: Json) -> Result<RunId, Error> {
        let cached = self.cached(run).await?;
        let trial = trial::trial(&cached.drafting.plan, task).ok_or_else(|| Error::NotFound {
            message: format!("the plan of run {run} has no task {task}; nothing was opened"),
        })?;
        let Json::Object(mut given) = outputs else {
            return Err(Error::invalid(
                "type",
                "the inputs are an object, id of a task → its output. Nothing was opened",
            ));
        };
        let text = trial.plan.to_text();
        let digest = digest::of_document(&trial.plan);
        let mut opening = self
            .begin(text, digest, cached.path.clone())
            .await?
            .made_from(run);
        for id in &trial.reads {
            let value = given.shift_remove(id).ok_or_else(|| {
                Error::invalid(
                    "missing_input",
                    format!("{task} reads {id}, and no output of it was given. Nothing was opened"),
                )
            })?;
            let (output, payload) = ValueRef::of(&value);
            // What was made of foreign text stays that, though a person hands it over.
            let labels = self.labels_of(run, id, &output).await?;
            let by = self.face();
            let address = Some(TaskId::from(id.as_str()));
            opening.events.push(self.event(
                address,
                OutputPinned {
                    output,
                    labels,
                    by,
                    turn: None,
                },
            ));
            opening.payloads.extend(payload);
        }
        let opened = opening.run.clone();
        self.commit_opening(opening, &trial.plan).await?;
        Ok(opened)
    }

    async fn labels_of(&self, run: &RunId, task: &str, output: &ValueRef) -> Result<Labels, Error> {
        if let Some(pin) = self.cached(run).await?.laid.pins.get(task)
            && pin.output.is_same(output)
        {
            return Ok(pin.labels);
        }
        let found = self.found_output(run, task).await?;
        let same = found.filter(|found| found.output.is_same(output));
        Ok(same.map_or(Labels::default(), |found| found.labels))
    }

    async fn found_output(&self, run: &RunId, task: &str) -> Result<Option<Found>, Error> {
        for record in self.kin(run).await? {
            // One that can't be read has nothing to offer; the list of runs tells its trouble.
            let Ok(seen) = load::see(&self.inner.store, &self.inner.around.apart(), &record.id, END).await
            else {
                continue;
            };
            let Some(ix) = seen.state.find(task) else { continue };
            let done = seen.state.task(ix);
            if done.status != TaskStatus::Completed || seen.state.is_held(ix) {
                continue;
            }
            if let Some(output) = &done.output {
                return Ok(Some(Found {
                    run: record.id.clone(),
                    at_ms: record.changed_ms,
                    output: output.clone(),
                    labels: done.labels,
                }));
            }
        }
        Ok(None)
    }

    /// Runs of the same plan file, and those that have their plan from each other; the newest first, and only such in
    /// which something is done.
    async fn kin(&self, run: &RunId) -> Result<Vec<RunRecord>, Error> {
        let records = self.inner.store.runs(RECENT).await?;
        let mut origins = HashMap::new();
        for record in &records {
            origins.insert(record.id.clone(), self.origin(&record.id).await?);
        }
        if !origins.contains_key(run) {
            origins.insert(run.clone(), self.origin(run).await?);
        }
        let path = origins.get(run).and_then(|o| o.path.clone());
        let root = root(&origins, run);
        let is_kin = |id: &RunId| {
            let same_file = path.is_some() && origins.get(id).is_some_and(|o| o.path == path);
            same_file || root == self::root(&origins, id)
        };
        let has_done = |record: &RunRecord| {
            let counts = record.summary.as_ref().map(|s| &s.counts);
            counts.is_none_or(|counts| counts.get(TaskStatus::Completed.index()).is_some_and(|n| *n > 0))
        };
        let kin = records.into_iter().filter(|r| has_done(r) && is_kin(&r.id));
        Ok(kin.take(MOST_READ).collect())
    }

    async fn origin(&self, run: &RunId) -> Result<Origin, Error> {
        // A goal may stand before; the log says early what it was opened from.
        let Ok(events) = self.inner.store.events(run, 0, 2, 2).await else {
            return Ok(Origin::default());
        };
        let opened = events.into_iter().find_map(|e| e.body.into_opened());
        Ok(
            opened.map_or_else(Origin::default, |RunOpened { path, made_from, .. }| Origin {
                path,
                made_from: made_from.map(RunId::from),
            }),
        )
    }
}

#[derive(Default)]
struct Origin {
    path: Option<String>,
    made_from: Option<RunId>,
}

/// The run at the beginning of the chain.
fn root<'o>(origins: &'o HashMap<RunId, Origin>, run: &'o RunId) -> &'o RunId {
    let mut at = run;
    for _ in 0..MOST_HOPS {
        match origins.get(at).and_then(|o| o.made_from.as_ref()) {
            Some(next) => at = next,
            None => break,
        }
    }
    at
}
