//! Commands about two runs side by side. Every rule is the engine's.

use planloom_engine::Spaces;
use planloom_engine::views::{CompareView, FamilyView, OutputDiff};
use tauri::State;

use super::{ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;

/// What differs from run A to run B.
#[tauri::command]
#[specta::specta]
pub async fn compare_runs(desk: State<'_, Desk>, a: String, b: String) -> Result<CompareView, Fault> {
    ask(&desk, move |engine| async move {
        engine.compare(&run_id(a), &run_id(b)).await
    })
    .await
}

/// The outputs of one task in both runs, or the final answers, by lines and values.
#[tauri::command]
#[specta::specta]
pub async fn compare_outputs(
    desk: State<'_, Desk>,
    a: String,
    b: String,
    task: Option<String>,
    ignore_spaces: bool,
) -> Result<OutputDiff, Fault> {
    let spaces = if ignore_spaces {
        Spaces::Ignored
    } else {
        Spaces::Count
    };
    ask(&desk, move |engine| async move {
        engine
            .compare_outputs(&run_id(a), &run_id(b), task.as_deref(), spaces)
            .await
    })
    .await
}

/// The runs that this one can be compared with, forks of the same log first.
#[tauri::command]
#[specta::specta]
pub async fn run_family(desk: State<'_, Desk>, run: String) -> Result<FamilyView, Fault> {
    ask(&desk, |engine| async move { engine.family(&run_id(run)).await }).await
}
