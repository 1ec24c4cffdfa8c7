//! A proposed change of a draft, cut into pieces that can be taken one by one: what each does, which others it needs, and
//! where it still fits. Whoever proposed it is not known here, nor how the pieces are shown.

mod cut;
mod taking;
#[cfg(test)]
mod tests;

use super::Json;

pub use cut::pieces;
pub use taking::{Refused, Standing, standings, take, take_only};

/// One piece: a task that comes, goes or changes, with the edges that lead to it, or a field of the plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Piece {
    /// The same for the same change, such as `change:fetch`.
    pub id: String,
    pub kind: PieceKind,
    /// The task's id, or the name of the plan's field.
    pub name: String,
    /// Of the task, as people know it.
    pub title: String,
    /// What is otherwise, by field; the whole task where it comes or goes. Edges are not among them.
    pub fields: Vec<FieldChange>,
    /// Tasks that it shall come after, and those that it shall not any more.
    pub gained: Vec<String>,
    pub lost: Vec<String>,
    /// Ids of the pieces without which it can't be taken.
    pub needs: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Added,
    Removed,
    Changed,
    /// A field of the plan itself.
    Plan,
}

#[derive(Clone, Debug, PartialEq)]
pub struct FieldChange {
    pub field: String,
    pub before: Option<Json>,
    pub after: Option<Json>,
}
