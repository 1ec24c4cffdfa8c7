//! Commands about new plans that a replanner has proposed, and what an answer would come to. What may be taken is the engine's
//! to decide.

use planloom_engine::model::DecisionId;
use planloom_engine::views::{MisfitView, ReplanPreview, ReplanView, ReplansView};
use tauri::State;

use super::{answer, ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;

/// All replans of a run, oldest first.
#[tauri::command]
#[specta::specta]
pub async fn replans(desk: State<'_, Desk>, run: String) -> Result<ReplansView, Fault> {
    ask(
        &desk,
        move |engine| async move { engine.replans(&run_id(run)).await },
    )
    .await
}

/// One of them, with its diff.
#[tauri::command]
#[specta::specta]
pub async fn replan(desk: State<'_, Desk>, run: String, attempt: u32) -> Result<ReplanView, Fault> {
    ask(&desk, move |engine| async move {
        engine.replan(&run_id(run), attempt).await
    })
    .await
}

/// What accepting it so would come to. Nothing is recorded.
#[tauri::command]
#[specta::specta]
pub async fn preview_replan(
    desk: State<'_, Desk>,
    run: String,
    decision: String,
    answer_json: String,
) -> Result<ReplanPreview, Fault> {
    let (answer, decision) = (answer(&answer_json)?, DecisionId::from(decision));
    ask(&desk, move |engine| async move {
        engine.preview_replan(&run_id(run), &decision, &answer).await
    })
    .await
}

/// What is wrong with an answer to a question, field by field; empty: it fits. Nothing is recorded.
#[tauri::command]
#[specta::specta]
pub async fn check_answer(
    desk: State<'_, Desk>,
    run: String,
    decision: String,
    answer_json: String,
) -> Result<Vec<MisfitView>, Fault> {
    let (answer, decision) = (answer(&answer_json)?, DecisionId::from(decision));
    ask(&desk, move |engine| async move {
        engine.check_answer(&run_id(run), &decision, &answer).await
    })
    .await
}
