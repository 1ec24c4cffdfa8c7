//! The single tasks that a task of the document stands for: itself, a map's inner task, the tasks of a nested plan.
//! With what each of them may touch. From the raw document; it must not know what has been approved.

use serde_json::Map;

use crate::model::draft_view::needs::loose;
use crate::model::edit::names::id_of;
use crate::model::grants::{self, Need, Place};
use crate::model::plan::{Input, Word};
use crate::model::tool::{Catalog, Effect, ToolSpec};
use crate::model::{Json, json};

/// One single task and where it stands.
pub(super) struct Leaf<'d> {
    pub address: String,
    pub task: &'d Map<String, Json>,
    /// The grants of the nested plan that it is in, or holds.
    pub grants: Option<&'d Map<String, Json>>,
}

/// The task and all inside it, outer ones first. Work is linear in the document, whose depth is bounded.
pub(super) fn leaves(task: &Json) -> Vec<Leaf<'_>> {
    let mut leaves = Vec::new();
    let mut open = vec![(id_of(task).unwrap_or_default().to_owned(), task)];
    while let Some((address, task)) = open.pop() {
        let Some(map) = task.as_object() else { continue };
        let mut grants = None;
        match type_of(map) {
            "map" => open.extend(map.get("task").map(|inner| (format!("{address}[]"), inner))),
            "subplan" => {
                let plan = map.get("plan");
                grants = plan.and_then(|plan| plan.get("grants")).and_then(Json::as_object);
                let tasks = plan.and_then(|plan| plan.get("tasks")).and_then(Json::as_array);
                let inner = tasks.into_iter().flatten().rev();
                open.extend(inner.map(|task| {
                    let id = id_of(task).unwrap_or_default();
                    (format!("{address}/{id}"), task)
                }));
            }
            _ => {}
        }
        leaves.push(Leaf {
            address,
            task: map,
            grants,
        });
    }
    leaves
}

pub(super) fn type_of(task: &Map<String, Json>) -> &str {
    text(task, "task_type").unwrap_or("agent")
}

pub(super) fn text<'d>(task: &'d Map<String, Json>, name: &str) -> Option<&'d str> {
    task.get(name)?.as_str()
}

impl<'d> Leaf<'d> {
    /// Whether a person is asked before it or by it.
    pub fn is_attended(&self) -> bool {
        type_of(self.task) == "human" || text(self.task, "approval") == Some("before")
    }

    pub fn is_idempotent(&self) -> bool {
        self.task.get("idempotent") == Some(&Json::Bool(true))
    }

    /// The tools that it calls by itself: its own, and the one it falls back to.
    pub fn called<'c>(&self, catalog: &'c Catalog) -> Vec<&'c ToolSpec> {
        if type_of(self.task) != "tool" {
            return Vec::new();
        }
        let names = [text(self.task, "tool"), text(self.task, "fallback")];
        let specs = names.into_iter().flatten().filter_map(|name| catalog.get(name));
        specs.map(AsRef::as_ref).collect()
    }

    /// The tools that it may choose from.
    pub fn offered<'c>(&self, catalog: &'c Catalog) -> Vec<&'c ToolSpec> {
        if type_of(self.task) != "agent" {
            return Vec::new();
        }
        let names = self.task.get("tools").and_then(Json::as_array);
        let names = names.into_iter().flatten().filter_map(Json::as_str);
        let names = names.chain(text(self.task, "fallback"));
        names
            .filter_map(|name| catalog.get(name))
            .map(AsRef::as_ref)
            .collect()
    }

    /// Models by provider that it names.
    pub fn models(&self, catalog: &Catalog) -> Vec<&'d str> {
        let names = [text(self.task, "model"), text(self.task, "fallback")];
        let is_model = |name: &&str| name.contains('/') && catalog.get(name).is_none();
        names.into_iter().flatten().filter(is_model).collect()
    }

    /// The plan file that it runs.
    pub fn plan_file(&self) -> Option<&'d str> {
        text(self.task, "plan").filter(|_| type_of(self.task) == "subplan")
    }

    /// What its literal arguments name, with the greatest effect that a call with them can have.
    pub fn needs(&self, spec: &ToolSpec, place: &Place) -> (Vec<Need>, Effect) {
        let inputs: Vec<(Word, Input)> = self
            .inputs()
            .map(|(name, value)| (Word::from(&**name), loose(value)))
            .collect();
        let literals = inputs
            .iter()
            .filter_map(|(name, input)| Some((name.to_string(), input.as_literal()?.clone())));
        let has_open_method = spec.method_argument.is_some_and(|argument| {
            inputs
                .iter()
                .any(|(name, input)| **name == *argument && input.as_literal().is_none())
        });
        let effect = if has_open_method {
            spec.effect
        } else {
            spec.effect_of(&literals.collect())
        };
        (grants::needs_of_inputs(spec, &inputs, place).0, effect)
    }

    /// The call as far as the document tells it.
    pub fn call(&self) -> Option<(String, String)> {
        let tool = text(self.task, "tool").filter(|_| type_of(self.task) == "tool")?;
        let inputs = self.task.get("inputs").map(json::canonical).unwrap_or_default();
        Some((tool.to_owned(), inputs))
    }

    /// Names of the secrets that its arguments take.
    pub fn secrets(&self) -> Vec<&'d str> {
        let mut names = Vec::new();
        let mut open: Vec<&Json> = self.inputs().map(|(_, value)| value).collect();
        while let Some(value) = open.pop() {
            match value {
                Json::Object(map) if map.contains_key("$literal") => {}
                Json::Object(map) => {
                    names.extend(map.get("$secret").and_then(Json::as_str));
                    open.extend(map.values());
                }
                Json::Array(items) => open.extend(items),
                Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => {}
            }
        }
        names.sort_unstable();
        names.dedup();
        names
    }

    fn inputs(&self) -> impl Iterator<Item = (&'d String, &'d Json)> {
        let inputs = self.task.get("inputs").and_then(Json::as_object);
        inputs.into_iter().flatten()
    }
}
