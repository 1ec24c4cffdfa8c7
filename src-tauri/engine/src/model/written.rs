//! A plan document that is only to be run: its text, read task by task on the way to a [`super::Plan`], so that the
//! memory that it takes is that of the text and not the tenfold of its tree. What it must not know is how to edit.

use super::check::{self, Setting};
use super::document::{Accepted, unreadable};
use super::entries::Entries;
use super::json::canonical_digest;
use super::problem::Problem;
use super::{Digest, Json, digest, read};

/// The text of a plan, checked as [`super::DraftPlan::parse`] checks it.
#[derive(Debug)]
pub struct WrittenPlan<'t> {
    text: &'t str,
    /// The document with an empty list of tasks, if they lie in the text.
    around: Json,
    /// Where in the text the tasks begin.
    starts: Vec<u32>,
}

impl<'t> WrittenPlan<'t> {
    /// What can't be read without loss, or passes a bound, is refused here.
    pub fn read(text: &'t str) -> Result<Self, Vec<Problem>> {
        let (around, starts) = read::read_around_tasks(text, &read::PLAN).map_err(unreadable)?;
        Ok(Self { text, around, starts })
    }

    /// The goal, where it is given as text.
    pub fn goal(&self) -> Option<&str> {
        self.around.get("goal")?.as_str()
    }

    /// The hash of the whole document: the same as [`digest::of_document`] gives.
    pub fn digest(&self) -> Digest {
        match (self.around.as_object(), self.tasks()) {
            (Some(document), Some(tasks)) => digest::of_document_with(document, tasks),
            (_, _) => canonical_digest(&self.around),
        }
    }

    /// All errors, or the plan with its warnings: the same as [`super::DraftPlan::to_plan_in`] gives.
    pub fn to_plan_in(&self, setting: &Setting<'_>) -> Result<Accepted, Vec<Problem>> {
        let digest = digest::of_plan_with(&self.around, self.tasks());
        check::plan(&self.around, self.tasks(), setting, digest)
            .map(|(plan, warnings)| Accepted { plan, warnings })
    }

    /// `None`: they are in the tree, if there are any.
    fn tasks(&self) -> Option<Entries<'_>> {
        (!self.starts.is_empty()).then_some(Entries::Written(self.text, &self.starts))
    }
}
