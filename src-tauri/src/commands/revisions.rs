//! Commands about versions of a plan, what is laid on a draft, and trying one task. Every rule is the engine's.

use planloom_engine::views::{BreakpointView, DraftView, LastOutput, PlanDiff, RevisionsView};
use tauri::State;

use super::{ask, run_id, value};
use crate::desk::Desk;
use crate::fault::Fault;

/// Every version of the plan, the newest first.
#[tauri::command]
#[specta::specta]
pub async fn revisions(desk: State<'_, Desk>, run: String) -> Result<RevisionsView, Fault> {
    ask(
        &desk,
        |engine| async move { engine.revisions(&run_id(run)).await },
    )
    .await
}

/// Without a name, the revision has none any more.
#[tauri::command]
#[specta::specta]
pub async fn name_revision(
    desk: State<'_, Desk>,
    run: String,
    revision: u32,
    name: Option<String>,
) -> Result<(), Fault> {
    ask(&desk, move |engine| async move {
        engine.name_revision(&run_id(run), revision, name).await
    })
    .await
}

/// The plan as it was, to be looked at.
#[tauri::command]
#[specta::specta]
pub async fn draft_at(desk: State<'_, Desk>, run: String, revision: u32) -> Result<DraftView, Fault> {
    ask(&desk, move |engine| async move {
        engine.draft_at(&run_id(run), revision).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn diff(desk: State<'_, Desk>, run: String, from: u32, to: u32) -> Result<PlanDiff, Fault> {
    ask(&desk, move |engine| async move {
        engine.diff(&run_id(run), from, to).await
    })
    .await
}

/// One more edit, after which the plan is what it was then.
#[tauri::command]
#[specta::specta]
pub async fn restore_revision(desk: State<'_, Desk>, run: String, revision: u32) -> Result<DraftView, Fault> {
    ask(&desk, move |engine| async move {
        engine.restore_revision(&run_id(run), revision).await
    })
    .await
}

/// Holds this JSON text as the task's output for the run to come; none: the task is executed again.
#[tauri::command]
#[specta::specta]
pub async fn hold(
    desk: State<'_, Desk>,
    run: String,
    task: String,
    output_json: Option<String>,
) -> Result<DraftView, Fault> {
    let output = output_json.map(|text| value(&text, "output")).transpose()?;
    ask(&desk, move |engine| async move {
        engine.hold(&run_id(run), &task, output).await
    })
    .await
}

/// The output that is held for a task, as JSON text.
#[tauri::command]
#[specta::specta]
pub async fn held_output(desk: State<'_, Desk>, run: String, task: String) -> Result<Option<String>, Fault> {
    ask(&desk, move |engine| async move {
        engine.held_output(&run_id(run), &task).await
    })
    .await
}

#[tauri::command]
#[specta::specta]
pub async fn break_at(
    desk: State<'_, Desk>,
    run: String,
    task: String,
    at: Option<BreakpointView>,
) -> Result<DraftView, Fault> {
    ask(&desk, move |engine| async move {
        engine.break_at(&run_id(run), &task, at).await
    })
    .await
}

/// What the task gave in the newest run of the same plan.
#[tauri::command]
#[specta::specta]
pub async fn last_output(
    desk: State<'_, Desk>,
    run: String,
    task: String,
) -> Result<Option<LastOutput>, Fault> {
    ask(&desk, move |engine| async move {
        engine.last_output(&run_id(run), &task).await
    })
    .await
}

/// Opens a draft of this one task and answers its run. `outputs_json` is an object, id of a task that it reads → its
/// output.
#[tauri::command]
#[specta::specta]
pub async fn try_task(
    desk: State<'_, Desk>,
    run: String,
    task: String,
    outputs_json: String,
) -> Result<String, Fault> {
    let outputs = value(&outputs_json, "outputs")?;
    let opened = ask(&desk, move |engine| async move {
        engine.try_task(&run_id(run), &task, outputs).await
    });
    Ok(opened.await?.to_string())
}
