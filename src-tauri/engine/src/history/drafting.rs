//! The plan document of a run at the end of its log, with what can be undone and redone.

use std::collections::VecDeque;

use crate::model::document::DraftPlan;
use crate::model::events::{Change, Event, EventBody, PlanRevised, Revision};
use crate::model::value::ValueRef;
use crate::model::{Digest, Json};
use crate::store::{Store, StoreError};

/// How many steps can be undone.
const UNDO_STEPS: usize = 200;

/// A draft, folded from its revisions. Undo is one more revision; nothing is deleted.
#[derive(Clone, Debug)]
pub struct Drafting {
    pub plan: DraftPlan,
    pub revision: u32,
    pub undo: VecDeque<Revision>,
    pub redo: Vec<Revision>,
}

/// Why a log does not give a document.
#[derive(Debug, thiserror::Error)]
pub enum DraftingError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("revision {revision} of the plan can't be read: {message}. Kept: all revisions before it.")]
    Revision { revision: u32, message: String },
}

impl Default for Drafting {
    fn default() -> Self {
        Self {
            plan: DraftPlan::empty(),
            revision: 0,
            undo: VecDeque::new(),
            redo: Vec::new(),
        }
    }
}

impl Drafting {
    /// Folds the revisions among the events, those left out that a rewind took back.
    pub async fn fold(store: &Store, events: &[Event]) -> Result<Self, DraftingError> {
        let mut drafting = Self::default();
        let taken_back = super::load::TakenBack::of(events);
        for event in events.iter().filter(|e| !taken_back.has(e.seq)) {
            if let EventBody::PlanRevised(revised) = &event.body {
                drafting.take_event(store, revised).await?;
            }
        }
        Ok(drafting)
    }

    /// The document as it was at a revision; nothing where the log has none of that number.
    pub async fn at(store: &Store, events: &[Event], revision: u32) -> Result<Option<Self>, DraftingError> {
        let taken_back = super::load::TakenBack::of(events);
        let mut drafting = Self::default();
        for event in events.iter().filter(|e| !taken_back.has(e.seq)) {
            let Some(revised) = event.body.as_revision() else {
                continue;
            };
            drafting.take_event(store, revised).await?;
            if drafting.revision == revision {
                return Ok(Some(drafting));
            }
        }
        Ok(None)
    }

    /// Takes in one more revision as the log has it.
    pub async fn take_event(&mut self, store: &Store, revised: &PlanRevised) -> Result<(), DraftingError> {
        let document = match &revised.change {
            Change::Document(value) => Some(document_text(store, value).await?),
            Change::Edit(_) | Change::Undo(_) | Change::Redo(_) | Change::Replan(_) => None,
        };
        self.take(revised.revision, &revised.change, document)
    }

    /// Takes in one more revision. `text` is the document of a `Change::Document`.
    pub fn take(
        &mut self,
        revision: u32,
        change: &Change,
        text: Option<String>,
    ) -> Result<(), DraftingError> {
        match change {
            Change::Document(_) => {
                let text = text.unwrap_or_default();
                self.plan = DraftPlan::parse(&text).map_err(|problems| unreadable(revision, &problems))?;
                self.undo.clear();
                self.redo.clear();
            }
            Change::Edit(edit) | Change::Replan(edit) => {
                self.patch(revision, &edit.patch)?;
                self.redo.clear();
                self.push_undo(edit.clone());
            }
            Change::Undo(edit) => {
                self.patch(revision, &edit.patch)?;
                self.undo.pop_back();
                self.redo.push(flipped(edit));
            }
            Change::Redo(edit) => {
                self.patch(revision, &edit.patch)?;
                self.redo.pop();
                self.push_undo(edit.clone());
            }
        }
        self.revision = revision;
        Ok(())
    }

    fn push_undo(&mut self, edit: Revision) {
        if self.undo.len() == UNDO_STEPS {
            self.undo.pop_front();
        }
        self.undo.push_back(edit);
    }

    fn patch(&mut self, revision: u32, patch: &Json) -> Result<(), DraftingError> {
        let patched = self.plan.patch(patch);
        patched.map_err(|message| DraftingError::Revision { revision, message })
    }

    /// The change that takes the last edit back, if there is one.
    pub fn undo_change(&self) -> Option<Change> {
        self.undo.back().map(|edit| Change::Undo(flipped(edit)))
    }

    /// The change that does again what was undone last.
    pub fn redo_change(&self) -> Option<Change> {
        self.redo.last().map(|edit| Change::Redo(edit.clone()))
    }

    /// The revision's identity: the hash of the whole document.
    pub fn digest(&self) -> Digest {
        crate::model::digest::of_document(&self.plan)
    }
}

fn flipped(edit: &Revision) -> Revision {
    Revision {
        label: edit.label.clone(),
        patch: edit.inverse.clone(),
        inverse: edit.patch.clone(),
    }
}

/// What is wrong with a stored document, by the first of its problems.
pub(super) fn unreadable(revision: u32, problems: &[crate::model::problem::Problem]) -> DraftingError {
    let message = problems
        .first()
        .map_or_else(|| "unknown".to_owned(), |p| p.message.clone());
    DraftingError::Revision { revision, message }
}

/// Documents are stored as a JSON string of their text, so that their text survives to the letter.
pub(super) async fn document_text(store: &Store, value: &ValueRef) -> Result<String, DraftingError> {
    let json = super::detail::text(store, value).await?;
    serde_json::from_str(&json).map_err(|e| DraftingError::Store(StoreError::Io(e.into())))
}
