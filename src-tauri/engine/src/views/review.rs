//! A run looked back on: its time axis, one moment of it, what it was billed, and what going back would mean. Plain values;
//! it knows no log.

use serde::Serialize;

use super::{DecisionView, EffectView, EventView, FileView, RunRow, TaskStatus, TaskView};

/// A run's history for a time axis. Positions in the log stand for times: `at` says when each event was.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TimelineView {
    pub row: RunRow,
    /// Position of the last event.
    pub head: u32,
    /// Milliseconds since 1970 of the moment from which `at` counts: the run's first approval, or the log's beginning.
    pub origin: f64,
    /// When each event was, the first event first, in milliseconds; never falling. What came before `origin` is 0.
    pub at: Vec<f64>,
    /// Tasks in the order in which they got their places, those inside maps and nested plans included.
    pub tracks: Vec<TrackView>,
    /// In the order in which they began.
    pub spans: Vec<SpanView>,
    /// In the order of their positions.
    pub ticks: Vec<TickView>,
    /// How many tasks were at work at once at most; each span of work names one of so many lanes.
    pub lanes: u32,
    /// Spans of inner tasks that are too many to be drawn.
    pub left_off: u32,
    /// Stretches of the log that a later rewind has set aside, without their ends.
    pub set_aside: Vec<StretchView>,
    pub bill: BillView,
}

/// One task.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TrackView {
    /// Its address: `id`, `id[3]`, `id/inner`.
    pub task: String,
    pub title: String,
    pub task_type: String,
    /// The map or nested plan that it belongs to, by its place in `tracks`.
    pub owner: Option<u32>,
    /// On the chain of tasks that the end of the run waited for.
    pub is_critical: bool,
    /// Milliseconds at work and waiting for a person, what was set aside left out.
    pub work_ms: f64,
    pub person_ms: f64,
    pub cost: CostView,
}

/// What calls came to.
#[derive(Clone, Debug, Default, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct CostView {
    /// Questions to models.
    pub calls: u32,
    pub input_tokens: f64,
    pub output_tokens: f64,
    /// Decimal dollars of the calls whose cost is known.
    pub usd: String,
    /// Calls of unknown cost.
    pub unknown: u32,
    /// Calls whose numbers nobody has counted: they came to that much at most.
    pub guessed: u32,
}

/// A stretch of time in which one thing was so.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SpanView {
    /// The task, by its place in `tracks`; null: the run as a whole.
    pub track: Option<u32>,
    pub kind: SpanKind,
    /// Positions of the events at its two ends.
    pub from: u32,
    pub to: u32,
    pub end: SpanEnd,
    /// Of work: which attempt, counted from 1, and in which lane.
    pub attempt: u32,
    pub lane: Option<u32>,
    /// Of what failed: the code of the error.
    pub code: Option<String>,
    /// A later rewind has set it aside.
    pub is_set_aside: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum SpanKind {
    /// Ready, and not started yet.
    Queue,
    Work,
    /// Between two attempts.
    Backoff,
    /// A person was asked.
    Person,
    /// Its call may have happened, and a person was to say.
    Doubt,
    /// Another way was looked for.
    Replan,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum SpanEnd {
    /// It goes on at the end of the log.
    Open,
    Done,
    Failed,
    /// It ended with neither: cut short, answered, or gone on with.
    Left,
}

/// A mark on the scrubber.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TickView {
    pub seq: u32,
    pub kind: TickKind,
    /// By its place in `tracks`.
    pub track: Option<u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum TickKind {
    /// A task is done, a person has answered or signed: a moment from which it makes sense to go on otherwise.
    Checkpoint,
    /// Something was changed outside.
    Effect,
    /// An attempt failed.
    Failure,
    /// The run was taken back from here.
    Rewind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct StretchView {
    pub after: u32,
    pub before: u32,
}

/// What a run was billed, by different questions. Each sum holds all calls.
#[derive(Clone, Debug, Default, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct BillView {
    pub whole: CostView,
    /// Costliest first.
    pub models: Vec<BillRow>,
    pub roles: Vec<BillRow>,
    /// Each call of a model, the oldest first; of very many the newest.
    pub turns: Vec<TurnRow>,
    pub turns_left_off: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct BillRow {
    pub name: String,
    pub cost: CostView,
}

/// One question to a model.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TurnRow {
    /// Where it was asked.
    pub seq: u32,
    pub task: Option<String>,
    /// The role that it was asked in.
    pub role: String,
    pub model: String,
    /// Counted from 1 in its task, or in its role where it belongs to none.
    pub turn: u32,
    pub cost: CostView,
}

/// A run right after one event.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct MomentView {
    /// As it was then.
    pub row: RunRow,
    pub seq: u32,
    /// What happened last.
    pub event: EventView,
    /// Hash of the plan's document: another one is another plan.
    pub document: String,
    /// The tasks of the plan itself, whole.
    pub tasks: Vec<TaskView>,
    /// Of each map that had items, their states in order.
    pub items: Vec<ItemsView>,
    pub outputs: Vec<OutputLine>,
    pub decisions: Vec<DecisionView>,
    /// JSON text of the answer, once there was one.
    pub output: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ItemsView {
    pub map: String,
    pub states: Vec<TaskStatus>,
}

/// How an output begins.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OutputLine {
    pub task: String,
    pub line: String,
}

/// What going on from an earlier moment would mean; nothing of it is done.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct GoingBackView {
    /// Where it would go on: behind the outcome of a call that has just come, for one.
    pub seq: u32,
    /// Tasks whose outputs are taken over, in the plan's order.
    pub reused: Vec<String>,
    /// Tasks that would run (again).
    pub again: Vec<String>,
    /// What these came to since, as far as they ran: about that much is paid again.
    pub paid: CostView,
    /// What has been done outside and stays done.
    pub effects: Vec<EffectView>,
    /// Files that the run has written since.
    pub files: Vec<FileView>,
    /// Set where it can't be done now: why.
    pub why_not: Option<String>,
}
