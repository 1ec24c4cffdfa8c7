//! What a face is shown: plain values, ready to draw. Values of tasks travel as JSON text, so that numbers keep
//! their digits; counts are u32 and times are milliseconds since 1970 as f64, which TypeScript reads without loss.

mod compare;
mod estimate;
mod found;
mod provenance;
mod receivers;
mod replans;
mod review;
mod revisions;
mod storage;
mod trace;

use serde::{Deserialize, Serialize};

pub use crate::model::conditions::{Choices, FlowChoice};
pub use crate::model::diff::{Change as PlanChange, EdgeDiff, FieldDiff, PlanDiff, TaskDiff};
pub use crate::model::draft_view::{BreakpointView, DraftEdge, DraftTask, NeedView};
pub use crate::model::edit::ConnectVerdict;
use crate::model::grants::Concern;
pub use crate::model::grants::Withheld;
use crate::model::problem::Problem;
pub use crate::model::status::{DecisionKind, RunStatus, TaskStatus, WaitReason};
use crate::model::tool::{Effect, Idempotency};
pub use compare::{
    CompareView, ComparedRun, ComparedTask, Difference, FamilyRow, FamilyView, Hunk, HunkLine, Kin,
    OutputDiff, Pointers, RunNumbers, SharedView, ShownValue, TaskFacts, TextDiff, ValueDiff, ValueSide,
    Verdict,
};
pub use estimate::{DryRunView, EstimateView, MoneyRange, NumberRange, PredictedView, TaskEstimateView};
pub use found::{Found, FoundMark, FoundView, HitView, RunSize, RunsAsked, RunsPage, TagCount};
pub use provenance::{ConcernView, EarlierView, OriginView, PartView, ProvenanceView};
pub use receivers::{ReceiverView, ReplannerView};
pub use replans::{
    MisfitView, ReplanError, ReplanFate, ReplanLine, ReplanLineKind, ReplanPiece, ReplanPieceKind,
    ReplanPreview, ReplanRow, ReplanState, ReplanView, ReplansView,
};
pub use review::{
    BillRow, BillView, CostView, GoingBackView, ItemsView, MomentView, OutputLine, SpanEnd, SpanKind,
    SpanView, StretchView, TickKind, TickView, TimelineView, TrackView, TurnRow,
};
pub use revisions::{LastOutput, RevisedHow, RevisionView, RevisionsView};
pub use storage::{GoneView, LimitsView, OldRunsView, RefusedRun, StorageView, ToolLimit, WhatGoes};
pub use trace::{
    AsideView, AskedCallView, AttemptView, CallView, NamedValue, PaidView, ReplyView, TaskDetail,
};

/// The first screen.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct HomeView {
    pub samples: Vec<SampleCard>,
    /// Newest first, drafts included.
    pub runs: Vec<RunRow>,
    pub open_decisions: u32,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SampleCard {
    /// What `open_plan` takes.
    pub path: String,
    pub title: String,
    pub description: String,
    pub outline: Outline,
}

