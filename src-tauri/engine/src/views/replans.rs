//! The replans of a run as a face shows them: what failed, what was proposed piece by piece, and what became of it. Plain
//! values; they decide nothing.

use serde::Serialize;

use super::{DraftView, EstimateView, PlanDiff, SpentView};
use crate::model::diff::FieldDiff;
use crate::model::status::TaskStatus;

/// All replans of a run.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplansView {
    pub run: String,
    /// So many may be tried in one run.
    pub most: u32,
    /// Oldest first; those that came to nothing included.
    pub attempts: Vec<ReplanRow>,
}

/// One replan in a list.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanRow {
    /// Counted from 1 within the run.
    pub attempt: u32,
    pub at: f64,
    /// Addresses of the tasks that had failed.
    pub failed: Vec<String>,
    pub fate: ReplanFate,
    /// Who answered: a face, or the policy that let it apply by itself.
    pub by: Option<String>,
    /// The decision about it, open or answered.
    pub decision: Option<String>,
    /// What the person had said to the replanner when it was asked.
    pub asked_with: String,
    /// Why nothing could be taken, in sentences.
    pub refused: Vec<String>,
    /// Ids of the pieces that a person did not take.
    pub left_out: Vec<String>,
    pub has_proposal: bool,
}

/// What became of a replan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ReplanFate {
    /// The replanner is being asked.
    Looking,
    /// A person is asked.
    Waiting,
    /// It applied by itself.
    Applied,
    Accepted,
    AcceptedInPart,
    AcceptedEdited,
    Rejected,
    /// The person wanted another one.
    AskedAgain,
    /// Nothing could be taken.
    Refused,
    /// The run went on without it.
    Left,
}

/// One replan with all that a person has to know.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanView {
    pub row: ReplanRow,
    pub most: u32,
    /// What went wrong, oldest first.
    pub errors: Vec<ReplanError>,
    /// The replanner, as `provider/model`.
    pub model: Option<String>,
    pub spent: SpentView,
    /// What differs, as sentences, what must be allowed first.
    pub lines: Vec<ReplanLine>,
    /// What was proposed, to be taken one by one; also those that were not taken.
    pub pieces: Vec<ReplanPiece>,
    /// The plan as it ran, and as it would run or runs since.
    pub before: DraftView,
    pub after: DraftView,
    pub diff: PlanDiff,
    /// How each task of the plan before stood then.
    pub states: Vec<ReplanState>,
    /// What was left to spend and to wait for by each of the two.
    pub still_before: Option<EstimateView>,
    pub still_after: Option<EstimateView>,
}

#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanError {
    pub task: String,
    pub title: String,
    pub at: f64,
    pub attempt: u32,
    pub code: String,
    pub message: String,
    /// When it was tried again; null: it gave up.
    pub next_at: Option<f64>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanState {
    pub task: String,
    pub status: TaskStatus,
}

/// A task that comes, goes or changes, or a field of the plan.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanPiece {
    pub id: String,
    pub kind: ReplanPieceKind,
    /// The task's id, or the name of the plan's field.
    pub name: String,
    pub title: String,
    /// By field; the pointer is empty for a whole task.
    pub fields: Vec<FieldDiff>,
    /// Tasks that it shall come after, and those that it shall not any more.
    pub gained: Vec<String>,
    pub lost: Vec<String>,
    /// Ids of the pieces without which it can't be taken.
    pub needs: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ReplanPieceKind {
    Added,
    Removed,
    Changed,
    Plan,
}

/// One line of what differs, as people read it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanLine {
    pub kind: ReplanLineKind,
    pub task: Option<String>,
    /// A whole sentence.
    pub text: String,
    /// What the task may touch, as sentences.
    pub touches: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum ReplanLineKind {
    /// A person must allow it first.
    Asked,
    Added,
    Changed,
    Pruned,
    Retitled,
    /// A field of the plan itself.
    Plan,
    Note,
}

/// What an answer to a new plan would come to.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ReplanPreview {
    /// Why it can't be taken, in sentences; empty: it can.
    pub refused: Vec<String>,
    /// To be given with the answer, which then also accepts what was not shown before.
    pub digest: String,
    pub lines: Vec<ReplanLine>,
    /// The same as plain text.
    pub text: String,
    /// What it asks for that the proposal did not, as sentences.
    pub beyond: Vec<String>,
    /// Ids of the pieces that would be left out.
    pub left_out: Vec<String>,
    /// The plan as it would be; null where it can't be taken.
    pub after: Option<DraftView>,
    pub diff: Option<PlanDiff>,
    pub still: Option<EstimateView>,
}

/// One thing that is wrong with an answer.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct MisfitView {
    /// JSON Pointer into the answer.
    pub at: String,
    pub message: String,
}
