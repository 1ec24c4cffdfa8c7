//! From two plans to the pieces in which they differ. Linear in both.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde_json::Map;

use super::{FieldChange, Piece, PieceKind};
use crate::model::edit::names::{dependencies_of, id_of};
use crate::model::edit::references;
use crate::model::graph::{Components, Graph, Node};
use crate::model::{DraftPlan, Json};

/// Fields of a plan that are not changed as one.
const NO_FIELD: [&str; 3] = ["tasks", "layout", "version"];

/// The tasks of a document by id, in order; copies of one id and nameless ones are nobody's to change.
pub(super) struct Named<'d> {
    pub all: Vec<(&'d str, &'d Json)>,
    pub at: HashMap<&'d str, usize>,
}

impl<'d> Named<'d> {
    pub fn of(document: &'d Json) -> Self {
        let tasks = document.get("tasks").and_then(Json::as_array);
        let mut named = Self {
            all: Vec::new(),
            at: HashMap::new(),
        };
        for task in tasks.into_iter().flatten() {
            if let Some(id) = id_of(task).filter(|id| !named.at.contains_key(id)) {
                named.at.insert(id, named.all.len());
                named.all.push((id, task));
            }
        }
        named
    }

    pub fn get(&self, id: &str) -> Option<&'d Json> {
        self.at.get(id).map(|ix| self.all[*ix].1)
    }
}

/// In the order of the plan: what changes and goes, what comes, then the plan's own fields.
pub fn pieces(base: &DraftPlan, proposed: &DraftPlan) -> Vec<Piece> {
    let (before, after) = (Named::of(base.document()), Named::of(proposed.document()));
    let mut pieces: Vec<Piece> = Vec::new();
    for &(id, task) in &before.all {
        match after.get(id) {
            Some(new) if new == task => {}
            Some(new) => pieces.push(changed(id, task, new)),
            None => pieces.push(whole(id, PieceKind::Removed, task)),
        }
    }
    let new = after.all.iter().filter(|(id, _)| before.get(id).is_none());
    pieces.extend(new.map(|(id, task)| whole(id, PieceKind::Added, task)));
    pieces.extend(of_plan(base.document(), proposed.document()));
    let needs = needs(&pieces, &before, &after);
    for (piece, needs) in pieces.iter_mut().zip(needs) {
        piece.needs = needs;
    }
    pieces
}

fn changed(id: &str, before: &Json, after: &Json) -> Piece {
    let (old, new): (Vec<&str>, Vec<&str>) = (
        dependencies_of(before).collect(),
        dependencies_of(after).collect(),
    );
    let (had, has): (HashSet<&str>, HashSet<&str>) =
        (old.iter().copied().collect(), new.iter().copied().collect());
    let owned = |ids: Vec<&str>| ids.into_iter().map(str::to_owned).collect();
    Piece {
        fields: fields(before, after, &["id", "dependencies"]),
        gained: owned(new.into_iter().filter(|id| !had.contains(id)).collect()),
        lost: owned(old.into_iter().filter(|id| !has.contains(id)).collect()),
        ..piece("change", id, PieceKind::Changed, title(after, id))
    }
}

fn whole(id: &str, kind: PieceKind, task: &Json) -> Piece {
    let edges = dependencies_of(task).map(str::to_owned).collect();
    let (verb, before, after, gained, lost) = match kind {
        PieceKind::Removed => ("remove", Some(task.clone()), None, Vec::new(), edges),
        PieceKind::Added | PieceKind::Changed | PieceKind::Plan => {
            ("add", None, Some(task.clone()), edges, Vec::new())
        }
    };
    let field = FieldChange {
        field: String::new(),
        before,
        after,
    };
    Piece {
        fields: vec![field],
        gained,
        lost,
        ..piece(verb, id, kind, title(task, id))
    }
}

fn of_plan(before: &Json, after: &Json) -> Vec<Piece> {
    let changes = fields(before, after, &NO_FIELD).into_iter();
    let of_field = |change: FieldChange| Piece {
        fields: vec![change.clone()],
        ..piece("plan", &change.field, PieceKind::Plan, change.field.clone())
    };
    changes.map(of_field).collect()
}

fn piece(verb: &str, name: &str, kind: PieceKind, title: String) -> Piece {
    Piece {
        id: format!("{verb}:{name}"),
        kind,
        name: name.to_owned(),
        title,
        fields: Vec::new(),
        gained: Vec::new(),
        lost: Vec::new(),
        needs: Vec::new(),
    }
}

fn title(task: &Json, id: &str) -> String {
    let title = task.get("title").and_then(Json::as_str).map(str::trim);
    title.filter(|title| !title.is_empty()).unwrap_or(id).to_owned()
}