/// A plan small enough for a thumbnail.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct Outline {
    pub tasks: Vec<OutlineTask>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OutlineTask {
    pub id: String,
    pub task_type: String,
    pub dependencies: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunRow {
    pub run: String,
    /// Goal, file name or "Untitled plan".
    pub title: String,
    /// By which a person finds it again, in the order of their letters.
    pub tags: Vec<String>,
    /// The run whose log this one shares up to a position, where there is (or was) one.
    pub parent: Option<String>,
    pub goal: Option<String>,
    pub status: RunStatus,
    pub revision: u32,
    /// Milliseconds since 1970.
    pub started_at: f64,
    /// Of the last event.
    pub changed_at: f64,
    /// How long it has run, pauses left out; null before approval.
    pub ran_ms: Option<f64>,
    pub counts: Vec<StatusCount>,
    pub open_decisions: u32,
    pub spent: SpentView,
    /// What it may spend, raises included.
    pub budget: BudgetView,
    /// Set where another process drives it: who.
    pub owner: Option<String>,
    /// Set where this run's log can't be read or not be added to: what happened and what was kept.
    pub trouble: Option<String>,
}

/// What the calls of a run came to; how long it ran stands beside it.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SpentView {
    /// Decimal dollars: the sum of what is estimated. Calls of unknown cost are not in it.
    pub usd: String,
    pub input_tokens: f64,
    pub output_tokens: f64,
    /// Calls by how well their cost is known.
    pub zero: u32,
    pub estimated: u32,
    pub unknown: u32,
    /// Those whose provider counted nothing: the most that they may have come to is in the sums.
    pub guessed: u32,
    /// Those of `unknown` that were cut off, or in flight when the process ended.
    pub lost: u32,
    /// Decimal dollars that these may have come to at most; in no other sum, and counted against the budget.
    pub lost_usd: String,
    /// Those of `lost` whose price is not known, so that nothing of them is in `lost_usd`.
    pub lost_unpriced: u32,
    pub lost_tokens: f64,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct BudgetView {
    /// Decimal dollars.
    pub usd: Option<String>,
    pub tokens: Option<f64>,
    pub seconds: Option<f64>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct StatusCount {
    pub status: TaskStatus,
    pub count: u32,
}

/// A draft as the editor shows it; also the read-only plan of a run that has started.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct DraftView {
    pub run: String,
    pub title: String,
    pub revision: u32,
    /// False once approved: the plan is then read-only here.
    pub is_draft: bool,
    /// The plan file that it was opened from.
    pub path: Option<String>,
    /// The whole plan document as JSON text.
    pub document: String,
    pub tasks: Vec<DraftTask>,
    pub edges: Vec<DraftEdge>,
    pub problems: Vec<Problem>,
    pub can_undo: bool,
    pub can_redo: bool,
    /// What the next undo or redo would do, for the tooltip.
    pub undo_label: Option<String>,
    pub redo_label: Option<String>,
}

/// Something that a run has done outside.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EffectView {
    pub task: String,
    pub tool: String,
    pub effect: Effect,
    /// Position of its intent in the log.
    pub seq: u32,
    pub at: f64,
    /// False: its outcome is not known.
    pub is_known: bool,
}

/// A file that a run wrote after a position.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FileView {
    /// An absolute path, or `run:/name`.
    pub path: String,
    pub tool: String,
    /// Position of the intent of the earliest write.
    pub seq: u32,
    /// At the position there was no such file.
    pub was_absent: bool,
    pub now: FileNow,
    /// Set where it can't be restored: why.
    pub why_not: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum FileNow {
    /// It holds what it held at the position.
    AsThen,
    /// It holds what the run left.
    AsLeft,
    /// Somebody else has changed it since.
    Changed,
    /// That can't be told.
    Unknown,
}

/// What is shown before a person signs.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalView {
    pub run: String,
    pub title: String,
    pub revision: u32,
    /// What the signature covers; `approve` refuses any other.
    pub digest: String,
    /// Riskiest first.
    pub needs: Vec<NeedView>,
    pub problems: Vec<Problem>,
    pub parameters: Vec<ParameterView>,
    pub tasks: u32,
    /// Tasks that will ask a person.
    pub asks: Vec<String>,
    /// Hops on the longest path.
    pub longest_path: Vec<String>,
    /// Paths of untrusted data, source to sink.
    pub untrusted: Vec<UntrustedPath>,
    /// All ways on which foreign text or private data could come to where a person would be asked, those inside nested
    /// plans and those that the plan accepts included.
    pub flows: Vec<FlowView>,
    /// What counts as trusted although foreign text stands behind it: too narrow to carry a message.
    pub endorsed: Vec<EndorsedView>,
    /// What the plan says is the person's own work, and who may be sent what is private.
    pub marks: Vec<MarkView>,
    /// Secrets that are handed to tools.
    pub secrets: Vec<SecretView>,
    /// The models that it asks; those that do not run on this machine name the host that is told.
    pub models: Vec<ReceiverView>,
    /// Who is told of the run where tasks fail for good; null where nobody is asked by itself.
    pub replanner: Option<ReplannerView>,
    /// Kinds of task in the plan that this version can't run yet.
    pub unsupported: Vec<String>,
    /// Null where the plan has errors.
    pub estimate: Option<EstimateView>,
    /// What the plan says it may spend at most.
    pub budget: BudgetView,
    /// What is new in it; null where it was never approved.
    pub since_last: Option<SinceLastView>,
    /// What was switched off when the run was signed before, as far as the plan still asks for it.
    pub off: Vec<Withheld>,
}

/// What a plan asks for that it did not ask for when it was approved last.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SinceLastView {
    /// The run in which it was approved, and its revision there.
    pub run: String,
    pub revision: u32,
    pub needs: Vec<NeedView>,
    pub tasks: Vec<String>,
}

