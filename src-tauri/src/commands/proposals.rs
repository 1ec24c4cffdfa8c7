//! Commands around a change of the draft that a planner is asked for. What may be asked and taken is the engine's to decide.

use planloom_engine::model::problem::Problem;
use planloom_engine::model::proposal::{FieldChange, PieceKind, Standing};
use planloom_engine::views::{DraftView, SpentView};
use planloom_engine::{PieceShown, ProposalShown, ProposalState, spent_view};
use serde::Serialize;
use tauri::State;
use tokio_util::sync::CancellationToken;

use super::planning::{PlannerCallView, call};
use super::{ask, run_id};
use crate::desk::Desk;
use crate::fault::Fault;
use crate::plannings::PlanningRest;

/// The last change that was asked for, until all of it is taken or dropped.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ProposalView {
    pub wanted: String,
    /// The revision that it was asked for.
    pub base: u32,
    pub state: ProposalWord,
    /// Whether this window asks for it now.
    pub is_going: bool,
    /// Why nothing came of it.
    pub error: Option<String>,
    pub notes: Vec<String>,
    pub calls: Vec<PlannerCallView>,
    /// What asking came to.
    pub spent: SpentView,
    pub pieces: Vec<PieceView>,
    /// What would be wrong with the plan as proposed, and is not now.
    pub problems: Vec<Problem>,
}

#[derive(Clone, Copy, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum ProposalWord {
    Open,
    Proposed,
    /// With problems that the planner did not mend.
    Unmended,
    Failed,
    Stopped,
}

/// A task that comes, goes or changes, or a field of the plan.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct PieceView {
    pub id: String,
    pub kind: PieceWord,
    /// The task's id, or the name of the plan's field.
    pub name: String,
    pub title: String,
    pub fields: Vec<FieldChangeView>,
    /// Tasks that it shall come after, and those that it shall not any more.
    pub gained: Vec<String>,
    pub lost: Vec<String>,
    /// Ids of the pieces that are taken with it.
    pub needs: Vec<String>,
    pub standing: PieceStanding,
    /// What is in the way of one that the draft has moved on from.
    pub why: Option<String>,
}

#[derive(Clone, Copy, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum PieceWord {
    Added,
    Removed,
    Changed,
    Plan,
}

#[derive(Clone, Copy, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub enum PieceStanding {
    Open,
    Taken,
    Dropped,
    Moved,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FieldChangeView {
    /// Empty for the whole task.
    pub field: String,
    /// JSON text; null where there is nothing.
    pub before: Option<String>,
    pub after: Option<String>,
}

/// Records what shall be otherwise about the draft; nothing is asked yet.
#[tauri::command]
#[specta::specta]
pub async fn ask_change(desk: State<'_, Desk>, run: String, wanted: String) -> Result<(), Fault> {
    let run = run_id(run);
    ask(
        &desk,
        |engine| async move { engine.open_edit(&run, &wanted).await },
    )
    .await
}

/// Asks the planner for it and answers when that rests; where this window is at it already, that is joined.
#[tauri::command]
#[specta::specta]
pub async fn change_on(desk: State<'_, Desk>, run: String) -> Result<PlanningRest, Fault> {
    desk.plannings.rest_of_edit(desk.engine()?, run_id(run)).await
}

/// The planner is asked no more; the draft is as it was.
#[tauri::command]
#[specta::specta]
pub async fn stop_change(desk: State<'_, Desk>, run: String) -> Result<(), Fault> {
    let run = run_id(run);
    if desk.plannings.is_going(&run) {
        desk.plannings.leave(&run);
        return Ok(());
    }
    // Left by a window that is gone.
    let stop = CancellationToken::new();
    stop.cancel();
    ask(&desk, |engine| async move { engine.edit_on(&run, &stop).await }).await?;
    Ok(())
}

/// Null where nothing of a proposal is left.
#[tauri::command]
#[specta::specta]
pub async fn proposal(desk: State<'_, Desk>, run: String) -> Result<Option<ProposalView>, Fault> {
    let run = run_id(run);
    let is_going = desk.plannings.is_going(&run);
    let shown = ask(&desk, |engine| async move { engine.proposal(&run).await }).await?;
    Ok(shown.map(|shown| view(shown, is_going)))
}

/// Takes pieces with all that they need, as one step that can be undone.
#[tauri::command]
#[specta::specta]
pub async fn take_pieces(
    desk: State<'_, Desk>,
    run: String,
    revision: u32,
    pieces: Vec<String>,
) -> Result<DraftView, Fault> {
    let run = run_id(run);
    ask(&desk, move |engine| async move {
        engine.take_pieces(&run, revision, &pieces).await
    })
    .await
}

/// These pieces, and those that need them, are not wanted; without any, nothing of what is left.
#[tauri::command]
#[specta::specta]
pub async fn drop_pieces(desk: State<'_, Desk>, run: String, pieces: Vec<String>) -> Result<(), Fault> {
    let run = run_id(run);
    ask(
        &desk,
        |engine| async move { engine.drop_pieces(&run, &pieces).await },
    )
    .await
}

fn view(shown: ProposalShown, is_going: bool) -> ProposalView {
    ProposalView {
        wanted: shown.wanted,
        base: shown.base,
        state: match shown.state {
            ProposalState::Open => ProposalWord::Open,
            ProposalState::Proposed => ProposalWord::Proposed,
            ProposalState::Unmended => ProposalWord::Unmended,
            ProposalState::Failed => ProposalWord::Failed,
            ProposalState::Stopped => ProposalWord::Stopped,
        },
        is_going,
        error: shown.error,
        notes: shown.notes,
        calls: shown.calls.into_iter().map(call).collect(),
        spent: spent_view(&shown.spent),
        pieces: shown.pieces.into_iter().map(piece).collect(),
        problems: shown.problems,
    }
}

fn piece(shown: PieceShown) -> PieceView {
    let PieceShown {
        piece,
        standing,
        is_dropped,
    } = shown;
    let (standing, why) = match standing {
        Standing::Taken => (PieceStanding::Taken, None),
        _ if is_dropped => (PieceStanding::Dropped, None),
        Standing::Open => (PieceStanding::Open, None),
        Standing::Moved(why) => (PieceStanding::Moved, Some(why)),
    };
    PieceView {
        id: piece.id,
        kind: match piece.kind {
            PieceKind::Added => PieceWord::Added,
            PieceKind::Removed => PieceWord::Removed,
            PieceKind::Changed => PieceWord::Changed,
            PieceKind::Plan => PieceWord::Plan,
        },
        name: piece.name,
        title: piece.title,
        fields: piece.fields.into_iter().map(field).collect(),
        gained: piece.gained,
        lost: piece.lost,
        needs: piece.needs,
        standing,
        why,
    }
}

fn field(change: FieldChange) -> FieldChangeView {
    FieldChangeView {
        field: change.field,
        before: change.before.map(|value| value.to_string()),
        after: change.after.map(|value| value.to_string()),
    }
}
