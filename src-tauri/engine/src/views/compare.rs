//! Two runs side by side, and two values line by line. Plain values; it knows no log.

use serde::{Deserialize, Serialize};

use super::{BillRow, CostView, ErrorView, PlanChange, PlanDiff, RunRow, TaskStatus};

/// What differs from run A to run B, and how much is equal. Both as they were when it was asked.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct CompareView {
    pub a: ComparedRun,
    pub b: ComparedRun,
    /// Null where their logs have nothing in common.
    pub shared: Option<SharedView>,
    /// From the plan of A to that of B; null where one of them can't be read.
    pub plan: Option<PlanDiff>,
    /// Why there is no comparison of the plans.
    pub plan_trouble: Option<String>,
    /// Tasks that differ in anything but time, those of A first. Inner ones are named by their addresses.
    pub tasks: Vec<ComparedTask>,
    /// More of them, where there are very many.
    pub tasks_left_off: u32,
    /// Tasks of which nothing differs, and those of which only the time does.
    pub same: u32,
    pub same_but_time: u32,
    /// Whether the final answers differ.
    pub answer: Verdict,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ComparedRun {
    pub row: RunRow,
    /// Position of its last event.
    pub head: u32,
    /// It has been approved once, so that something of it can have run.
    pub has_begun: bool,
    pub numbers: RunNumbers,
    /// What it paid by model, costliest first; the shared part is in it.
    pub models: Vec<BillRow>,
    /// The models that were asked for its tasks, in the order of asking.
    pub executors: Vec<String>,
}

/// Sums over a whole log, what it shares with other runs included.
#[derive(Clone, Debug, Default, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct RunNumbers {
    /// Milliseconds in which it was going on, and in which a person was waited for.
    #[specta(type = u32)]
    pub ran_ms: f64,
    #[specta(type = u32)]
    pub waited_ms: f64,
    pub cost: CostView,
    pub tool_calls: u32,
    pub retries: u32,
    pub replans: u32,
    pub decisions: u32,
}

/// The part of the log that both have.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct SharedView {
    /// Whose log it was written to; it may have been deleted since.
    pub run: String,
    /// Position of its last event.
    pub seq: u32,
    #[specta(type = u32)]
    pub ran_ms: f64,
    /// What it came to: paid once, and in the numbers of both.
    pub cost: CostView,
}

/// One task in both runs.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ComparedTask {
    pub task: String,
    pub title: String,
    pub task_type: String,
    /// What became of it from the plan of A to that of B; of an inner task, kept.
    pub plan: PlanChange,
    /// Null where the run has no such task.
    pub a: Option<TaskFacts>,
    pub b: Option<TaskFacts>,
    pub output: Verdict,
    pub differs: Vec<Difference>,
}

#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TaskFacts {
    pub status: TaskStatus,
    pub attempts: u32,
    #[specta(type = u32)]
    pub work_ms: f64,
    pub cost: CostView,
    pub error: Option<ErrorView>,
    /// One line about the output.
    pub summary: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Difference {
    Plan,
    State,
    Output,
    Error,
    Attempts,
    /// Calls, tokens or money.
    Cost,
}

/// Two values against each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Neither has one.
    None,
    Same,
    Differs,
    OnlyA,
    OnlyB,
}

/// The outputs of one task, or the final answers, in detail.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct OutputDiff {
    /// Null: the final answer.
    pub task: Option<String>,
    pub verdict: Verdict,
    pub a: ValueSide,
    pub b: ValueSide,
    /// They are too large to be looked into.
    pub is_too_large: bool,
    /// Texts of several lines that differ.
    pub texts: Vec<TextDiff>,
    /// Every other value that differs.
    pub values: Vec<ValueDiff>,
    pub values_left_off: u32,
    /// Values, however large each is, that were found equal.
    pub equal_values: u32,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ValueSide {
    /// Of its JSON text; null where there is no value.
    pub bytes: Option<f64>,
    /// Its name in the store, where it is large.
    pub digest: Option<String>,
    /// Why it can't be read.
    pub trouble: Option<String>,
}

/// One place inside two values. Entries of lists may have moved, so each side has its own JSON Pointer.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ValueDiff {
    pub at: Pointers,
    pub a: Option<ShownValue>,
    pub b: Option<ShownValue>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct Pointers {
    /// Null where that side has none.
    pub a: Option<String>,
    pub b: Option<String>,
}

/// A JSON text, digits untouched, as far as it is shown.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct ShownValue {
    pub json: String,
    /// Bytes of it that are not shown.
    pub left_out: u32,
}

/// Two texts by lines.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct TextDiff {
    pub at: Pointers,
    pub hunks: Vec<Hunk>,
    /// Stretches of lines that differ; those of the hunks that are left off included.
    pub changes: u32,
    pub hunks_left_off: u32,
    pub equal_lines: u32,
    pub a_lines: u32,
    pub b_lines: u32,
    /// Somewhere there was too much to compare line by line: there, all of A stands against all of B.
    pub is_coarse: bool,
}

/// Lines that differ, with a few equal ones around.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct Hunk {
    pub lines: Vec<HunkLine>,
    /// Lines of very long stretches that are not shown.
    pub a_left_out: u32,
    pub b_left_out: u32,
}

/// A line of both, or of one of them.
#[derive(Clone, Debug, PartialEq, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct HunkLine {
    /// Its number in A and in B, counted from 1.
    pub a: Option<u32>,
    pub b: Option<u32>,
    pub text: String,
    /// What B has where spaces are passed over and differ.
    pub other: Option<String>,
    /// Characters of a very long line that are not shown.
    pub left_out: u32,
}

/// The runs that a run can be compared with: those it shares a log with, as a tree, then others of its plan, then the rest.
#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FamilyView {
    pub rows: Vec<FamilyRow>,
    /// Older ones, where there are very many.
    pub left_off: u32,
}

#[derive(Clone, Debug, Serialize, specta::Type)]
#[serde(rename_all = "camelCase")]
pub struct FamilyRow {
    pub row: RunRow,
    pub kin: Kin,
    /// How many forks lie above it, among those that are listed.
    pub depth: u32,
    /// Of a fork: up to which event it shares its parent's log.
    pub forked_at: Option<u32>,
    /// The run that it was forked from, if that is listed.
    pub parent: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, specta::Type)]
#[serde(rename_all = "snake_case")]
pub enum Kin {
    /// It shares a log: the run itself, what it was forked from, and all forks of these.
    Fork,
    /// It was opened from the same plan file, or has the same goal.
    SamePlan,
    Other,
}
