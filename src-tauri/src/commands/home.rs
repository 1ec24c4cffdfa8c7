//! Commands of the first screen: what there is, and how a plan is opened.

use std::path::PathBuf;

use planloom_engine::views::{DraftView, HomeView, RunRow, ToolView};
use tauri::{AppHandle, State};

use super::ask;
use crate::choose;
use crate::desk::Desk;
use crate::fault::Fault;

#[tauri::command]
#[specta::specta]
pub async fn home(desk: State<'_, Desk>) -> Result<HomeView, Fault> {
    ask(&desk, |engine| async move { engine.home().await }).await
}

#[tauri::command]
#[specta::specta]
pub async fn list_runs(desk: State<'_, Desk>) -> Result<Vec<RunRow>, Fault> {
    ask(&desk, |engine| async move { engine.runs().await }).await
}

#[tauri::command]
#[specta::specta]
pub async fn list_tools(desk: State<'_, Desk>) -> Result<Vec<ToolView>, Fault> {
    ask(&desk, |engine| async move { Ok(engine.tools()) }).await
}

/// Opens a plan file as a draft.
#[tauri::command]
#[specta::specta]
pub async fn open_plan(desk: State<'_, Desk>, path: String) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move {
        engine.open_plan(PathBuf::from(path)).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn new_plan(desk: State<'_, Desk>) -> Result<DraftView, Fault> {
    ask(&desk, |engine| async move { engine.new_plan().await }).await
}

/// Asks a person for a plan file; null when they changed their mind.
#[tauri::command]
#[specta::specta]
pub async fn choose_plan_file(app: AppHandle) -> Result<Option<String>, Fault> {
    choose::file_to_open(&app).await
}

/// Asks a person where to write a plan; null when they changed their mind.
#[tauri::command]
#[specta::specta]
pub async fn choose_save_file(app: AppHandle, suggested: String) -> Result<Option<String>, Fault> {
    choose::file_to_save(&app, &suggested).await
}
