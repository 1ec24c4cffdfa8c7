//! What a plan may touch, task by task, for cards and for the approval: from the raw document, right or wrong.

use std::collections::HashSet;

use serde_json::Map;

use crate::model::Json;
use crate::model::draft_view::NeedView;
use crate::model::grants::{self, Need, Place};
use crate::model::plan::{Input, Word};
use crate::model::tool::{Access, Catalog, Effect, ToolSpec};

/// The kinds of grants, with the effect that an entry stands for by itself.
pub(in crate::model) const KINDS: [(Access, &str, Effect); 6] = [
    (Access::Read, "read", Effect::Read),
    (Access::Write, "write", Effect::Write),
    (Access::Host, "hosts", Effect::ReadExternal),
    (Access::Database, "databases", Effect::Read),
    (Access::Command, "commands", Effect::Exec),
    (Access::Mcp, "mcp", Effect::WriteExternal),
];

/// Behind the note of an entry that a value of the run chooses from.
const CHOSEN_LATER: &str = "which one is decided during the run";

/// What needs are worked out from, and which grants have been needed so far.
pub(in crate::model) struct Needs<'n> {
    grants: Option<&'n Map<String, Json>>,
    catalog: &'n Catalog,
    place: &'n Place,
    /// Each is shown as it stands.
    used: HashSet<(Access, &'n str)>,
    /// These let through more than what is shown because of them.
    used_in_part: HashSet<(Access, &'n str)>,
}

impl<'n> Needs<'n> {
    pub fn new(document: &'n Json, catalog: &'n Catalog, place: &'n Place) -> Self {
        let grants = document.get("grants").and_then(Json::as_object);
        Self {
            grants,
            catalog,
            place,
            used: HashSet::new(),
            used_in_part: HashSet::new(),
        }
    }

    /// What its literals say, and for what only the run will know every entry that the plan grants of that kind.
    pub fn of_task(&mut self, task: &Map<String, Json>, id: &str) -> Vec<NeedView> {
        let text = |name: &str| task.get(name).and_then(Json::as_str);
        let catalog = self.catalog;
        match text("task_type").unwrap_or("agent") {
            "tool" => {
                let names = [text("tool"), text("fallback")];
                let specs = names.into_iter().flatten().filter_map(|name| catalog.get(name));
                let mut views: Vec<NeedView> = Vec::new();
                for need in specs.flat_map(|spec| self.of_call(spec, task, id)) {
                    if !views.contains(&need) {
                        views.push(need);
                    }
                }
                views
            }
            "agent" => {
                let names = task.get("tools").and_then(Json::as_array).into_iter().flatten();
                let specs: Vec<_> = names
                    .filter_map(Json::as_str)
                    .filter_map(|name| catalog.get(name))
                    .collect();
                self.of_agent(&specs, id)
            }
            // Recursion is bounded by the depth of the document.
            "map" => match task.get("task").and_then(Json::as_object) {
                Some(inner) => self.of_task(inner, id),
                None => Vec::new(),
            },
            "subplan" => self.of_plan(task.get("plan"), id),
            _ => Vec::new(),
        }
    }

    /// A nested plan has grants of its own; they belong to the approval of the plan around it.
    fn of_plan(&mut self, plan: Option<&Json>, id: &str) -> Vec<NeedView> {
        let Some(plan) = plan.filter(|plan| plan.is_object()) else {
            return Vec::new();
        };
        let place = match plan.get("file").and_then(Json::as_str) {
            Some(file) => self.place.beside(file),
            None => self.place.clone(),
        };
        let mut inner = Needs::new(plan, self.catalog, &place);
        let tasks = plan.get("tasks").and_then(Json::as_array).into_iter().flatten();
        let known = tasks
            .filter_map(Json::as_object)
            .flat_map(|task| inner.of_task(task, id));
        let mut views: Vec<NeedView> = known.collect();
        let named = |view| NeedView {
            tasks: vec![id.to_owned()],
            ..view
        };
        views.extend(inner.beyond_known().into_iter().map(named));
        views
    }

    fn of_call(&mut self, spec: &ToolSpec, task: &Map<String, Json>, id: &str) -> Vec<NeedView> {
        if spec.touches_nothing() {
            return Vec::new();
        }
        let written = task.get("inputs").and_then(Json::as_object);
        let inputs: Vec<(Word, Input)> = written
            .into_iter()
            .flatten()
            .map(|(name, value)| (Word::from(&**name), loose(value)))
            .collect();
        let literals = inputs
            .iter()
            .filter_map(|(name, input)| Some((name.to_string(), input.as_literal()?.clone())));
        let literals: Json = literals.collect();
        let effect = spec.effect_of(&literals);
        let (known, dynamic) = grants::needs_of_inputs(spec, &inputs, self.place);
        known.iter().for_each(|need| self.use_entries(need));
        let mut views: Vec<NeedView> = known
            .into_iter()
            .map(|need| NeedView {
                note: match literals.get("append").and_then(Json::as_bool) {
                    Some(true) if need.access == Access::Write => "Adds to its end".to_owned(),
                    Some(_) | None => note(need.access, &need.resource, need.method.as_deref(), effect),
                },
                resource: shown(&need, self.place),
                access: need.access,
                method: need.method,
                effect,
                tasks: vec![id.to_owned()],
            })
            .collect();
        for access in dynamic {
            self.add_entries(&mut views, access, effect, id);
        }
        self.add_seen(&mut views, spec, id);
        views
    }

    fn of_agent(&mut self, specs: &[&std::sync::Arc<ToolSpec>], id: &str) -> Vec<NeedView> {
        let mut views = Vec::new();
        let mut told = HashSet::new();
        for spec in specs {
            self.add_seen(&mut views, spec, id);
            views.extend(spec.needs.iter().map(|need| self.of_whole(need, spec, id)));
            for touch in spec.touches.iter().filter(|touch| !touch.is_own_by_default) {
                if told.insert((touch.access, spec.effect)) {
                    self.add_entries(&mut views, touch.access, spec.effect, id);
                }
            }
        }
        views
    }

    /// A program may read and write whatever the plan grants.
    fn add_seen(&mut self, views: &mut Vec<NeedView>, spec: &ToolSpec, id: &str) {
        let kinds = [Access::Read, Access::Write];
        for access in kinds.into_iter().filter(|_| spec.runs_programs()) {
            for entry in self.entries(access) {
                self.used.insert((access, entry));
                let seen = NeedView {
                    access,
                    resource: entry.to_owned(),
                    method: None,
                    effect: Effect::Exec,
                    note: note(access, entry, None, Effect::Exec) + "; the program may, as it likes",
                    tasks: vec![id.to_owned()],
                };
                if !views.contains(&seen) {
                    views.push(seen);
                }
            }
        }
    }

    /// A need of every call of the tool.
    fn of_whole(&mut self, need: &grants::Need, spec: &ToolSpec, id: &str) -> NeedView {
        self.use_entries(need);
        NeedView {
            access: need.access,
            resource: need.resource.clone(),
            method: None,
            effect: spec.effect,
            note: note(need.access, &need.resource, None, spec.effect),
            tasks: vec![id.to_owned()],
        }
    }

    fn add_entries(&mut self, views: &mut Vec<NeedView>, access: Access, effect: Effect, id: &str) {
        for entry in self.entries(access) {
            self.used.insert((access, entry));
            let note = match (self.nothing(access, entry), grants::methods_of_host(entry)) {
                (Some(nothing), _) => nothing,
                (None, Some(methods)) if access == Access::Host => format!("{methods}; {CHOSEN_LATER}"),
                (None, _) => format!("{}; {CHOSEN_LATER}", note(access, entry, None, effect)),
            };
            let view = NeedView {
                access,
                resource: grants::entry_as_compared(access, entry),
                method: None,
                effect,
                note,
                tasks: vec![id.to_owned()],
            };
            if !views.contains(&view) {
                views.push(view);
            }
        }
    }

    /// What is shown of an entry that grants nothing: why.
    fn nothing(&self, access: Access, entry: &str) -> Option<String> {
        let problem = grants::entry_problem(access, entry, self.place)?;
        (access == Access::Host && grants::methods_of_host(entry).is_none())
            .then(|| format!("Grants nothing: {problem}"))
    }

    /// Entries that this need falls under are needed, although it stands for itself: whole, or in part.
    fn use_entries(&mut self, need: &Need) {
        for entry in self.entries(need.access) {
            let alone = vec![entry.to_owned()];
            let mut grants = grants::Grants::default();
            match need.access {
                Access::Read => grants.read = alone,
                Access::Write => grants.write = alone,
                Access::Host => grants.hosts = alone,
                Access::Database => grants.databases = alone,
                Access::Command => grants.commands = alone,
                Access::Mcp => grants.mcp = alone,
            }
            if !grants::covers(&grants, need, self.place) {
                continue;
            }
            let used = match grants::is_wider(entry, need, self.place) {
                true => &mut self.used_in_part,
                false => &mut self.used,
            };
            used.insert((need.access, entry));
        }
    }

    fn entries(&self, access: Access) -> Vec<&'n str> {
        let field = KINDS
            .iter()
            .find(|(kind, ..)| *kind == access)
            .map_or("", |(_, field, _)| field);
        let entries = self
            .grants
            .and_then(|grants| grants.get(field))
            .and_then(Json::as_array);
        entries.into_iter().flatten().filter_map(Json::as_str).collect()
    }

    /// Entries of which no task is known to need all: they are part of what is signed all the same.
    pub fn beyond_known(&self) -> Vec<NeedView> {
        let mut views = Vec::new();
        for (access, _, effect) in KINDS {
            for entry in self
                .entries(access)
                .into_iter()
                .filter(|entry| !self.used.contains(&(access, *entry)))
            {
                let beyond = || match self.used_in_part.contains(&(access, entry)) {
                    true => "Granted whole; the tasks are known to need only a part of it".to_owned(),
                    false => "Granted; no task is known to need it".to_owned(),
                };
                views.push(NeedView {
                    access,
                    resource: grants::entry_as_compared(access, entry),
                    method: None,
                    effect,
                    note: self.nothing(access, entry).unwrap_or_else(beyond),
                    tasks: Vec::new(),
                });
            }
        }
        views
    }
}

