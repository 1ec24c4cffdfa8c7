//! Commands about runs as files: where they shall lie, and writing them. What is in them is the engine's to say.

use std::path::PathBuf;

use planloom_engine::history::otlp::Contents;
use planloom_engine::model::picture::Theme;
use planloom_engine::{Form, Replace, Wanted};
use serde::{Deserialize, Serialize};
use tauri::{AppHandle, State};

use super::{ask, run_id};
use crate::choose;
use crate::desk::Desk;
use crate::fault::Fault;

/// What a run is written as.
#[derive(Clone, Copy, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ExportForm {
    Run,
    Markdown,
    Html,
    Svg,
    Png,
    Mermaid,
    Otlp,
}

#[derive(Clone, Copy, Debug, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ExportTheme {
    Light,
    Dark,
}

/// A file that was written.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ExportedView {
    pub file: String,
    #[specta(type = u32)]
    pub bytes: f64,
    /// What a person should know of it, a sentence each.
    pub notes: Vec<String>,
}

/// Asks a person where the file shall lie; null when they changed their mind.
#[tauri::command]
#[specta::specta]
pub async fn choose_export_file(app: AppHandle, suggested: String) -> Result<Option<String>, Fault> {
    choose::export_to_write(&app, &suggested).await
}

/// Writes the run in this form. The person has chosen the file, and been asked where it is there.
#[tauri::command]
#[specta::specta]
pub async fn export_run(
    desk: State<'_, Desk>,
    run: String,
    form: ExportForm,
    theme: ExportTheme,
    with_content: bool,
    path: String,
) -> Result<ExportedView, Fault> {
    let wanted = wanted(form, theme, with_content);
    ask(&desk, move |engine| async move {
        let done = engine
            .export_as(&run_id(run), wanted, &PathBuf::from(path), Replace::Allowed)
            .await?;
        Ok(ExportedView {
            file: done.file.to_string_lossy().into_owned(),
            bytes: done.bytes as f64,
            notes: done.notes,
        })
    })
    .await
}

fn wanted(form: ExportForm, theme: ExportTheme, with_content: bool) -> Wanted {
    Wanted {
        form: match form {
            ExportForm::Run => Form::Run,
            ExportForm::Markdown => Form::Markdown,
            ExportForm::Html => Form::Html,
            ExportForm::Svg => Form::Svg,
            ExportForm::Png => Form::Png,
            ExportForm::Mermaid => Form::Mermaid,
            ExportForm::Otlp => Form::Otlp,
        },
        theme: match theme {
            ExportTheme::Light => Theme::Light,
            ExportTheme::Dark => Theme::Dark,
        },
        contents: if with_content {
            Contents::Included
        } else {
            Contents::LeftOut
        },
    }
}
