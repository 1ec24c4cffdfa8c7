//! A plan as a whole: its own fields, its tasks, and what binds them together.

use std::collections::HashMap;
use std::sync::Arc;

use super::inputs::{Reader, Scope};
use super::object::{Object, Range};
use super::shapes::Shapes;
use super::sketch::{Dependencies, Edges, Outline};
use super::{Check, Who, kind_of, loops, references, schema, synthesis, task, writes};
use crate::model::entries::Entries;
use crate::model::grants::{self, Grants};
use crate::model::graph::{Components, Graph};
use crate::model::json::At;
use crate::model::plan::{Budget, Plan, Synthesis, Task, TaskIx};
use crate::model::problem::Code;
use crate::model::tool::Access;
use crate::model::{Digest, Json, TaskId, fields, read};

/// Whether the typed tasks are wanted, or only the problems.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Keep {
    Yes,
    No,
}

/// All that a plan is made of, but for its digest.
pub(super) struct Parts {
    goal: Option<String>,
    parameters: Vec<(String, Json)>,
    tasks: Vec<Arc<Task>>,
    grants: Grants,
    budget: Budget,
    synthesis: Synthesis,
    file: Option<Box<str>>,
    index: HashMap<TaskId, TaskIx>,
    graph: Graph,
}

impl Parts {
    /// Only for parts of a document without errors: then each task is its own node, in document order.
    pub fn into_plan(self, digest: Digest) -> Plan {
        let order = self.graph.order();
        let remaining = self.graph.remaining(&order);
        Plan {
            goal: self.goal,
            parameters: self.parameters,
            tasks: self.tasks,
            grants: Arc::new(self.grants),
            budget: self.budget,
            synthesis: self.synthesis,
            file: self.file,
            digest,
            index: self.index,
            graph: self.graph,
            order,
            remaining,
        }
    }
}

/// Tells everything that is wrong with a plan document. Its tasks may lie elsewhere than in its tree. `prefix` is the
/// address of the task that holds it.
/// Recursion into plans inside plans is bounded by the depth of the document.
pub(super) fn check(
    check: &mut Check<'_>,
    (document, elsewhere): (&Json, Option<Entries<'_>>),
    at: &At<'_>,
    prefix: &str,
    keep: Keep,
) -> Option<Parts> {
    let who = Who::plan();
    let Some(map) = document.as_object() else {
        tell_no_object(check, document, at, &who);
        return None;
    };
    let object = Object { map, at, who: &who };
    object.unknown(check, &fields::PLAN);
    check_version(check, &object);
    let goal = object.text(check, "goal").map(str::to_owned);
    let parameters = parameters(check, &object);
    let grants = grants(check, &object);
    let budget = budget(check, &object);
    let file = object.text(check, "file").map(Box::from);
    let entries = task_list(check, &object, elsewhere)?;

    let list = at.key("tasks");
    let outline = Outline::read(check, entries, &list, prefix);
    let edges = Edges::read(check, &outline, &list);
    let components = Components::new(&edges.graph);
    loops::tell(check, &outline, &edges.graph, &components, &list);
    let names: Vec<&str> = parameters.iter().map(|(name, _)| name.as_str()).collect();
    let synthesis = synthesis::read(check, &object, (&outline, &edges.graph), &names);

    let mut scope = Scope {
        outline: &outline,
        names: edges.names,
        parameters: parameters.iter().map(|(name, _)| name.as_str()).collect(),
        grants: &grants,
        is_inner: !prefix.is_empty(),
        direct: vec![u32::MAX; edges.graph.len()],
        references: Vec::new(),
        claims: Vec::new(),
        shapes: Shapes::default(),
    };
    let tasks = tasks(check, &mut scope, &edges.dependencies, &list, keep);
    let Scope {
        references, claims, ..
    } = scope;
    let order = (&edges.graph, &components);
    references::tell(check, &outline, order, references, &edges.renames);
    writes::tell(check, &outline, order, claims);
    check.own.settle(order);
    let parameters = parameters
        .into_iter()
        .map(|(name, schema)| (name.clone(), schema.clone()))
        .collect();
    let graph = edges.graph;
    (keep == Keep::Yes).then_some(Parts {
        goal,
        parameters,
        tasks,
        grants,
        budget,
        synthesis,
        file,
        index: outline.node_of,
        graph,
    })
}

fn tell_no_object(check: &mut Check<'_>, document: &Json, at: &At<'_>, who: &Who) {
    let hint = match document {
        Json::Array(_) => " A list of tasks alone is no plan: write {\"tasks\": […]}.",
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) | Json::Object(_) => "",
    };
    let message = format!(
        "A plan is an object with a list `tasks`, not {}.{hint}",
        kind_of(document)
    );
    check.error(Code::Type, at, who, message);
}

