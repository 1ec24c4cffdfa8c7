//! From an edit to the changed document, with a patch each way. Works on right and wrong documents alike, as far
//! as they go; what can't be done is refused with a reason, and then nothing has changed.

use super::connect::refusal_of;
use super::names::{Index, dependencies_of, id_of, pointer};
use super::patch::{self, NoPlace, Work};
use super::{Placed, PlanEdit, Position, references, tasks};
use crate::model::graph::{Components, rings};
use crate::model::json::{At, is_pointer, push_step, steps};
use crate::model::{DraftPlan, Json, read};

/// A changed document.
#[derive(Clone, Debug)]
pub struct Applied {
    pub plan: DraftPlan,
    /// JSON Patch from the old document to the new one; an empty list if nothing changed.
    pub patch: Json,
    /// The patch that takes it back exactly.
    pub inverse: Json,
    /// What was done, for the menu: "Connect a → b".
    pub label: String,
}

/// Why an edit was refused. Nothing has changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EditError {
    #[error("there is no task `{0}`")]
    UnknownTask(String),
    /// An edge that may not be drawn.
    #[error("{0}")]
    Refused(String),
    /// The value given is not what belongs there.
    #[error("{0}")]
    BadValue(String),
    /// The document is wrong in a way that must be mended by hand first.
    #[error("{0}")]
    Broken(String),
}

impl From<NoPlace> for EditError {
    fn from(error: NoPlace) -> Self {
        Self::Broken(error.to_string())
    }
}

pub(super) type Edited = Result<String, EditError>;

/// Applies one edit.
pub fn apply(draft: &DraftPlan, edit: &PlanEdit) -> Result<Applied, EditError> {
    let document = draft.document();
    if !document.is_object() {
        return Err(EditError::Broken(
            "the plan is no object; mend its text first".to_owned(),
        ));
    }
    let mut work = Work::new(document.clone());
    let label = Editor {
        index: Index::new(document),
        work: &mut work,
    }
    .run(edit)?;
    patch::check_bounds(&work.document).map_err(EditError::BadValue)?;
    refuse_new_loop(document, &work.document)?;
    let (document, patch, inverse) = work.finish();
    Ok(Applied {
        plan: DraftPlan::of(document),
        patch,
        inverse,
        label,
    })
}

/// No edit may make a loop where there was none, whichever way it would: a new id can also give a meaning to
/// names that had none.
pub(in crate::model) fn refuse_new_loop(before: &Json, after: &Json) -> Result<(), EditError> {
    let index = Index::new(after);
    let graph = index.graph();
    if graph.order().len() == graph.len() {
        return Ok(());
    }
    let old = Index::new(before).graph();
    if old.order().len() < old.len() {
        return Ok(());
    }
    let rings = rings(&graph, &Components::new(&graph));
    let members = rings.first().map_or(&[][..], |ring| &ring.members);
    let mut names: Vec<String> = members
        .iter()
        .take(6)
        .map(|node| index.name(index.first(*node)))
        .collect();
    names.extend((members.len() > 6).then(|| "…".to_owned()));
    names.extend(members.first().map(|node| index.name(index.first(*node))));
    let ring = names.join(" > ");
    Err(EditError::Refused(format!("that would close a loop: {ring}")))
}

/// The document as it was before the edit, beside the one that is being changed.
pub(super) struct Editor<'e> {
    pub index: Index<'e>,
    pub work: &'e mut Work,
}

