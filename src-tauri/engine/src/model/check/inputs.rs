//! Inputs of tasks: literals and references, at any depth (DESIGN §2, "Inputs").

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::Map;

use super::expressions::{self, Kind};
use super::plan::Keep;
use super::references::Reference;
use super::shapes::Shapes;
use super::sketch::Outline;
use super::writes::Claim;
use super::{Check, Who, did_you_mean, kind_of};
use crate::model::edit::PlanEdit;
use crate::model::grants::Grants;
use crate::model::graph::{Components, Graph, Node};
use crate::model::json::{At, is_pointer, steps};
use crate::model::near::Names;
use crate::model::plan::{Input, Word, is_secret_name};
use crate::model::problem::Code;
use crate::model::{Json, TaskId};

/// What the tasks of one plan share while they are read, and what they leave to be judged together.
pub(super) struct Scope<'s, 'd> {
    pub outline: &'s Outline<'d>,
    pub names: Names<'s>,
    pub parameters: HashSet<&'d str>,
    pub grants: &'s Grants,
    /// The plan stands in a task of another one, whose grants do not count for it.
    pub is_inner: bool,
    /// For each node the last entry that depends on it directly.
    pub direct: Vec<u32>,
    pub references: Vec<Reference>,
    pub claims: Vec<Claim>,
    pub shapes: Shapes,
}

impl Scope<'_, '_> {
    /// How an input is written that would give what has this name in the plan.
    pub fn reference(&self, name: &str) -> Option<String> {
        let mark = if self.outline.node_of.contains_key(name) {
            "$from"
        } else if self.parameters.contains(name) {
            "$param"
        } else {
            return None;
        };
        Some(format!("{{\"{mark}\": \"{name}\"}}"))
    }
}

/// The task whose inputs are read.
#[derive(Clone, Copy)]
pub(super) struct Reader<'t> {
    /// Its place in `tasks`; an inner task has that of the task around it.
    pub entry: u32,
    pub node: Node,
    pub who: &'t Who,
    /// Its inputs are the arguments of a tool, so secrets may stand in them.
    pub is_tool: bool,
    /// It is the inner task of a `map`, so `$item` and `$index` mean something.
    pub is_in_map: bool,
    pub keep: Keep,
}

const MARKS: [&str; 7] = [
    "$from",
    "$param",
    "$secret",
    "$template",
    "$literal",
    "$item",
    "$index",
];

/// Reads all inputs of a task. Inputs that can't be read are told and left out.
pub(super) fn read_all(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    map: &Map<String, Json>,
    at: &At<'_>,
) -> Box<[(Word, Input)]> {
    let mut walk = Walk {
        check,
        scope,
        reader,
        all: map,
        top: 0,
        uses: Vec::new(),
    };
    let mut inputs = Vec::with_capacity(map.len());
    for (ix, (name, value)) in (0u32..).zip(map) {
        walk.top = ix;
        let word = walk.check.word(name);
        let input = match walk.check.shared_literal(value) {
            Some(literal) => Input::Literal(literal),
            None => walk.input(value, &at.key(name)),
        };
        inputs.push((word, input));
    }
    walk.tell_loops(at);
    inputs.into()
}

/// Reads one value that stands outside of `inputs`, such as `over`.
pub(super) fn read_one(
    check: &mut Check<'_>,
    scope: &mut Scope<'_, '_>,
    reader: Reader<'_>,
    (all, value): (&Map<String, Json>, &Json),
    at: &At<'_>,
) -> Input {
    let mut walk = Walk {
        check,
        scope,
        reader,
        all,
        top: u32::MAX,
        uses: Vec::new(),
    };
    walk.input(value, at)
}

struct Walk<'w, 'a, 's, 'd> {
    check: &'w mut Check<'a>,
    scope: &'w mut Scope<'s, 'd>,
    reader: Reader<'w>,
    all: &'w Map<String, Json>,
    /// The place of the input that is being read.
    top: u32,
    /// Which input's template reads which other input.
    uses: Vec<(Node, Node)>,
}