fn check_version(check: &mut Check<'_>, object: &Object<'_, '_>) {
    let Some(version) = object.get("version") else {
        return;
    };
    if version.as_u64() != Some(1) {
        let message = "This program reads version 1 of the plan format; `version` must be 1.".to_owned();
        check.error(Code::Type, &object.at.key("version"), object.who, message);
    }
}

fn parameters<'d>(check: &mut Check<'_>, object: &Object<'_, 'd>) -> Vec<(&'d String, &'d Json)> {
    let Some(map) = object.object(check, "parameters") else {
        return Vec::new();
    };
    let at = object.at.key("parameters");
    for (name, schema) in map {
        schema::check_parameter(check, name, schema, &at.key(name));
    }
    map.iter().collect()
}

fn grants(check: &mut Check<'_>, object: &Object<'_, '_>) -> Grants {
    let Some(map) = object.object(check, "grants") else {
        return Grants::default();
    };
    let at = object.at.key("grants");
    let grants = Object {
        map,
        at: &at,
        who: object.who,
    };
    grants.unknown(check, &fields::GRANTS);
    let mut list = |name: &str| -> Vec<String> {
        grants
            .texts(check, name)
            .into_iter()
            .map(|(_, text)| text.to_owned())
            .collect()
    };
    let lists = Grants {
        read: list("read"),
        write: list("write"),
        hosts: list("hosts"),
        databases: list("databases"),
        commands: list("commands"),
        mcp: list("mcp"),
        own_work: list("own_work"),
        private_to: list("private_to"),
    };
    check_hosts(check, &grants);
    check_marks(check, &grants);
    check_entries(check, &grants);
    lists
}

/// A URL covers nothing as a host entry, which would only show when the run asks.
fn check_hosts(check: &mut Check<'_>, grants: &Object<'_, '_>) {
    let entries = grants.get("hosts").and_then(Json::as_array);
    for (ix, entry) in entries.into_iter().flatten().enumerate() {
        if entry.as_str().is_some_and(|entry| entry.contains('/')) {
            let message =
                "An entry of `hosts` is `host`, `host:port` or `METHOD host`, not a URL.".to_owned();
            check.error(Code::Type, &grants.at.key("hosts").item(ix), grants.who, message);
        }
    }
}

/// An entry that covers nothing would only show when the run asks.
fn check_entries(check: &mut Check<'_>, grants: &Object<'_, '_>) {
    let (mut wrong, mut renamed) = (Vec::new(), Vec::new());
    for (access, name) in [
        (Access::Read, "read"),
        (Access::Write, "write"),
        (Access::Host, "hosts"),
        (Access::Database, "databases"),
        (Access::Command, "commands"),
        (Access::Mcp, "mcp"),
    ] {
        let entries = grants.get(name).and_then(Json::as_array);
        for (ix, entry) in entries.into_iter().flatten().enumerate() {
            // An empty one has been told of as that.
            let Some(entry) = entry.as_str().filter(|entry| !entry.is_empty()) else {
                continue;
            };
            let is_url = access == Access::Host && entry.contains('/');
            let problem = grants::entry_problem(access, entry, check.setting.place).filter(|_| !is_url);
            let meant = || grants::shell_words(entry).filter(|_| access == Access::Command);
            if let Some(problem) = problem.or_else(meant) {
                wrong.push((name, ix, entry, problem));
            } else if access == Access::Host
                && let Some(known) = grants::other_name_of_host(entry)
            {
                renamed.push((ix, entry, known));
            }
        }
    }
    for (ix, entry, known) in renamed {
        let shown: String = entry.chars().take(80).collect();
        let message = format!(
            "The entry `{shown}` of `hosts` means `{known}`, and is shown so where the plan is approved."
        );
        check.warn(Code::Type, &grants.at.key("hosts").item(ix), grants.who, message);
    }
    for (name, ix, entry, problem) in wrong {
        let shown: String = entry.escape_debug().take(80).collect();
        let message =
            format!("The entry `{shown}` of `{name}` grants nothing that is ever called: {problem}.");
        check.warn(Code::Type, &grants.at.key(name).item(ix), grants.who, message);
    }
}

