//! Commands about looking back: a run's time axis, any moment of it, and going on from there. Every rule is the engine's.

use planloom_engine::views::{DraftView, GoingBackView, MomentView, TimelineView};
use planloom_engine::{Effects, Files};
use tauri::State;

use super::{ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;

/// The whole history of a run, for a time axis.
#[tauri::command]
#[specta::specta]
pub async fn timeline(desk: State<'_, Desk>, run: String) -> Result<TimelineView, Fault> {
    ask(&desk, |engine| async move { engine.timeline(&run_id(run)).await }).await
}

/// The run as it was right after event `seq`.
#[tauri::command]
#[specta::specta]
pub async fn moment(desk: State<'_, Desk>, run: String, seq: u32) -> Result<MomentView, Fault> {
    ask(&desk, move |engine| async move {
        engine.moment(&run_id(run), u64::from(seq)).await
    })
    .await
}

/// The plan as it was right after event `seq`, to be looked at.
#[tauri::command]
#[specta::specta]
pub async fn plan_at(desk: State<'_, Desk>, run: String, seq: u32) -> Result<DraftView, Fault> {
    ask(&desk, move |engine| async move {
        engine.plan_at(&run_id(run), u64::from(seq)).await
    })
    .await
}

/// What going back to event `seq` would mean; nothing is recorded.
#[tauri::command]
#[specta::specta]
pub async fn rewind_preview(desk: State<'_, Desk>, run: String, seq: u32) -> Result<GoingBackView, Fault> {
    ask(&desk, move |engine| async move {
        engine.rewind_preview(&run_id(run), u64::from(seq)).await
    })
    .await
}

/// What a fork from event `seq` would share and do; nothing is recorded.
#[tauri::command]
#[specta::specta]
pub async fn fork_preview(desk: State<'_, Desk>, run: String, seq: u32) -> Result<GoingBackView, Fault> {
    ask(&desk, move |engine| async move {
        engine.fork_preview(&run_id(run), u64::from(seq)).await
    })
    .await
}

/// What running a task and all behind it again would mean; nothing is recorded.
#[tauri::command]
#[specta::specta]
pub async fn rerun_preview(desk: State<'_, Desk>, run: String, task: String) -> Result<GoingBackView, Fault> {
    ask(&desk, move |engine| async move {
        engine.rerun_view(&run_id(run), &task).await
    })
    .await
}

/// Sets what came after event `seq` aside. With `restore`, files get again what they held, where nobody else has changed
/// them. The run rests until it is resumed.
#[tauri::command]
#[specta::specta]
pub async fn rewind_run(desk: State<'_, Desk>, run: String, seq: u32, restore: bool) -> Result<(), Fault> {
    let files = files(restore);
    ask(&desk, move |engine| async move {
        engine.rewind(&run_id(run), u64::from(seq), files).await.map(drop)
    })
    .await
}

/// A new run that shares the log up to event `seq`: a draft, to be edited and approved. Answers its id.
#[tauri::command]
#[specta::specta]
pub async fn fork_run(desk: State<'_, Desk>, run: String, seq: u32, restore: bool) -> Result<String, Fault> {
    let files = files(restore);
    let forked = ask(&desk, move |engine| async move {
        engine.fork(&run_id(run), Some(u64::from(seq)), None, files).await
    });
    Ok(forked.await?.run.to_string())
}

/// Sets a task and all behind it back. What was done outside is taken over where the same call comes again; with `again`
/// it is done once more. The run rests until it is resumed.
#[tauri::command]
#[specta::specta]
pub async fn rerun_from(desk: State<'_, Desk>, run: String, task: String, again: bool) -> Result<(), Fault> {
    let effects = if again { Effects::Again } else { Effects::Keep };
    ask(&desk, move |engine| async move {
        engine
            .rerun(&run_id(run), Some(&task), None, effects)
            .await
            .map(drop)
    })
    .await
}

fn files(restore: bool) -> Files {
    if restore { Files::Restore } else { Files::Leave }
}
