//! Commands about what a person signs: what is shown before, a run without a call, and the signature itself. What a
//! signature covers is the engine's to decide.

use planloom_engine::model::Digest;
use planloom_engine::model::grants::Withheld;
use planloom_engine::views::{ApprovalView, Choices, ChosenView, DryRunView, EstimateView};
use tauri::State;

use super::{ask, run_id, value};
use crate::desk::Desk;
use crate::fault::Fault;

/// What the plan may cost and how long it may take, as it is now; null while it has errors.
#[tauri::command]
#[specta::specta]
pub async fn estimate(desk: State<'_, Desk>, run: String) -> Result<Option<EstimateView>, Fault> {
    ask(
        &desk,
        |engine| async move { engine.estimate_view(&run_id(run)).await },
    )
    .await
}

/// When each task would run with these parameters and without what is switched off, without a call. `parameters_json` is an
/// object, name → value.
#[tauri::command]
#[specta::specta]
pub async fn dry_run(
    desk: State<'_, Desk>,
    run: String,
    parameters_json: String,
    off: Vec<Withheld>,
) -> Result<DryRunView, Fault> {
    let parameters = value(&parameters_json, "parameters")?;
    ask(&desk, move |engine| async move {
        engine.dry_run(&run_id(run), &parameters, &off).await
    })
    .await
}

/// What a person sees before signing.
#[tauri::command]
#[specta::specta]
pub async fn approval(desk: State<'_, Desk>, run: String) -> Result<ApprovalView, Fault> {
    ask(&desk, |engine| async move { engine.approval(&run_id(run)).await }).await
}

/// What these choices would leave out of the run, and why they can't be signed, if so.
#[tauri::command]
#[specta::specta]
pub async fn weigh_choices(
    desk: State<'_, Desk>,
    run: String,
    choices: Choices,
) -> Result<ChosenView, Fault> {
    ask(&desk, |engine| async move {
        engine.weigh(&run_id(run), &choices).await
    })
    .await
}

/// Signs exactly this digest and starts the run. `parameters_json` is an object, name → value.
#[tauri::command]
#[specta::specta]
pub async fn approve(
    desk: State<'_, Desk>,
    run: String,
    digest: String,
    parameters_json: String,
    choices: Choices,
) -> Result<(), Fault> {
    let digest = Digest::parse(&digest).ok_or_else(|| {
        Fault::new(
            "type",
            "The digest is not 64 hexadecimal digits. Nothing was signed.",
        )
    })?;
    let parameters = value(&parameters_json, "parameters")?;
    ask(&desk, move |engine| async move {
        engine
            .approve_with(&run_id(run), digest, parameters, &choices)
            .await
    })
    .await
}
