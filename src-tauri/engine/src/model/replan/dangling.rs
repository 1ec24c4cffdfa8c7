//! Edges and references from tasks that are in the new plan to tasks that the replan drops, each with the ways out.

use std::collections::HashSet;

use super::merge::{Fate, Merge};
use super::refusal::{Offer, Reason, Refusal, listed};
use crate::model::edit::names::{dependencies_of, id_of};
use crate::model::edit::references;
use crate::model::{Json, TaskId};

/// Ways out are worked out for this many refusals; a proposal with more is wrong as a whole.
const WITH_OFFERS: usize = 20;
/// Tasks to re-point to that are named.
const TARGETS: usize = 3;

/// One refusal for each task and dropped task that it needs, in the order of the plan.
pub(super) fn refusals(merge: &Merge<'_>) -> Vec<Refusal> {
    let mut found = Vec::new();
    for (ix, fate) in merge.fates.iter().enumerate() {
        match fate {
            Fate::Stays => look_at(merge, &merge.old[ix], Some(ix), merge.stated[ix], &mut found),
            Fate::Becomes(task, _) => look_at(merge, task, Some(ix), merge.stated[ix], &mut found),
            Fate::Goes => {}
        }
    }
    for entry in &merge.added {
        let task = &merge.proposal.entries[*entry];
        look_at(merge, task, None, Some(*entry), &mut found);
    }
    found
}

fn look_at(
    merge: &Merge<'_>,
    task: &Json,
    old: Option<usize>,
    entry: Option<usize>,
    found: &mut Vec<Refusal>,
) {
    // (dropped task, field, where in the task)
    let mut needs: Vec<(usize, String, String)> = Vec::new();
    for (at, id) in dependencies_of(task).enumerate() {
        if let Some(gone) = merge.gone(id) {
            needs.push((gone, "dependencies".to_owned(), format!("/dependencies/{at}")));
        }
    }
    for (pointer, id) in references::all(task) {
        if let Some(gone) = merge.gone(id) {
            needs.push((gone, references::input_of(&pointer), pointer));
        }
    }
    needs.sort();
    for needs in needs.chunk_by(|a, b| a.0 == b.0) {
        let mut fields: Vec<String> = needs.iter().map(|(_, field, _)| field.clone()).collect();
        fields.dedup();
        let pointer = entry.map_or_else(String::new, |entry| {
            let exact = format!("{}{}", merge.proposal.pointer(entry), needs[0].2);
            // A fixed task may be stated without the field that it keeps.
            let is_there = merge.proposal.document.pointer(&exact).is_some();
            if is_there {
                exact
            } else {
                merge.proposal.pointer(entry)
            }
        });
        let id = id_of(task).unwrap_or_default();
        let is_fixed = old.is_some_and(|ix| merge.is_fixed(ix));
        let has_offers = found.len() < WITH_OFFERS;
        let offers = if has_offers {
            offers(merge, id, needs[0].0, is_fixed)
        } else {
            Vec::new()
        };
        found.push(refusal(merge, id, needs[0].0, pointer, fields, offers));
    }
}

fn refusal(
    merge: &Merge<'_>,
    id: &str,
    gone: usize,
    pointer: String,
    fields: Vec<String>,
    offers: Vec<Offer>,
) -> Refusal {
    let gone = id_of(&merge.old[gone]).unwrap_or_default();
    let how = if fields.iter().any(|field| field == "dependencies") {
        "depends on".to_owned()
    } else {
        format!("in {} reads", listed(fields.iter().map(String::as_str)))
    };
    let message = format!(
        "`{id}` {how} `{gone}`, which the replan drops ({id} -> {gone}). {}",
        sentence(&offers, id, gone)
    );
    let mut refusal = Refusal::new(Reason::Dangling, pointer, message)
        .of(id)
        .of(gone)
        .in_fields(fields);
    refusal.offers = offers;
    refusal
}

fn sentence(offers: &[Offer], id: &str, gone: &str) -> String {
    let ways: Vec<String> = offers
        .iter()
        .map(|offer| match offer {
            Offer::Repoint { to, .. } if to.is_empty() => "re-point it to another task".to_owned(),
            Offer::Repoint { to, .. } => format!(
                "re-point it, for instance to {}",
                listed(to.iter().map(TaskId::as_str))
            ),
            Offer::Drop { .. } => format!("drop `{id}` with all that needs it"),
            Offer::Keep { .. } => format!("keep `{gone}`"),
            Offer::UseId { id, .. } => format!("use the id `{id}`"),
        })
        .collect();
    match &ways[..] {
        [] => "Re-point it, drop it too, or keep what it needs.".to_owned(),
        [one] => format!("The way out: {one}."),
        [first @ .., last] => format!("Ways out: {}, or {last}.", first.join(", ")),
    }
}

fn offers(merge: &Merge<'_>, id: &str, gone: usize, is_fixed: bool) -> Vec<Offer> {
    let dropped = &merge.old[gone];
    let from = TaskId::from(id_of(dropped).unwrap_or_default());
    let keep = Offer::Keep { task: from.clone() };
    if is_fixed {
        return vec![keep];
    }
    let task = TaskId::from(id);
    let stays: Vec<&str> = dependencies_of(dropped)
        .filter(|name| merge.gone(name).is_none())
        .collect();
    let known: HashSet<&str> = stays.iter().copied().collect();
    let stands_in = |new: &&Json| dependencies_of(new).any(|name| known.contains(name));
    let entries = merge.added.iter().map(|entry| &merge.proposal.entries[*entry]);
    let targets = entries
        .filter(stands_in)
        .filter_map(id_of)
        .chain(stays.iter().copied())
        .filter(|name| *name != id)
        .take(TARGETS);
    let to = targets.map(TaskId::from).collect();
    vec![
        Offer::Repoint {
            task: task.clone(),
            from,
            to,
        },
        Offer::Drop { task },
        keep,
    ]
}
