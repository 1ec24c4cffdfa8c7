//! What a replan may say of the plan itself: never another goal or other parameters; more grants, another budget or
//! another final answer only as something that is asked for. It must not know tasks, but for where their cards lie.

use std::collections::HashSet;

use serde_json::{Map, json};

use super::ask::Ask;
use super::merge::Merge;
use super::proposal::Proposal;
use super::refusal::{Reason, Refusal};
use crate::model::draft_view::needs::KINDS;
use crate::model::edit::names::id_of;
use crate::model::json::push_step;
use crate::model::{Json, digest, fields};

/// The changes to the plan's own fields, as values to set.
#[derive(Default)]
pub(super) struct Frame {
    /// JSON Pointer into the plan, and what shall stand there.
    pub sets: Vec<(String, Json)>,
    /// The plan's fields that change.
    pub fields: Vec<String>,
    pub asks: Vec<Ask>,
    pub refusals: Vec<Refusal>,
}

pub(super) fn of(current: &Json, proposal: &Proposal<'_>) -> Frame {
    let mut frame = Frame::default();
    frame.check_same(current, proposal);
    frame.grants(current, proposal);
    frame.budget(current, proposal);
    frame.synthesis(current, proposal);
    frame
}

/// The positions of all cards: known tasks stay where they are, and new ones lie where the proposal puts them.
/// `None`: nothing changes.
pub(super) fn positions(current: &Json, merge: &Merge<'_>) -> Option<Json> {
    let old = current.pointer("/layout/positions")?.as_object()?;
    let mut new = Map::new();
    for (id, place) in old {
        if merge.gone(id).is_none() {
            new.insert(id.clone(), place.clone());
        }
    }
    let proposed = merge.proposal.document.pointer("/layout/positions");
    for entry in &merge.added {
        let id = id_of(&merge.proposal.entries[*entry]);
        if let Some((id, place)) = id.and_then(|id| Some((id, placed(proposed?.get(id)?)?))) {
            new.entry(id).or_insert(place);
        }
    }
    (new != *old).then_some(Json::Object(new))
}

fn placed(place: &Json) -> Option<Json> {
    let (x, y) = (place.get("x")?, place.get("y")?);
    (x.is_number() && y.is_number()).then(|| json!({ "x": x, "y": y }))
}

impl Frame {
    fn check_same(&mut self, current: &Json, proposal: &Proposal<'_>) {
        for name in ["goal", "parameters"] {
            let Some(stated) = proposal.field(name) else {
                continue;
            };
            let only = |value: Option<&Json>| json!({ name: value });
            if !digest::plan_differences(&only(current.get(name)), &only(Some(stated))).is_empty() {
                self.refuse_other(name, "that would be another plan");
            }
        }
        let one = json!(1);
        if let Some(stated) = proposal.field("version")
            && stated != current.get("version").unwrap_or(&one)
        {
            self.refuse_other("version", "the format stays");
        }
    }

    fn refuse_other(&mut self, name: &str, why: &str) {
        let message = format!("A replan can't change the plan's `{name}`: {why}. Leave it out.");
        self.refusals.push(
            Refusal::new(Reason::PlanChanged, format!("/{name}"), message).in_fields(vec![name.to_owned()]),
        );
    }

