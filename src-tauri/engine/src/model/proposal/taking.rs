//! Taking pieces into the draft as it is now: which still fit, and the one change that they come to. What a person has
//! changed meanwhile is never written over.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::cut::Named;
use super::{Piece, PieceKind};
use crate::model::edit::names::{dependencies_of, id_of};
use crate::model::edit::patch::{Work, check_bounds};
use crate::model::edit::{Applied, EditError, refuse_new_loop};
use crate::model::json::push_step;
use crate::model::{DraftPlan, Json, counted};

/// Where a piece stands beside the draft.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It can be taken.
    Open,
    /// The draft has all of it.
    Taken,
    /// The draft has moved on in its place; what is in the way.
    Moved(String),
}

/// Why pieces are not taken. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum Refused {
    #[error("there is no piece {0} in what was proposed; nothing was changed")]
    Unknown(String),
    #[error("{0} Nothing was changed. Take the other pieces, or ask for the change anew.")]
    Moved(String),
    #[error("`{piece}` can't be taken without `{need}`: name both, or neither. Nothing was changed.")]
    Incomplete { piece: String, need: String },
    #[error("Nothing of what was proposed would be taken.")]
    Nothing,
    #[error(transparent)]
    Edit(#[from] EditError),
}

/// Of each piece, in their order.
pub fn standings(pieces: &[Piece], draft: &DraftPlan) -> Vec<Standing> {
    let now = Named::of(draft.document());
    pieces
        .iter()
        .map(|piece| standing(piece, draft.document(), &now))
        .collect()
}

fn standing(piece: &Piece, document: &Json, now: &Named<'_>) -> Standing {
    let task = now.get(&piece.name);
    let whole = piece.fields.first();
    match (piece.kind, task) {
        (PieceKind::Added, None) | (PieceKind::Removed, Some(_)) if is_as_it_was(piece, task) => {
            Standing::Open
        }
        (PieceKind::Removed, None) => Standing::Taken,
        (PieceKind::Added, Some(task)) if whole.is_some_and(|field| field.after.as_ref() == Some(task)) => {
            Standing::Taken
        }
        (PieceKind::Added, _) => {
            Standing::Moved(format!("The draft has a task {} of its own by now.", piece.name))
        }
        (PieceKind::Removed, Some(_)) => {
            Standing::Moved(format!("{} has been changed meanwhile.", piece.title))
        }
        (PieceKind::Changed, None) => {
            Standing::Moved(format!("{} is not in the draft any more.", piece.title))
        }
        (PieceKind::Changed, Some(task)) => of_fields(piece, task, &piece.title),
        (PieceKind::Plan, _) => of_fields(piece, document, "the plan"),
    }
}

/// Of a task that goes the edges to it may have gone before.
fn is_as_it_was(piece: &Piece, task: Option<&Json>) -> bool {
    let Some(task) = task else {
        return true;
    };
    let bare = |task: &Json| {
        let mut bare = task.clone();
        bare.as_object_mut().map(|map| map.shift_remove("dependencies"));
        bare
    };
    let was = piece.fields.first().and_then(|field| field.before.as_ref());
    was.is_some_and(|was| bare(was) == bare(task))
        && dependencies_of(task).all(|id| piece.lost.iter().any(|lost| lost == id))
}

fn of_fields(piece: &Piece, holder: &Json, whose: &str) -> Standing {
    let value = |field: &str| holder.get(field);
    let has = piece
        .fields
        .iter()
        .all(|field| value(&field.field) == field.after.as_ref());
    let edges: HashSet<&str> = dependencies_of(holder).collect();
    let is_linked = piece.gained.iter().all(|id| edges.contains(id.as_str()));
    if has && is_linked && !piece.lost.iter().any(|id| edges.contains(id.as_str())) {
        return Standing::Taken;
    }
    let moved = piece.fields.iter().find(|field| {
        let now = value(&field.field);
        now != field.before.as_ref() && now != field.after.as_ref()
    });
    match moved {
        Some(field) => Standing::Moved(format!(
            "`{}` of {whose} has been changed meanwhile.",
            field.field
        )),
        None => Standing::Open,
    }
}

/// The draft with these pieces and all that they need; `None` where it has them already. One step that can be undone.
pub fn take(pieces: &[Piece], ids: &[String], draft: &DraftPlan) -> Result<Option<Applied>, Refused> {
    let chosen = with_needs(pieces, ids)?;
    let standings = standings(pieces, draft);
    let mut open: Vec<&Piece> = Vec::new();
    for (piece, standing) in pieces
        .iter()
        .zip(standings)
        .filter(|(piece, _)| chosen.contains(piece.id.as_str()))
    {
        match standing {
            Standing::Open => open.push(piece),
            Standing::Taken => {}
            Standing::Moved(why) => return Err(Refused::Moved(why)),
        }
    }
    if open.is_empty() {
        return Ok(None);
    }
    let before = draft.document();
    let mut work = Work::new(before.clone());
    write(&mut work, &open).map_err(EditError::from)?;
    check_bounds(&work.document).map_err(EditError::BadValue)?;
    refuse_new_loop(before, &work.document)?;
    let (document, patch, inverse) = work.finish();
    Ok(Some(Applied {
        plan: DraftPlan::of(document),
        patch,
        inverse,
        label: label(&open),
    }))
}

