//! The versions of a run's plan as its log tells them, the newest first. It must not know how they are compared.

use std::collections::{HashMap, HashSet};

use super::load::TakenBack;
use crate::model::Digest;
use crate::model::events::{Change, Event, EventBody, PlanRevised};
use crate::views::{RevisedHow, RevisionView, RevisionsView};

/// How many are listed beside those that have a name or a signature.
const MOST: usize = 1_000;

/// Every revision that counts, the newest first; of very many, only those that a person would look for.
pub fn list(events: &[Event]) -> RevisionsView {
    let taken_back = TakenBack::of(events);
    let names = names(events);
    let mut signed = HashSet::new();
    let mut rows = Vec::new();
    let mut left_off = 0;
    for event in events.iter().rev().filter(|e| !taken_back.has(e.seq)) {
        if let EventBody::Approved(approved) = &event.body {
            signed.insert(approved.revision);
        }
        let Some(revised) = event.body.as_revision() else {
            continue;
        };
        let is_signed = revised.signed.is_some() || signed.contains(&revised.revision);
        let name = names.get(&(revised.revision, revised.digest)).cloned().flatten();
        if rows.len() >= MOST && name.is_none() && !is_signed {
            left_off += 1;
            continue;
        }
        rows.push(row(event, revised, name, is_signed));
    }
    RevisionsView {
        revisions: rows,
        left_off,
    }
}

/// What each revision is called, by the newest word about it. No rewind takes a name back.
fn names(events: &[Event]) -> HashMap<(u32, Digest), Option<String>> {
    let named = events.iter().filter_map(|e| {
        if let EventBody::RevisionNamed(named) = &e.body {
            Some(((named.revision, named.digest), named.name.clone()))
        } else {
            None
        }
    });
    named.collect()
}

fn row(event: &Event, revised: &PlanRevised, name: Option<String>, is_signed: bool) -> RevisionView {
    let (how, label) = match &revised.change {
        Change::Document(_) => (RevisedHow::Document, ""),
        Change::Edit(edit) => (RevisedHow::Edit, edit.label.as_str()),
        Change::Undo(edit) => (RevisedHow::Undo, edit.label.as_str()),
        Change::Redo(edit) => (RevisedHow::Redo, edit.label.as_str()),
        Change::Replan(edit) => (RevisedHow::Replan, edit.label.as_str()),
    };
    RevisionView {
        revision: revised.revision,
        seq: u32::try_from(event.seq).unwrap_or(u32::MAX),
        at: event.at_ms as f64,
        how,
        label: label.to_owned(),
        name,
        is_signed,
    }
}