fn note(access: Access, resource: &str, method: Option<&str>, effect: Effect) -> String {
    let is_path = matches!(access, Access::Read | Access::Write | Access::Database);
    let is_secret = is_path && !resource.starts_with("run:") && grants::is_secret_file(resource);
    let note = plain_note(access, resource, method, effect);
    if is_path && grants::closed_to_all(resource).is_some() {
        return format!("{note}; CLOSED to every plan, so that the call will be refused");
    }
    match is_secret {
        true => format!("{note}; a SECRET FILE, which holds keys by its name"),
        false => note,
    }
}

fn plain_note(access: Access, resource: &str, method: Option<&str>, effect: Effect) -> String {
    match access {
        Access::Read if effect == Effect::Exec => "Reads what is in it".to_owned(),
        Access::Read => "Read only".to_owned(),
        Access::Write if resource.starts_with("run:") => "In the run's own folder".to_owned(),
        Access::Write => "Writes it; what was there is replaced".to_owned(),
        Access::Host => match method {
            None | Some("GET") => "GET only".to_owned(),
            Some(method) => format!("Sends {method}"),
        },
        Access::Database if effect.is_effect() => "Changes it".to_owned(),
        Access::Database => "SELECT only".to_owned(),
        Access::Command => match grants::risk_of_command(resource) {
            Some(risk) => format!("Runs it; it {risk}"),
            None => "Runs it".to_owned(),
        },
        Access::Mcp => "Calls it".to_owned(),
    }
}

