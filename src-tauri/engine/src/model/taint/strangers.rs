//! Who, anywhere in a plan and the plans inside it, could change files that no literal names: programs, servers, agents,
//! and tasks that only the run tells where to write. It must not know ways or sinks.

use std::collections::HashMap;
use std::sync::Arc;

use crate::model::grants::{self, Grants, Need, Place};
use crate::model::plan::{Plan, Task, TaskKind};
use crate::model::tool::{Access, Catalog, ToolSpec};

/// Of so many plans the grants are looked at one by one; with more, whoever may write somewhere may write anywhere.
const MOST_PLANS: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Strangers {
    /// Has folders of its own.
    has_server: bool,
    programs: Places,
    /// Who writes where only the run knows.
    open: Places,
    /// How many tasks write a file that is named literally.
    literal: HashMap<String, usize>,
}

/// The plans in which somebody is, by what these may write.
#[derive(Debug, Default)]
struct Places {
    plans: Vec<(Arc<Grants>, Place)>,
    is_anywhere: bool,
}

impl Places {
    fn add(&mut self, plan: &Plan, place: &Place) {
        if self
            .plans
            .last()
            .is_some_and(|(known, _)| Arc::ptr_eq(known, &plan.grants))
        {
            return;
        }
        match self.plans.len() < MOST_PLANS {
            true => self.plans.push((plan.grants.clone(), place.clone())),
            false => self.is_anywhere = true,
        }
    }

    fn reach(&self, resource: &str) -> bool {
        let need = Need {
            access: Access::Write,
            resource: resource.to_owned(),
            method: None,
        };
        self.is_anywhere
            || self
                .plans
                .iter()
                .any(|(grants, place)| grants::covers(grants, &need, place))
    }
}

impl Strangers {
    pub fn of(plan: &Plan, catalog: &Catalog, place: &Place) -> Self {
        let mut found = Self::default();
        found.look(plan, catalog, place);
        found
    }

    /// A program or a server may have been at it: nobody knows what is in it.
    pub fn may_fill(&self, resource: &str) -> bool {
        self.has_server || self.programs.reach(resource)
    }

    /// The same of whatever an agent chooses to read.
    pub fn may_fill_something(&self) -> bool {
        self.has_server || !self.programs.plans.is_empty()
    }

    pub fn may_write_openly(&self, resource: &str) -> bool {
        self.open.reach(resource)
    }

    /// Whether more tasks write it by its name than these.
    pub fn is_written_elsewhere(&self, resource: &str, here: usize) -> bool {
        self.literal.get(resource).is_some_and(|all| *all > here)
    }

    /// Recursion is bounded by the depth of the document.
    fn look(&mut self, plan: &Plan, catalog: &Catalog, place: &Place) {
        for task in &plan.tasks {
            self.task(plan, task, catalog, place);
        }
    }

    fn task(&mut self, plan: &Plan, task: &Task, catalog: &Catalog, place: &Place) {
        match &task.kind {
            TaskKind::Tool { tool } => {
                let names = std::iter::once(&**tool).chain(task.fallback_tool());
                for spec in names.filter_map(|name| catalog.get(name)) {
                    self.spec(plan, spec, place);
                    let (needs, open) = grants::needs_of_inputs(spec, &task.inputs, place);
                    if open.contains(&Access::Write) {
                        self.open.add(plan, place);
                    }
                    for need in needs.into_iter().filter(|need| need.access == Access::Write) {
                        *self.literal.entry(need.resource).or_default() += 1;
                    }
                }
            }
            TaskKind::Agent { tools, .. } => {
                for spec in tools.iter().filter_map(|name| catalog.get(name)) {
                    self.spec(plan, spec, place);
                    if writes_by_argument(spec) {
                        self.open.add(plan, place);
                    }
                }
            }
            TaskKind::Map { task, .. } => self.task(plan, task, catalog, place),
            TaskKind::Subplan {
                plan: Some(inner), ..
            } => {
                self.look(inner, catalog, &place_of(inner, place));
            }
            TaskKind::Model
            | TaskKind::Code { .. }
            | TaskKind::Human { .. }
            | TaskKind::Subplan { plan: None, .. } => {}
        }
    }

    fn spec(&mut self, plan: &Plan, spec: &ToolSpec, place: &Place) {
        let touches = |access| {
            spec.touches.iter().any(|touch| touch.access == access)
                || spec.needs.iter().any(|need| need.access == access)
        };
        if touches(Access::Command) {
            self.programs.add(plan, place);
        }
        self.has_server |= touches(Access::Mcp) && spec.effect.is_effect();
    }
}

pub(super) fn writes_by_argument(spec: &ToolSpec) -> bool {
    spec.touches.iter().any(|touch| touch.access == Access::Write)
}

/// Where the relative paths of a plan inside another lie.
pub(super) fn place_of(inner: &Plan, around: &Place) -> Place {
    match &inner.file {
        Some(file) => around.beside(file),
        None => around.clone(),
    }
}
