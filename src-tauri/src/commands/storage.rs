//! Commands about what is kept: names, deletion, sizes, a copy of the database, and how much goes on at once. What may go is
//! the engine's to decide.

use std::path::PathBuf;

use planloom_engine::Replace;
use planloom_engine::model::RunId;
use planloom_engine::views::{GoneView, LimitsView, OldRunsView, StorageView, ToolLimit, WhatGoes};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, State};

use super::{ask, run_id};
use crate::choose;
use crate::desk::Desk;
use crate::fault::Fault;

/// What tidying up has brought. Bytes are whole numbers.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FreedView {
    /// By how much the database has become smaller.
    #[specta(type = u32)]
    pub bytes: f64,
    /// Inside it free for what comes next.
    #[specta(type = u32)]
    pub free: f64,
    /// Stored values that nothing named any more.
    #[specta(type = u32)]
    pub values: f64,
    /// Who is at work on a run: therefore the file was not rewritten.
    pub held_by: Option<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct BackupView {
    pub file: String,
    #[specta(type = u32)]
    pub bytes: f64,
}

/// What of the limits is not as usual.
#[derive(Clone, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct LimitsForm {
    pub per_run: Option<u32>,
    pub per_provider: Option<u32>,
    pub tools: Vec<ToolLimit>,
}

#[tauri::command]
#[specta::specta]
pub async fn rename_run(desk: State<'_, Desk>, run: String, name: Option<String>) -> Result<(), Fault> {
    ask(&desk, |engine| async move {
        engine.name_run(&run_id(run), name).await
    })
    .await
}

/// What would go with these runs.
#[tauri::command]
#[specta::specta]
pub async fn what_goes(desk: State<'_, Desk>, runs: Vec<String>) -> Result<WhatGoes, Fault> {
    ask(&desk, |engine| async move { engine.what_goes(&ids(runs)).await }).await
}

/// Deletes them; those that can't go are told.
#[tauri::command]
#[specta::specta]
pub async fn delete_runs(desk: State<'_, Desk>, runs: Vec<String>) -> Result<GoneView, Fault> {
    ask(
        &desk,
        |engine| async move { engine.delete_runs(&ids(runs)).await },
    )
    .await
}

/// Runs that are over, and drafts where they are wanted, that have not changed for so many days.
#[tauri::command]
#[specta::specta]
pub async fn old_runs(desk: State<'_, Desk>, days: u32, with_drafts: bool) -> Result<OldRunsView, Fault> {
    ask(&desk, move |engine| async move {
        engine.old_runs(days, with_drafts).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn storage(desk: State<'_, Desk>) -> Result<StorageView, Fault> {
    ask(&desk, |engine| async move { engine.storage().await }).await
}

/// Asks a person where a copy of the database shall lie; null when they changed their mind.
#[tauri::command]
#[specta::specta]
pub async fn choose_backup_file(app: AppHandle, suggested: String) -> Result<Option<String>, Fault> {
    choose::backup_to_write(&app, &suggested).await
}

/// Copies the whole database as it is now, while runs go on. The person has chosen the file, and been asked where it is there.
#[tauri::command]
#[specta::specta]
pub async fn backup(desk: State<'_, Desk>, path: String) -> Result<BackupView, Fault> {
    ask(&desk, |engine| async move {
        let done = engine.backup(&PathBuf::from(path), Replace::Allowed).await?;
        Ok(BackupView {
            file: done.file.to_string_lossy().into_owned(),
            bytes: done.bytes as f64,
        })
    })
    .await
}

/// A folder of Planloom's own.
#[derive(Clone, Copy, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum Folder {
    /// Where the database lies.
    Database,
    /// Where each run has its own files.
    Runs,
}

/// Shows it in the system's own file manager.
#[tauri::command]
#[specta::specta]
pub async fn show_folder(desk: State<'_, Desk>, folder: Folder) -> Result<(), Fault> {
    let view = ask(&desk, |engine| async move { engine.storage().await }).await?;
    let path = match folder {
        Folder::Database => PathBuf::from(view.file).parent().map(PathBuf::from),
        Folder::Runs => Some(PathBuf::from(view.folder)),
    };
    let Some(path) = path.filter(|path| path.is_dir()) else {
        let message = "The folder is not there yet: no run has a file of its own. Nothing was changed.";
        return Err(Fault::new("no_folder", message));
    };
    open::that_detached(&path).map_err(|error| {
        let message = format!(
            "{} could not be shown: {error}. It is there; open it by its path.",
            path.display()
        );
        Fault::new("not_shown", message)
    })
}

/// Takes away what nothing names any more and makes the file smaller.
#[tauri::command]
#[specta::specta]
pub async fn tidy_up(desk: State<'_, Desk>) -> Result<FreedView, Fault> {
    ask(&desk, |engine| async move {
        let freed = engine.vacuum().await?;
        Ok(FreedView {
            bytes: freed.bytes as f64,
            free: freed.free as f64,
            values: freed.payloads as f64,
            held_by: freed.held_by,
        })
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn limits(desk: State<'_, Desk>) -> Result<LimitsView, Fault> {
    Ok(desk.engine()?.limits())
}

/// Keeps the limits; what begins from now on keeps to them.
#[tauri::command]
#[specta::specta]
pub async fn keep_limits(desk: State<'_, Desk>, limits: LimitsForm) -> Result<LimitsView, Fault> {
    desk.settings.keep_limits(&limits)?;
    let engine = desk.engine()?;
    engine.use_limits();
    Ok(engine.limits())
}

/// Whether all is on the disk before it goes on, or what cost, did or said something.
#[tauri::command]
#[specta::specta]
pub async fn keep_sync(desk: State<'_, Desk>, everything: bool) -> Result<LimitsView, Fault> {
    desk.settings.keep_sync(everything)?;
    let engine = desk.engine()?;
    engine.use_limits();
    Ok(engine.limits())
}

pub(super) fn ids(runs: Vec<String>) -> Vec<RunId> {
    runs.into_iter().map(run_id).collect()
}
