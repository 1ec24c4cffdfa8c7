//! The list of tasks of a plan document, whichever way it is held: as a tree, or as text that is read task by task,
//! so that the tree of 10,000 tasks never stands as a whole. It must not know what a task may hold, beyond its `id`.

use std::borrow::Cow;

use super::{Json, read};

/// The entries of the list `tasks`, tasks or not.
#[derive(Clone, Copy)]
pub(super) enum Entries<'d> {
    Held(&'d [Json]),
    /// A text that has been read once without fault, and where in it the entries begin.
    Written(&'d str, &'d [u32]),
}

impl<'d> Entries<'d> {
    /// Those of a document, if it has such a list.
    pub fn of(document: &'d Json) -> Option<Self> {
        let tasks = document.get("tasks")?.as_array()?;
        Some(Self::Held(tasks))
    }

    pub fn len(&self) -> usize {
        match self {
            Self::Held(items) => items.len(),
            Self::Written(_, starts) => starts.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub fn get(&self, ix: usize) -> Cow<'d, Json> {
        match *self {
            Self::Held(items) => Cow::Borrowed(&items[ix]),
            Self::Written(text, starts) => Cow::Owned(read::read_again(text, starts[ix], &read::PLAN)),
        }
    }

    /// The entry's `id`, where that is text.
    pub fn id(&self, ix: usize) -> Option<Cow<'d, str>> {
        match *self {
            Self::Held(items) => items[ix].get("id")?.as_str().map(Cow::Borrowed),
            Self::Written(text, starts) => match read::read_field_again(text, starts[ix], "id", &read::PLAN)?
            {
                Json::String(id) => Some(Cow::Owned(id)),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::Array(_) | Json::Object(_) => None,
            },
        }
    }
}
