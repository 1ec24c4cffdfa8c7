//! What becomes of each task when a proposal meets the states of the run. Tasks that have begun stand as they are;
//! the rest is the proposal's to shape. It must not know whether the plan as it would be is valid.

use std::collections::{HashMap, HashSet};

use serde_json::Map;

use super::proposal::Proposal;
use super::refusal::{Offer, Reason, Refusal, listed};
use super::{Standing, Standings};
use crate::model::edit::names::{free_id, id_of};
use crate::model::near::Names;
use crate::model::{Json, TaskId, digest, fields};

/// Free ids are looked for this often; each search may look at many.
const SUGGESTED: usize = 20;

/// What becomes of a task of the current plan.
pub(super) enum Fate {
    Stays,
    /// The new document, and the fields that execute and differ: none for a new title.
    Becomes(Json, Vec<String>),
    Goes,
}

pub(super) struct Merge<'a> {
    pub old: &'a [Json],
    pub proposal: &'a Proposal<'a>,
    standings: &'a dyn Standings,
    /// The first task of each id.
    ids: HashMap<&'a str, usize>,
    pub standing: Vec<Standing>,
    /// The entry of the proposal that speaks of each task of the current plan.
    pub stated: Vec<Option<usize>>,
    pub fates: Vec<Fate>,
    /// Entries of the proposal that are new tasks, in its order.
    pub added: Vec<usize>,
    pub refusals: Vec<Refusal>,
    taken: Option<HashSet<String>>,
    suggestions: usize,
}

impl<'a> Merge<'a> {
    pub fn new(old: &'a [Json], proposal: &'a Proposal<'a>, standings: &'a dyn Standings) -> Self {
        let mut ids = HashMap::with_capacity(old.len());
        for (ix, task) in old.iter().enumerate() {
            if let Some(id) = id_of(task) {
                ids.entry(id).or_insert(ix);
            }
        }
        let standing = |task| {
            id_of(task)
                .and_then(|id| standings.of(id))
                .unwrap_or(Standing::Untouched)
        };
        let mut merge = Self {
            standing: old.iter().map(standing).collect(),
            stated: vec![None; old.len()],
            fates: Vec::with_capacity(old.len()),
            added: Vec::new(),
            refusals: Vec::new(),
            taken: None,
            suggestions: 0,
            old,
            proposal,
            standings,
            ids,
        };
        merge.match_entries();
        for ix in 0..old.len() {
            let fate = merge.fate(ix);
            merge.fates.push(fate);
        }
        merge.check_names();
        merge
    }

    /// The place of a task of the current plan that goes.
    pub fn gone(&self, id: &str) -> Option<usize> {
        let ix = *self.ids.get(id)?;
        matches!(self.fates[ix], Fate::Goes).then_some(ix)
    }

    /// The standing of a task of the current plan.
    pub fn standing_of(&self, id: &str) -> Option<Standing> {
        self.ids.get(id).map(|ix| self.standing[*ix])
    }

    /// Whether the task has begun or is over, so that nothing about it may change.
    pub fn is_fixed(&self, ix: usize) -> bool {
        self.standing[ix].is_fixed()
    }

    fn match_entries(&mut self) {
        for (entry, task) in self.proposal.entries.iter().enumerate() {
            let id = id_of(task);
            match id.and_then(|id| self.ids.get(id)) {
                // A second entry of one id is a task of its own, so that the validator finds the repeated id.
                Some(ix) if self.stated[*ix].is_none() => self.stated[*ix] = Some(entry),
                Some(_) => self.added.push(entry),
                None => {
                    if let Some(id) = id.filter(|id| self.standings.of(id).is_some()) {
                        let message = format!("`{id}` is the id of a task that this run has had before");
                        self.refuse_id(entry, id, &message, Vec::new());
                    }
                    self.added.push(entry);
                }
            }
        }
    }

    fn fate(&mut self, ix: usize) -> Fate {
        if let Some(entry) = self.stated[ix] {
            return self.fate_of_stated(ix, entry);
        }
        let id = id_of(&self.old[ix]).unwrap_or_default();
        let (drops, keeps) = (self.proposal.drops(id), self.proposal.keeps(id));
        match (drops, keeps) {
            (true, true) | (false, true) => Fate::Stays,
            (true, false) if self.is_fixed(ix) => {
                self.refuse_drop(ix, id);
                Fate::Stays
            }
            (true, false) => Fate::Goes,
            (false, false) if self.proposal.is_whole && !self.is_fixed(ix) => Fate::Goes,
            (false, false) => Fate::Stays,
        }
    }

    fn fate_of_stated(&mut self, ix: usize, entry: usize) -> Fate {
        let (Some(old), Some(new)) = (self.old[ix].as_object(), self.proposal.entries[entry].as_object())
        else {
            return Fate::Stays;
        };
        if self.is_fixed(ix) {
            let fields = digest::task_differences(old, &overlaid(old, new));
            if !fields.is_empty() {
                self.refuse_change(ix, entry, fields);
            }
            return retitled(old, new);
        }
        let fields = digest::task_differences(old, new);
        if fields.is_empty() {
            return retitled(old, new);
        }
        let mut task = new.clone();
        // What does not execute, such as notes, is not the replanner's to lose.
        for (name, value) in old {
            let is_kept = name == "title" || !fields::of_tasks().any(|known| known == name);
            if is_kept && !task.contains_key(name) {
                task.insert(name.clone(), value.clone());
            }
        }
        Fate::Becomes(Json::Object(task), fields)
    }

