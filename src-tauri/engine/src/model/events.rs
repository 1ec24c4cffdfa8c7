//! The facts of a run's log, past tense. Kinds are only ever added; a kind keeps its number and its fields for ever.
//! This file must not know how events are stored or shown.

mod again;
mod calls;
mod clock;
mod decisions;
mod edits;
mod files;
mod holds;
mod limits;
mod planning;
mod reading;
mod replans;
mod revisions;

use serde::{Deserialize, Serialize};

pub use again::{RunForked, RunReopened, RunRewound, TaskReset};
pub use calls::{CallFinished, CallOutcome, CallStarted};
pub use clock::Clock;
pub use decisions::{DecisionAnswered, DecisionClosed, DecisionOpened};
pub use edits::{EditAsked, EditDropped, EditResumed, EditSettled};
pub use files::{Before, Content, FilesRestored, Kept, NotKept, NotRestored, Restored, Size, WhyNot};
pub use holds::{BreakpointSet, OutputPinned, OutputUnpinned, Side, Stop, Turn};
pub use limits::{BreakerClosed, BreakerOpened, BudgetRaised};
pub use planning::{GoalGiven, PlanningEnded, PlanningOutcome, PlanningResumed, PlanningWaiting};
pub use replans::{Amended, ReplanAsked, ReplanProposed, Signature};
pub use revisions::{RevisionNamed, RunNamed, RunTagged};

use super::conditions::Conditions;
use super::grants::Labels;
use super::status::RunStatus;
use super::value::ValueRef;
use super::{DecisionId, Digest, Json, Seq, TaskId};

/// The stored numbers of the kinds that say what a plan is, for whoever reads only these.
pub const OF_PLANS: [i64; 4] = [2, 28, 50, 45];

/// One appended fact. `at_ms` is UTC, for people; order is by `seq` alone.
#[derive(Clone, Debug)]
pub struct Event {
    pub seq: Seq,
    pub at_ms: i64,
    pub task: Option<TaskId>,
    pub body: EventBody,
}

/// A fact that has no place in the log yet.
#[derive(Clone, Debug)]
pub struct NewEvent {
    pub at_ms: i64,
    pub task: Option<TaskId>,
    pub body: EventBody,
}

impl NewEvent {
    pub fn at(self, seq: Seq) -> Event {
        Event {
            seq,
            at_ms: self.at_ms,
            task: self.task,
            body: self.body,
        }
    }
}

/// Why a stored event could not be read.
#[derive(Debug, thiserror::Error)]
pub enum DecodeError {
    #[error("event kind {0} is unknown to this version")]
    UnknownKind(i64),
    #[error("the body of a {kind} event can't be read: {source}")]
    Body {
        kind: &'static str,
        source: serde_json::Error,
    },
}

macro_rules! kinds {
    ($($number:literal $word:literal $name:ident),* $(,)?) => {
        /// The body of an event, one variant per kind.
        #[derive(Clone, Debug)]
        pub enum EventBody {
            $($name($name)),*
        }

        impl EventBody {
            /// The stored number of the kind.
            pub fn number(&self) -> i64 {
                match self { $(Self::$name(_) => $number),* }
            }
            /// The kind as faces print it.
            pub fn kind(&self) -> &'static str {
                match self { $(Self::$name(_) => $word),* }
            }
            pub fn encode(&self) -> serde_json::Result<String> {
                match self { $(Self::$name(body) => serde_json::to_string(body)),* }
            }
            /// Hands the fields to any serializer.
            pub fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                match self { $(Self::$name(body) => Serialize::serialize(body, serializer)),* }
            }
            pub fn decode(number: i64, text: &str) -> Result<Self, DecodeError> {
                match number {
                    $($number => serde_json::from_str(text)
                        .map(Self::$name)
                        .map_err(|source| DecodeError::Body { kind: $word, source }),)*
                    other => Err(DecodeError::UnknownKind(other)),
                }
            }
        }

        $(impl From<$name> for EventBody {
            fn from(body: $name) -> Self {
                Self::$name(body)
            }
        })*
    };
}

kinds! {
    1 "run_opened" RunOpened,
    2 "plan_revised" PlanRevised,
    3 "approved" Approved,
    4 "run_claimed" RunClaimed,
    5 "task_ready" TaskReady,
    6 "task_started" TaskStarted,
    7 "call_started" CallStarted,
    8 "call_finished" CallFinished,
    9 "task_retrying" TaskRetrying,
    10 "task_waiting" TaskWaiting,
    11 "task_completed" TaskCompleted,
    12 "task_failed" TaskFailed,
    13 "task_skipped" TaskSkipped,
    14 "task_cancelled" TaskCancelled,
    15 "task_in_doubt" TaskInDoubt,
    16 "decision_opened" DecisionOpened,
    17 "decision_answered" DecisionAnswered,
    18 "decision_closed" DecisionClosed,
    19 "run_paused" RunPaused,
    20 "run_waiting" RunWaiting,
    21 "run_blocked" RunBlocked,
    22 "run_finished" RunFinished,
    23 "pause_requested" PauseRequested,
    24 "cancel_requested" CancelRequested,
    25 "clock_jumped" ClockJumped,
    26 "run_rejected" RunRejected,
    27 "run_went_on" RunWentOn,
    28 "run_rewound" RunRewound,
    29 "run_forked" RunForked,
    30 "task_expanded" TaskExpanded,
    31 "task_pruned" TaskPruned,
    32 "replan_asked" ReplanAsked,
    33 "replan_proposed" ReplanProposed,
    34 "task_reset" TaskReset,
    35 "output_pinned" OutputPinned,
    36 "output_unpinned" OutputUnpinned,
    37 "breakpoint_set" BreakpointSet,
    38 "breaker_opened" BreakerOpened,
    39 "breaker_closed" BreakerClosed,
    40 "budget_raised" BudgetRaised,
    41 "run_imported" RunImported,
    42 "files_restored" FilesRestored,
    43 "run_reopened" RunReopened,
    44 "revision_named" RevisionNamed,
    45 "run_named" RunNamed,
    48 "run_tagged" RunTagged,
    50 "goal_given" GoalGiven,
    51 "planning_resumed" PlanningResumed,
    52 "planning_ended" PlanningEnded,
    53 "planning_waiting" PlanningWaiting,
    54 "edit_asked" EditAsked,
    55 "edit_resumed" EditResumed,
    56 "edit_settled" EditSettled,
    57 "edit_dropped" EditDropped,
}

