//! How long nothing was heard of a run that goes on, and when that is worth a word. It must not know what is said.

use std::time::Duration;

use planloom_engine::model::RunId;
use planloom_engine::views::TaskStatus;
use planloom_engine::{Engine, Error};
use tokio::time::Instant;

use crate::out::{Out, counted, piece};
use crate::spent::seconds;

/// After so many seconds of silence a word is said; later ones follow each other after the last step.
const STEPS: [u64; 4] = [10, 60, 180, 300];
/// Tasks that are named.
const NAMED: usize = 3;

pub struct Silence {
    since: Instant,
    told: usize,
}

impl Silence {
    pub fn new() -> Self {
        Self {
            since: Instant::now(),
            told: 0,
        }
    }

    /// Something was heard: it begins anew.
    pub fn broken(&mut self) {
        *self = Self::new();
    }

    /// Comes when a word is due, with how long it has been silent. It can be dropped and asked again at any time.
    pub async fn long(&mut self) -> Duration {
        let last = STEPS[STEPS.len() - 1];
        let beyond = (self.told + 1).saturating_sub(STEPS.len()) as u64;
        let due = STEPS.get(self.told).copied().unwrap_or(last + last * beyond);
        tokio::time::sleep_until(self.since + Duration::from_secs(due)).await;
        self.told += 1;
        self.since.elapsed()
    }
}

/// Of a planning: whose answer is waited for.
pub async fn tell_planning(engine: &Engine, run: &RunId, long: Duration, out: &Out) -> Result<(), Error> {
    let planning = engine.planning(run).await?;
    let whom = match planning.as_ref().and_then(|planning| planning.calls.last()) {
        // What a model can do is asked first, and is no call of the run.
        None => "the planner".to_owned(),
        Some(call) if call.outcome == "open" => format!("the planner ({})", piece(&call.model)),
        // Until when it waits has been said.
        Some(_) => return Ok(()),
    };
    out.note(&format!(
        "Waiting for {whom}: no word for {}. One question may take up to ten minutes; Ctrl+C leaves the planning, and it can be \
         resumed.",
        seconds(long.as_secs_f64())
    ));
    Ok(())
}

/// Of a run: what is under way. Nothing where nothing is; for what it waits has been said.
pub async fn tell_run(engine: &Engine, run: &RunId, long: Duration, out: &Out) -> Result<(), Error> {
    let shown = engine.show(run, None).await?;
    let under_way: Vec<&str> = shown
        .tasks
        .iter()
        .filter(|task| task.status == TaskStatus::Running)
        .map(|task| task.id.as_str())
        .collect();
    if under_way.is_empty() {
        return Ok(());
    }
    let named: Vec<&str> = under_way.iter().take(NAMED).copied().collect();
    let more = match under_way.len() - named.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    out.note(&piece(&format!(
        "Still at work on {}: {}{more}; nothing new for {}.",
        counted(under_way.len(), "task"),
        named.join(", "),
        seconds(long.as_secs_f64())
    )));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_word_is_said_less_and_less_often_until_something_is_heard() {
        let mut silence = Silence::new();
        let mut told = Vec::new();
        for _ in 0..6 {
            told.push(silence.long().await.as_secs());
        }
        assert_eq!(told, [10, 60, 180, 300, 600, 900]);
        silence.broken();
        assert_eq!(silence.long().await.as_secs(), 10);
    }
}
