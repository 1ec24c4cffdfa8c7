//! A replanner's proposal as it was given: any JSON value. Two forms are understood, and both may carry plan fields
//! such as `grants`. It must not know the plan that the proposal is for.
//!
//! - `{"tasks": […]}`, a plan or a part of one: the new version of what is unexecuted. An unexecuted task that it
//!   leaves out goes, unless `keep` names it. What has begun stays, named or not.
//! - `{"add": […], "drop": [ids], "keep": [ids]}` (`remove` is another word for `drop`): what it does not name stays.
//!   A task in `add` whose id the plan has is a new version of that task.

use std::collections::{HashMap, HashSet};

use super::refusal::{Reason, Refusal};
use crate::model::edit::patch::check_bounds;
use crate::model::json::push_step;
use crate::model::{Json, fields};

/// Fields of a proposal beside those of a plan.
const OWN: [&str; 4] = ["add", "drop", "remove", "keep"];

pub(super) struct Proposal<'p> {
    pub document: &'p Json,
    /// The field that holds the tasks: `tasks` or `add`.
    pub list: &'static str,
    pub entries: &'p [Json],
    /// Whether an unexecuted task that is left out goes.
    pub is_whole: bool,
    /// The ids to keep and to drop, each with its place in the proposal.
    pub keep: Vec<(String, &'p str)>,
    pub drop: Vec<(String, &'p str)>,
    kept: HashSet<&'p str>,
    /// Id → its first place in `drop`.
    dropped: HashMap<&'p str, usize>,
}

impl<'p> Proposal<'p> {
    pub fn read(document: &'p Json) -> Result<Self, Vec<Refusal>> {
        // First of all, as everything after it goes into the depth of the document.
        check_bounds(document).map_err(|message| {
            vec![Refusal::new(
                Reason::BadShape,
                "",
                format!("The proposal is too large: {message}."),
            )]
        })?;
        let shape = |message: &str| vec![Refusal::new(Reason::BadShape, "", message.to_owned())];
        let Json::Object(map) = document else {
            return Err(shape(
                "A replan is an object: {\"tasks\": […]} or {\"add\": […], \"drop\": […]}.",
            ));
        };
        let has = |name: &str| map.get(name).is_some_and(|value| !value.is_null());
        if has("tasks") && has("add") {
            return Err(shape(
                "A replan has either `tasks` or `add`: with both it can't be told which tasks shall go.",
            ));
        }
        if !has("tasks") && !OWN.into_iter().any(has) {
            return Err(shape(
                "The proposal has neither `tasks` nor `add`, `drop` or `keep`: it says nothing of any task.",
            ));
        }
        Self::of_object(document, has("tasks"))
    }

    fn of_object(document: &'p Json, is_whole: bool) -> Result<Self, Vec<Refusal>> {
        let mut refusals = Vec::new();
        let list = if is_whole { "tasks" } else { "add" };
        let entries = entries(document, list, &mut refusals);
        let keep = names(document, "keep", &mut refusals);
        let mut drop = names(document, "drop", &mut refusals);
        drop.extend(names(document, "remove", &mut refusals));
        if refusals.is_empty() && is_whole && entries.is_empty() && keep.is_empty() && drop.is_empty() {
            let message = "The replan proposes no steps. The failed task stays failed.".to_owned();
            refusals.push(Refusal::new(Reason::NothingProposed, "/tasks", message));
        }
        if !refusals.is_empty() {
            return Err(refusals);
        }
        Ok(Self {
            kept: keep.iter().map(|(_, id)| *id).collect(),
            dropped: drop
                .iter()
                .enumerate()
                .rev()
                .map(|(ix, (_, id))| (*id, ix))
                .collect(),
            document,
            list,
            entries,
            is_whole,
            keep,
            drop,
        })
    }

    pub fn keeps(&self, id: &str) -> bool {
        self.kept.contains(id)
    }

    pub fn drops(&self, id: &str) -> bool {
        self.dropped.contains_key(id)
    }

    /// Where it says that the task shall go.
    pub fn drop_pointer(&self, id: &str) -> &str {
        self.dropped.get(id).map_or("", |ix| &self.drop[*ix].0)
    }

    /// A plan field that the proposal states.
    pub fn field(&self, name: &str) -> Option<&'p Json> {
        self.document.get(name).filter(|value| !value.is_null())
    }

    pub fn pointer(&self, entry: usize) -> String {
        format!("/{}/{entry}", self.list)
    }

    /// Pointers of what stands in the proposal and is neither a plan's field nor one of its own.
    pub fn unknown(&self) -> Vec<String> {
        let keys = self.document.as_object().into_iter().flatten();
        keys.map(|(key, _)| key.as_str())
            .filter(|key| !fields::PLAN.contains(key) && !OWN.contains(key))
            .map(|key| {
                let mut pointer = String::new();
                push_step(&mut pointer, key);
                pointer
            })
            .collect()
    }
}

fn entries<'p>(document: &'p Json, name: &str, refusals: &mut Vec<Refusal>) -> &'p [Json] {
    match document.get(name) {
        None | Some(Json::Null) => &[],
        Some(Json::Array(items)) => items,
        Some(Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_)) => {
            let message = format!("`{name}` of a replan must be a list.");
            refusals.push(Refusal::new(Reason::BadShape, format!("/{name}"), message));
            &[]
        }
    }
}

fn names<'p>(document: &'p Json, name: &str, refusals: &mut Vec<Refusal>) -> Vec<(String, &'p str)> {
    let mut names = Vec::new();
    for (ix, item) in entries(document, name, refusals).iter().enumerate() {
        let pointer = format!("/{name}/{ix}");
        match item.as_str() {
            Some(id) => names.push((pointer, id)),
            None => {
                let message = format!("Entry {} of `{name}` must be the id of a task, as text.", ix + 1);
                refusals.push(Refusal::new(Reason::BadShape, pointer, message));
            }
        }
    }
    names
}
