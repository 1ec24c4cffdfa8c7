//! Commands that find plans and runs again: the lists with their filters, the search inside of them, tags and sizes.

use std::time::Duration;

use planloom_engine::views::{FoundView, RunSize, RunsAsked, RunsPage};
use tauri::State;

use super::storage::ids;
use super::{ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;

/// A person waits no longer than this for what is not looked through yet; the page asks again.
const PATIENCE: Duration = Duration::from_millis(1500);

/// The plans or runs that fit, forks behind what they were made from.
#[tauri::command]
#[specta::specta]
pub async fn find_runs(desk: State<'_, Desk>, asked: RunsAsked) -> Result<RunsPage, Fault> {
    ask(&desk, |engine| async move { engine.find_runs(&asked).await }).await
}

/// Places inside of plans and runs that hold the words.
#[tauri::command]
#[specta::specta]
pub async fn search(desk: State<'_, Desk>, asked: RunsAsked) -> Result<FoundView, Fault> {
    ask(
        &desk,
        |engine| async move { engine.search(&asked, PATIENCE).await },
    )
    .await
}

/// Lays tags on and takes others off; answers those that there are then.
#[tauri::command]
#[specta::specta]
pub async fn tag_run(
    desk: State<'_, Desk>,
    run: String,
    add: Vec<String>,
    remove: Vec<String>,
) -> Result<Vec<String>, Fault> {
    ask(&desk, |engine| async move {
        engine.tag_run(&run_id(run), &add, &remove).await
    })
    .await
}

/// What single runs take on the disk.
#[tauri::command]
#[specta::specta]
pub async fn run_sizes(desk: State<'_, Desk>, runs: Vec<String>) -> Result<Vec<RunSize>, Fault> {
    ask(&desk, |engine| async move { engine.run_sizes(&ids(runs)).await }).await
}
