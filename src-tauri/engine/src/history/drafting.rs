//! The plan document of a run at the end of its log, with what can be undone and redone.

use std::collections::VecDeque;

use super::laid::{Laid, LaidStep};
use crate::model::document::DraftPlan;
use crate::model::events::{Change, Event, EventBody, PlanRevised, Revision, Turn};
use crate::model::value::ValueRef;
use crate::model::{Digest, Json};
use crate::store::{Store, StoreError};

/// How many steps can be undone.
const UNDO_STEPS: usize = 200;

/// One step of undo: an edit of the plan, or something laid on one of its tasks.
#[derive(Clone, Debug)]
pub enum Step {
    Edit(Revision),
    Laid(LaidStep),
}

impl Step {
    pub fn label(&self) -> String {
        match self {
            Self::Edit(edit) => edit.label.clone(),
            Self::Laid(step) => step.label(),
        }
    }
}

/// A draft, folded from its log. Undo is one more entry; nothing is deleted.
#[derive(Clone, Debug)]
pub struct Drafting {
    pub plan: DraftPlan,
    pub revision: u32,
    pub undo: VecDeque<Step>,
    pub redo: Vec<Step>,
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
        let mut laid = Laid::default();
        for event in events {
            // What lies on tasks is taken back by no rewind, only its being a step.
            let step = laid.step(event.task.as_ref(), &event.body);
            if taken_back.has(event.seq) {
                continue;
            }
            if let EventBody::PlanRevised(revised) = &event.body {
                drafting.take_event(store, revised).await?;
            }
            if let Some((turn, step)) = step {
                drafting.take_step(turn, step);
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
                self.push_undo(Step::Edit(edit.clone()));
            }
            Change::Undo(edit) => {
                self.patch(revision, &edit.patch)?;
                self.undo.pop_back();
                self.redo.push(Step::Edit(flipped(edit)));
            }
            Change::Redo(edit) => {
                self.patch(revision, &edit.patch)?;
                self.redo.pop();
                self.push_undo(Step::Edit(edit.clone()));
            }
        }
        self.revision = revision;
        Ok(())
    }

    /// Takes in something that was laid on a task, or taken back, or laid again.
    pub fn take_step(&mut self, turn: Turn, step: LaidStep) {
        match turn {
            Turn::Act => {
                self.redo.clear();
                self.push_undo(Step::Laid(step));
            }
            Turn::Undo => self.redo.extend(self.undo.pop_back()),
            Turn::Redo => {
                if let Some(again) = self.redo.pop() {
                    self.push_undo(again);
                }
            }
        }
    }

    fn push_undo(&mut self, step: Step) {
        if self.undo.len() == UNDO_STEPS {
            self.undo.pop_front();
        }
        self.undo.push_back(step);
    }

    fn patch(&mut self, revision: u32, patch: &Json) -> Result<(), DraftingError> {
        let patched = self.plan.patch(patch);
        patched.map_err(|message| DraftingError::Revision { revision, message })
    }

    /// The revision's identity: the hash of the whole document.
    pub fn digest(&self) -> Digest {
        crate::model::digest::of_document(&self.plan)
    }
}

pub fn flipped(edit: &Revision) -> Revision {
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
