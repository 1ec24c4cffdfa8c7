//! Tells a person by the system's own notifications what happens while the window is not in front: a decision, a failure,
//! an end. Sent from here and not from the page, which gets no permission for it. Says the run's title and nothing else of it.

use std::collections::HashMap;
use std::time::Duration;

use planloom_engine::Engine;
use planloom_engine::model::RunId;
use planloom_engine::views::{RunRow, RunStatus};
use tauri::{AppHandle, Manager};
use tauri_specta::Event;

use crate::bindings::RunNamed;
use crate::desk::Desk;
use crate::window;

/// How often what has happened is looked at, and that only while the window is not in front.
const LOOK: Duration = Duration::from_secs(2);
/// Characters of a title.
const LONGEST: usize = 80;

/// What is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum News {
    Decision,
    Failed,
    Blocked,
    Done,
}

/// How a run stood when it was looked at last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stand {
    status: RunStatus,
    open_decisions: u32,
}

/// Looks until the process ends. Whatever can't be read or told now is left for the next look.
pub async fn tell(app: AppHandle) {
    let mut before: Option<HashMap<String, Stand>> = None;
    loop {
        tokio::time::sleep(LOOK).await;
        let desk = app.state::<Desk>();
        if window::is_in_front(&app) || !desk.settings.tells() {
            before = None;
            continue;
        }
        let Ok(engine) = desk.engine() else { return };
        let Ok(rows) = engine.runs().await else { continue };
        if let Some(before) = &before {
            for (row, news) in rows
                .iter()
                .filter_map(|row| Some((row, news(before.get(&row.run).copied(), row)?)))
            {
                let decision = match news {
                    News::Decision | News::Blocked => newest_decision(&engine, &row.run).await,
                    News::Failed | News::Done => None,
                };
                show(&app, row, news, decision);
            }
        }
        before = Some(rows.iter().map(|row| (row.run.clone(), Stand::of(row))).collect());
    }
}

/// The decision that a click shall lead to; without one it leads to the run.
async fn newest_decision(engine: &Engine, run: &str) -> Option<String> {
    let shown = engine.show(&RunId::from(run), None).await.ok()?;
    shown.decisions.last().map(|decision| decision.id.clone())
}

impl Stand {
    fn of(row: &RunRow) -> Self {
        Self {
            status: row.status,
            open_decisions: row.open_decisions,
        }
    }
}

/// What has happened to a run since. A run that was not there before began meanwhile.
fn news(before: Option<Stand>, row: &RunRow) -> Option<News> {
    let now = Stand::of(row);
    let (was, had) = before.map_or((None, 0), |stand| (Some(stand.status), stand.open_decisions));
    let has_become = |status| now.status == status && was != Some(status);
    if has_become(RunStatus::Failed) {
        return Some(News::Failed);
    }
    if has_become(RunStatus::Blocked) {
        return Some(News::Blocked);
    }
    if has_become(RunStatus::Succeeded) {
        return Some(News::Done);
    }
    (now.open_decisions > had).then_some(News::Decision)
}

impl News {
    fn words(self) -> &'static str {
        match self {
            Self::Decision => "Waiting for you",
            Self::Failed => "Failed",
            Self::Blocked => "Stuck: a decision is open",
            Self::Done => "Done",
        }
    }
}

fn show(app: &AppHandle, row: &RunRow, news: News, decision: Option<String>) {
    let (title, run, app) = (plain(&row.title), row.run.clone(), app.clone());
    // It waits for a click, on a desktop that can tell of one, and the library does that on a thread.
    let told = std::thread::Builder::new()
        .name("telling".to_owned())
        .spawn(move || {
            if tell_one(news.words(), &title) {
                window::focus(&app);
                if let Err(error) = (RunNamed { run, decision }).emit(&app) {
                    tracing::warn!(%error, "the window could not be told of the run");
                }
            }
        });
    if let Err(error) = told {
        tracing::warn!(%error, "a notification could not be shown");
    }
}

