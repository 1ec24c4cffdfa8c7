//! A model's answer on its way into an ipc channel: at most so often, the newest text first, and waited for by nobody.

use std::future::Future;
use std::time::Duration;

use planloom_engine::run::Grown;
use serde::Serialize;
use tauri::ipc::Channel;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::commands::planning::PlanningView;

/// Text that grows faster than this is not read by anybody.
const PACE: Duration = Duration::from_millis(80);

/// What `watch_planning` sends.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum PlanningMessage {
    Delta(AnswerDelta),
    View(Box<PlanningView>),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct AnswerDelta {
    pub text: String,
    /// It goes on where the one before ended; else it is all that there is, and what was before is over or too long.
    pub goes_on: bool,
}

/// Sends until the watch or the page ends; how the planning stands first, and again whenever an answer begins.
pub async fn forward<F, Fut>(
    mut answers: watch::Receiver<Grown>,
    channel: Channel<PlanningMessage>,
    ended: CancellationToken,
    look: F,
) where
    F: Fn() -> Fut,
    Fut: Future<Output = Option<PlanningView>>,
{
    let mut seen = (0, 0);
    let mut is_begun = true;
    loop {
        let delta = delta(&answers.borrow_and_update(), &mut seen);
        is_begun |= delta.as_ref().is_some_and(|delta| !delta.goes_on);
        if std::mem::take(&mut is_begun)
            && let Some(view) = look().await
            && channel.send(PlanningMessage::View(Box::new(view))).is_err()
        {
            return;
        }
        if let Some(delta) = delta
            && channel.send(PlanningMessage::Delta(delta)).is_err()
        {
            return;
        }
        tokio::time::sleep(PACE).await;
        tokio::select! {
            () = ended.cancelled() => return,
            changed = answers.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

/// The same of a task's model: only its words. Sends until the watch or the page ends.
pub async fn forward_words(
    mut words: watch::Receiver<Grown>,
    channel: Channel<AnswerDelta>,
    ended: CancellationToken,
) {
    let mut seen = (0, 0);
    loop {
        let delta = delta(&words.borrow_and_update(), &mut seen);
        if let Some(delta) = delta
            && channel.send(delta).is_err()
        {
            return;
        }
        tokio::time::sleep(PACE).await;
        tokio::select! {
            () = ended.cancelled() => return,
            changed = words.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

/// What is new behind so much of that answer.
fn delta(grown: &Grown, seen: &mut (u64, usize)) -> Option<AnswerDelta> {
    let is_same = seen.0 == grown.answer;
    let (text, is_all) = grown.since(if is_same { seen.1 } else { 0 });
    let delta = AnswerDelta {
        text: text.to_owned(),
        goes_on: is_same && is_all,
    };
    let is_new = !is_same || grown.total > seen.1;
    *seen = (grown.answer, grown.total);
    is_new.then_some(delta)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_begins_anew_replaces_the_one_before() {
        let mut grown = Grown::default();
        let mut seen = (0, 0);
        assert_eq!(delta(&grown, &mut seen), None);
        grown.answer = 1;
        let begun = delta(&grown, &mut seen).expect("a new answer");
        assert!(!begun.goes_on && begun.text.is_empty());
        assert_eq!(delta(&grown, &mut seen), None);
    }
}