/// A mark that covers nothing would only show when the run asks after all.
fn check_marks(check: &mut Check<'_>, grants: &Object<'_, '_>) {
    let own_work = |entry: &str| grants::entry_problem(Access::Read, entry, check.setting.place);
    let private_to = |entry: &str| {
        let is_tool = !entry.contains(' ') && entry.contains('/');
        grants::entry_problem(Access::Host, entry, check.setting.place).filter(|_| !is_tool)
    };
    let mut wrong = Vec::new();
    for (name, problem) in [
        ("own_work", &own_work as &dyn Fn(&str) -> Option<String>),
        ("private_to", &private_to),
    ] {
        let entries = grants.get(name).and_then(Json::as_array);
        for (ix, entry) in entries.into_iter().flatten().enumerate() {
            let entry = entry.as_str().filter(|entry| !entry.is_empty());
            if let Some(message) = entry.and_then(problem) {
                wrong.push((name, ix, message));
            }
        }
    }
    for (name, ix, message) in wrong {
        let message = format!("An entry of `{name}` can't be used: {message}.");
        check.error(Code::Type, &grants.at.key(name).item(ix), grants.who, message);
    }
}

fn budget(check: &mut Check<'_>, object: &Object<'_, '_>) -> Budget {
    let Some(map) = object.object(check, "budget") else {
        return Budget::default();
    };
    let at = object.at.key("budget");
    let budget = Object {
        map,
        at: &at,
        who: object.who,
    };
    budget.unknown(check, &fields::BUDGET);
    let usd = budget
        .number(check, "usd", Range::From(0.0, f64::MAX))
        .and_then(|_| budget.get("usd"));
    Budget {
        usd: usd.map(Json::to_string),
        tokens: budget.count(check, "tokens", 0, u64::MAX),
        seconds: budget.number(check, "seconds", Range::Above0(f64::MAX)),
    }
}

fn task_list<'d>(
    check: &mut Check<'_>,
    object: &Object<'_, 'd>,
    elsewhere: Option<Entries<'d>>,
) -> Option<Entries<'d>> {
    let at = object.at.key("tasks");
    let entries = match (object.map.get("tasks"), elsewhere) {
        (None, _) => {
            object.missing(check, "tasks");
            return None;
        }
        (Some(Json::Array(_)), Some(entries)) => entries,
        (Some(Json::Array(items)), None) => Entries::Held(items),
        (Some(other), _) => {
            object.wrong_type(check, "tasks", other, "a list of tasks");
            return None;
        }
    };
    if entries.is_empty() {
        let message = "The plan has no tasks: there is nothing to run.".to_owned();
        check.error(Code::EmptyPlan, &at, object.who, message);
        return None;
    }
    check.tasks += entries.len();
    if check.tasks > read::PLAN.tasks {
        let message = format!(
            "The plan has {} tasks with those of the plans in it; at most {} can be taken.",
            check.tasks,
            read::PLAN.tasks
        );
        check.error(Code::TooLarge, &at, object.who, message);
        return None;
    }
    Some(entries)
}

fn tasks(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    dependencies: &Dependencies,
    at: &At<'_>,
    keep: Keep,
) -> Vec<Arc<Task>> {
    let outline = scope.outline;
    let mut tasks = Vec::with_capacity(if keep == Keep::Yes { outline.tasks.len() } else { 0 });
    for (entry, sketch) in (0u32..).zip(&outline.tasks) {
        let item = outline.entries.get(entry as usize);
        let Some(map) = item.as_object() else { continue };
        for node in dependencies.of(entry as usize) {
            scope.direct[*node as usize] = entry;
        }
        let reader = Reader {
            entry,
            node: sketch.node,
            who: &sketch.who,
            is_tool: false,
            is_in_map: false,
            keep,
        };
        let task = task::read(check, scope, reader, (map, &at.item(entry as usize)));
        if keep == Keep::Yes {
            tasks.push(Arc::new(task));
        }
    }
    tasks
}