/// The log begins: a plan file was opened, or an empty plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunOpened {
    /// Version of Planloom that wrote it.
    pub version: String,
    pub face: String,
    /// Absolute path of the plan file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The run whose plan this one was made from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made_from: Option<String>,
}

/// A new version of the plan.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PlanRevised {
    pub revision: u32,
    /// Hash of the whole document: the revision's identity.
    pub digest: Digest,
    pub change: Change,
    /// Set where it holds at once, in the midst of a run: a replan.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signed: Option<Signature>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Change {
    /// The whole document, as a JSON string of its text.
    Document(ValueRef),
    Edit(Revision),
    Undo(Revision),
    Redo(Revision),
    Replan(Revision),
}

/// A JSON Patch (RFC 6902) and the one that takes it back.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Revision {
    pub label: String,
    pub patch: Json,
    pub inverse: Json,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Approved {
    pub revision: u32,
    /// What was signed: plan, grants and tool definitions.
    pub digest: Digest,
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub parameters: serde_json::Map<String, Json>,
    /// What the person switched off, and what they let go without a question.
    #[serde(default, skip_serializing_if = "Conditions::is_empty")]
    pub conditions: Conditions,
    /// The face in which a person signed.
    pub by: String,
}

/// A process took the run to drive it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunClaimed {
    pub epoch: u64,
    pub owner: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskReady {
    /// Set when the task was started before: why it starts again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub again: Option<Again>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Again {
    /// The attempt was cut short by a crash, a pause or a shutdown; it is the same attempt.
    Interrupted,
    /// The budget does not allow its next call yet; it is the same attempt.
    Budget,
    /// A person chose to retry.
    Retry,
    /// A person allowed what it was waiting for.
    Allowed,
    /// A person denied one call of it; it hears so and goes on.
    Denied,
    /// A person said what came of one call of it.
    Told,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskStarted {
    pub attempt: u32,
    /// It goes on after the calls that were made before, instead of beginning anew.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub goes_on: bool,
}

/// A failed attempt, typed by what may follow (rule 13).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub class: FailureClass,
    pub code: String,
    pub message: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureClass {
    /// Nothing has happened; may be tried again.
    Transient,
    /// The outcome of the call is not known.
    Unknown,
    Permanent,
    NotGranted,
    Cancelled,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskRetrying {
    pub error: Failure,
    /// UTC milliseconds before which the next attempt does not start.
    pub not_before_ms: i64,
    /// The task was only held back, because this endpoint is down; no attempt was spent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub breaker: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskWaiting {
    pub decision: DecisionId,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct TaskCompleted {
    /// Absent: the output is the result of the task's last finished call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ValueRef>,
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
    /// The effect was made before under this key; its recorded result was taken instead of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reused: Option<Digest>,
    /// A person holds this output; nothing was called.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pinned: bool,
    /// How many answers of the model were sent back before this one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub accepted_after_rejections: u32,
    /// What a person should look at before relying on the output, each a stable word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub flags: Vec<String>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskFailed {
    pub error: Failure,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SkipReason {
    /// Its `when` did not hold.
    When,
    /// All of its dependencies were skipped.
    Dependencies,
    /// A person said so.
    Person,
    /// What it needs was switched off at the approval, or what a task before it needs.
    Withheld,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskSkipped {
    pub reason: SkipReason,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskCancelled {
    /// The task was in a call with an effect whose outcome is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub outcome_unknown: bool,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskInDoubt {
    pub error: Failure,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct RunPaused {
    /// The breakpoint that it has come to; the next resume goes past it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Stop>,
}

/// Nothing can go on before a person answers.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunWaiting {}

/// A failure leaves no path; a person must act.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunBlocked {}

/// Something can go on again after waiting or being blocked.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunWentOn {}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunFinished {
    pub state: RunStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<ValueRef>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Failure>,
    /// Of the output.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PauseRequested {
    pub by: String,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct CancelRequested {
    pub by: String,
}

/// The machine's clock moved against the monotonic one by more than a minute (it was set, or the machine slept).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockJumped {
    pub by_ms: i64,
}

/// The plan was not approved; nothing of it has run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunRejected {
    pub by: String,
}

/// A map has its items, or a nested plan its parameters; each of its tasks is a node of its own from here on.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskExpanded {
    /// How many nodes follow.
    pub count: u32,
    /// The list that a map runs over; the parameters of a nested plan, name → value.
    pub value: ValueRef,
    /// Of the inputs, so of every item and parameter.
    #[serde(default, skip_serializing_if = "Labels::is_default")]
    pub labels: Labels,
}

/// A new version of the plan has no such task any more; it never ran.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TaskPruned {}

/// The log came from a file: what it did was done elsewhere, and nothing of it goes on here.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct RunImported {
    /// Version of Planloom that wrote the file.
    pub version: String,
    /// BLAKE3 of the file's lines.
    pub file: Digest,
}
