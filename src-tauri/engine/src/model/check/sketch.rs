//! The outline of a plan: ids and dependencies, before anything else of the tasks is read. Ids that stand twice
//! are found while the index is built, and all their copies count as one node, so that a copy can't hide a loop.

use std::collections::HashMap;

use serde_json::Map;

use super::{Check, Who, did_you_mean, joined, kind_of};
use crate::model::edit::PlanEdit;
use crate::model::entries::Entries;
use crate::model::graph::{Graph, Node};
use crate::model::json::At;
use crate::model::near::Names;
use crate::model::problem::{Code, QuickFix};
use crate::model::{Json, TaskId, fields};

/// Longest id, in bytes; ids are ASCII.
const ID_LEN: usize = 64;

/// One entry of the list `tasks`.
pub(super) struct Sketch {
    /// As written, right or wrong.
    pub id: Option<TaskId>,
    pub who: Who,
    pub node: Node,
}

/// All entries, with the nodes that they form.
pub(super) struct Outline<'d> {
    pub entries: Entries<'d>,
    pub tasks: Vec<Sketch>,
    pub node_of: HashMap<TaskId, Node>,
    /// The first entry of each node.
    pub first_of: Vec<u32>,
}

impl<'d> Outline<'d> {
    /// Reads the ids, and tells which stand twice.
    pub fn read(check: &mut Check<'_>, entries: Entries<'d>, at: &At<'_>, prefix: &str) -> Self {
        let mut outline = Self {
            entries,
            tasks: Vec::with_capacity(entries.len()),
            node_of: HashMap::with_capacity(entries.len()),
            first_of: Vec::with_capacity(entries.len()),
        };
        for ix in 0..entries.len() {
            outline.add(entries.id(ix).as_deref(), ix, prefix);
        }
        outline.tell_repeated_ids(check, at);
        outline
    }

    fn add(&mut self, id: Option<&str>, ix: usize, prefix: &str) {
        let id = id.map(TaskId::from);
        let free = self.first_of.len() as Node;
        let node = id
            .as_ref()
            .map_or(free, |id| *self.node_of.entry(id.clone()).or_insert(free));
        if node == free {
            self.first_of.push(ix as u32);
        }
        let label = match &id {
            Some(id) if prefix.is_empty() => id.clone(),
            Some(id) => TaskId::new(format!("{prefix}{id}")),
            None => TaskId::new(format!("{prefix}#{}", ix + 1)),
        };
        let who = Who {
            task: Some(label),
            is_editable: prefix.is_empty() && id.is_some(),
        };
        self.tasks.push(Sketch { id, who, node });
    }

    /// The first entry of a node.
    pub fn first(&self, node: Node) -> &Sketch {
        &self.tasks[self.first_of[node as usize] as usize]
    }

    fn tell_repeated_ids(&mut self, check: &mut Check<'_>, at: &At<'_>) {
        if self.first_of.len() == self.tasks.len() {
            return;
        }
        let mut places: HashMap<&str, Vec<usize>> = HashMap::new();
        for (ix, task) in self.tasks.iter().enumerate() {
            let Some(id) = &task.id else { continue };
            if self.first_of[task.node as usize] as usize != ix {
                let first = self.first_of[task.node as usize] as usize;
                places.entry(id.as_str()).or_insert_with(|| vec![first]).push(ix);
            }
        }
        let mut repeated: Vec<Vec<usize>> = places.into_values().collect();
        repeated.sort_unstable_by_key(|places| places[1]);
        for places in repeated {
            self.tell_repeated(check, at, &places);
        }
    }

    fn tell_repeated(&mut self, check: &mut Check<'_>, at: &At<'_>, places: &[usize]) {
        for ix in places {
            self.tasks[*ix].who.is_editable = false;
        }
        let shown: Vec<String> = places
            .iter()
            .take(super::SHOWN)
            .map(|ix| at.item(*ix).pointer())
            .collect();
        let more = places.len() - shown.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        let id = self.tasks[places[1]].id.as_ref().map_or("", TaskId::as_str);
        let message = format!(
            "{} tasks have the id `{id}`: {}{more}. Give each its own id, and say in `dependencies` which one is meant.",
            places.len(),
            joined(&shown)
        );
        let who = self.tasks[places[1]].who.clone();
        check.error(Code::DuplicateId, &at.item(places[1]).key("id"), &who, message);
    }
}

