//! Commands about approved runs: drive, answer, watch. What they may do is the engine's to decide.

use planloom_engine::Error;
use planloom_engine::model::DecisionId;
use planloom_engine::views::{DecisionView, TaskDetail};
use tauri::State;
use tauri::ipc::Channel;

use super::{answer, ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;
use crate::growing::{self, AnswerDelta};
use crate::watches::{self, WatchMessage};

#[tauri::command]
#[specta::specta]
pub async fn resume_run(desk: State<'_, Desk>, run: String) -> Result<(), Fault> {
    ask(&desk, |engine| async move { engine.resume(&run_id(run)).await }).await
}

#[tauri::command]
#[specta::specta]
pub async fn pause_run(desk: State<'_, Desk>, run: String) -> Result<(), Fault> {
    ask(&desk, |engine| async move { engine.pause(&run_id(run)).await }).await
}

#[tauri::command]
#[specta::specta]
pub async fn cancel_run(desk: State<'_, Desk>, run: String) -> Result<(), Fault> {
    ask(&desk, |engine| async move { engine.cancel(&run_id(run)).await }).await
}

/// All open decisions of all runs.
#[tauri::command]
#[specta::specta]
pub async fn inbox(desk: State<'_, Desk>) -> Result<Vec<DecisionView>, Fault> {
    ask(&desk, |engine| async move { engine.inbox().await }).await
}

/// Answers a decision, once. `answer_json` is JSON text, or a bare word equal to an option.
#[tauri::command]
#[specta::specta]
pub async fn decide(
    desk: State<'_, Desk>,
    run: String,
    decision: String,
    answer_json: String,
) -> Result<(), Fault> {
    let answer = answer(&answer_json)?;
    let decision = DecisionId::from(decision);
    ask(&desk, |engine| async move {
        engine.decide(&run_id(run), &decision, answer).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn task_detail(desk: State<'_, Desk>, run: String, task: String) -> Result<TaskDetail, Fault> {
    ask(&desk, |engine| async move {
        engine.task_detail(&run_id(run), &task).await
    })
    .await
}

/// Sends everything after `since` and then what comes, until `unwatch`, a reload of the page or the end.
#[tauri::command]
#[specta::specta]
pub async fn watch_run(
    desk: State<'_, Desk>,
    run: String,
    since: u32,
    channel: Channel<WatchMessage>,
) -> Result<u32, Fault> {
    let watch = ask(&desk, move |engine| async move {
        engine.watch(&run_id(run), u64::from(since)).await as Result<_, Error>
    })
    .await?;
    let (id, ended) = desk.watches.open();
    tauri::async_runtime::spawn(watches::forward(watch, channel, ended));
    Ok(id)
}

/// The words of the model that works on this task, while they come; until `unwatch`. Answers the watch's id. The replies
/// themselves are in `task_detail`.
#[tauri::command]
#[specta::specta]
pub async fn watch_words(
    desk: State<'_, Desk>,
    run: String,
    task: String,
    channel: Channel<AnswerDelta>,
) -> Result<u32, Fault> {
    let words = desk.engine()?.watch_words(&run_id(run), &task);
    let (id, ended) = desk.watches.open();
    tauri::async_runtime::spawn(growing::forward_words(words, channel, ended));
    Ok(id)
}

/// Ends one watch. An unknown one has ended already.
#[tauri::command]
#[specta::specta]
pub async fn unwatch(desk: State<'_, Desk>, id: u32) -> Result<(), Fault> {
    desk.watches.end(id);
    Ok(())
}