impl<'w> Walk<'w, '_, '_, '_> {
    /// Recursion is bounded by the depth of the document.
    fn input(&mut self, value: &Json, at: &At<'_>) -> Input {
        match value {
            Json::Object(map) if map.keys().any(|key| key.starts_with('$')) => self.marked(map, at),
            Json::Object(map) => {
                let inputs: Vec<Input> = map
                    .iter()
                    .map(|(key, value)| self.input(value, &at.key(key)))
                    .collect();
                if inputs.iter().all(|input| input.as_literal().is_some()) {
                    let values = inputs.into_iter().map(literal);
                    Input::Literal(Json::Object(map.keys().cloned().zip(values).collect()).into())
                } else {
                    Input::Object(map.keys().map(|key| self.check.word(key)).zip(inputs).collect())
                }
            }
            Json::Array(items) => {
                let entries: Vec<Input> = items
                    .iter()
                    .enumerate()
                    .map(|(ix, item)| self.input(item, &at.item(ix)))
                    .collect();
                if entries.iter().all(|input| input.as_literal().is_some()) {
                    Input::Literal(Json::Array(entries.into_iter().map(literal).collect()).into())
                } else {
                    Input::Array(entries.into())
                }
            }
            Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {
                Input::Literal(value.clone().into())
            }
        }
    }

    /// An object with a `$` key: exactly one, with only the companions that belong to it.
    fn marked(&mut self, map: &Map<String, Json>, at: &At<'_>) -> Input {
        let mut marks = map.keys().filter(|key| key.starts_with('$'));
        let mark = marks.next().map_or("", String::as_str);
        if let Some(other) = marks.next() {
            let message =
                format!("`{mark}` and `{other}` can't stand in one object: each is a reference of its own");
            return self.wrong(&at.key(other), message);
        }
        let companion = match mark {
            "$from" => "path",
            "$template" => "with",
            "$literal" | "$param" | "$secret" | "$item" | "$index" => "",
            _ => return self.unknown_mark(mark, at),
        };
        if let Some(other) = map.keys().find(|key| *key != mark && *key != companion) {
            let message = format!(
                "`{other}` can't stand beside `{mark}`; to hand over such an object as it is, write {{\"$literal\": …}}"
            );
            return self.wrong(&at.key(other), message);
        }
        self.reference(mark, map, at)
    }

    fn unknown_mark(&mut self, mark: &str, at: &At<'_>) -> Input {
        let meant = did_you_mean(Names::new(MARKS).nearest(mark));
        let message = format!(
            "`{mark}` is no reference.{meant} To hand over such an object as it is, write {{\"$literal\": …}}"
        );
        self.wrong(&at.key(mark), message)
    }

    fn reference(&mut self, mark: &str, map: &Map<String, Json>, at: &At<'_>) -> Input {
        let value = &map[mark];
        let here = at.key(mark);
        match (mark, value) {
            ("$literal", value) => Input::Literal(value.clone().into()),
            ("$from", Json::String(name)) => self.from(name, map.get("path"), at),
            ("$param", Json::String(name)) => self.param(name, &here),
            ("$secret", Json::String(name)) => self.secret(name, &here),
            ("$template", Json::String(source)) => self.template(source, map.get("with"), at),
            ("$item", _) | ("$index", _) if !self.reader.is_in_map => self.wrong(
                &here,
                format!("`{mark}` only means something in the inner task of a `map`"),
            ),
            ("$item", Json::String(path)) if is_pointer(path) => Input::Item {
                path: self.check.word(path),
            },
            ("$item", Json::String(_)) => self.no_pointer(&here, mark),
            ("$index", Json::Bool(true)) => Input::Index,
            ("$index", _) => self.wrong(&here, "`$index` is written {\"$index\": true}".to_owned()),
            (_, other) => self.wrong(&here, format!("`{mark}` must be text, not {}", kind_of(other))),
        }
    }

    fn from(&mut self, name: &str, path: Option<&Json>, at: &At<'_>) -> Input {
        let path = match path {
            None | Some(Json::Null) => "",
            Some(Json::String(path)) if is_pointer(path) => path,
            Some(Json::String(_)) => return self.no_pointer(&at.key("path"), "path"),
            Some(other) => {
                return self.wrong(
                    &at.key("path"),
                    format!("`path` must be text, not {}", kind_of(other)),
                );
            }
        };
        let here = at.key("$from");
        let Some(&source) = self.scope.outline.node_of.get(name) else {
            return self.unknown_source(name, &here);
        };
        if source == self.reader.node {
            let message = format!(
                "{} reads its own output, which it does not have yet.",
                self.reader.who
            );
            self.check
                .error(Code::SelfDependency, &here, self.reader.who, message);
        } else if self.scope.direct[source as usize] != self.reader.entry {
            self.scope.references.push(Reference {
                source,
                reader: self.reader.node,
                pointer: here.pointer(),
                task: self.reader.who.task.clone(),
                is_editable: self.reader.who.is_editable,
            });
        }
        self.tell_missing_field(source, path, at);
        Input::From {
            task: source,
            path: self.check.word(path),
        }
    }

    /// A field that the output can never have.
    fn tell_missing_field(&mut self, source: Node, path: &str, at: &At<'_>) {
        let Some(field) = steps(path).next() else {
            return;
        };
        let outline = self.scope.outline;
        let Some(fields) = self.scope.shapes.fields(self.check, outline, source) else {
            return;
        };
        if fields.contains(&field) {
            return;
        }
        let names = fields.iter().map(String::as_str);
        let meant = did_you_mean(Names::new(names.clone()).nearest(&field));
        let shown: Vec<String> = names.take(super::SHOWN).map(|name| format!("`{name}`")).collect();
        let id = outline.first(source).id.as_ref().map_or("", TaskId::as_str);
        let field: String = field.chars().take(80).collect();
        let message = format!(
            "{} reads `{field}` of the output of `{id}`, which has only {}.{meant}",
            self.reader.who,
            super::joined(&shown)
        );
        self.check
            .error(Code::UnknownInput, &at.key("path"), self.reader.who, message);
    }

    fn unknown_source(&mut self, name: &str, at: &At<'_>) -> Input {
        let own = &self.scope.outline.tasks[self.reader.entry as usize].id;
        let own = own.as_ref().map(TaskId::as_str);
        let meant = self.scope.names.nearest(name).filter(|meant| Some(*meant) != own);
        let shown: String = name.chars().take(80).collect();
        let who = self.reader.who;
        let message = format!(
            "{who} reads the output of `{shown}`, but there is no task with this id.{}",
            did_you_mean(meant)
        );
        let fix = meant.and_then(|meant| {
            let field = field_in_task(at)?;
            let value = Some(Json::from(meant).to_string());
            who.fix(format!("Use `{meant}`"), |id| {
                vec![PlanEdit::SetTask {
                    id: id.to_owned(),
                    field,
                    value,
                }]
            })
        });
        self.check.error(Code::UnknownInput, at, who, message).fix = fix;
        Input::Literal(Json::Null.into())
    }

    fn param(&mut self, name: &str, at: &At<'_>) -> Input {
        if !self.scope.parameters.contains(name) {
            let mut known: Vec<&str> = self.scope.parameters.iter().copied().collect();
            known.sort_unstable();
            let meant = did_you_mean(Names::new(known).nearest(name));
            let message = format!(
                "{} reads the parameter `{name}`, which the plan does not have.{meant}",
                self.reader.who
            );
            self.check
                .error(Code::UnknownParameter, at, self.reader.who, message);
        }
        Input::Param(self.check.word(name))
    }

    fn secret(&mut self, name: &str, at: &At<'_>) -> Input {
        if !self.reader.is_tool {
            return self.wrong(at, "a secret can only be an argument of a `tool` task".to_owned());
        }
        if !is_secret_name(name) {
            let message = "the name of a secret is 1 to 100 of letters, digits, `_`, `-` and `.`";
            return self.wrong(at, message.to_owned());
        }
        Input::Secret(self.check.word(name))
    }

    fn template(&mut self, source: &str, with: Option<&Json>, at: &At<'_>) -> Input {
        let here = at.key("$template");
        let kind = (Kind::Template, source);
        let with = match with {
            None | Some(Json::Null) => {
                let own = self.own_name();
                let others = self
                    .all
                    .keys()
                    .map(String::as_str)
                    .filter(|name| Some(*name) != own);
                let reference = |name: &str| self.scope.reference(name);
                let names = expressions::check(self.check, kind, &here, self.reader.who, others, &reference);
                self.note_uses(&names);
                None
            }
            Some(Json::Object(with)) => {
                let known = with.keys().map(String::as_str);
                let reference = |name: &str| self.scope.reference(name);
                expressions::check(self.check, kind, &here, self.reader.who, known, &reference);
                let at = at.key("with");
                Some(
                    with.iter()
                        .map(|(name, value)| (self.check.word(name), self.input(value, &at.key(name))))
                        .collect(),
                )
            }
            Some(other) => {
                let message = format!("`with` must be an object of inputs, not {}", kind_of(other));
                return self.wrong(&at.key("with"), message);
            }
        };
        Input::Template {
            source: source.into(),
            with,
        }
    }

    fn note_uses(&mut self, names: &std::collections::BTreeSet<String>) {
        if self.top == u32::MAX || names.is_empty() {
            return;
        }
        let places = (0u32..)
            .zip(self.all.keys())
            .filter(|(_, name)| names.contains(*name));
        let top = self.top;
        self.uses.extend(places.map(|(used, _)| (used, top)));
    }

    fn own_name(&self) -> Option<&'w str> {
        self.all.keys().nth(self.top as usize).map(String::as_str)
    }

    /// Templates that read each other can't be rendered in any order.
    fn tell_loops(&mut self, at: &At<'_>) {
        if self.uses.is_empty() {
            return;
        }
        self.uses.retain(|(used, user)| used != user);
        let graph = Graph::new(self.all.len(), &self.uses);
        let components = Components::new(&graph);
        for ring in crate::model::graph::rings(&graph, &components) {
            let names: Vec<String> = ring
                .members
                .iter()
                .filter_map(|ix| self.all.keys().nth(*ix as usize))
                .map(|n| format!("`{n}`"))
                .collect();
            let Some(first) = ring
                .members
                .first()
                .and_then(|ix| self.all.keys().nth(*ix as usize))
            else {
                continue;
            };
            let message = format!(
                "{}: the templates {} read each other in a loop.",
                self.reader.who,
                super::joined(&names)
            );
            self.check
                .error(Code::BadExpression, &at.key(first), self.reader.who, message);
        }
    }

    fn no_pointer(&mut self, at: &At<'_>, what: &str) -> Input {
        let message =
            format!("`{what}` must be a JSON Pointer, such as \"/rows/0\", or empty for the whole value");
        self.wrong(at, message)
    }

    fn wrong(&mut self, at: &At<'_>, message: String) -> Input {
        let message = format!("{}: {message}.", self.reader.who);
        self.check.error(Code::Type, at, self.reader.who, message);
        Input::Literal(Json::Null.into())
    }
}

fn literal(input: Input) -> Json {
    match input {
        Input::Literal(value) => Arc::unwrap_or_clone(value),
        Input::From { .. }
        | Input::Param(_)
        | Input::Secret(_)
        | Input::Template { .. }
        | Input::Item { .. }
        | Input::Index
        | Input::Object(_)
        | Input::Array(_) => Json::Null,
    }
}

/// The place inside its task, as an edit names it: only for tasks of the outermost plan.
fn field_in_task(at: &At<'_>) -> Option<String> {
    let pointer = at.pointer();
    let rest = pointer.strip_prefix("/tasks/")?;
    rest.find('/').map(|cut| rest[cut..].to_owned())
}