/// The plan with exactly these pieces of a proposal. What a person signs is what they have named and nothing beside it, so
/// that a piece without what it needs is refused.
pub fn take_only(pieces: &[Piece], ids: &[String], draft: &DraftPlan) -> Result<DraftPlan, Refused> {
    let named: HashSet<&str> = ids.iter().map(String::as_str).collect();
    for piece in pieces.iter().filter(|piece| named.contains(piece.id.as_str())) {
        if let Some(need) = piece.needs.iter().find(|need| !named.contains(need.as_str())) {
            return Err(Refused::Incomplete {
                piece: piece.id.clone(),
                need: need.clone(),
            });
        }
    }
    let applied = take(pieces, ids, draft)?;
    applied.map(|applied| applied.plan).ok_or(Refused::Nothing)
}

fn label(open: &[&Piece]) -> String {
    match open {
        [one] => match one.kind {
            PieceKind::Added => format!("Take the proposed {}", one.title),
            PieceKind::Removed => format!("Remove {} as proposed", one.title),
            PieceKind::Changed => format!("Change {} as proposed", one.title),
            PieceKind::Plan => format!("Change {} of the plan as proposed", one.title),
        },
        many => format!("Take {} of the proposal", counted(many.len(), "change")),
    }
}

/// The pieces with all that they need, however far.
fn with_needs<'p>(pieces: &'p [Piece], ids: &'p [String]) -> Result<HashSet<&'p str>, Refused> {
    let by_id: HashMap<&str, &Piece> = pieces.iter().map(|piece| (piece.id.as_str(), piece)).collect();
    let mut chosen = HashSet::new();
    let mut open: Vec<&str> = ids.iter().map(String::as_str).collect();
    while let Some(id) = open.pop() {
        let piece = by_id.get(id).ok_or_else(|| Refused::Unknown(id.to_owned()))?;
        if chosen.insert(id) {
            open.extend(piece.needs.iter().map(String::as_str));
        }
    }
    Ok(chosen)
}

/// In place first, so that the numbers of tasks hold; then those that go, the last first; then those that come.
fn write(work: &mut Work, open: &[&Piece]) -> Result<(), crate::model::edit::patch::NoPlace> {
    let document = work.document.clone();
    let tasks = document
        .get("tasks")
        .and_then(Json::as_array)
        .map_or(&[][..], Vec::as_slice);
    let by_name: HashMap<&str, &Piece> = open
        .iter()
        .filter(|piece| piece.kind != PieceKind::Plan)
        .map(|piece| (piece.name.as_str(), *piece))
        .collect();
    let is_going = |id: &str| {
        by_name
            .get(id)
            .is_some_and(|piece| piece.kind == PieceKind::Removed)
    };
    let mut seen = HashSet::new();
    let mut going = BTreeSet::new();
    for (ix, task) in tasks.iter().enumerate() {
        let own = id_of(task)
            .filter(|id| seen.insert(*id))
            .and_then(|id| by_name.get(id).copied());
        match own.map(|piece| piece.kind) {
            Some(PieceKind::Removed) => {
                going.insert(ix);
            }
            Some(PieceKind::Added | PieceKind::Changed | PieceKind::Plan) | None => {
                let at = format!("/tasks/{ix}");
                write_fields(work, &at, own.filter(|piece| piece.kind == PieceKind::Changed))?;
                write_edges(work, &at, task, own, &is_going)?;
            }
        }
    }
    for ix in going.iter().rev() {
        work.remove(&format!("/tasks/{ix}"))?;
    }
    for piece in open.iter().filter(|piece| piece.kind == PieceKind::Removed) {
        let mut place = "/layout/positions".to_owned();
        push_step(&mut place, &piece.name);
        work.remove(&place)?;
    }
    let added = open.iter().filter(|piece| piece.kind == PieceKind::Added);
    for (ix, piece) in (tasks.len() - going.len()..).zip(added) {
        let task = piece.fields.first().and_then(|field| field.after.clone());
        work.add(&format!("/tasks/{ix}"), task.unwrap_or_default())?;
    }
    for piece in open.iter().filter(|piece| piece.kind == PieceKind::Plan) {
        write_fields(work, "", Some(piece))?;
    }
    Ok(())
}

fn write_fields(
    work: &mut Work,
    at: &str,
    piece: Option<&Piece>,
) -> Result<(), crate::model::edit::patch::NoPlace> {
    for field in piece.iter().flat_map(|piece| &piece.fields) {
        let mut place = at.to_owned();
        push_step(&mut place, &field.field);
        match &field.after {
            Some(value) => work.set(&place, value.clone())?,
            None => work.remove(&place)?,
        }
    }
    Ok(())
}

/// What leads to the task now, without what goes and with what comes: a person's own edges stay.
fn write_edges(
    work: &mut Work,
    at: &str,
    task: &Json,
    piece: Option<&Piece>,
    is_going: &dyn Fn(&str) -> bool,
) -> Result<(), crate::model::edit::patch::NoPlace> {
    let none: &[String] = &[];
    let (gained, lost) = piece.map_or((none, none), |piece| (&piece.gained, &piece.lost));
    let now: Vec<&str> = dependencies_of(task).collect();
    let stays = |id: &&str| !is_going(id) && !lost.iter().any(|lost| lost == id);
    let kept: Vec<&str> = now.iter().copied().filter(stays).collect();
    let new = gained.iter().map(String::as_str).filter(|id| !now.contains(id));
    let edges: Vec<&str> = kept.iter().copied().chain(new).collect();
    if edges == now {
        return Ok(());
    }
    work.set(&format!("{at}/dependencies"), Json::from(edges))
}
