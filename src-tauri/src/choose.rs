//! Native file dialogs. The page never sees the file system; it gets the path that a person chose.

use std::path::Path;

use tauri::AppHandle;
use tauri_plugin_dialog::{DialogExt, FileDialogBuilder, FilePath};
use tokio::sync::oneshot;

use crate::fault::Fault;

/// What a test chooses instead of a person: native dialogs can't be driven from outside. Debug builds only.
const TEST_CHOICE: &str = "PLANLOOM_CHOOSE_FILE";

pub async fn file_to_open(app: &AppHandle) -> Result<Option<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(Some(path));
    }
    let (answer, chosen) = oneshot::channel();
    dialog(app)
        .set_title("Open a plan")
        .pick_file(|path| drop(answer.send(path)));
    text(chosen.await.unwrap_or_default())
}

pub async fn file_to_save(app: &AppHandle, suggested: &str) -> Result<Option<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(Some(path));
    }
    let (answer, chosen) = oneshot::channel();
    let suggested = Path::new(suggested);
    let mut dialog = dialog(app).set_title("Save the plan");
    if let Some(name) = suggested.file_name() {
        dialog = dialog.set_file_name(name.to_string_lossy());
    }
    if let Some(folder) = suggested.parent().filter(|folder| folder.is_dir()) {
        dialog = dialog.set_directory(folder);
    }
    dialog.save_file(|path| drop(answer.send(path)));
    text(chosen.await.unwrap_or_default())
}

/// Where a copy of the database shall lie. Whoever names a file that is there is asked by the dialog itself.
pub async fn backup_to_write(app: &AppHandle, suggested: &str) -> Result<Option<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(Some(path));
    }
    let (answer, chosen) = oneshot::channel();
    let mut dialog = app.dialog().file().add_filter("Databases", &["db"]);
    if let Some(window) = tauri::Manager::get_webview_window(app, crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    dialog
        .set_title("Back up the database")
        .set_file_name(suggested)
        .save_file(|path| drop(answer.send(path)));
    text(chosen.await.unwrap_or_default())
}

/// Where an export shall lie. Whoever names a file that is there is asked by the dialog itself.
pub async fn export_to_write(app: &AppHandle, suggested: &str) -> Result<Option<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(Some(path));
    }
    let (answer, chosen) = oneshot::channel();
    let mut dialog = app.dialog().file();
    if let Some(window) = tauri::Manager::get_webview_window(app, crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    dialog
        .set_title("Export")
        .set_file_name(suggested)
        .save_file(|path| drop(answer.send(path)));
    text(chosen.await.unwrap_or_default())
}

/// Files, or one folder, that a goal speaks of; none where the person thinks better of it.
pub async fn attachments(app: &AppHandle, folder: bool) -> Result<Vec<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(vec![path]);
    }
    let (answer, chosen) = oneshot::channel();
    let mut dialog = app.dialog().file();
    if let Some(window) = tauri::Manager::get_webview_window(app, crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    if folder {
        dialog
            .set_title("Attach a folder")
            .pick_folder(|path| drop(answer.send(path.map(|path| vec![path]))));
    } else {
        dialog
            .set_title("Attach files")
            .pick_files(|paths| drop(answer.send(paths)));
    }
    let paths = chosen.await.unwrap_or_default().unwrap_or_default();
    paths
        .into_iter()
        .filter_map(|path| text(Some(path)).transpose())
        .collect()
}

/// A folder that holds a database, or shall hold one.
pub async fn folder_of_data(app: &AppHandle) -> Result<Option<String>, Fault> {
    if let Some(path) = test_choice() {
        return Ok(Some(path));
    }
    let (answer, chosen) = oneshot::channel();
    let mut dialog = app.dialog().file();
    if let Some(window) = tauri::Manager::get_webview_window(app, crate::window::LABEL) {
        dialog = dialog.set_parent(&window);
    }
    dialog
        .set_title("A folder for Planloom's database")
        .pick_folder(|path| drop(answer.send(path)));
    text(chosen.await.unwrap_or_default())
}

/// A file of settings, with its name; read here, so that the page gets to no file.
pub async fn small_text(app: &AppHandle) -> Result<Option<(String, String)>, Fault> {
    const LONGEST: u64 = 4 << 20;
    let chosen = match test_choice() {
        Some(path) => Some(path),
        None => {
            let (answer, chosen) = oneshot::channel();
            dialog(app)
                .set_title("Servers of another program")
                .pick_file(|path| drop(answer.send(path)));
            text(chosen.await.unwrap_or_default())?
        }
    };
    let Some(path) = chosen else { return Ok(None) };
    let unread = |why: String| {
        Fault::new(
            "type",
            format!("{path} can't be read: {why}. Nothing was changed."),
        )
    };
    let found = std::fs::metadata(&path).map_err(|error| unread(error.to_string()))?;
    if !found.is_file() || found.len() > LONGEST {
        return Err(unread("it is no file of at most 4 MiB".to_owned()));
    }
    let read = std::fs::read(&path).map_err(|error| unread(error.to_string()))?;
    let read = String::from_utf8(read).map_err(|_| unread("it is no text".to_owned()))?;
    let name = Path::new(&path).file_name().unwrap_or_default().to_string_lossy();
    Ok(Some((name.into_owned(), read)))
}

fn dialog(app: &AppHandle) -> FileDialogBuilder<tauri::Wry> {
    let dialog = app
        .dialog()
        .file()
        .add_filter("Plans", &["json"])
        .add_filter("All files", &["*"]);
    match tauri::Manager::get_webview_window(app, crate::window::LABEL) {
        Some(window) => dialog.set_parent(&window),
        None => dialog,
    }
}

fn text(chosen: Option<FilePath>) -> Result<Option<String>, Fault> {
    let Some(chosen) = chosen else { return Ok(None) };
    let path = chosen
        .into_path()
        .map_err(|e| Fault::new("type", format!("This is not a file on this machine ({e}).")))?;
    match path.to_str() {
        Some(path) => Ok(Some(path.to_owned())),
        None => Err(Fault::new(
            "type",
            format!(
                "The name {} is not readable text. Rename the file or a folder above it, and open it again.",
                path.display()
            ),
        )),
    }
}

fn test_choice() -> Option<String> {
    if cfg!(debug_assertions) {
        std::env::var(TEST_CHOICE).ok().filter(|path| !path.is_empty())
    } else {
        None
    }
}
