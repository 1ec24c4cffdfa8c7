//! Commands about the window itself: settings, environment, first paint. They never reach the engine.

use std::path::{Path, PathBuf};

use serde::Serialize;
use tauri::{AppHandle, State};

use super::value;
use crate::desk::Desk;
use crate::fault::Fault;
use crate::{choose, closing, look, places, start};

/// How the engine calls a database that is newer than this program.
const NEWER: &str = "newer";

/// Where this window runs.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct Environment {
    pub version: String,
    pub db_path: String,
    /// Whether this machine shall draw with the safe renderer, from the next start on.
    pub safe_renderer: bool,
    /// Whether the safe renderer is a choice here: on Linux, unless the person's own environment decides.
    pub offer_safe_renderer: bool,
    /// "linux", "macos" or "windows".
    pub platform: String,
    /// What the person should be told once, such as settings that could not be read.
    pub notices: Vec<String>,
    /// A plan file named on the command line, to be opened first.
    pub open_first: Option<String>,
    /// Why there is no database and with it no engine; nothing but another database helps.
    pub no_database: Option<Fault>,
    /// A newer version has written the database: it is looked at, and nothing of it is changed.
    pub is_looked_at: bool,
}

/// All settings as one JSON object, as text.
#[tauri::command]
#[specta::specta]
pub async fn load_settings(desk: State<'_, Desk>) -> Result<String, Fault> {
    Ok(desk.settings.all())
}

/// Keeps one setting. The window's frame and the renderer have their own ways in.
#[tauri::command]
#[specta::specta]
pub async fn save_setting(
    app: AppHandle,
    desk: State<'_, Desk>,
    key: String,
    value_json: String,
) -> Result<(), Fault> {
    desk.settings.keep_from_page(&key, value(&value_json, &key)?)?;
    if key == "theme" {
        look::apply(&app, desk.settings.theme());
    }
    Ok(())
}

/// The page says that it has painted, so that nobody waits in front of a white window.
#[tauri::command]
#[specta::specta]
pub async fn report_first_paint(desk: State<'_, Desk>) -> Result<(), Fault> {
    desk.first_paint.report();
    Ok(())
}

#[tauri::command]
#[specta::specta]
pub async fn environment(desk: State<'_, Desk>) -> Result<Environment, Fault> {
    Ok(desk.environment())
}

/// Where the database can't be opened: starts Planloom anew with one in a folder that the person chooses. False where
/// none was chosen.
#[tauri::command]
#[specta::specta]
pub async fn choose_database(app: AppHandle, desk: State<'_, Desk>) -> Result<bool, Fault> {
    if desk.engine().is_ok() {
        return Err(Fault::new(
            "in_use",
            "The database is open and in use; start Planloom with --db to use another one. Nothing was changed.",
        ));
    }
    let Some(folder) = choose::folder_of_data(&app).await? else {
        return Ok(false);
    };
    closing::start_with(&app, &places::in_folder(Path::new(&folder)))?;
    Ok(true)
}

/// Where a newer version has written the database: shows it as far as it can be read, without changing a byte of it.
#[tauri::command]
#[specta::specta]
pub async fn look_at_database(app: AppHandle, desk: State<'_, Desk>) -> Result<(), Fault> {
    match desk.engine() {
        Err(fault) if fault.code == NEWER => {}
        Ok(_) | Err(_) => {
            let message = "Only a database that a newer Planloom has written is opened to look at. Nothing was changed.";
            return Err(Fault::new("not_newer", message));
        }
    }
    let db = PathBuf::from(desk.environment().db_path);
    desk.look_through(start::look(&app, db).await?);
    Ok(())
}

/// Chooses the renderer of this machine, from the next start on.
#[tauri::command]
#[specta::specta]
pub async fn use_safe_renderer(desk: State<'_, Desk>, on: bool) -> Result<(), Fault> {
    desk.settings.keep_safe_renderer(on)
}