/// Tells what is wrong with a task's id and dependencies by themselves; gives the dependencies that are text, with
/// their places in the list.
fn read_task<'t>(
    check: &mut Check<'_>,
    item: &'t Json,
    (ix, who): (usize, &Who),
    at: &At<'_>,
) -> Vec<(u32, &'t str)> {
    let Some(map) = item.as_object() else {
        let message = format!(
            "Entry {} of `tasks` must be an object, not {}.",
            ix + 1,
            kind_of(item)
        );
        check.error(Code::Type, at, who, message);
        return Vec::new();
    };
    check_id(check, map.get("id"), at, who);
    let dependencies = read_dependencies(check, map.get("dependencies"), &at.key("dependencies"), who);
    for name in map.keys().filter(|name| is_misnamed(name)) {
        tell_misnamed(check, map, name, at, who);
    }
    dependencies
}

/// The place in an entry's list of dependencies where this name stands first.
pub(super) fn place_of(item: &Json, name: &str) -> Option<u32> {
    let items = item.get("dependencies")?.as_array()?;
    let place = items.iter().position(|item| item.as_str() == Some(name))?;
    u32::try_from(place).ok()
}

/// An id that a task may have.
pub fn is_id(text: &str) -> bool {
    (1..=ID_LEN).contains(&text.len())
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b == b'_' || b == b'-')
}

fn check_id(check: &mut Check<'_>, id: Option<&Json>, at: &At<'_>, who: &Who) {
    match id {
        None => {
            check.error(Code::MissingField, at, who, format!("{who} has no `id`."));
        }
        Some(Json::String(id)) if is_id(id) => {}
        Some(Json::String(id)) => {
            let shown: String = id.chars().take(ID_LEN).collect();
            let message = format!(
                "`{shown}` can't be an id: an id has 1 to {ID_LEN} of the letters A to Z and a to z, digits, `_` and `-`."
            );
            check.error(Code::BadId, &at.key("id"), who, message);
        }
        Some(other) => {
            let message = format!("{who}: `id` must be text, not {}.", kind_of(other));
            check.error(Code::Type, &at.key("id"), who, message);
        }
    }
}

/// Only a list of texts, null or nothing: any other shape would be a guess about what runs when.
fn read_dependencies<'d>(
    check: &mut Check<'_>,
    value: Option<&'d Json>,
    at: &At<'_>,
    who: &Who,
) -> Vec<(u32, &'d str)> {
    let items = match value {
        None | Some(Json::Null) => return Vec::new(),
        Some(Json::Array(items)) => items,
        Some(other) => {
            let message = format!(
                "{who}: `dependencies` must be a list of ids, such as [\"a\", \"b\"], not {}.",
                kind_of(other)
            );
            check.error(Code::Type, at, who, message).fix = as_list(other, who);
            return Vec::new();
        }
    };
    let mut dependencies = Vec::with_capacity(items.len());
    for (place, item) in (0u32..).zip(items) {
        match item.as_str() {
            Some(name) => dependencies.push((place, name)),
            None => {
                let message = format!(
                    "{who}: entry {} of `dependencies` must be the id of a task as text, not {}.",
                    place + 1,
                    kind_of(item)
                );
                check.error(Code::Type, &at.item(place as usize), who, message);
            }
        }
    }
    dependencies
}

/// A text of ids between commas can be offered as a list.
fn as_list(value: &Json, who: &Who) -> Option<QuickFix> {
    let names: Vec<&str> = value.as_str()?.split(',').map(str::trim).collect();
    if !names.iter().all(|name| is_id(name)) {
        return None;
    }
    let list = serde_json::to_string(&names).ok()?;
    let label = format!("Use {list}");
    who.fix(label, |id| {
        vec![PlanEdit::SetTask {
            id: id.to_owned(),
            field: "/dependencies".to_owned(),
            value: Some(list),
        }]
    })
}