fn fields(before: &Json, after: &Json, but: &[&str]) -> Vec<FieldChange> {
    let none = Map::new();
    let (before, after) = (
        before.as_object().unwrap_or(&none),
        after.as_object().unwrap_or(&none),
    );
    let gone = before.keys().filter(|name| !after.contains_key(*name));
    let names = after
        .keys()
        .chain(gone)
        .filter(|name| !but.contains(&name.as_str()));
    let change = |name: &String| FieldChange {
        field: name.clone(),
        before: before.get(name).cloned(),
        after: after.get(name).cloned(),
    };
    names
        .map(change)
        .filter(|change| change.before != change.after)
        .collect()
}

/// Which pieces each can't do without: a task that it comes after or reads has to be there, one that goes may be named by
/// nobody any more, and an edge that could close a loop waits for the edges of the same knot that go.
fn needs(pieces: &[Piece], before: &Named<'_>, after: &Named<'_>) -> Vec<Vec<String>> {
    let added: HashSet<&str> = names_of(pieces, PieceKind::Added);
    let removed: HashSet<&str> = names_of(pieces, PieceKind::Removed);
    let mut readers: HashMap<&str, BTreeSet<String>> = HashMap::new();
    for piece in pieces
        .iter()
        .filter(|piece| matches!(piece.kind, PieceKind::Changed | PieceKind::Removed))
    {
        let old = before.get(&piece.name);
        for named in old
            .into_iter()
            .flat_map(named_in)
            .filter(|id| removed.contains(id) && **id != *piece.name)
        {
            readers.entry(named).or_default().insert(piece.id.clone());
        }
    }
    let knots = Knots::of(pieces, before, after);
    let needs = |piece: &Piece| {
        let new = after
            .get(&piece.name)
            .filter(|_| matches!(piece.kind, PieceKind::Added | PieceKind::Changed));
        let sources = new
            .into_iter()
            .flat_map(named_in)
            .filter(|id| added.contains(id) && **id != *piece.name);
        let mut all: BTreeSet<String> = sources.map(|id| format!("add:{id}")).collect();
        if piece.kind == PieceKind::Removed {
            all.extend(readers.get(piece.name.as_str()).into_iter().flatten().cloned());
        }
        all.extend(knots.before(piece));
        all.remove(&piece.id);
        all.into_iter().collect()
    };
    pieces.iter().map(needs).collect()
}

fn names_of(pieces: &[Piece], kind: PieceKind) -> HashSet<&str> {
    pieces
        .iter()
        .filter(|piece| piece.kind == kind)
        .map(|piece| piece.name.as_str())
        .collect()
}

/// The tasks that a task comes after or reads.
fn named_in(task: &Json) -> Vec<&str> {
    let read = references::all(task).into_iter().map(|(_, id)| id);
    dependencies_of(task).chain(read).collect()
}

/// Knots of loops that both plans together would have. Neither has one of its own, so each holds edges that go.
struct Knots<'d> {
    nodes: HashMap<&'d str, Node>,
    components: Components,
    /// By knot, the pieces that take edges out of it.
    looseners: HashMap<u32, Vec<String>>,
}

impl<'d> Knots<'d> {
    fn of(pieces: &[Piece], before: &Named<'d>, after: &Named<'d>) -> Self {
        let mut nodes: HashMap<&str, Node> = HashMap::new();
        for (id, _) in before.all.iter().chain(&after.all) {
            let next = nodes.len() as Node;
            nodes.entry(id).or_insert(next);
        }
        let all = before.all.iter().chain(&after.all);
        let edges: Vec<(Node, Node)> = all
            .flat_map(|(to, task)| dependencies_of(task).map(move |from| (from, *to)))
            .filter_map(|(from, to)| Some((*nodes.get(from)?, *nodes.get(to)?)))
            .collect();
        let components = Components::new(&Graph::new(nodes.len(), &edges));
        let mut knots = Self {
            nodes,
            components,
            looseners: HashMap::new(),
        };
        for piece in pieces {
            for knot in knots.around(&piece.name, &piece.lost) {
                knots.looseners.entry(knot).or_default().push(piece.id.clone());
            }
        }
        knots
    }

    /// The knots in which edges from these tasks to this one lie.
    fn around(&self, to: &str, from: &[String]) -> BTreeSet<u32> {
        let knot = |id: &str| {
            self.nodes
                .get(id)
                .filter(|node| self.components.is_in_loop(**node))
                .map(|node| self.components.of(*node))
        };
        let own = knot(to);
        from.iter()
            .filter_map(|id| knot(id))
            .filter(|other| Some(*other) == own)
            .collect()
    }

    fn before(&self, piece: &Piece) -> Vec<String> {
        let knots = self.around(&piece.name, &piece.gained);
        knots
            .iter()
            .filter_map(|knot| self.looseners.get(knot))
            .flatten()
            .cloned()
            .collect()
    }
}