impl Editor<'_> {
    fn run(&mut self, edit: &PlanEdit) -> Edited {
        match edit {
            PlanEdit::AddTask {
                task,
                after,
                before,
                position,
            } => tasks::add(self, task, (after, before), *position),
            PlanEdit::RemoveTasks { ids } => tasks::remove(self, ids),
            PlanEdit::SetTask { id, field, value } => self.set_task(id, field, value.as_deref()),
            PlanEdit::RenameTask { id, to } => tasks::rename(self, id, to),
            PlanEdit::Connect { from, to } => self.connect(from, to),
            PlanEdit::Disconnect { from, to } => self.disconnect(from, to),
            PlanEdit::Reconnect {
                from,
                to,
                new_from,
                new_to,
            } => self.reconnect((from, to), (new_from, new_to)),
            PlanEdit::Move { positions } => self.place(positions),
            PlanEdit::Tidy => {
                self.work.remove("/layout/positions")?;
                Ok("Tidy up".to_owned())
            }
            PlanEdit::SetPlan { field, value } => self.set_plan(field, value.as_deref()),
            PlanEdit::Paste { tasks, at } => tasks::paste(self, tasks, *at),
        }
    }

    pub fn find(&self, name: &str) -> Result<usize, EditError> {
        self.index
            .find(name)
            .ok_or_else(|| EditError::UnknownTask(name.to_owned()))
    }

    fn set_task(&mut self, id: &str, field: &str, value: Option<&str>) -> Edited {
        let ix = self.find(id)?;
        let value = value.map(parsed).transpose()?;
        if field.is_empty() && !value.as_ref().is_some_and(Json::is_object) {
            return Err(EditError::BadValue("a task is an object".to_owned()));
        }
        if field == "/id"
            && let Some(Json::String(to)) = &value
        {
            return tasks::rename(self, id, to);
        }
        let whole_list = match field {
            "" => value.as_ref().and_then(|task| task.get("dependencies")),
            "/dependencies" => value.as_ref(),
            _ => None,
        };
        if let Some(list) = whole_list {
            self.check_new_dependencies(ix, list)?;
        }
        let what = steps(field).next().unwrap_or_else(|| "task".to_owned());
        let verb = if value.is_some() { "Change" } else { "Clear" };
        self.set_field(&pointer(ix), field, value)?;
        Ok(format!("{verb} {what} of {}", self.index.name(ix)))
    }

    /// A list of dependencies that is set as a whole may not close a loop either.
    fn check_new_dependencies(&self, ix: usize, list: &Json) -> Result<(), EditError> {
        let old: Vec<&str> = dependencies_of(&self.index.tasks[ix]).collect();
        let new = list.as_array().into_iter().flatten().filter_map(Json::as_str);
        let new: Vec<usize> = new
            .filter(|name| !old.contains(name))
            .filter_map(|name| self.index.find(name))
            .collect();
        let edges = if new.is_empty() {
            Vec::new()
        } else {
            self.index.edges()
        };
        for from in new {
            if let Some(reason) = refusal_of(&self.index, &edges, from, ix) {
                return Err(EditError::Refused(reason));
            }
        }
        Ok(())
    }

    fn set_plan(&mut self, field: &str, value: Option<&str>) -> Edited {
        let value = value.map(parsed).transpose()?;
        let what = steps(field).next().unwrap_or_default();
        if what.is_empty() || what == "tasks" {
            return Err(EditError::BadValue(
                "`tasks` and the plan itself are not set as one field".to_owned(),
            ));
        }
        let verb = if value.is_some() { "Change" } else { "Clear" };
        self.set_field("", field, value)?;
        Ok(format!("{verb} {what} of the plan"))
    }

    /// Sets or removes a place inside `base`. Objects on the way there are made.
    fn set_field(&mut self, base: &str, field: &str, value: Option<Json>) -> Result<(), EditError> {
        if !is_pointer(field) {
            return Err(EditError::BadValue(format!("`{field}` is no JSON Pointer")));
        }
        let whole = format!("{base}{field}");
        let Some(value) = value else {
            return Ok(self.work.remove(&whole)?);
        };
        let mut at = base.to_owned();
        let all: Vec<String> = steps(field).collect();
        for step in all.iter().take(all.len().saturating_sub(1)) {
            push_step(&mut at, step);
            if self.work.get(&at).is_none_or(Json::is_null) {
                self.work.set(&at, Json::Object(serde_json::Map::new()))?;
            }
        }
        Ok(self.work.set(&whole, value)?)
    }

    fn connect(&mut self, from: &str, to: &str) -> Edited {
        let (source, target) = (self.find(from)?, self.find(to)?);
        if let Some(reason) = refusal_of(&self.index, &self.index.edges(), source, target) {
            return Err(EditError::Refused(reason));
        }
        let list = self.dependency_list(target)?;
        self.work.add(
            &format!("{list}/{}", self.len(&list)),
            Json::from(id_of(&self.index.tasks[source])),
        )?;
        Ok(format!(
            "Connect {} → {}",
            self.index.name(source),
            self.index.name(target)
        ))
    }

    fn len(&self, list: &str) -> usize {
        self.work.get(list).and_then(Json::as_array).map_or(0, Vec::len)
    }

    /// The pointer of the task's list of dependencies, which is made where there is none.
    pub fn dependency_list(&mut self, ix: usize) -> Result<String, EditError> {
        let list = format!("{}/dependencies", pointer(ix));
        match self.work.get(&list) {
            Some(Json::Array(_)) => {}
            None | Some(Json::Null) => self.work.set(&list, Json::Array(Vec::new()))?,
            Some(_) => {
                let name = self.index.name(ix);
                return Err(EditError::Broken(format!(
                    "`dependencies` of {name} is no list; mend it first"
                )));
            }
        }
        Ok(list)
    }

    fn disconnect(&mut self, from: &str, to: &str) -> Edited {
        let target = self.find(to)?;
        let id = self.written_name(from);
        self.drop_edge(&id, target)?;
        self.clear_inputs(&id, target)?;
        Ok(format!("Disconnect {from} → {to}"))
    }

    /// What stands in `dependencies` for this name, which may also be one that no task has.
    fn written_name(&self, name: &str) -> String {
        let id = self.index.find(name).and_then(|ix| id_of(&self.index.tasks[ix]));
        id.unwrap_or(name).to_owned()
    }

    fn drop_edge(&mut self, id: &str, target: usize) -> Result<(), EditError> {
        let task = &self.index.tasks[target];
        let entries = task.get("dependencies").and_then(Json::as_array);
        let kept: Vec<Json> = entries
            .into_iter()
            .flatten()
            .filter(|entry| entry.as_str() != Some(id))
            .cloned()
            .collect();
        if entries.is_none_or(|entries| entries.len() == kept.len()) {
            let name = self.index.name(target);
            return Err(EditError::Refused(format!("{name} does not depend on {id}")));
        }
        Ok(self
            .work
            .set(&format!("{}/dependencies", pointer(target)), Json::Array(kept))?)
    }

    /// Inputs that are nothing but what came along the edge go with it, unless it still comes another way.
    fn clear_inputs(&mut self, id: &str, target: usize) -> Result<(), EditError> {
        if self.still_leads(id, target) {
            return Ok(());
        }
        for name in references::whole_inputs(&self.index.tasks[target], id) {
            let base = pointer(target);
            let mut place = format!("{base}/inputs");
            push_step(&mut place, &name);
            self.work.remove(&place)?;
        }
        Ok(())
    }

    fn still_leads(&self, id: &str, target: usize) -> bool {
        let Some(source) = self.index.node_named(id) else {
            return false;
        };
        let edge = (source, self.index.node(target));
        let edges: Vec<_> = self
            .index
            .edges()
            .into_iter()
            .filter(|other| *other != edge)
            .collect();
        let nodes = self.index.graph().len();
        crate::model::graph::Graph::new(nodes, &edges)
            .path(edge.0, edge.1)
            .is_some()
    }

    /// Moves an edge. Where only its start moves, what the task reads along it moves, too.
    fn reconnect(&mut self, (from, to): (&str, &str), (new_from, new_to): (&str, &str)) -> Edited {
        let (target, new_target) = (self.find(to)?, self.find(new_to)?);
        let new_source = self.find(new_from)?;
        let id = self.written_name(from);
        let label = format!("Move {from} → {to} to {new_from} → {new_to}");
        if (from, to) == (new_from, new_to) {
            return Ok(label);
        }
        let old_edge = self
            .index
            .node_named(&id)
            .map(|node| (node, self.index.node(target)));
        let edges: Vec<_> = self
            .index
            .edges()
            .into_iter()
            .filter(|edge| Some(*edge) != old_edge)
            .collect();
        if let Some(reason) = refusal_of(&self.index, &edges, new_source, new_target) {
            return Err(EditError::Refused(reason));
        }
        let new_id = id_of(&self.index.tasks[new_source])
            .unwrap_or_default()
            .to_owned();
        if target == new_target {
            self.replace_edge(&id, &new_id, target)?;
        } else {
            self.drop_edge(&id, target)?;
            self.clear_inputs(&id, target)?;
            let list = self.dependency_list(new_target)?;
            self.work
                .add(&format!("{list}/{}", self.len(&list)), Json::from(new_id))?;
        }
        Ok(label)
    }

    fn replace_edge(&mut self, id: &str, new_id: &str, target: usize) -> Result<(), EditError> {
        let task = &self.index.tasks[target];
        let place = dependencies_of(task).position(|name| name == id);
        if place.is_none() {
            let name = self.index.name(target);
            return Err(EditError::Refused(format!("{name} does not depend on {id}")));
        }
        let mut seen_first = false;
        let entries = task
            .get("dependencies")
            .and_then(Json::as_array)
            .into_iter()
            .flatten();
        let entries = entries.filter(|entry| {
            let is_old = entry.as_str() == Some(id);
            !(is_old && std::mem::replace(&mut seen_first, true))
        });
        let moved = entries.map(|entry| {
            if entry.as_str() == Some(id) {
                Json::from(new_id)
            } else {
                entry.clone()
            }
        });
        let moved: Vec<Json> = moved.collect();
        self.work
            .set(&format!("{}/dependencies", pointer(target)), Json::Array(moved))?;
        for reference in references::to(task, id) {
            self.work
                .set(&format!("{}{reference}", pointer(target)), Json::from(new_id))?;
        }
        Ok(())
    }

    fn place(&mut self, positions: &[Placed]) -> Edited {
        for placed in positions {
            if self.index.find(&placed.id).is_some() {
                self.set_position(
                    &placed.id,
                    Position {
                        x: placed.x,
                        y: placed.y,
                    },
                )?;
            }
        }
        Ok(match positions {
            [one] => format!("Move {}", one.id),
            many => format!("Move {} tasks", many.len()),
        })
    }

    /// Keeps where a card stands. A layout of another shape is replaced: nothing else reads it.
    pub fn set_position(&mut self, id: &str, position: Position) -> Result<(), EditError> {
        for place in ["/layout", "/layout/positions"] {
            if !self.work.get(place).is_some_and(Json::is_object) {
                self.work.set(place, Json::Object(serde_json::Map::new()))?;
            }
        }
        let positions = At::Key(&At::Root, "layout");
        let place = positions.key("positions").key(id).pointer();
        Ok(self
            .work
            .set(&place, serde_json::json!({ "x": position.x, "y": position.y }))?)
    }
}

/// A value that came as JSON text.
pub(super) fn parsed(text: &str) -> Result<Json, EditError> {
    read::read(text, &read::PLAN).map_err(|errors| {
        let first = errors.first().map(ToString::to_string).unwrap_or_default();
        EditError::BadValue(format!("this is no JSON: {first}"))
    })
}