/// A field that would be read as "no dependencies" if it were passed over.
fn is_misnamed(name: &str) -> bool {
    !fields::of_tasks().any(|known| known == name) && fields::looks_like_dependencies(name)
}

/// Such a field is told here, and left out where unknown fields are warned about.
pub(super) fn is_told_as_misnamed(name: &str) -> bool {
    is_misnamed(name)
}

fn tell_misnamed(check: &mut Check<'_>, map: &Map<String, Json>, name: &str, at: &At<'_>, who: &Who) {
    let message = format!(
        "{who}: `{name}` is no known field but looks like `dependencies`; without them the task would start at once."
    );
    let is_free = map.get("dependencies").is_none_or(Json::is_null);
    let is_list = map[name]
        .as_array()
        .is_some_and(|items| items.iter().all(Json::is_string));
    let object = super::object::Object { map, at, who };
    let fix = if is_free && is_list {
        object.renamed(name, "dependencies")
    } else {
        None
    };
    check.error(Code::UnknownField, &at.key(name), who, message).fix = fix;
}

/// The graph of the outline, and what each entry depends on, as nodes. Entries that can't be joined are told.
pub(super) struct Edges<'o> {
    pub graph: Graph,
    pub dependencies: Dependencies,
    /// Mends by another name, to be dropped if that name would close a loop: problem, waiting task, new dependency.
    pub renames: Vec<(usize, Node, Node)>,
    pub names: Names<'o>,
}

/// For each entry, the distinct nodes that it depends on, in the order of the document: in two flat lists.
pub(super) struct Dependencies {
    ends: Vec<u32>,
    nodes: Vec<Node>,
}

impl Dependencies {
    pub fn of(&self, entry: usize) -> &[Node] {
        let end = |entry: usize| self.ends[entry] as usize;
        &self.nodes[entry.checked_sub(1).map_or(0, end)..end(entry)]
    }
}

impl<'o> Edges<'o> {
    /// Reads each task once for both: what is wrong with it by itself is told before what is wrong between tasks.
    pub fn read(check: &mut Check<'_>, outline: &'o Outline<'_>, at: &At<'_>) -> Self {
        let ids = outline.first_of.iter();
        let ids = ids.filter_map(|ix| outline.tasks[*ix as usize].id.as_ref());
        let mut join = Join {
            outline,
            seen: vec![u32::MAX; outline.first_of.len()],
            edges: Vec::new(),
            dependencies: Dependencies {
                ends: Vec::with_capacity(outline.tasks.len()),
                nodes: Vec::new(),
            },
            renames: Vec::new(),
            names: Names::new(ids.map(TaskId::as_str)),
        };
        let mut between = Vec::new();
        for (ix, task) in outline.tasks.iter().enumerate() {
            let at = at.item(ix);
            let item = outline.entries.get(ix);
            let names = read_task(check, &item, (ix, &task.who), &at);
            std::mem::swap(&mut check.problems, &mut between);
            join.task(check, ix, &names, &at.key("dependencies"));
            std::mem::swap(&mut check.problems, &mut between);
        }
        let before = check.problems.len();
        join.renames
            .iter_mut()
            .for_each(|(problem, ..)| *problem += before);
        check.problems.append(&mut between);
        let graph = Graph::new(outline.first_of.len(), &join.edges);
        Self {
            graph,
            dependencies: join.dependencies,
            renames: join.renames,
            names: join.names,
        }
    }
}

struct Join<'o, 'd> {
    outline: &'o Outline<'d>,
    /// The last entry that has depended on each node, so that a repeat shows without a search.
    seen: Vec<u32>,
    edges: Vec<(Node, Node)>,
    dependencies: Dependencies,
    renames: Vec<(usize, Node, Node)>,
    names: Names<'o>,
}