    fn refuse_drop(&mut self, ix: usize, id: &str) {
        let standing = self.standing[ix];
        let message = format!(
            "`{id}` {} and can't be dropped. Leave it out of the list: it stays.",
            standing.words()
        );
        let refusal = Refusal::new(standing.reason(), self.proposal.drop_pointer(id), message).of(id);
        self.refusals.push(refusal);
    }

    fn refuse_change(&mut self, ix: usize, entry: usize, fields: Vec<String>) {
        let id = id_of(&self.old[ix]).unwrap_or_default();
        let standing = self.standing[ix];
        let what = listed(fields.iter().map(String::as_str));
        if self.proposal.is_whole {
            let message = format!(
                "`{id}` {}: its {what} can't change. State it as it is or leave it out",
                standing.words()
            );
            self.refuse(standing.reason(), entry, id, &message, fields);
        } else {
            let message = format!(
                "`{id}` {}, and the proposal uses it with another {what}",
                standing.words()
            );
            self.refuse_id(entry, id, &message, fields);
        }
    }

    fn refuse_id(&mut self, entry: usize, id: &str, message: &str, fields: Vec<String>) {
        let message = format!("{message}. Its id can't name new work, so that results are never mixed up");
        self.refuse(Reason::ReusedId, entry, id, &message, fields);
    }

    fn refuse(&mut self, reason: Reason, entry: usize, id: &str, message: &str, fields: Vec<String>) {
        let free = self.suggest(entry);
        let hint = free.as_ref().map_or_else(
            || " Give new work an id of its own.".to_owned(),
            |free| format!(" Give new work another id; `{free}` is free."),
        );
        let mut refusal = Refusal::new(reason, self.proposal.pointer(entry), format!("{message}.{hint}"))
            .of(id)
            .in_fields(fields);
        refusal.offers.extend(free.map(|free| Offer::UseId {
            task: TaskId::from(id),
            id: TaskId::from(free),
        }));
        self.refusals.push(refusal);
    }

    /// An id that neither the plan, the proposal nor the run knows.
    fn suggest(&mut self, entry: usize) -> Option<String> {
        self.suggestions += 1;
        if self.suggestions > SUGGESTED {
            return None;
        }
        let (old, entries) = (self.old, self.proposal.entries);
        let taken = self.taken.get_or_insert_with(|| {
            let all = old.iter().chain(entries).filter_map(id_of);
            all.map(str::to_owned).collect()
        });
        for _ in 0..SUGGESTED {
            let id = free_id(entries[entry].as_object()?, taken);
            taken.insert(id.clone());
            if self.standings.of(&id).is_none() {
                return Some(id);
            }
        }
        None
    }

    /// Names in `keep` and `drop` must be tasks, and no task may be in both.
    fn check_names(&mut self) {
        let proposal = self.proposal;
        let new: HashSet<&str> = proposal.entries.iter().filter_map(id_of).collect();
        let mut near: Option<Names<'_>> = None;
        for (pointer, id) in proposal.keep.iter().chain(&proposal.drop) {
            if !self.ids.contains_key(id) && !new.contains(id) {
                let names = near.get_or_insert_with(|| Names::new(self.old.iter().filter_map(id_of)));
                let meant = names.nearest(id);
                let meant = meant.map_or_else(String::new, |name| format!(" Did you mean `{name}`?"));
                let shown: String = id.chars().take(80).collect();
                let message = format!("The plan has no task `{shown}`.{meant}");
                let refusal = Refusal::new(Reason::UnknownTask, pointer.as_str(), message);
                self.refusals.push(refusal.of(id));
            }
        }
        for (pointer, id) in &proposal.drop {
            let is_new = new.contains(id) && !self.ids.contains_key(id);
            if proposal.keeps(id) || is_new || (proposal.is_whole && new.contains(id)) {
                let message =
                    format!("The replan both drops `{id}` and has it in its plan. Say one of the two.");
                let refusal = Refusal::new(Reason::Contradiction, pointer.as_str(), message);
                self.refusals.push(refusal.of(id));
            }
        }
    }
}

/// The old task with what the new one states: a field that is left out is no change.
fn overlaid(old: &Map<String, Json>, new: &Map<String, Json>) -> Map<String, Json> {
    let mut all = old.clone();
    for (name, value) in new.iter().filter(|(_, value)| !value.is_null()) {
        all.insert(name.clone(), value.clone());
    }
    all
}

/// The old task, under its new title if there is one.
fn retitled(old: &Map<String, Json>, new: &Map<String, Json>) -> Fate {
    match new.get("title").filter(|title| !title.is_null()) {
        Some(title) if old.get("title") != Some(title) => {
            let mut task = old.clone();
            task.insert("title".to_owned(), title.clone());
            Fate::Becomes(Json::Object(task), Vec::new())
        }
        Some(_) | None => Fate::Stays,
    }
}
