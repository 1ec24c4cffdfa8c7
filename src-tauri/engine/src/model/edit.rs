//! What a person can do to a draft, as data. Each edit becomes a JSON Patch (RFC 6902) with its inverse,
//! so that undo is one more revision and nothing is lost.

mod apply;
mod between;
mod connect;
pub(in crate::model) mod names;
pub(in crate::model) mod patch;
pub(in crate::model) mod references;
mod tasks;

use serde::{Deserialize, Serialize};

pub(in crate::model) use apply::refuse_new_loop;
pub use apply::{Applied, EditError, apply};
pub use between::between;
pub use connect::{ConnectVerdict, connect_verdicts};
pub use names::renames;
pub(super) use patch::{patch_in_place, patched};

/// One intent of the editor. Values travel as JSON text, so that their numbers keep their digits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(
    rename_all = "camelCase",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
pub enum PlanEdit {
    /// Adds a task (its document as JSON text). A missing or taken `id` is replaced by a free one.
    AddTask {
        task: String,
        /// Existing tasks that the new one shall depend on.
        after: Vec<String>,
        /// Existing tasks that shall depend on the new one, instead of directly on those before it.
        before: Vec<String>,
        position: Option<Position>,
    },
    /// Removes tasks with the edges to and from them; references to them stay and show as problems.
    RemoveTasks { ids: Vec<String> },
    /// Sets or, without a value, removes one field of a task. `field` is a JSON Pointer inside the task, such as `/title`.
    SetTask {
        id: String,
        field: String,
        value: Option<String>,
    },
    /// Changes an id, and every dependency, reference and layout entry that names it.
    RenameTask { id: String, to: String },
    /// `to` shall depend on `from`. Refused where it would close a loop.
    Connect { from: String, to: String },
    /// `to` shall no longer depend on `from`; whole inputs that only read `from` are cleared with it.
    Disconnect { from: String, to: String },
    /// Moves an edge: the same as a disconnect and a connect, in one step.
    Reconnect {
        from: String,
        to: String,
        new_from: String,
        new_to: String,
    },
    /// Keeps where a person put the cards.
    Move { positions: Vec<Placed> },
    /// Forgets all positions, so that the canvas lays the plan out by itself.
    Tidy,
    /// Sets or removes one field of the plan, by JSON Pointer, such as `/goal` or `/grants/read`.
    SetPlan { field: String, value: Option<String> },
    /// Pastes tasks (a JSON array as text): ids are made free, edges inside the set are kept.
    Paste { tasks: String, at: Option<Position> },
}

/// Canvas units, whole pixels at zoom 1. Whole numbers keep the file's diff quiet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct Position {
    pub x: i32,
    pub y: i32,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, specta::Type)]
#[serde(deny_unknown_fields)]
pub struct Placed {
    pub id: String,
    pub x: i32,
    pub y: i32,
}