impl Join<'_, '_> {
    fn task(&mut self, check: &mut Check<'_>, ix: usize, names: &[(u32, &str)], at: &At<'_>) {
        let outline = self.outline;
        let task = &outline.tasks[ix];
        let mut repeated: Vec<&str> = Vec::new();
        for &(place, name) in names {
            let Some(&node) = outline.node_of.get(name) else {
                self.unknown(check, task, (name, names), &at.item(place as usize));
                continue;
            };
            let is_first = std::mem::replace(&mut self.seen[node as usize], ix as u32) != ix as u32;
            if !is_first {
                repeated.push(name);
            } else if node == task.node {
                tell_self(check, task, &at.item(place as usize));
            } else {
                self.dependencies.nodes.push(node);
                self.edges.push((node, task.node));
            }
        }
        if !repeated.is_empty() {
            tell_repeats(check, task, (&mut repeated, names), at);
        }
        self.dependencies.ends.push(self.dependencies.nodes.len() as u32);
    }

    fn unknown(
        &mut self,
        check: &mut Check<'_>,
        task: &Sketch,
        (name, names): (&str, &[(u32, &str)]),
        at: &At<'_>,
    ) {
        let own = task.id.as_ref().map(TaskId::as_str);
        let meant = self.names.nearest(name).filter(|meant| Some(*meant) != own);
        let shown: String = name.chars().take(80).collect();
        let message = format!(
            "{} depends on `{shown}`, but there is no task with this id.{}",
            task.who,
            did_you_mean(meant)
        );
        let fix = meant.and_then(|meant| use_other(task, (name, names), meant));
        let has_fix = fix.is_some();
        check.error(Code::UnknownDependency, at, &task.who, message).fix = fix;
        if let Some(node) = meant
            .and_then(|meant| self.outline.node_of.get(meant))
            .filter(|_| has_fix)
        {
            self.renames.push((check.problems.len() - 1, task.node, *node));
        }
    }
}

/// "Use review": moves the edge, or only drops it where the right one is there already.
fn use_other(task: &Sketch, (wrong, names): (&str, &[(u32, &str)]), meant: &str) -> Option<QuickFix> {
    let is_there = names.iter().any(|(_, name)| *name == meant);
    let label = if is_there {
        format!("Remove `{wrong}`")
    } else {
        format!("Use `{meant}`")
    };
    task.who.fix(label, |id| {
        let (from, to) = (wrong.to_owned(), id.to_owned());
        if is_there {
            vec![PlanEdit::Disconnect { from, to }]
        } else {
            vec![PlanEdit::Reconnect {
                from,
                to: to.clone(),
                new_from: meant.to_owned(),
                new_to: to,
            }]
        }
    })
}

fn tell_self(check: &mut Check<'_>, task: &Sketch, at: &At<'_>) {
    let message = format!("{} depends on itself and could never start.", task.who);
    let fix = task.who.fix("Remove this dependency", |id| {
        vec![PlanEdit::Disconnect {
            from: id.to_owned(),
            to: id.to_owned(),
        }]
    });
    check.error(Code::SelfDependency, at, &task.who, message).fix = fix;
}

fn tell_repeats(
    check: &mut Check<'_>,
    task: &Sketch,
    (repeated, names): (&mut Vec<&str>, &[(u32, &str)]),
    at: &At<'_>,
) {
    repeated.sort_unstable();
    repeated.dedup();
    let shown: Vec<String> = repeated
        .iter()
        .take(super::SHOWN)
        .map(|name| format!("`{name}`"))
        .collect();
    let message = format!(
        "{} lists {} more than once in `dependencies`; it counts once.",
        task.who,
        joined(&shown)
    );
    let fix = task.who.fix("Remove the repeats", |id| {
        let mut seen = std::collections::HashSet::new();
        let kept: Vec<&str> = names
            .iter()
            .map(|(_, name)| *name)
            .filter(|name| seen.insert(*name))
            .collect();
        let value = serde_json::to_string(&kept).ok();
        vec![PlanEdit::SetTask {
            id: id.to_owned(),
            field: "/dependencies".to_owned(),
            value,
        }]
    });
    check.warn(Code::Type, at, &task.who, message).fix = fix;
}