/// True: the person has clicked on it.
#[cfg(all(unix, not(target_os = "macos")))]
fn tell_one(words: &str, title: &str) -> bool {
    use std::sync::atomic::{AtomicUsize, Ordering};
    /// So many wait for a click at a time; what is told beyond that leads nowhere.
    const MOST_WAITING: usize = 16;
    static WAITING: AtomicUsize = AtomicUsize::new(0);
    let mut notice = notify_rust::Notification::new();
    notice
        .appname("Planloom")
        .summary(words)
        .body(title)
        .icon("planloom")
        .action("default", "Open");
    let Ok(handle) = notice
        .show()
        .inspect_err(|error| tracing::debug!(%error, "no notification was shown"))
    else {
        return false;
    };
    if WAITING.fetch_add(1, Ordering::Relaxed) >= MOST_WAITING {
        WAITING.fetch_sub(1, Ordering::Relaxed);
        return false;
    }
    let mut is_clicked = false;
    handle.wait_for_action(|action| is_clicked = action == "default");
    WAITING.fetch_sub(1, Ordering::Relaxed);
    is_clicked
}

/// The same, on a system that tells of no click.
#[cfg(not(all(unix, not(target_os = "macos"))))]
fn tell_one(words: &str, title: &str) -> bool {
    let mut notice = notify_rust::Notification::new();
    notice.appname("Planloom").summary(words).body(title);
    if let Err(error) = notice.show() {
        tracing::debug!(%error, "no notification was shown");
    }
    false
}

/// One line in which nothing is markup and nothing unseen: servers of notifications read a body as such.
fn plain(title: &str) -> String {
    let line: String = title
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    let mut short: String = line.trim().chars().take(LONGEST).collect();
    if short.len() < line.trim().len() {
        short.push('…');
    }
    short
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stand(status: RunStatus, open_decisions: u32) -> Stand {
        Stand {
            status,
            open_decisions,
        }
    }

    fn row(now: Stand) -> RunRow {
        let zero = planloom_engine::spent_view(&planloom_engine::model::ledger::Spent::default());
        RunRow {
            tags: Vec::new(),
            parent: None,
            run: "r1".to_owned(),
            title: "Report".to_owned(),
            goal: None,
            status: now.status,
            revision: 1,
            started_at: 0.0,
            changed_at: 0.0,
            ran_ms: None,
            counts: Vec::new(),
            open_decisions: now.open_decisions,
            spent: zero,
            budget: planloom_engine::views::BudgetView {
                usd: None,
                tokens: None,
                seconds: None,
            },
            owner: None,
            trouble: None,
        }
    }

    #[test]
    fn a_decision_a_failure_and_an_end_are_told_once_and_nothing_else_is() {
        let running = stand(RunStatus::Running, 0);
        for (before, now, expected) in [
            (running, stand(RunStatus::Running, 0), None),
            (running, stand(RunStatus::Waiting, 1), Some(News::Decision)),
            (stand(RunStatus::Waiting, 1), stand(RunStatus::Waiting, 1), None),
            (stand(RunStatus::Waiting, 2), stand(RunStatus::Running, 1), None),
            (running, stand(RunStatus::Blocked, 1), Some(News::Blocked)),
            (running, stand(RunStatus::Failed, 0), Some(News::Failed)),
            (stand(RunStatus::Failed, 0), stand(RunStatus::Failed, 0), None),
            (running, stand(RunStatus::Succeeded, 0), Some(News::Done)),
            (running, stand(RunStatus::Paused, 0), None),
            (running, stand(RunStatus::Cancelled, 0), None),
            (
                stand(RunStatus::AwaitingApproval, 0),
                stand(RunStatus::AwaitingApproval, 1),
                Some(News::Decision),
            ),
        ] {
            assert_eq!(news(Some(before), &row(now)), expected, "{before:?} to {now:?}");
        }
        assert_eq!(news(None, &row(stand(RunStatus::Succeeded, 0))), Some(News::Done));
        assert_eq!(news(None, &row(running)), None);
    }

    #[test]
    fn a_title_is_one_short_line_without_markup() {
        assert_eq!(
            plain(" <b>Report</b>\n& more "),
            "&lt;b&gt;Report&lt;/b&gt; &amp; more"
        );
        assert_eq!(plain(&"x".repeat(200)).chars().count(), LONGEST + 1);
    }
}