/// The path relative to the plan's folder where it lies in it.
fn shown(need: &Need, place: &Place) -> String {
    let folder = place.folder.as_ref().and_then(|folder| folder.to_str());
    let below = folder
        .and_then(|folder| need.resource.strip_prefix(folder))
        .and_then(|rest| rest.strip_prefix('/'));
    match need.access {
        Access::Read | Access::Write | Access::Database => below.unwrap_or(&need.resource).to_owned(),
        Access::Host | Access::Command | Access::Mcp => need.resource.clone(),
    }
}

/// An input as far as grants care: a literal, or something that only the run knows.
/// Recursion is bounded by the depth of the document.
pub(in crate::model) fn loose(value: &Json) -> Input {
    match value {
        Json::Object(map) => match map.get("$literal") {
            Some(literal) if map.len() == 1 => Input::Literal(literal.clone().into()),
            _ if map.keys().any(|key| key.starts_with('$')) => Input::Param("".into()),
            _ if is_plain(value) => Input::Literal(value.clone().into()),
            _ => Input::Object(
                map.iter()
                    .map(|(key, value)| (Word::from(&**key), loose(value)))
                    .collect(),
            ),
        },
        Json::Array(_) if is_plain(value) => Input::Literal(value.clone().into()),
        Json::Array(items) => Input::Array(items.iter().map(loose).collect()),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
            Input::Literal(value.clone().into())
        }
    }
}

/// Whether no reference stands anywhere inside.
fn is_plain(value: &Json) -> bool {
    match value {
        Json::Object(map) => map
            .iter()
            .all(|(key, value)| !key.starts_with('$') && is_plain(value)),
        Json::Array(items) => items.iter().all(is_plain),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => true,
    }
}