/// What follows from a person's choices.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ChosenView {
    /// In the plan's order.
    pub left_out: Vec<LeftOutView>,
    /// Why it can't be signed like that.
    pub refusal: Option<String>,
    /// Of what would run.
    pub estimate: EstimateView,
}

/// A task that would not run.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct LeftOutView {
    pub task: String,
    /// What it lacks.
    pub need: Option<Withheld>,
    /// Else the task before it that would not run.
    pub after: Option<String>,
}

/// A secret by its name, with the tasks that are handed it.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    pub name: String,
    pub tasks: Vec<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct UntrustedPath {
    pub source: String,
    pub sink: String,
    /// Task ids from source to sink.
    pub path: Vec<String>,
}

/// One way of data through the plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FlowView {
    pub concern: Concern,
    pub source: String,
    pub sink: String,
    /// Addresses of tasks from source to sink.
    pub path: Vec<String>,
    /// The plan names this way: nobody will be asked about it.
    pub accepted: bool,
}

/// A place in a task's output.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EndorsedView {
    pub task: String,
    /// JSON Pointer; `""` is the whole output.
    pub path: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct MarkView {
    /// `own_work` or `private_to`.
    pub kind: String,
    pub entry: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ParameterView {
    pub name: String,
    /// JSON Schema as text.
    pub schema: String,
    /// JSON text of the default, if there is one.
    pub default: Option<String>,
}

/// What `watch_run` sends: first everything so far, then what is new. The face replaces, never folds.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunNews {
    pub run: RunRow,
    /// The position up to which this is true.
    pub seq: u32,
    pub digest: String,
    /// Events since the last message, oldest first.
    pub events: Vec<EventView>,
    /// Tasks that changed, whole; all of them in the first message.
    pub tasks: Vec<TaskView>,
    /// All open decisions.
    pub decisions: Vec<DecisionView>,
    /// JSON text, once finished.
    pub output: Option<String>,
    pub folder: Option<String>,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct EventView {
    pub seq: u32,
    pub at: f64,
    pub kind: String,
    pub task: Option<String>,
    /// A sentence for people.
    pub text: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TaskView {
    pub id: String,
    pub status: TaskStatus,
    pub attempts: u32,
    pub max_attempts: u32,
    /// Why it is not going on, in words; null while it runs or when it is over.
    pub wait: Option<WaitView>,
    pub started_at: Option<f64>,
    pub ended_at: Option<f64>,
    pub error: Option<ErrorView>,
    /// One line about the output: "48 rows", "312 B".
    pub summary: Option<String>,
    /// A person holds its output for the next runs.
    pub pinned: bool,
    /// Where the run stops at it.
    pub breakpoint: Option<BreakpointView>,
}

/// Every wait says why (rule 12).
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct WaitView {
    pub reason: WaitReason,
    pub text: String,
    /// When it ends by itself: milliseconds since 1970.
    pub until: Option<f64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
pub struct ErrorView {
    pub code: String,
    pub message: String,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct DecisionView {
    pub id: String,
    pub run: String,
    pub kind: DecisionKind,
    pub task: Option<String>,
    /// The task's title, for people.
    pub task_title: Option<String>,
    pub question: String,
    pub options: Vec<OptionView>,
    /// JSON Schema of the answer as text, for a `question`.
    pub form: Option<String>,
    /// What it is about, as JSON text: arguments of an effect, missing grants, the error.
    pub about: Option<String>,
    /// Of an `effect`: why it is asked, and where each part of the arguments came from.
    pub provenance: Option<ProvenanceView>,
    /// Of an `effect`: a person may put other arguments in the place of those in `about`.
    pub may_change: bool,
    /// How many tasks can't go on before it is answered, and the first of them.
    pub holds_up: u32,
    pub held_up: Vec<String>,
    pub opened_at: f64,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OptionView {
    /// The answer to give, as a bare word.
    pub answer: String,
    /// What the button says.
    pub label: String,
    /// What it would do.
    pub consequence: String,
    /// The safe one, focused first.
    pub is_default: bool,
}

/// A tool for the palette and for `planloom tools`.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    pub name: String,
    pub description: String,
    pub effect: Effect,
    pub idempotency: Idempotency,
    /// JSON Schema as text.
    pub arguments: String,
    /// JSON Schema as text.
    pub result: String,
    /// Why it can't be called on this machine, if so.
    pub off: Option<String>,
}
