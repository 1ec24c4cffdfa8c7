//! Commands that read and change a draft. Every rule about edits is the engine's.

use std::path::PathBuf;

use planloom_engine::model::edit::PlanEdit;
use planloom_engine::views::{ConnectVerdict, DraftView};
use tauri::State;

use super::{ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;

#[tauri::command]
#[specta::specta]
pub async fn draft(desk: State<'_, Desk>, run: String) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move { engine.draft(&run_id(run)).await }).await
}

/// A new draft from the plan of any run, as it ran.
#[tauri::command]
#[specta::specta]
pub async fn draft_from_run(desk: State<'_, Desk>, run: String) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move {
        engine.draft_from_run(&run_id(run)).await
    })
    .await
}

/// Applies edits to the revision that the window has seen; another one is a fault and changes nothing.
#[tauri::command]
#[specta::specta]
pub async fn edit_draft(
    desk: State<'_, Desk>,
    run: String,
    revision: u32,
    edits: Vec<PlanEdit>,
) -> Result<DraftView, Fault> {
    ask(&desk, move |engine| async move {
        engine.edit_draft(&run_id(run), revision, edits).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn undo_draft(desk: State<'_, Desk>, run: String) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move { engine.undo(&run_id(run)).await }).await
}

#[tauri::command]
#[specta::specta]
pub async fn redo_draft(desk: State<'_, Desk>, run: String) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move { engine.redo(&run_id(run)).await }).await
}

/// For every task, whether an edge from `from` to it may be drawn.
#[tauri::command]
#[specta::specta]
pub async fn connect_verdicts(
    desk: State<'_, Desk>,
    run: String,
    from: String,
) -> Result<Vec<ConnectVerdict>, Fault> {
    ask(&desk, |engine| async move {
        engine.connect_verdicts(&run_id(run), &from).await
    })
    .await
}

/// Writes the plan document; without a path, to the file it was opened from. Answers where it is.
#[tauri::command]
#[specta::specta]
pub async fn save_plan(desk: State<'_, Desk>, run: String, path: Option<String>) -> Result<String, Fault> {
    let path = path.map(PathBuf::from);
    let saved = ask(&desk, |engine| async move {
        engine.save_plan(&run_id(run), path).await
    })
    .await?;
    Ok(saved.to_string_lossy().into_owned())
}