    /// What was approved stays granted: finished work was done under it. New entries come after it.
    fn grants(&mut self, current: &Json, proposal: &Proposal<'_>) {
        let Some(stated) = proposal.field("grants") else {
            return;
        };
        let Json::Object(stated) = stated else {
            return self.refuse_shape("/grants", "`grants` must be an object");
        };
        let mut sets = Vec::new();
        for (access, name, _) in KINDS {
            let Some(entries) = stated.get(name).filter(|entries| !entries.is_null()) else {
                continue;
            };
            let old = current.get("grants").and_then(|grants| grants.get(name));
            let old: &[Json] = old.and_then(Json::as_array).map_or(&[], Vec::as_slice);
            let mut known: HashSet<&str> = old.iter().filter_map(Json::as_str).collect();
            let Some(entries) = entries.as_array().filter(|all| all.iter().all(Json::is_string)) else {
                self.refuse_shape(
                    &format!("/grants/{name}"),
                    &format!("`{name}` must be a list of texts"),
                );
                continue;
            };
            let new: Vec<&str> = entries
                .iter()
                .filter_map(Json::as_str)
                .filter(|entry| known.insert(entry))
                .collect();
            if !new.is_empty() {
                let all = old.iter().cloned().chain(new.iter().map(|entry| json!(entry)));
                sets.push((name, all.collect::<Vec<Json>>()));
            }
            self.asks.extend(new.into_iter().map(|entry| Ask::Grant {
                access,
                entry: entry.to_owned(),
                task: None,
            }));
        }
        self.set_inside(current, "grants", sets);
        for name in ["own_work", "private_to"] {
            let known = |entry: &Json| {
                let old = current.get("grants").and_then(|grants| grants.get(name));
                old.and_then(Json::as_array)
                    .is_some_and(|old| old.contains(entry))
            };
            let entries = stated.get(name).and_then(Json::as_array);
            if entries.is_some_and(|entries| !entries.iter().all(known)) {
                let what = format!("`{name}` is a person's word; leave it as it is");
                self.refuse_shape(&format!("/grants/{name}"), &what);
            }
        }
    }

    fn budget(&mut self, current: &Json, proposal: &Proposal<'_>) {
        let Some(stated) = proposal.field("budget") else {
            return;
        };
        let Json::Object(stated) = stated else {
            return self.refuse_shape("/budget", "`budget` must be an object");
        };
        let mut sets = Vec::new();
        for name in fields::BUDGET {
            let old = current.get("budget").and_then(|budget| budget.get(name));
            let old = old.filter(|old| !old.is_null());
            let Some(new) = stated.get(name).filter(|new| !new.is_null() && Some(*new) != old) else {
                continue;
            };
            if let Some(old) = old.filter(|old| !is_less(new, old)) {
                self.asks.push(Ask::Budget {
                    field: name.to_owned(),
                    from: old.to_string(),
                    to: new.to_string(),
                });
            }
            sets.push((name, new.clone()));
        }
        self.set_inside(current, "budget", sets);
    }

    fn synthesis(&mut self, current: &Json, proposal: &Proposal<'_>) {
        let Some(stated) = proposal.field("synthesis") else {
            return;
        };
        let only = |value: Option<&Json>| json!({ "synthesis": value });
        if !digest::plan_differences(&only(current.get("synthesis")), &only(Some(stated))).is_empty() {
            self.sets.push(("/synthesis".to_owned(), stated.clone()));
            self.fields.push("synthesis".to_owned());
            self.asks.push(Ask::Synthesis);
        }
    }

    fn refuse_shape(&mut self, pointer: &str, what: &str) {
        self.refusals
            .push(Refusal::new(Reason::BadShape, pointer, format!("{what}.")));
    }

    /// Sets fields of an object that the plan may not have yet.
    fn set_inside<V: Into<Json>>(&mut self, current: &Json, name: &str, sets: Vec<(&'static str, V)>) {
        if sets.is_empty() {
            return;
        }
        self.fields.push(name.to_owned());
        if current.get(name).is_some_and(Json::is_object) {
            for (field, value) in sets {
                let mut pointer = format!("/{name}");
                push_step(&mut pointer, field);
                self.sets.push((pointer, value.into()));
            }
        } else {
            let map: Map<String, Json> = sets
                .into_iter()
                .map(|(field, value)| (field.to_owned(), value.into()))
                .collect();
            self.sets.push((format!("/{name}"), Json::Object(map)));
        }
    }
}

/// Whether one number is surely below another. What can't be told apart as a float counts as raised.
fn is_less(new: &Json, old: &Json) -> bool {
    let number = |value: &Json| value.as_number().and_then(|n| n.as_str().parse::<f64>().ok());
    match (number(new), number(old)) {
        (Some(new), Some(old)) => new < old,
        (Some(_) | None, Some(_) | None) => false,
    }
}
